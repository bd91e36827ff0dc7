#include "ptrace/fetch.h"

#include <string.h>

#include "sys/process_memory.h"

#define POINTERS_FROM 4096 /* below it no pointer is followed: NULL, or a number in its place */
#define PIECE_MAX    4096
#define POINTERS_MAX 4096
#define VECTORS_MAX  8
#define NAME_MAX_BYTES    128
#define CONTROL_MAX_BYTES 512
#define NETLINK_HEAD 16
#define NO_LIMIT     UINT64_MAX

static uint64_t word_at(const struct fetch_from *from, const uint8_t *at)
{
	uint64_t word = 0;
	memcpy(&word, at, from->arch->pointer_bytes);
	return word;
}

static bool read_word(const struct fetch_from *from, uint64_t address, uint64_t *ret)
{
	uint8_t bytes[8];
	if (process_read(from->tid, address, bytes, from->arch->pointer_bytes) < from->arch->pointer_bytes)
		return false;
	*ret = word_at(from, bytes);
	return true;
}

bool fetch_put(struct fetched *f, unsigned arg, unsigned part, unsigned status, const void *data, size_t bytes)
{
	struct syscall_piece head = { .arg = (uint8_t)arg, .part = (uint8_t)part, .status = (uint8_t)status, .bytes = (uint32_t)bytes };
	size_t padded = (bytes + 7) & ~(size_t)7;
	if (sizeof(head) + padded > sizeof(f->data) - f->bytes)
		return false;
	memcpy(f->data + f->bytes, &head, sizeof(head));
	if (bytes)
		memcpy(f->data + f->bytes + sizeof(head), data, bytes);
	f->bytes += (uint32_t)(sizeof(head) + padded);
	return true;
}

/* At most max bytes at address; returns how many of them were read, and leaves them in `ret`. */
static size_t put_bytes(struct fetched *f, const struct fetch_from *from, unsigned arg, unsigned part, uint64_t address, uint64_t bytes,
			size_t max, uint8_t ret[PIECE_MAX])
{
	size_t due = max < PIECE_MAX ? max : PIECE_MAX;
	due = bytes < due ? (size_t)bytes : due;
	size_t got = due ? process_read(from->tid, address, ret, due) : 0;
	unsigned status = got == due ? (due < bytes ? SYSCALL_FETCH_TRUNCATED : SYSCALL_FETCH_OK) :
			  got	     ? SYSCALL_FETCH_PARTIAL :
				       SYSCALL_FETCH_FAULT;
	fetch_put(f, arg, part, status, ret, got);
	return got;
}

static void put_string(struct fetched *f, const struct fetch_from *from, unsigned arg, unsigned part, uint64_t address, size_t max)
{
	char text[PIECE_MAX + 1];
	max = max && max < PIECE_MAX ? max : PIECE_MAX;
	size_t got = process_read(from->tid, address, text, max + 1), n = strnlen(text, got);
	if (n < got)
		fetch_put(f, arg, part, SYSCALL_FETCH_OK, text, n);
	else if (got > max)
		fetch_put(f, arg, part, SYSCALL_FETCH_TRUNCATED, text, max);
	else
		fetch_put(f, arg, part, got ? SYSCALL_FETCH_PARTIAL : SYSCALL_FETCH_FAULT, text, got);
}

/* The first strings of a list that ends with NULL, and how many it has. If not even the first can be read, nothing is known. */
static void put_strings(struct fetched *f, const struct fetch_from *from, const struct syscall_fetch *step, uint64_t address)
{
	uint32_t nr = 0, shown = step->what == SYSCALL_FETCH_STRINGS ? step->max : 0;
	uint64_t string;
	bool is_known = false;
	for (; nr < POINTERS_MAX && read_word(from, address + (uint64_t)nr * from->arch->pointer_bytes, &string); nr++) {
		is_known = true;
		if (!string)
			break;
		if (nr < shown && nr < SYSCALL_DATA_PARTS)
			put_string(f, from, step->arg, SYSCALL_PART_DATA + nr, string, from->str_limit);
	}
	if (is_known)
		fetch_put(f, step->arg, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, &nr, sizeof(nr));
}

