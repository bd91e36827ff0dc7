/* Socket addresses: the members after the family, and strace's long spelling. */
#include <sys/socket.h>
#include <arpa/inet.h>

#include "decode/syscall/emit.h"

#define SUN_PATH 108

/* The C name in strace's spelling, a short one otherwise. */
static void member(struct emit *e, const char *c_name, const char *name)
{
	emit_member(e, e->strace ? c_name : name);
}

static unsigned port_of(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void port(struct emit *e, const char *c_name, const uint8_t *p)
{
	member(e, c_name, "port");
	if (e->strace)
		out_f(e->out, "htons(%u)", port_of(p));
	else
		emit_u64(e, port_of(p));
}

static void unix_address(struct emit *e, const uint8_t *p, size_t n)
{
	if (!n)
		return;
	member(e, "sun_path", "path");
	bool abstract = !p[0];
	n = n < SUN_PATH ? n : SUN_PATH;
	size_t len = abstract ? n - 1 : strnlen((const char *)p, n);
	uint32_t limit = e->limit;
	e->limit = SUN_PATH;
	if (abstract && !e->json)
		out_ch(e->out, '@');
	emit_string(e, p + abstract, len, false);
	e->limit = limit;
}

static void inet(struct emit *e, const uint8_t *p)
{
	char text[INET_ADDRSTRLEN];
	inet_ntop(AF_INET, p + 4, text, sizeof(text));
	port(e, "sin_port", p + 2);
	member(e, "sin_addr", "addr");
	if (e->strace)
		out_f(e->out, "inet_addr(\"%s\")", text);
	else
		emit_word(e, text);
}

static void inet6(struct emit *e, const uint8_t *p, size_t n)
{
	char text[INET6_ADDRSTRLEN];
	inet_ntop(AF_INET6, p + 8, text, sizeof(text));
	port(e, "sin6_port", p + 2);
	uint32_t flow = (uint32_t)p[4] << 24 | (uint32_t)p[5] << 16 | (uint32_t)p[6] << 8 | p[7];
	uint32_t scope = n >= 28 ? (uint32_t)value_load(e->arch, p + 24, 4) : 0;
	if (e->strace) {
		out_f(e->out, ", sin6_flowinfo=htonl(%u), inet_pton(AF_INET6, \"%s\", &sin6_addr)", flow, text);
		if (n >= 28)
			out_f(e->out, ", sin6_scope_id=%u", scope);
		return;
	}
	emit_member(e, "addr");
	emit_word(e, text);
	if (flow) {
		emit_member(e, "flowinfo");
		emit_u64(e, flow);
	}
	if (scope) {
		emit_member(e, "scope");
		emit_u64(e, scope);
	}
}

static void netlink(struct emit *e, const uint8_t *p)
{
	if (e->strace && value_load(e->arch, p + 2, 2)) {
		emit_member(e, "nl_pad");
		emit_hex(e, value_load(e->arch, p + 2, 2));
	}
	member(e, "nl_pid", "pid");
	emit_u64(e, value_load(e->arch, p + 4, 4));
	member(e, "nl_groups", "groups");
	uint64_t groups = value_load(e->arch, p + 8, 4);
	if (e->strace)
		out_f(e->out, "%#08llx", (unsigned long long)groups);
	else
		emit_hex(e, groups);
}

static void packet(struct emit *e, const uint8_t *p, size_t n)
{
	member(e, "sll_protocol", "protocol");
	const char *name = constant_name(&constants_ether_protocol, port_of(p + 2));
	struct out *out = emit_atom(e);
	if (e->strace)
		out_str(out, "htons(");
	if (name)
		out_str(out, name);
	else
		out_f(out, "0x%x", port_of(p + 2));
	if (e->strace)
		out_ch(out, ')');
	emit_atom_end(e);
	member(e, "sll_ifindex", "ifindex");
	emit_i64(e, (int32_t)value_load(e->arch, p + 4, 4));
	member(e, "sll_hatype", "hatype");
	emit_enum(e, &constants_arp_hardware, value_load(e->arch, p + 8, 2));
	member(e, "sll_pkttype", "pkttype");
	emit_enum(e, &constants_packet_type, p[10]);
	member(e, "sll_halen", "halen");
	emit_u64(e, p[11]);
	if (p[11] && n > 12) {
		member(e, "sll_addr", "addr");
		emit_bytes(e, p + 12, p[11] < n - 12 ? p[11] : n - 12, false);
	}
}

static void ipx(struct emit *e, const uint8_t *p)
{
	uint32_t network = (uint32_t)p[4] << 24 | (uint32_t)p[5] << 16 | (uint32_t)p[6] << 8 | p[7];
	port(e, "sipx_port", p + 2);
	member(e, "sipx_network", "network");
	struct out *out = emit_atom(e);
	out_f(out, e->strace ? "htonl(%#x)" : "%#x", network);
	emit_atom_end(e);
	member(e, "sipx_node", "node");
	emit_array(e);
	for (size_t i = 8; i < 14; i++) {
		emit_item(e);
		emit_hex(e, p[i]);
	}
	emit_array_end(e);
	member(e, "sipx_type", "type");
	emit_hex(e, p[14]);
	if (p[15]) {
		member(e, "sipx_zero", "zero");
		emit_hex(e, p[15]);
	}
}

/* Digits, up to 15 of them. */
static void x25(struct emit *e, const uint8_t *p)
{
	enum { DIGITS = 15 };
	member(e, "sx25_addr", "addr");
	emit_struct(e);
	member(e, "x25_addr", "digits");
	emit_string(e, p + 2, strnlen((const char *)p + 2, DIGITS), p[2 + DIGITS] && strnlen((const char *)p + 2, DIGITS) == DIGITS);
	emit_struct_end(e);
}

void emit_inet(struct emit *e, const uint8_t *p, bool six)
{
	char text[INET6_ADDRSTRLEN];
	inet_ntop(six ? AF_INET6 : AF_INET, p, text, sizeof(text));
	if (e->strace)
		out_f(e->out, six ? "inet_pton(AF_INET6, \"%s\")" : "inet_addr(\"%s\")", text);
	else
		emit_word(e, text);
}

void emit_inet6_member(struct emit *e, const char *name, const uint8_t *p)
{
	char text[INET6_ADDRSTRLEN];
	inet_ntop(AF_INET6, p, text, sizeof(text));
	emit_item(e);
	out_f(e->out, "inet_pton(AF_INET6, \"%s\", &%s)", text, name);
}

void emit_sockaddr(struct emit *e, const uint8_t *p, size_t n)
{
	if (n < 2) {
		emit_bytes(e, p, n, false);
		return;
	}
	uint32_t family = (uint32_t)value_load(e->arch, p, 2);
	emit_struct(e);
	member(e, "sa_family", "family");
	emit_enum(e, &constants_family, family);
	if (family == AF_UNIX) {
		unix_address(e, p + 2, n - 2);
	} else if (family == AF_INET && n >= 8) {
		inet(e, p);
	} else if (family == AF_INET6 && n >= 24) {
		inet6(e, p, n);
	} else if (family == AF_NETLINK && n >= 12) {
		netlink(e, p);
	} else if (family == AF_PACKET && n >= 12) {
		packet(e, p, n);
	} else if (family == AF_IPX && n >= 16) {
		ipx(e, p);
	} else if (family == AF_X25 && n >= 18) {
		x25(e, p);
	} else {
		member(e, "sa_data", "data");
		emit_string(e, p + 2, n - 2, false);
	}
	emit_struct_end(e);
}
