/* bpf(2): which part of the union bpf_attr a command reads. Missing bytes are zeros, as in the kernel. */
#include "decode/syscall/special/specials.h"

enum { ATTR_BYTES = 256, INFO_BYTES = 16 };

/* name: of that part of the union in <linux/bpf.h>, if it has one; least: minimum number of bytes that the command reads. */
static const struct command {
	const char *name;
	const struct struct_type *attr;
	uint16_t least;
} commands[] = {
	[0] = { NULL, &struct_bpf_map_create, 16 },
	[1] = { NULL, &struct_bpf_element, 24 },
	[2] = { NULL, &struct_bpf_element, 32 },
	[3] = { NULL, &struct_bpf_delete, 16 },
	[4] = { NULL, &struct_bpf_next_key, 24 },
	[5] = { NULL, &struct_bpf_prog_load, 24 },
	[6] = { NULL, &struct_bpf_obj, 12 },
	[7] = { NULL, &struct_bpf_obj, 12 },
	[8] = { NULL, &struct_bpf_attach, 16 },
	[9] = { NULL, &struct_bpf_attach, 12 },
	[10] = { "test", &struct_bpf_test, 40 },
	[11] = { NULL, &struct_bpf_next_id, 8 },
	[12] = { NULL, &struct_bpf_next_id, 8 },
	[13] = { NULL, &struct_bpf_prog_id, 8 },
	[14] = { NULL, &struct_bpf_map_id, 8 },
	[15] = { "info", &struct_bpf_info, 16 },
	[16] = { "query", &struct_bpf_query, 28 },
	[17] = { "raw_tracepoint", &struct_bpf_raw_tracepoint, 12 },
	[18] = { NULL, &struct_bpf_btf_load, 28 },
	[19] = { NULL, &struct_bpf_btf_id, 4 },
	[20] = { "task_fd_query", &struct_bpf_task_fd_query, 48 },
	[21] = { NULL, &struct_bpf_element, 24 },
	[22] = { NULL, &struct_bpf_fd, 4 },
	[23] = { NULL, &struct_bpf_next_id, 8 },
	[24] = { "batch", &struct_bpf_batch, 56 },
	[25] = { "batch", &struct_bpf_batch, 56 },
	[26] = { "batch", &struct_bpf_batch, 56 },
	[27] = { "batch", &struct_bpf_batch, 56 },
	[28] = { "link_create", &struct_bpf_link_create, 16 },
	[29] = { "link_update", &struct_bpf_link_update, 12 },
	[30] = { NULL, &struct_bpf_link_id, 4 },
	[31] = { NULL, &struct_bpf_next_id, 8 },
	[32] = { "enable_stats", &struct_bpf_enable_stats, 4 },
	[33] = { "iter_create", &struct_bpf_iter_create, 8 },
	[34] = { "link_detach", &struct_bpf_link_detach, 4 },
	[35] = { "prog_bind_map", &struct_bpf_prog_bind_map, 12 },
};

/* The struct after the flags of a link, by the attach type. */
static const struct struct_type *link_of(const struct emit *e, const uint8_t *attr)
{
	static const struct {
		uint32_t type;
		const struct struct_type *attr;
	} links[] = { { 28, &struct_bpf_link_iter }, { 41, &struct_bpf_link_perf_event }, { 42, &struct_bpf_link_kprobe_multi } };
	uint64_t type = value_load(e->arch, attr + 8, 4);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (links[i].type == type)
			return links[i].attr;
	return &struct_bpf_link_create;
}

/* The size of the buffer, and the size of the data. */
static void object_info(struct emit *e, const uint8_t *attr, uint64_t room)
{
	uint64_t len = value_load(e->arch, attr + 4, 4);
	emit_struct(e);
	emit_member(e, "bpf_fd");
	emit_fd(e, (int)value_load(e->arch, attr, 4));
	emit_member(e, "info_len");
	if (e->strace && len != room) {
		emit_u64(e, room);
		out_str(e->out, " => ");
	}
	emit_u64(e, len);
	emit_member(e, "info");
	emit_pointer(e, value_load(e->arch, attr + 8, 8));
	emit_struct_end(e);
}

void print_bpf_attr(struct emit *e, unsigned i)
{
	uint8_t attr[ATTR_BYTES] = { 0 };
	uint32_t cmd = (uint32_t)e->ev->arg[0], size = (uint32_t)e->ev->arg[i + 1];
	struct piece p = piece_best(e->ev, i);
	const struct command *c = cmd < sizeof(commands) / sizeof(*commands) ? &commands[cmd] : NULL;
	if (!p.data || !p.bytes) {
		emit_pointer(e, e->ev->arg[i]);
		return;
	}
	if (!c) {
		emit_bytes(e, p.data, p.bytes, p.bytes < size);
		return;
	}
	size_t n = p.bytes < sizeof(attr) ? p.bytes : sizeof(attr);
	memcpy(attr, p.data, n);
	if (n == size && n < c->least)
		n = c->least;
	if (c->name && e->strace) {
		emit_struct(e);
		emit_member(e, c->name);
	}
	struct piece before = piece_find(e->ev, i, SYSCALL_PART_WHOLE);
	if (c->attr == &struct_bpf_info && n >= INFO_BYTES && before.bytes >= INFO_BYTES)
		object_info(e, attr, value_load(e->arch, before.data + 4, 4));
	else
		emit_members(e, c->attr == &struct_bpf_link_create ? link_of(e, attr) : c->attr, attr, n);
	if (c->name && e->strace)
		emit_struct_end(e);
}
