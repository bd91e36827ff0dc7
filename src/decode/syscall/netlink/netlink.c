/*
 * Messages of netlink: a header, a struct that depends on the protocol of the socket and on the type, and attributes, which may be
 * nested. Undescribed data is shown as bytes.
 */
#include "decode/syscall/netlink/netlink_priv.h"

enum { HEADER = 16, ATTRIBUTE = 4, DEPTH_MAX = 8 };
enum { NLMSG_ERROR = 2, NLMSG_DONE = 3, NLMSG_MIN_TYPE = 16 };
enum { ROUTE = 0, SOCK_DIAG = 4, XFRM = 6, SELINUX = 7, AUDIT = 9, NETFILTER = 12, KOBJECT_UEVENT = 15, GENERIC = 16 };

/* ---- Attributes ---- */

static const struct attribute *attribute_of(const struct attributes *of, uint32_t type)
{
	for (size_t i = 0; of && i < of->nr; i++)
		if (of->list[i].type == type)
			return &of->list[i];
	return NULL;
}

/* The values in the first `here` of n bytes. */
static void each(struct emit *e, const struct attribute *a, const uint8_t *p, size_t here, size_t n)
{
	struct value_type t = a->value;
	size_t one = value_bytes(e->arch, t), k = 0;
	if (a->kind != A_EACH)
		t.of = NULL;
	emit_array(e);
	for (; (k + 1) * one <= here; k++) {
		emit_item(e);
		if (a->kind != A_EACH)
			emit_index(e, a->value.of, k + (a->kind == A_INDEXED_LESS1), a->kind == A_INDEXED_LESS1);
		emit_memory(e, t, p + k * one, one);
	}
	if ((k + 1) * one <= n)
		emit_more(e);
	emit_array_end(e);
}

static void number(struct emit *e, const uint8_t *p, size_t n, const char *c_name)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[i];
	struct out *out = emit_atom(e);
	if (e->strace)
		out_f(out, "%s(%llu)", c_name, (unsigned long long)v);
	else
		out_u64(out, v);
	emit_atom_end(e);
}

static void address(struct emit *e, const uint8_t *p, size_t n)
{
	if (n == 4 || n == 16)
		emit_inet(e, p, n == 16);
	else
		emit_bytes(e, p, n, false);
}

/* A number in the byte order of the machine, n bytes wide. */
static void uint(struct emit *e, const uint8_t *p, size_t n)
{
	if (n == 4 || n == 8)
		emit_u64(e, value_load(e->arch, p, n));
	else
		emit_bytes(e, p, n, false);
}

/* The payload of an attribute, of which needed() bytes were fetched. */
static void attribute_value(struct emit *e, const struct attribute *a, const uint8_t *p, size_t n)
{
	switch (a ? a->kind : A_NEST) {
	case A_VALUE: {
		size_t size = value_bytes(e->arch, a->value);
		bool exact = a->value.bytes == 8; /* 64-bit numbers have only one size */
		if (exact ? n == size : n >= (a->least ? a->least : size))
			emit_memory(e, a->value, p, n < size ? n : size);
		else
			emit_bytes(e, p, n, false);
		break;
	}
	case A_EACH:
	case A_INDEXED:
	case A_INDEXED_LESS1:
		if (n >= value_bytes(e->arch, a->value))
			each(e, a, p, n, n);
		else
			emit_bytes(e, p, n, false);
		break;
	case A_UINT:
		uint(e, p, n);
		break;
	case A_TEXT: {
		bool ends = n && !p[n - 1];
		emit_string(e, p, n - ends, !ends);
		break;
	}
	case A_ADDRESS:
		address(e, p, n);
		break;
	case A_MAC:
		emit_mac(e, p, n);
		break;
	case A_PORT:
		if (n >= 2)
			number(e, p, 2, "htons");
		else
			emit_bytes(e, p, n, false);
		break;
	case A_BIG64:
		if (n >= 8)
			number(e, p, 8, "htobe64");
		else
			emit_bytes(e, p, n, false);
		break;
	default:
		emit_bytes(e, p, n, false);
		break;
	}
}

