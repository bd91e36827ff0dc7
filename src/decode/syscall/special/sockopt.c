/* Options of sockets: their names by level, and their values. */
#include "decode/syscall/special/specials.h"
#include "decode/syscall/type_macros.h"

enum { IP = 0, SOCKET = 1, TCP = 6, UDP = 17, IPV6 = 41, RAW = 255, PACKET = 263, NETLINK = 270 };

static const struct constants *options_of(uint32_t level)
{
	switch (level) {
	case IP:
		return &constants_ip;
	case SOCKET:
		return &constants_so;
	case TCP:
		return &constants_tcp;
	case UDP:
		return &constants_udp;
	case IPV6:
		return &constants_ipv6;
	case RAW:
		return &constants_raw;
	case PACKET:
		return &constants_packet;
	case NETLINK:
		return &constants_netlink;
	default:
		return NULL;
	}
}

void print_sockopt_name(struct emit *e, unsigned i)
{
	const struct constants *c = options_of((uint32_t)e->ev->arg[1]);
	if (c)
		emit_enum(e, c, (uint32_t)e->ev->arg[i]);
	else
		emit_u64(e, (uint32_t)e->ev->arg[i]);
}

/* Options that are not an int. */
static const struct option {
	uint16_t level, option;
	const struct struct_type *s; /* NULL: a text */
	bool shorter; /* may be cut after any member; others are only shown if complete */
} options[] = {
	{ SOCKET, 13, &struct_linger, true },
	{ SOCKET, 17, &struct_ucred, true },
	{ SOCKET, 20, &struct_timeval, false },
	{ SOCKET, 21, &struct_timeval, false },
	{ SOCKET, 25, NULL, true },
	{ SOCKET, 26, &struct_sock_fprog, false },
	{ SOCKET, 31, NULL, true },
	{ SOCKET, 51, &struct_sock_fprog, false },
	{ SOCKET, 66, &struct_timeval64, false },
	{ SOCKET, 67, &struct_timeval64, false },
	{ TCP, 11, &struct_tcp_info, true },
	{ TCP, 13, NULL, true },
	{ TCP, 31, NULL, true },
	{ IP, 35, &struct_ip_mreq, false },
	{ IP, 36, &struct_ip_mreq, false },
	{ IP, 37, &struct_ip_mreq_source, false },
	{ IP, 38, &struct_ip_mreq_source, false },
	{ IP, 39, &struct_ip_mreq_source, false },
	{ IP, 40, &struct_ip_mreq_source, false },
	{ IP, 42, &struct_group_req, false },
	{ IP, 43, &struct_group_source_req, false },
	{ IP, 44, &struct_group_source_req, false },
	{ IP, 45, &struct_group_req, false },
	{ IP, 46, &struct_group_source_req, false },
	{ IP, 47, &struct_group_source_req, false },
	{ IPV6, 20, &struct_ipv6_mreq, false },
	{ IPV6, 21, &struct_ipv6_mreq, false },
	{ IPV6, 27, &struct_ipv6_mreq, false },
	{ IPV6, 28, &struct_ipv6_mreq, false },
	{ IPV6, 42, &struct_group_req, false },
	{ IPV6, 43, &struct_group_source_req, false },
	{ IPV6, 44, &struct_group_source_req, false },
	{ IPV6, 45, &struct_group_req, false },
	{ IPV6, 46, &struct_group_source_req, false },
	{ IPV6, 47, &struct_group_source_req, false },
	{ RAW, 1, &struct_icmp_filter, true },
	{ PACKET, 1, &struct_packet_mreq, false },
	{ PACKET, 2, &struct_packet_mreq, false },
	{ PACKET, 5, &struct_tpacket_req, false },
	{ PACKET, 6, &struct_tpacket_stats, true },
	{ PACKET, 13, &struct_tpacket_req, false },
};

static const struct option *option_of(uint32_t level, uint32_t option)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].level == level && options[i].option == option)
			return &options[i];
	return NULL;
}

static void number(struct emit *e, uint32_t level, uint32_t option, uint64_t v)
{
	const char *error = level == SOCKET && option == 4 ? syscall_errno_name((unsigned)v) : NULL;
	emit_array(e);
	emit_item(e);
	if (error)
		emit_word(e, error);
	else if (level == SOCKET && option == 3)
		emit_value(e, (struct value_type){ VALUE_SOCKET_TYPE, 4, 0, NULL }, v);
	else if (level == SOCKET && option == 39)
		emit_enum(e, &constants_family, v);
	else
		emit_i64(e, (int32_t)v);
	emit_array_end(e);
}

/* getsockopt() returns at most as many bytes as were requested. */
static struct piece value_of(const struct emit *e, unsigned i)
{
	struct piece p = piece_best(e->ev, i), room = piece_find(e->ev, i + 1, SYSCALL_PART_WHOLE);
	if (room.bytes >= 4) {
		uint32_t most = (uint32_t)value_load(e->arch, room.data, 4);
		p.bytes = p.bytes < most ? p.bytes : most;
	}
	return p;
}

void print_sockopt_value(struct emit *e, unsigned i)
{
	uint32_t level = (uint32_t)e->ev->arg[1], option = (uint32_t)e->ev->arg[2];
	struct piece p = value_of(e, i);
	const struct option *o = option_of(level, option);
	bool sets = e->ev->desc->args[i].at & SYSCALL_AT_ENTRY, cut = p.status == SYSCALL_FETCH_PARTIAL;
	bool whole = o && o->s && p.bytes >= struct_bytes(e->arch, o->s);
	if (!p.data || (sets && (int32_t)e->ev->arg[4] < 0))
		emit_pointer(e, e->ev->arg[i]);
	else if (o && o->s && (whole || (o->shorter && !cut && !sets && p.bytes))) {
		e->in_part = !o->s->print;
		emit_memory(e, (struct value_type)IN_STRUCT(o->s), p.data, p.bytes);
	} else if (o && !o->s)
		emit_string(e, p.data, strnlen((const char *)p.data, p.bytes), false);
	else if (!o && (p.bytes == 4 || (p.bytes > 4 && sets)) && options_of(level))
		number(e, level, option, value_load(e->arch, p.data, 4));
	else if (cut || (sets && (o || p.bytes < 4)))
		emit_pointer(e, e->ev->arg[i]);
	else
		emit_string(e, p.data, p.bytes, false);
}
