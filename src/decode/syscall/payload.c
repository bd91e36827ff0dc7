#include "decode/syscall/emit.h"

void syscall_payload_add(struct syscall_payload *p, const void *blob, size_t bytes)
{
	const uint8_t *at = blob;
	while (bytes >= sizeof(struct syscall_piece) && p->nr < SYSCALL_PIECES) {
		struct syscall_piece head;
		memcpy(&head, at, sizeof(head));
		at += sizeof(head);
		bytes -= sizeof(head);
		if (head.bytes > bytes)
			return;
		if (head.arg < SYSCALL_ARGS && head.part < SYSCALL_PART_DATA + SYSCALL_DATA_PARTS) {
			p->piece[p->nr].data = at;
			p->piece[p->nr].bytes = head.bytes;
			p->piece[p->nr].arg = head.arg;
			p->piece[p->nr].part = head.part;
			p->piece[p->nr].status = head.status;
			p->nr++;
		}
		size_t whole = ((size_t)head.bytes + 7) & ~(size_t)7;
		whole = whole < bytes ? whole : bytes;
		at += whole;
		bytes -= whole;
	}
}

/* The last one: pieces from exit follow those from entry. */
struct piece piece_find(const struct syscall_event *ev, unsigned arg, unsigned part)
{
	for (uint32_t i = ev->payload.nr; i-- > 0;)
		if (ev->payload.piece[i].arg == arg && ev->payload.piece[i].part == part &&
		    ev->payload.piece[i].status != SYSCALL_FETCH_FAULT)
			return (struct piece){ ev->payload.piece[i].data, ev->payload.piece[i].bytes,
					      ev->payload.piece[i].status };
	return (struct piece){};
}

struct piece piece_first(const struct syscall_event *ev, unsigned arg, unsigned part)
{
	for (uint32_t i = 0; i < ev->payload.nr; i++)
		if (ev->payload.piece[i].arg == arg && ev->payload.piece[i].part == part &&
		    ev->payload.piece[i].status != SYSCALL_FETCH_FAULT)
			return (struct piece){ ev->payload.piece[i].data, ev->payload.piece[i].bytes,
					      ev->payload.piece[i].status };
	return (struct piece){};
}

struct piece piece_best(const struct syscall_event *ev, unsigned arg)
{
	struct piece p = piece_find(ev, arg, SYSCALL_PART_EXIT);
	return p.data ? p : piece_find(ev, arg, SYSCALL_PART_WHOLE);
}