static void attribute_type(struct emit *e, const struct attributes *of, uint32_t type)
{
	enum { NESTED = 0x8000, BYTEORDER = 0x4000 };
	struct out *out = emit_atom(e);
	uint32_t plain = type & ~(uint32_t)(NESTED | BYTEORDER);
	const char *name = of ? constant_name(of->names, plain) : NULL;
	out_str(out, type & NESTED ? "NLA_F_NESTED|" : "");
	out_str(out, type & BYTEORDER ? "NLA_F_NET_BYTEORDER|" : "");
	if (name)
		out_str(out, name);
	else
		out_f(out, "%#x", plain);
	emit_atom_end(e);
}

/* The number of bytes of an attribute that are printed. */
static size_t needed(const struct emit *e, const struct attribute *a, size_t payload)
{
	size_t n = a && a->kind == A_VALUE ? value_bytes(e->arch, a->value) : payload;
	return n < payload ? n : payload;
}

void netlink_bytes(struct packet *p, size_t at, size_t n)
{
	if (packet_has(p, at, n))
		emit_bytes(p->e, p->data + at, n, false);
	else
		emit_pointer(p->e, p->address + at);
}

bool netlink_begins_with(struct packet *p, size_t at, size_t n, size_t head)
{
	if (n >= head && packet_has(p, at, head))
		return true;
	netlink_bytes(p, at, n);
	return false;
}

/* Some depend on the family of their message, or on the kind of link in an earlier attribute. */
static const struct attributes *nest_of(const struct packet *p, const struct attributes *nest)
{
	enum { FAMILY_BRIDGE = 7, FAMILY_INET6 = 10, RTNL_FAMILY_IPMR = 128, RTNL_FAMILY_IP6MR };
	if (nest == &attributes_ifla_info_data)
		return p->link_data;
	if (nest == &attributes_ifla_info_slave_data)
		return p->port_data;
	if (nest == &attributes_ifla_af_spec && p->family == FAMILY_BRIDGE)
		return &attributes_ifla_bridge;
	if (nest == &attributes_creport)
		return p->family == RTNL_FAMILY_IPMR ? &attributes_ipmra : p->family == RTNL_FAMILY_IP6MR ? &attributes_ip6mra : NULL;
	if (nest != &attributes_ifla_protinfo)
		return nest;
	return p->family == FAMILY_BRIDGE ? &attributes_ifla_brport : p->family == FAMILY_INET6 ? &attributes_ifla_inet6 : NULL;
}

/* IFLA_INFO_KIND and IFLA_INFO_SLAVE_KIND decide the type of IFLA_INFO_DATA and IFLA_INFO_SLAVE_DATA. */
static void note_kind(struct packet *p, const struct attributes *of, uint32_t type, size_t at, size_t n)
{
	enum { KIND = 1, SLAVE_KIND = 4 };
	if (of != &attributes_ifla_info || (type != KIND && type != SLAVE_KIND))
		return;
	const char *kind = packet_has(p, at, n) ? (const char *)p->data + at : "";
	n = packet_has(p, at, n) ? strnlen(kind, n) : 0;
	bool bridge = n == 6 && !memcmp(kind, "bridge", n), tun = n == 3 && !memcmp(kind, "tun", n);
	if (type == KIND)
		p->link_data = bridge ? &attributes_ifla_br : tun ? &attributes_ifla_tun : NULL;
	else
		p->port_data = bridge ? &attributes_ifla_brport : NULL;
}

/* A value, and attributes after it. */
static void headed(struct packet *p, const struct attribute *a, size_t at, size_t n, unsigned depth)
{
	struct emit *e = p->e;
	size_t size = value_bytes(e->arch, a->value), head = packet_aligned(size);
	if (!netlink_begins_with(p, at, n, size))
		return;
	emit_memory(e, a->value, p->data + at, size);
	if (n <= head)
		return;
	emit_item(e);
	netlink_attributes(p, at + head, n - head, a->nest, depth + 1);
}

