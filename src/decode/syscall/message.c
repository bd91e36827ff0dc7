/* Vectors of buffers, and messages: arrays and structs whose pointers were followed too, as parts of the argument. */
#include "decode/syscall/emit_priv.h"

static struct piece whole(const struct emit *e, unsigned i)
{
	return piece_best(e->ev, i);
}

/* p: the array; data parts count from `part`. total: as many bytes of data as there can be. */
static void vectors(struct emit *e, unsigned i, struct piece p, uint64_t nr, uint64_t total)
{
	size_t word = e->arch->pointer_bytes;
	bool total_known = total != UINT64_MAX;
	emit_array(e);
	uint64_t k = 0;
	for (; k < nr && (k + 1) * 2 * word <= p.bytes; k++) {
		uint64_t base = value_load(e->arch, p.data + k * 2 * word, word);
		uint64_t len = value_load(e->arch, p.data + k * 2 * word + word, word);
		uint64_t here = len < total ? len : total;
		total -= here;
		struct piece data = k < SYSCALL_DATA_PARTS ? piece_find(e->ev, i, SYSCALL_PART_DATA + (unsigned)k)
							   : (struct piece){};
		emit_item(e);
		emit_struct(e);
		emit_member(e, "iov_base");
		bool untouched = base && total_known && !here; /* by what came: a piece was not worth fetching */
		if (untouched)
			emit_string(e, NULL, 0, false);
		else if (data.data && base)
			emit_string(e, data.data, data.bytes < here ? data.bytes : here, data.bytes < here);
		else
			emit_pointer(e, base);
		emit_member(e, "iov_len");
		emit_u64(e, len);
		emit_struct_end(e);
	}
	if (k < nr)
		emit_more(e);
	emit_array_end(e);
}

void emit_iovec(struct emit *e, unsigned i, uint64_t nr, uint64_t limit_bytes)
{
	struct piece p = whole(e, i);
	if (p.data)
		vectors(e, i, p, nr, limit_bytes);
	else
		emit_pointer(e, e->ev->arg[i]);
}

static void rights(struct emit *e, const uint8_t *p, size_t bytes)
{
	emit_array(e);
	for (size_t k = 0; k + 4 <= bytes; k += 4) {
		emit_item(e);
		emit_fd(e, (int32_t)value_load(e->arch, p + k, 4));
	}
	emit_array_end(e);
}

/* struct cmsghdr: a size in a word, two ints, the data, then up to the next word. */
static void control(struct emit *e, const uint8_t *p, size_t bytes)
{
	size_t word = e->arch->pointer_bytes, head = word + 8;
	emit_array(e);
	while (bytes >= head) {
		uint64_t len = value_load(e->arch, p, word);
		uint32_t level = (uint32_t)value_load(e->arch, p + word, 4);
		uint32_t type = (uint32_t)value_load(e->arch, p + word + 4, 4);
		size_t data = len < head ? 0 : len < bytes ? (size_t)len - head : bytes - head;
		emit_item(e);
		emit_struct(e);
		emit_member(e, "cmsg_len");
		emit_u64(e, len);
		emit_member(e, "cmsg_level");
		emit_enum(e, &constants_sol, level);
		emit_member(e, "cmsg_type");
		if (level == 1)
			emit_enum(e, &constants_scm, type);
		else if (level == 0)
			emit_enum(e, &constants_ip, type);
		else
			emit_hex(e, type);
		emit_member(e, "cmsg_data");
		if (level == 1 && type == 1)
			rights(e, p + head, data);
		else if (level == 1 && type == 2)
			emit_memory(e, (struct value_type){VALUE_STRUCT, 0, 0, &struct_ucred}, p + head, data);
		else
			emit_bytes(e, p + head, data, false);
		emit_struct_end(e);
		if (len < head)
			break;
		uint64_t step = len > bytes ? bytes : (len + word - 1) / word * word;
		step = step < bytes ? step : bytes;
		p += step;
		bytes -= step;
	}
	emit_array_end(e);
}

void emit_msghdr(struct emit *e, unsigned i, const uint8_t *p, size_t bytes)
{
	size_t w = e->arch->pointer_bytes;
	const struct arch *a = e->arch;
	/* name, namelen and padding, iov, iovlen, control, controllen, flags: a word each but for the last */
	uint64_t name = value_load(a, p, w), iov = value_load(a, p + 2 * w, w), iovlen = value_load(a, p + 3 * w, w);
	uint32_t namelen = (uint32_t)value_load(a, p + w, 4);
	uint64_t ctl = value_load(a, p + 4 * w, w), ctllen = value_load(a, p + 5 * w, w);
	bool received = e->ev->desc->args[i].at & SYSCALL_AT_EXIT && e->ev->desc->args[i].kind == ARG_MSGHDR;
	uint64_t total = received && e->ev->has_ret && e->ev->ret >= 0 ? (uint64_t)e->ev->ret : UINT64_MAX;
	struct piece part;

	emit_struct(e);
	emit_member(e, "msg_name");
	part = piece_find(e->ev, i, SYSCALL_PART_NAME);
	if (part.data && namelen)
		emit_sockaddr(e, part.data, part.bytes < namelen ? part.bytes : namelen);
	else
		emit_pointer(e, name);
	emit_member(e, "msg_namelen");
	emit_u64(e, namelen);
	emit_member(e, "msg_iov");
	part = piece_find(e->ev, i, SYSCALL_PART_IOV);
	if (part.data)
		vectors(e, i, part, iovlen, total);
	else
		emit_pointer(e, iov);
	emit_member(e, "msg_iovlen");
	emit_u64(e, iovlen);
	part = piece_find(e->ev, i, SYSCALL_PART_CONTROL);
	if (ctl && ctllen) {
		emit_member(e, "msg_control");
		if (part.data)
			control(e, part.data, part.bytes < ctllen ? part.bytes : ctllen);
		else
			emit_pointer(e, ctl);
	}
	emit_member(e, "msg_controllen");
	emit_u64(e, ctllen);
	emit_member(e, "msg_flags");
	emit_flags(e, &constants_msg, value_load(a, p + 6 * w, 4));
	emit_struct_end(e);
}