/* As much of a buffer as is shown; more if it begins with a plausible length, as a netlink message does. */
static size_t packet_max(const struct fetch_from *from, uint64_t address, uint64_t bytes)
{
	uint32_t length;
	if (from->str_limit >= SYSCALL_NETLINK_MAX || bytes < NETLINK_HEAD ||
	    process_read(from->tid, address, &length, sizeof(length)) < sizeof(length) || length < NETLINK_HEAD || length > bytes)
		return from->str_limit;
	return SYSCALL_NETLINK_MAX;
}

/* An array of struct iovec, and the memory of each: `limit` bytes of it in all. */
static void put_vectors(struct fetched *f, const struct fetch_from *from, unsigned arg, unsigned part, uint64_t address, uint64_t nr,
			uint64_t limit, bool has_packets)
{
	uint8_t vectors[PIECE_MAX], bytes[PIECE_MAX];
	size_t word = from->arch->pointer_bytes, size = 2 * word;
	size_t got = put_bytes(f, from, arg, part, address, nr * size, VECTORS_MAX * size, vectors);
	for (unsigned i = 0; (i + 1) * size <= got && limit; i++) {
		uint64_t base = word_at(from, vectors + i * size), n = word_at(from, vectors + i * size + word);
		n = n < limit ? n : limit;
		limit -= n;
		put_bytes(f, from, arg, SYSCALL_PART_DATA + i, base, n, has_packets ? packet_max(from, base, n) : from->str_limit, bytes);
	}
}

/* What a struct msghdr points to: name, namelen, iov, iovlen, control, controllen, each as wide as a pointer. */
static void put_message(struct fetched *f, const struct fetch_from *from, unsigned arg, uint64_t address, uint64_t limit)
{
	uint8_t head[6 * 8], bytes[PIECE_MAX];
	size_t word = from->arch->pointer_bytes;
	if (process_read(from->tid, address, head, 6 * word) < 6 * word)
		return;
	uint64_t name = word_at(from, head), control = word_at(from, head + 4 * word), vectors = word_at(from, head + 2 * word);
	if (name)
		put_bytes(f, from, arg, SYSCALL_PART_NAME, name, (uint32_t)word_at(from, head + word), NAME_MAX_BYTES, bytes);
	if (control)
		put_bytes(f, from, arg, SYSCALL_PART_CONTROL, control, word_at(from, head + 5 * word), CONTROL_MAX_BYTES, bytes);
	if (vectors)
		put_vectors(f, from, arg, SYSCALL_PART_IOV, vectors, word_at(from, head + 3 * word), limit, true);
}

static void put_pointers(struct fetched *f, const struct fetch_from *from, const struct syscall_fetch *step, unsigned part, uint64_t nr,
			 size_t max)
{
	uint8_t pointers[PIECE_MAX], bytes[PIECE_MAX];
	size_t word = from->arch->pointer_bytes;
	size_t got = put_bytes(f, from, step->arg, part, from->arg[step->arg], nr * word, max, pointers);
	for (unsigned i = 0; i < VECTORS_MAX && (i + 1) * word <= got; i++)
		put_bytes(f, from, step->arg, SYSCALL_PART_DATA + i, word_at(from, pointers + i * word), step->unit, step->unit, bytes);
}