static void attribute_head(struct packet *p, size_t at, const struct attributes *of)
{
	struct emit *e = p->e;
	emit_struct(e);
	emit_member(e, "nla_len");
	emit_u64(e, packet_load(p, at, 2));
	emit_member(e, "nla_type");
	attribute_type(e, of, (uint32_t)packet_load(p, at + 2, 2));
	emit_struct_end(e);
}

static bool is_list(const struct attribute *a)
{
	return a && (a->kind == A_EACH || a->kind == A_INDEXED || a->kind == A_INDEXED_LESS1);
}

/* The payload of an attribute, n bytes at `at`: an item, or several. */
static void attribute_payload(struct packet *p, const struct attribute *a, size_t at, size_t n, unsigned depth)
{
	struct emit *e = p->e;
	const struct attributes *inner = a && a->kind == A_NEST ? nest_of(p, a->nest) : NULL;
	size_t here = at < p->bytes ? p->bytes - at : 0;
	if (inner && depth < DEPTH_MAX && n >= ATTRIBUTE && packet_has(p, at, ATTRIBUTE))
		netlink_attributes(p, at, n, inner, depth + 1);
	else if (a && a->kind == A_HEADED && depth < DEPTH_MAX)
		headed(p, a, at, n, depth);
	else if (a && a->kind == A_BODY && depth < DEPTH_MAX)
		a->print(p, at, n, depth);
	else if (packet_has(p, at, needed(e, a, n)))
		attribute_value(e, a, p->data + at, n);
	else if (is_list(a) && here >= value_bytes(e->arch, a->value))
		each(e, a, p->data + at, here, n);
	else
		emit_pointer(e, p->address + at);
}

static void attribute(struct packet *p, size_t at, size_t n, const struct attributes *of, unsigned depth)
{
	struct emit *e = p->e;
	uint32_t type = (uint32_t)packet_load(p, at + 2, 2) & 0x3fff;
	size_t payload = n - ATTRIBUTE;
	if (payload)
		emit_array(e);
	if (payload)
		emit_item(e);
	attribute_head(p, at, of);
	if (!payload)
		return;
	note_kind(p, of, type, at + ATTRIBUTE, payload);
	emit_item(e);
	attribute_payload(p, attribute_of(of, type), at + ATTRIBUTE, payload, depth);
	emit_array_end(e);
}

/* A length that is too small ends the list; one that is too large is cut to the enclosing data. */
void netlink_attributes(struct packet *p, size_t at, size_t n, const struct attributes *of, unsigned depth)
{
	struct emit *e = p->e;
	if (!netlink_begins_with(p, at, n, ATTRIBUTE))
		return;
	size_t len = (size_t)packet_load(p, at, 2);
	bool several = (len >= ATTRIBUTE && packet_aligned(len) < n) || e->json;
	if (several)
		emit_array(e);
	while (n >= ATTRIBUTE && packet_has(p, at, ATTRIBUTE)) {
		len = (size_t)packet_load(p, at, 2);
		len = len < n ? len : n;
		if (several)
			emit_item(e);
		if (len < ATTRIBUTE) {
			attribute_head(p, at, of);
			n = 0;
			break;
		}
		attribute(p, at, len, of, depth);
		size_t step = packet_aligned(len) < n ? packet_aligned(len) : n;
		at += step;
		n -= step;
	}
	if (several && n) {
		emit_item(e);
		netlink_bytes(p, at, n);
	}
	if (several)
		emit_array_end(e);
}

/* ---- Messages ---- */

/* The data after the header, by the type of a message or the family of a diagnosis. */
struct payload {
	uint16_t first, last;
	const struct struct_type *s;
	const struct attributes *attributes;
};

