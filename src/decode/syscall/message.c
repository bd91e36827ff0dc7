/* Vectors of buffers, and messages: arrays and structs with pointers that were followed, too, into parts of the argument. */
#include "decode/syscall/emit.h"

static struct piece whole(const struct emit *e, unsigned i)
{
	return piece_best(e->ev, i);
}

/* netlink: the protocol of the socket, or -1. p: the array; data parts count from `part`. total: maximum number of bytes of data. */
static void vectors(struct emit *e, unsigned i, struct piece p, uint64_t nr, uint64_t total, int netlink)
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
		bool untouched = base && total_known && !here; /* no data was received into it, so no piece was fetched */
		if (untouched)
			emit_string(e, NULL, 0, false);
		else if (data.data && base && netlink >= 0 &&
			 emit_netlink(e, data.data, data.bytes < here ? data.bytes : here, here, base, netlink))
			;
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
		vectors(e, i, p, nr, limit_bytes, -1);
	else
		emit_pointer(e, e->ev->arg[i]);
}

/* The size of the address buffer, and the size of the address. */
static void namelen_text(struct emit *e, unsigned i, uint32_t namelen, bool received)
{
	size_t w = e->arch->pointer_bytes;
	struct piece before = received ? piece_first(e->ev, i, SYSCALL_PART_WHOLE) : (struct piece){};
	uint32_t room = before.bytes >= w + 4 ? (uint32_t)value_load(e->arch, before.data + w, 4) : namelen;
	if (!e->json && room != namelen) {
		emit_u64(e, room);
		out_str(e->out, " => ");
	}
	emit_u64(e, namelen);
}

void emit_msghdr(struct emit *e, unsigned i, const uint8_t *p, uint64_t total)
{
	size_t w = e->arch->pointer_bytes;
	const struct arch *a = e->arch;
	/* name, namelen and padding, iov, iovlen, control, controllen, flags: a word each but the last */
	uint64_t name = value_load(a, p, w), iov = value_load(a, p + 2 * w, w), iovlen = value_load(a, p + 3 * w, w);
	uint32_t namelen = (uint32_t)value_load(a, p + w, 4);
	uint64_t ctl = value_load(a, p + 4 * w, w), ctllen = value_load(a, p + 5 * w, w);
	bool received = e->ev->desc->args[i].at & SYSCALL_AT_EXIT;
	struct piece part;

	emit_struct(e);
	emit_member(e, "msg_name");
	part = piece_find(e->ev, i, SYSCALL_PART_NAME);
	if (part.data && namelen)
		emit_sockaddr(e, part.data, part.bytes < namelen ? part.bytes : namelen);
	else
		emit_pointer(e, name);
	emit_member(e, "msg_namelen");
	namelen_text(e, i, namelen, received);
	emit_member(e, "msg_iov");
	part = piece_find(e->ev, i, SYSCALL_PART_IOV);
	if (part.data)
		vectors(e, i, part, iovlen, total, netlink_protocol(e));
	else
		emit_pointer(e, iov);
	emit_member(e, "msg_iovlen");
	emit_u64(e, iovlen);
	part = piece_find(e->ev, i, SYSCALL_PART_CONTROL);
	if (ctl && ctllen) {
		emit_member(e, "msg_control");
		if (part.data)
			emit_control(e, part.data, part.bytes < ctllen ? part.bytes : ctllen);
		else
			emit_pointer(e, ctl);
	}
	emit_member(e, "msg_controllen");
	emit_u64(e, ctllen);
	emit_member(e, "msg_flags");
	emit_flags(e, &constants_msg, value_load(a, p + 6 * w, 4));
	emit_struct_end(e);
}