static uint64_t count_of(const struct fetch_from *from, const struct syscall_fetch *step, int64_t ret)
{
	uint32_t count = 0;
	switch (step->len) {
	case SYSCALL_LEN_ARG:
		return from->arg[step->len_arg];
	case SYSCALL_LEN_RET:
		return ret > 0 ? (uint64_t)ret : 0;
	case SYSCALL_LEN_DEREF:
		return process_read(from->tid, from->arg[step->len_arg], &count, sizeof(count)) == sizeof(count) ? count : 0;
	case SYSCALL_LEN_IOCTL:
		return syscall_ioctl_bytes((uint32_t)from->arg[1]);
	case SYSCALL_LEN_BITS:
		return (from->arg[step->len_arg] + 63) / 64;
	default:
		return 1;
	}
}

/* limit: of the bytes of vectors. */
static void put_step(struct fetched *f, const struct fetch_from *from, const struct syscall_fetch *step, unsigned part, int64_t ret,
		     uint64_t limit)
{
	uint8_t bytes[PIECE_MAX];
	uint64_t address = from->arg[step->arg], nr = count_of(from, step, ret);
	size_t max = step->max ? step->max : from->str_limit;
	uint64_t all = nr < UINT32_MAX ? nr * step->unit : nr;
	switch (step->what) {
	case SYSCALL_FETCH_STRING:
		put_string(f, from, step->arg, part, address, step->max);
		break;
	case SYSCALL_FETCH_BYTES:
		put_bytes(f, from, step->arg, part, address, all, max, bytes);
		break;
	case SYSCALL_FETCH_PACKET:
		put_bytes(f, from, step->arg, part, address, nr, packet_max(from, address, nr), bytes);
		break;
	case SYSCALL_FETCH_POINTERS:
		put_pointers(f, from, step, part, nr, max);
		break;
	case SYSCALL_FETCH_STRINGS:
	case SYSCALL_FETCH_COUNT:
		put_strings(f, from, step, address);
		break;
	case SYSCALL_FETCH_IOVEC:
		put_vectors(f, from, step->arg, SYSCALL_PART_WHOLE, address, nr, limit, false);
		break;
	case SYSCALL_FETCH_MSGHDR:
	case SYSCALL_FETCH_MMSGHDR:
		put_bytes(f, from, step->arg, SYSCALL_PART_WHOLE, address, all, max, bytes);
		if (nr)
			put_message(f, from, step->arg, address, limit);
		break;
	default:
		break;
	}
}

static bool is_pointer(const struct fetch_from *from, const struct syscall_fetch *step)
{
	return from->arg[step->arg] >= POINTERS_FROM;
}

void fetch_at_entry(struct fetched *f, const struct fetch_from *from, const struct syscall_plan *plan)
{
	for (unsigned i = 0; i < plan->steps_nr; i++)
		if (plan->step[i].at & SYSCALL_AT_ENTRY && is_pointer(from, &plan->step[i]))
			put_step(f, from, &plan->step[i], SYSCALL_PART_WHOLE, 0, NO_LIMIT);
}

/* Of a call that receives: the bytes of its vectors. The result of recvmmsg counts messages; the first one says how long it is. */
static uint64_t received(const struct fetch_from *from, const struct syscall_fetch *step, int64_t ret)
{
	uint32_t bytes;
	size_t word = from->arch->pointer_bytes;
	if (step->what != SYSCALL_FETCH_MMSGHDR)
		return ret > 0 ? (uint64_t)ret : 0;
	return ret > 0 && process_read(from->tid, from->arg[step->arg] + 7 * word, &bytes, sizeof(bytes)) == sizeof(bytes) ? bytes : 0;
}

void fetch_at_exit(struct fetched *f, const struct fetch_from *from, const struct syscall_plan *plan, int64_t ret)
{
	for (unsigned i = 0; i < plan->steps_nr; i++) {
		const struct syscall_fetch *step = &plan->step[i];
		bool is_due = step->at & SYSCALL_AT_EXIT && (!syscall_failed(ret) || step->at & SYSCALL_FETCH_ON_ERROR);
		if (is_due && is_pointer(from, step))
			put_step(f, from, step, SYSCALL_PART_EXIT, ret, received(from, step, ret));
	}
}