static const struct payload route_payloads[] = {
	{ 16, 19, &struct_ifinfomsg, &attributes_ifla },     { 20, 23, &struct_ifaddrmsg, &attributes_ifa },
	{ 58, 58, &struct_ifaddrmsg, &attributes_ifa },      { 62, 62, &struct_ifaddrmsg, &attributes_ifa },
	{ 24, 27, &struct_rtmsg, &attributes_rta },          { 28, 31, &struct_ndmsg, &attributes_nda },
	{ 32, 35, &struct_fib_rule_hdr, &attributes_fra },   { 36, 47, &struct_tcmsg, &attributes_tca },
	{ 48, 50, &struct_tcamsg, NULL },                    { 64, 67, &struct_ndtmsg, &attributes_ndta },
	{ 72, 74, &struct_ifaddrlblmsg, &attributes_ifal },              { 78, 79, &struct_dcbmsg, NULL },
	{ 80, 82, &struct_netconfmsg, &attributes_netconfa }, { 84, 86, &struct_br_port_msg, &attributes_mdba },
	{ 88, 90, &struct_nl_family, NULL },                 { 92, 95, &struct_if_stats_msg, &attributes_stats },
	{ 96, 96, &struct_nl_report, &attributes_creport },                 { 100, 102, &struct_tcmsg, &attributes_tca },
	{ 104, 106, &struct_nhmsg, &attributes_nha },        { 108, 110, &struct_ifinfomsg, &attributes_ifla },
};

/* Replies. A message with NLM_F_DUMP is taken for a request, one without for a reply. */
static const struct payload diag_payloads[] = {
	{ 1, 1, &struct_unix_diag_msg, &attributes_unix_diag },
	{ 2, 2, &struct_inet_diag_msg, &attributes_inet_diag },
	{ 10, 10, &struct_inet6_diag_msg, &attributes_inet_diag },
	{ 16, 16, &struct_netlink_diag_msg, &attributes_netlink_diag },
	{ 17, 17, &struct_packet_diag_msg, &attributes_packet_diag },
	{ 43, 43, &struct_smc_diag_msg, &attributes_smc_diag },
};

static const struct payload diag_requests[] = {
	{ 1, 1, &struct_unix_diag_req, NULL },       { 2, 2, &struct_inet_diag_req_v2, &attributes_inet_diag_req },
	{ 16, 16, &struct_netlink_diag_req, NULL },  { 10, 10, &struct_inet6_diag_req_v2, &attributes_inet_diag_req },
	{ 17, 17, &struct_packet_diag_req, NULL },   { 43, 43, &struct_smc_diag_req, NULL },
};

/* TCPDIAG_GETSOCK, DCCPDIAG_GETSOCK */
static const struct payload old_diag_requests[] = {
	{ 2, 2, &struct_inet_diag_req, &attributes_inet_diag_req },
	{ 10, 10, &struct_inet6_diag_req, &attributes_inet_diag_req },
};

static const struct payload netfilter_payloads[] = {
	{ 10 << 8, 10 << 8 | 255, &struct_nfgenmsg_tables, NULL },
	{ 0, UINT16_MAX, &struct_nfgenmsg, NULL },
};

static const struct payload selinux_payloads[] = {
	{ 16, 16, &struct_selnl_setenforce, NULL },
	{ 17, 17, &struct_selnl_policyload, NULL },
};

#define FIND(list, key) payload_find(list, sizeof(list) / sizeof(*(list)), key)

static const struct payload *payload_find(const struct payload *list, size_t nr, uint32_t key)
{
	for (size_t i = 0; i < nr; i++)
		if (key >= list[i].first && key <= list[i].last)
			return &list[i];
	return NULL;
}

static const struct payload *diag_payload_of(uint32_t type, uint32_t family, uint32_t flags)
{
	enum { TCPDIAG_GETSOCK = 18, DCCPDIAG_GETSOCK = 19, BY_FAMILY = 20, REQUEST = 1 };
	if (type != BY_FAMILY && type != TCPDIAG_GETSOCK && type != DCCPDIAG_GETSOCK)
		return NULL;
	if (!(flags & REQUEST))
		return FIND(diag_payloads, family);
	return type == BY_FAMILY ? FIND(diag_requests, family) : FIND(old_diag_requests, family);
}

