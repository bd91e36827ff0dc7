/* Attributes of netlink that are neither a value nor a list of attributes: next hops, addresses with a family, code of socket filters. */
#include "decode/syscall/netlink/netlink_priv.h"
#include "decode/syscall/type_macros.h"

enum { FAMILY_INET = 2, FAMILY_INET6 = 10 };

static size_t address_bytes(uint32_t family)
{
	return family == FAMILY_INET ? 4 : family == FAMILY_INET6 ? 16 : 0;
}

/* A member that is an address of the family, n bytes at `at`; bytes for other families. */
static void address_member(struct packet *p, const char *name, uint32_t family, size_t at, size_t n)
{
	struct emit *e = p->e;
	size_t size = address_bytes(family);
	bool known = size && n >= size && packet_has(p, at, size);
	if (known && size == 16 && e->strace) {
		emit_inet6_member(e, name, p->data + at);
		return;
	}
	emit_member(e, name);
	if (known)
		emit_inet(e, p->data + at, size == 16);
	else
		netlink_bytes(p, at, size && n > size ? size : n);
}

/* ---- RTA_MULTIPATH ---- */

static void next_hop(struct packet *p, size_t at, size_t n, unsigned depth)
{
	struct emit *e = p->e;
	size_t head = struct_bytes(e->arch, &struct_rtnexthop);
	emit_item(e);
	emit_members(e, &struct_rtnexthop, p->data + at, head);
	if (n <= head)
		return;
	emit_item(e);
	netlink_attributes(p, at + head, n - head, &attributes_rta, depth + 1);
}

/* Next hops, each with its length and attributes of a route. */
void netlink_multipath(struct packet *p, size_t at, size_t n, unsigned depth)
{
	struct emit *e = p->e;
	size_t head = struct_bytes(e->arch, &struct_rtnexthop);
	if (!netlink_begins_with(p, at, n, head))
		return;
	bool several = packet_aligned((size_t)packet_load(p, at, 2)) + head <= n;
	emit_array(e);
	while (n >= head && packet_has(p, at, head)) {
		size_t len = (size_t)packet_load(p, at, 2), own = len < n ? len : n;
		if (several) {
			emit_item(e);
			emit_array(e);
		}
		next_hop(p, at, own, depth);
		if (several)
			emit_array_end(e);
		size_t step = packet_aligned(own);
		if (own < head || step >= n)
			break;
		at += step;
		n -= step;
	}
	emit_array_end(e);
}

/* ---- RTA_VIA ---- */

void netlink_via(struct packet *p, size_t at, size_t n, unsigned depth)
{
	struct emit *e = p->e;
	if (!netlink_begins_with(p, at, n, 2))
		return;
	uint32_t family = (uint32_t)packet_load(p, at, 2);
	emit_struct(e);
	emit_member(e, "rtvia_family");
	emit_enum(e, &constants_family, family);
	if (n > 2)
		address_member(p, "rtvia_addr", family, at + 2, n - 2);
	emit_struct_end(e);
}

/* ---- INET_DIAG_REQ_BYTECODE ---- */

enum { S_GE = 2, S_LE, D_GE, D_LE, S_COND = 7, D_COND, DEV_COND, MARK_COND, S_EQ, D_EQ, CGROUP_COND };

static void host_condition(struct packet *p, size_t at, size_t n)
{
	struct emit *e = p->e;
	size_t size = struct_bytes(e->arch, &struct_inet_diag_hostcond);
	uint32_t family = p->data[at];
	emit_struct(e);
	emit_member(e, "family");
	emit_enum(e, &constants_family, family);
	emit_member(e, "prefix_len");
	emit_u64(e, p->data[at + 1]);
	emit_member(e, "port");
	emit_i64(e, (int32_t)packet_load(p, at + 4, 4));
	if (n > size && family)
		address_member(p, "addr", family, at + size, n - size);
	emit_struct_end(e);
}

/* The operand of an operation: by its code: a host, a number, or another operation with a port. */
static void operand(struct packet *p, uint32_t code, size_t at, size_t n)
{
	static const struct {
		uint32_t codes;
		struct value_type type;
	} operands[] = {
		{ 1 << S_COND | 1 << D_COND, IN(inet_diag_hostcond)},
		{ 1 << DEV_COND, U32 },
		{ 1 << S_GE | 1 << S_LE | 1 << D_GE | 1 << D_LE | 1 << S_EQ | 1 << D_EQ, IN(inet_diag_bc_op)},
		{ 1 << MARK_COND, IN(inet_diag_markcond)},
		{ 1 << CGROUP_COND, U64 },
	};
	struct emit *e = p->e;
	for (size_t i = 0; code < 32 && i < sizeof(operands) / sizeof(*operands); i++) {
		size_t size = value_bytes(e->arch, operands[i].type);
		if (!(operands[i].codes >> code & 1) || n < size || !packet_has(p, at, size))
			continue;
		if (code == S_COND || code == D_COND)
			host_condition(p, at, n);
		else
			emit_memory(e, operands[i].type, p->data + at, size);
		return;
	}
	netlink_bytes(p, at, n);
}

/* The first operation with its operands. */
void netlink_bytecode(struct packet *p, size_t at, size_t n, unsigned depth)
{
	struct emit *e = p->e;
	size_t size = struct_bytes(e->arch, &struct_inet_diag_bc_op);
	if (!netlink_begins_with(p, at, n, size))
		return;
	emit_members(e, &struct_inet_diag_bc_op, p->data + at, size);
	if (n <= size)
		return;
	emit_item(e);
	operand(p, p->data[at], at + size, n - size);
}