static const struct payload *payload_of(int protocol, uint32_t type, uint32_t family, uint32_t flags)
{
	switch (protocol) {
	case ROUTE: /* the ranges contain unassigned types */
		return constant_name(&constants_nl_route, type) ? FIND(route_payloads, type) : NULL;
	case SELINUX:
		return FIND(selinux_payloads, type);
	case SOCK_DIAG:
		return diag_payload_of(type, family, flags);
	case NETFILTER:
		return FIND(netfilter_payloads, type);
	default:
		return NULL;
	}
}

static const struct constants *types_of(int protocol)
{
	switch (protocol) {
	case ROUTE:
		return &constants_nl_route;
	case SOCK_DIAG:
		return &constants_nl_sock_diag;
	case XFRM:
		return &constants_nl_xfrm;
	case SELINUX:
		return &constants_nl_selinux;
	case AUDIT:
		return &constants_nl_audit;
	case GENERIC:
		return &constants_nl_generic;
	default:
		return NULL;
	}
}

/* A message of a subsystem of the netfilter; NULL: no name. */
static const char *netfilter_name(uint32_t type)
{
	static const struct constants *const messages[] = {
		NULL, &constants_nl_nf_ct, &constants_nl_nf_exp, &constants_nl_nf_queue, &constants_nl_nf_ulog,
		&constants_nl_nf_osf, &constants_nl_nf_ipset, &constants_nl_nf_acct, &constants_nl_nf_timeout,
		&constants_nl_nf_cthelper, &constants_nl_nf_nftables, &constants_nl_nf_compat, &constants_nl_nf_hook,
	};
	const struct constants *of = type >> 8 < sizeof(messages) / sizeof(*messages) ? messages[type >> 8] : NULL;
	return of ? constant_name(of, type & 0xff) : NULL;
}

/* NFNL_SUBSYS_QUEUE<<8|NFQNL_MSG_PACKET */
static void netfilter_type(struct emit *e, uint32_t type)
{
	const char *subsystem = constant_name(&constants_nl_nfnl, type >> 8), *name = netfilter_name(type);
	struct out *out = emit_atom(e);
	if (subsystem)
		out_str(out, subsystem);
	else
		out_f(out, "%#x", type >> 8);
	out_str(out, "<<8|");
	if (name)
		out_str(out, name);
	else
		out_f(out, "%#x", type & 0xff);
	emit_atom_end(e);
}

static void message_type(struct emit *e, int protocol, uint32_t type)
{
	const struct constants *c = type < NLMSG_MIN_TYPE ? &constants_nl_control : types_of(protocol);
	if (c) {
		emit_enum(e, c, type);
		return;
	}
	if (protocol == NETFILTER && constant_name(&constants_nl_nfnl_batch, type)) {
		emit_enum(e, &constants_nl_nfnl_batch, type);
		return;
	}
	if (protocol == NETFILTER)
		netfilter_type(e, type);
	else
		emit_hex(e, type);
}

/* The flags of a message, by its name: NFT_MSG_NEWTABLE, XFRM_MSG_GETSA. */
static const struct constants *flags_by_name(const char *name)
{
	static const struct {
		const char *verb;
		const struct constants *flags;
	} verbs[] = {
		{ "_NEW", &constants_nl_flags_new }, { "_GET", &constants_nl_flags_get }, { "_DEL", &constants_nl_flags_delete },
	};
	for (size_t i = 0; name && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strstr(name, verbs[i].verb))
			return verbs[i].flags;
	return &constants_nl_flags;
}

/* Bits above the common ones differ between get, new and delete requests. */
static const struct constants *flags_of(int protocol, uint32_t type)
{
	enum { NEW, DELETE, GET };
	if (type == NLMSG_ERROR)
		return &constants_nl_flags_ack;
	if (type < NLMSG_MIN_TYPE)
		return &constants_nl_flags;
	if (protocol == SOCK_DIAG)
		return &constants_nl_flags_get;
	if (protocol == NETFILTER)
		return flags_by_name(netfilter_name(type));
	if (protocol == XFRM)
		return flags_by_name(constant_name(&constants_nl_xfrm, type));
	if (protocol != ROUTE)
		return &constants_nl_flags;
	switch (type & 3) {
	case NEW:
		return &constants_nl_flags_new;
	case DELETE:
		return &constants_nl_flags_delete;
	case GET:
		return &constants_nl_flags_get;
	default:
		return &constants_nl_flags;
	}
}

static void header(struct packet *p, size_t at, int protocol)
{
	struct emit *e = p->e;
	uint32_t type = (uint32_t)packet_load(p, at + 4, 2);
	emit_struct(e);
	emit_member(e, "nlmsg_len");
	emit_u64(e, packet_load(p, at, 4));
	emit_member(e, "nlmsg_type");
	message_type(e, protocol, type);
	emit_member(e, "nlmsg_flags");
	emit_flags(e, flags_of(protocol, type), packet_load(p, at + 6, 2));
	emit_member(e, "nlmsg_seq");
	emit_u64(e, packet_load(p, at + 8, 4));
	emit_member(e, "nlmsg_pid");
	emit_u64(e, packet_load(p, at + 12, 4));
	emit_struct_end(e);
}

static void message(struct packet *p, size_t at, size_t n, int protocol);

/* The error, and the message that caused it (CAPPED: only its header); attributes may follow. */
static void error(struct packet *p, size_t at, size_t n, int protocol, uint32_t flags, unsigned depth)
{
	enum { CAPPED = 0x100 };
	struct emit *e = p->e;
	if (n < 4 || !packet_has(p, at, 4)) {
		emit_bytes(e, p->data + at, n < p->bytes - at ? n : p->bytes - at, false);
		return;
	}
	size_t inner = n >= 4 + HEADER && packet_has(p, at + 4, HEADER) ? (size_t)packet_load(p, at + 4, 4) : 0;
	inner = flags & CAPPED && inner > HEADER ? HEADER : inner < n - 4 ? inner : n - 4;
	size_t said = 4 + packet_aligned(inner);
	bool more = inner >= HEADER && said < n;
	if (more)
		emit_array(e);
	if (more)
		emit_item(e);
	emit_struct(e);
	emit_member(e, "error");
	emit_negative_errno(e, (int32_t)packet_load(p, at, 4));
	if (n > 4) {
		emit_member(e, "msg");
		if (inner > HEADER && depth < 2)
			message(p, at + 4, inner, protocol);
		else if (n >= 4 + HEADER && packet_has(p, at + 4, HEADER))
			header(p, at + 4, protocol);
		else if (packet_has(p, at + 4, n - 4))
			emit_bytes(e, p->data + at + 4, n - 4, false);
		else
			emit_pointer(e, p->address + at + 4);
	}
	emit_struct_end(e);
	if (more) {
		emit_item(e);
		netlink_attributes(p, at + said, n - said, &attributes_error, 0);
		emit_array_end(e);
	}
}

/* The message of an undescribed family, or the bytes after a described part. */
static void unknown_family(struct packet *p, size_t at, size_t n)
{
	struct emit *e = p->e;
	emit_struct(e);
	emit_member(e, "family");
	emit_enum(e, &constants_family, p->data[at]);
	if (n > 1) {
		emit_member(e, "data");
		if (packet_has(p, at + 1, n - 1))
			emit_bytes(e, p->data + at + 1, n - 1, false);
		else
			emit_pointer(e, p->address + at + 1);
	}
	emit_struct_end(e);
}

static void described(struct packet *p, size_t at, size_t n, const struct payload *known, int protocol)
{
	struct emit *e = p->e;
	size_t size = struct_bytes(e->arch, known->s);
	if (protocol == SELINUX && (n < size || !packet_has(p, at, size))) {
		netlink_bytes(p, at, n);
		return;
	}
	if (n < size || !packet_has(p, at, size)) { /* only the family */
		emit_struct(e);
		emit_member(e, protocol == SOCK_DIAG && n == 1 ? "family" : known->s->members[0].name);
		emit_enum(e, &constants_family, p->data[at]);
		if (n > 1 && packet_has(p, at, n))
			emit_more(e);
		else if (n > 1 && !e->json) {
			emit_item(e);
			emit_pointer(e, p->address + at + 1);
		}
		emit_struct_end(e);
		return;
	}
	emit_members(e, known->s, p->data + at, size);
	size_t head = packet_aligned(size);
	p->family = p->data[at];
	p->link_data = p->port_data = NULL;
	if (n <= head)
		return;
	emit_item(e);
	netlink_attributes(p, at + head, n - head, nest_of(p, known->attributes), 0);
}

static void payload(struct packet *p, size_t at, size_t n, int protocol, uint32_t type, uint32_t flags)
{
	struct emit *e = p->e;
	if (!packet_has(p, at, 1)) {
		emit_pointer(e, p->address + at);
		return;
	}
	const struct payload *known = type < NLMSG_MIN_TYPE ? NULL : payload_of(protocol, type, p->data[at], flags);
	if (type == NLMSG_ERROR)
		error(p, at, n, protocol, flags, p->depth++);
	else if (type == NLMSG_DONE && n >= 4 && packet_has(p, at, 4))
		emit_i64(e, (int32_t)packet_load(p, at, 4));
	else if (known)
		described(p, at, n, known, protocol);
	else if (type >= NLMSG_MIN_TYPE && ((protocol == ROUTE && p->data[at]) || protocol == SOCK_DIAG))
		unknown_family(p, at, n);
	else if (packet_has(p, at, n))
		emit_bytes(e, p->data + at, n, false);
	else
		emit_pointer(e, p->address + at);
}

static void message(struct packet *p, size_t at, size_t n, int protocol)
{
	struct emit *e = p->e;
	bool more = n > HEADER;
	if (more || e->json)
		emit_array(e);
	if (more || e->json)
		emit_item(e);
	header(p, at, protocol);
	if (more) {
		emit_item(e);
		payload(p, at + HEADER, n - HEADER, protocol, (uint32_t)packet_load(p, at + 4, 2), (uint32_t)packet_load(p, at + 6, 2));
	}
	if (more || e->json)
		emit_array_end(e);
}

int netlink_protocol(const struct emit *e)
{
	const struct syscall_style *style = e->style;
	return style->fd_netlink ? style->fd_netlink(style->ctx, e->ev->pid, (int)e->ev->arg[0]) : -1;
}

static bool end_messages(struct emit *e, bool several)
{
	if (several)
		emit_array_end(e);
	return true;
}

bool emit_netlink(struct emit *e, const uint8_t *data, size_t bytes, uint64_t total, uint64_t from, int protocol)
{
	struct packet p = { .e = e, .data = data, .bytes = bytes, .address = from };
	size_t at = 0;
	if (protocol == KOBJECT_UEVENT) /* texts */
		return false;
	uint64_t len = bytes >= HEADER ? packet_load(&p, 0, 4) : 0;
	if (bytes < HEADER || (protocol < 0 && (len < HEADER || len > total))) {
		emit_bytes(e, data, bytes, bytes < total);
		return true;
	}
	bool several = len >= HEADER && packet_aligned(len) < total;
	if (several)
		emit_array(e);
	while (total - at >= HEADER && packet_has(&p, at, HEADER)) {
		len = packet_load(&p, at, 4);
		len = len < total - at ? len : total - at;
		if (several)
			emit_item(e);
		message(&p, at, (size_t)len, protocol);
		if (len < HEADER)
			return end_messages(e, several);
		uint64_t step = (len + 3) & ~3ULL;
		at += (size_t)(step < total - at ? step : total - at);
	}
	if (several && at < total)
		emit_more(e);
	return end_messages(e, several);
}
