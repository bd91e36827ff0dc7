/*
 * Fetches the memory that arguments point to, by the steps of a plan (decode/syscall.h), and appends it as pieces to the event
 * being built. For the stream only.
 *
 * Nothing here may fault a page in: pages that are not in memory are reported as faults.
 */
#pragma once
#include "bpf/trace/trace_follow.bpf.h"

#define PIECE_MAX 4096
#define STRINGS_MAX 32
#define POINTERS_MAX 144
#define IOVECS_MAX 8
#define NETLINK_MAX 1024 /* of what looks like messages of netlink, which are read rather than shown */
#define NETLINK_HEAD 16

enum { FETCH_NONE, FETCH_STRING, FETCH_BYTES, FETCH_STRINGS, FETCH_COUNT, FETCH_IOVEC, FETCH_MSGHDR, FETCH_MMSGHDR,
       FETCH_PACKET, FETCH_POINTERS };
#define IOCTL_BYTES 64
#define IOCTL_BYTES_MORE 320
#define IOCTL_SET_FILTER 0x40082406 /* PERF_EVENT_IOC_SET_FILTER */
enum { LEN_FIXED, LEN_ARG, LEN_RET, LEN_DEREF, LEN_IOCTL, LEN_BITS };
enum { PART_WHOLE, PART_EXIT, PART_NAME, PART_CONTROL, PART_IOV, PART_DATA = 16 };
enum { STATUS_OK, STATUS_TRUNCATED, STATUS_FAULT, STATUS_PARTIAL };

#define USER_PAGE 4096 /* the smallest one: memory may end at any multiple of it */

struct piece {
	__u8 arg, part, status, unused;
	__u32 bytes;
};

/*
 * An event being built. Offsets and counts are in memory, where the verifier does not track them, and so is the state of bpf_loop()
 * (`turns`): the stack of a chain of calls has only 512 bytes, and the verifier checks one iteration instead of all.
 */
struct scratch {
	__u32 at;
	__u32 compat;
	__u32 faults; /* bit by argument: some of its memory could not be read */
	__u32 has_path; /* what was fetched has the selected path, or one with that name */
	__u32 pointers;
	__u32 packets; /* vectors may point to netlink messages */
	__u64 left; /* of the bytes of vectors */
	struct {
		__u64 dentry, mount; /* struct vfsmount */
		__u64 root_dentry, root_mount; /* of the task */
		__u32 at;
		__s32 last; /* the result of put_name() */
	} up; /* on the way from a file to the root (trace_file.bpf.h) */
	struct {
		__u64 ptr;
		__u32 arg, at, limit, unit;
	} turns;
	__s64 ret;
	__u64 arg[6];
	__u8 buf[TRACE_EVENT_MAX + PIECE_MAX + 64];
};

/* Whether the path of n bytes at `at` begins with the selected one, or has its last component. */
GLOBAL int is_path(struct scratch *s, __u32 at, __u32 n, __u32 other)
{
	const volatile struct trace_name *name = &settings.path[other & 1];
	__u32 bytes = name->bytes;
	if (!s || !bytes || n < bytes)
		return 0;
	if (EXTRAS.by_path == TRACE_BY_FILE) {
		if (n > bytes && s->buf[(at + n - 1) & 0x3fff] == '/')
			n--;
		at += n - bytes;
		if (n > bytes && s->buf[(at - 1) & 0x3fff] != '/')
			return 0;
	}
	for (__u32 i = 0; i < TRACE_PATH_MAX; i++) {
		if (i >= bytes)
			break;
		if (s->buf[(at + i) & 0x3fff] != (__u8)name->text[i])
			return 0;
	}
	return 1;
}

/*
 * One piece: at most max bytes at ptr (AS_STRING: up to the NUL). If the memory ends within them, those on its last page: an
 * object may be shorter than the longest of its kind, for which max is.
 */
#define AS_STRING (~0ULL)
GLOBAL int put(struct scratch *s, __u32 arg_part, __u64 ptr, __u64 bytes, __u32 max)
{
	struct piece *p;
	__u32 at, page, n = 0;
	long r;
	if (!s || s->at > TRACE_EVENT_MAX - PIECE_MAX / 4)
		return 0;
	at = s->at & 0x3ff8;
	p = (struct piece *)(s->buf + at);
	p->arg = arg_part & 0xff;
	p->part = arg_part >> 8;
	p->status = STATUS_OK;
	p->unused = 0;
	if (max > PIECE_MAX - 8)
		max = PIECE_MAX - 8;
	if (bytes == AS_STRING) {
		r = bpf_probe_read_user_str(s->buf + at + 8, max + 2, (void *)ptr);
		page = USER_PAGE - (ptr & (USER_PAGE - 1));
		if (r < 0 && page > 1 && page < max + 2) {
			p->status = STATUS_PARTIAL;
			s->faults |= 1 << (arg_part & 7);
			r = bpf_probe_read_user_str(s->buf + at + 8, page, (void *)ptr);
		}
		if (r < 0) {
			p->status = STATUS_FAULT;
			s->faults |= 1 << (arg_part & 7);
		} else {
			n = r > 0 ? r - 1 : 0;
			if (n > max) {
				p->status = STATUS_TRUNCATED;
				n = max;
			}
		}
	} else {
		n = max;
		if (bytes <= max)
			n = bytes;
		else
			p->status = STATUS_TRUNCATED;
		n &= 0xfff;
		if (n && bpf_probe_read_user(s->buf + at + 8, n, (void *)ptr)) {
			page = USER_PAGE - (ptr & (USER_PAGE - 1));
			n = page < n ? page & 0xfff : 0;
			p->status = STATUS_PARTIAL;
			if (!n || bpf_probe_read_user(s->buf + at + 8, n, (void *)ptr)) {
				p->status = STATUS_FAULT;
				s->faults |= 1 << (arg_part & 7);
				n = 0;
			}
		}
	}
	p->bytes = n;
	s->at = at + 8 + ((n + 7) & ~7U);
	return n;
}

/* A piece that is a number. */
INLINE void put_number(struct scratch *s, __u32 arg, __u32 value)
{
	__u32 at = s->at & 0x3ff8;
	struct piece *p = (struct piece *)(s->buf + at);
	if (s->at > TRACE_EVENT_MAX - PIECE_MAX / 4)
		return;
	*p = (struct piece){ .arg = arg, .part = PART_WHOLE, .bytes = 4 };
	*(__u32 *)(s->buf + at + 8) = value;
	s->at = at + 16;
}

/* Of the program. Without a branch, after which the verifier would check all following code twice. */
INLINE __u32 pointer_bytes(const struct scratch *s)
{
	return 8 - ((s->compat & 1) << 2);
}

/* Counts in s->pointers; 0 where that was the last one. */
GLOBAL int count_pointer(struct scratch *s, __u64 ptr)
{
	__u64 string = 0;
	__u32 size;
	if (!s)
		return 0;
	size = pointer_bytes(s);
	if (bpf_probe_read_user(&string, size, (void *)(ptr + s->pointers * size)) || !string)
		return 0;
	s->pointers++;
	return 1;
}

static long count_turn(__u32 i, struct scratch **s)
{
	return !count_pointer(*s, (*s)->turns.ptr);
}

/* Sets s->pointers to the number of pointers of the argument before NULL or before unreadable memory. Returns whether any could be read. */
GLOBAL int count_pointers(struct scratch *s, __u32 arg, __u64 ptr)
{
	__u32 first;
	if (!s)
		return 0;
	s->pointers = 0;
	if (bpf_probe_read_user(&first, sizeof(first), (void *)ptr)) {
		s->faults |= 1 << (arg & 7);
		return 0;
	}
	s->turns.ptr = ptr;
	bpf_loop(POINTERS_MAX, count_turn, &s, 0);
	return 1;
}

/* The string of the pointer at ptr: 0: none. */
GLOBAL int put_string_at(struct scratch *s, __u32 arg_part, __u64 ptr)
{
	__u64 string = 0;
	if (!s || bpf_probe_read_user(&string, pointer_bytes(s), (void *)ptr) || !string)
		return 0;
	put(s, arg_part, string, AS_STRING, settings.str_limit);
	return 1;
}

static long string_turn(__u32 i, struct scratch **s)
{
	return !put_string_at(*s, (*s)->turns.arg | (PART_DATA + i) << 8, (*s)->turns.ptr + i * (*s)->turns.unit);
}

/* The strings of the first pointers, and the number of pointers. For calls that are about to begin: exec. */
GLOBAL int put_strings(struct scratch *s, const struct trace_step *f)
{
	__u32 arg, max;
	__u64 ptr;
	if (!s || !f)
		return 0;
	arg = f->arg & 7;
	max = f->what == FETCH_STRINGS ? f->max : 0;
	if (arg >= 6)
		return 0;
	ptr = s->arg[arg];
	if (ptr < 4096)
		return 0;
	s->turns.ptr = ptr;
	s->turns.arg = arg;
	s->turns.unit = pointer_bytes(s);
	bpf_loop(max < STRINGS_MAX ? max : STRINGS_MAX, string_turn, &s, 0);
	/* Not even the first can be read: nothing is known. */
	if (count_pointers(s, arg, s->arg[arg]))
		put_number(s, arg, s->pointers);
	return 0;
}

/* A pointer or a length in a piece that was fetched. */
INLINE __u64 word_at(const struct scratch *s, __u32 at)
{
	const __u8 *p = s->buf + (at & 0x3fff);
	return s->compat ? *(const __u32 *)p : *(const __u64 *)p;
}

/* As much of a buffer as is shown; more if it begins with a plausible length, as a netlink message does. */
GLOBAL int packet_max(struct scratch *s, __u64 ptr, __u64 bytes)
{
	__u32 length = 0, max = settings.str_limit;
	if (!s || max >= NETLINK_MAX || bytes < NETLINK_HEAD)
		return max;
	if (bpf_probe_read_user(&length, sizeof(length), (void *)ptr) || length < NETLINK_HEAD || length > bytes)
		return max;
	return NETLINK_MAX;
}

/* The memory of one vector, which is in a piece at `at`: at most s->left bytes. */
INLINE int put_vector(struct scratch *s, __u32 arg_part, __u32 at)
{
	__u64 bytes;
	if (!s)
		return 0;
	bytes = word_at(s, at + pointer_bytes(s));
	if (bytes > s->left)
		bytes = s->left;
	s->left -= bytes;
	put(s, arg_part, word_at(s, at), bytes, s->packets ? packet_max(s, word_at(s, at), bytes) : settings.str_limit);
	return 0;
}

static long pointee_turn(__u32 i, struct scratch **of)
{
	struct scratch *s = *of;
	__u32 size = pointer_bytes(s), unit = s->turns.unit;
	if ((i + 1) * size > s->turns.limit)
		return 1;
	put(s, s->turns.arg | (PART_DATA + i) << 8, word_at(s, s->turns.at + i * size), unit, unit);
	return 0;
}

INLINE void begin_turns(struct scratch *s, __u32 arg, __u32 at, __u32 limit)
{
	s->turns.arg = arg;
	s->turns.at = at;
	s->turns.limit = limit;
}

/* The memory of the pointers in a piece (pointers_bytes from `at` on): unit bytes of each. */
GLOBAL int put_pointees(struct scratch *s, __u32 arg, __u32 at, __u32 pointers_bytes, __u32 unit)
{
	if (!s)
		return 0;
	begin_turns(s, arg, at, pointers_bytes);
	s->turns.unit = unit;
	bpf_loop(IOVECS_MAX, pointee_turn, &s, 0);
	return 0;
}

static long vector_turn(__u32 i, struct scratch **of)
{
	struct scratch *s = *of;
	__u32 size = 2 * pointer_bytes(s);
	if ((i + 1) * size > s->turns.limit || !s->left)
		return 1;
	put_vector(s, s->turns.arg | (PART_DATA + i) << 8, s->turns.at + i * size);
	return 0;
}

/* The memory of the vectors in a piece (vectors_bytes from `at` on). */
INLINE void put_iovec(struct scratch *s, __u32 arg, __u32 at, __u32 vectors_bytes, __u64 limit)
{
	begin_turns(s, arg, at, vectors_bytes);
	s->left = limit;
	bpf_loop(IOVECS_MAX, vector_turn, &s, 0);
}

/* The memory that a msghdr points to; only for 64-bit programs. */
GLOBAL int put_message(struct scratch *s, __u32 arg, __u64 ptr, __u64 limit)
{
	__u64 m[7];
	__u32 at, n;
	if (!s || s->compat || bpf_probe_read_user(m, sizeof(m), (void *)ptr))
		return 0;
	if (m[0])
		put(s, arg | PART_NAME << 8, m[0], (__u32)m[1], 128);
	if (m[4] && m[5])
		put(s, arg | PART_CONTROL << 8, m[4], m[5], 256);
	if (m[2] && m[3]) {
		at = s->at;
		n = put(s, arg | PART_IOV << 8, m[2], m[3] * 16, IOVECS_MAX * 16);
		put_iovec(s, arg, at + sizeof(struct piece), n, limit);
	}
	return 0;
}

/* As decode/syscall.h says of SYSCALL_LEN_IOCTL. */
INLINE __u32 ioctl_bytes(__u32 request)
{
	__u32 letter = request >> 8 & 0xff;
	if (request == IOCTL_SET_FILTER || (!(request >> 16) && (letter == 'L' || letter == 0x22)))
		return IOCTL_BYTES_MORE;
	return (request >> 16 & 0x3fff) ? (request >> 16 & 0x3fff) : IOCTL_BYTES;
}

GLOBAL int fetch_step(struct scratch *s, const struct trace_step *f, __u32 when)
{
	_Bool at_exit = when >= TRACE_WHEN_SLEEPS, could_wait;
	__u32 arg, from, unit, max, at, n, short_count = 0;
	__u64 ptr, count = 1, limit = ~0ULL;
	if (!s || !f)
		return 0;
	arg = f->arg & 7;
	from = f->len_arg & 7;
	unit = f->unit;
	max = f->max;
	if (arg >= 6 || from >= 6)
		return 0;
	ptr = s->arg[arg];
	if (ptr < 4096)
		return 0;
	could_wait = f->when & TRACE_WHEN_SLEEPS;
	if (f->len == LEN_ARG)
		count = s->arg[from];
	else if (f->len == LEN_RET)
		count = s->ret;
	else if (f->len == LEN_BITS)
		count = (s->arg[from] + 63) / 64;
	else if (f->len == LEN_DEREF)
		count = bpf_probe_read_user(&short_count, 4, (void *)s->arg[from]) ? 0 : short_count;
	else if (f->len == LEN_IOCTL)
		count = ioctl_bytes(s->arg[1]);
	if (f->len != LEN_FIXED && (__s64)count < 0)
		count = (__u32)count;
	at = s->at;
	if (f->what == FETCH_STRING) {
		n = put(s, arg, ptr, AS_STRING, max ? max : PIECE_MAX - 8);
		if (EXTRAS.by_path && n && (is_path(s, at + 8, n, 0) || is_path(s, at + 8, n, 1)))
			s->has_path = 1;
		return 0;
	}
	if (f->what == FETCH_PACKET)
		max = packet_max(s, ptr, count);
	if (!max)
		max = settings.str_limit;
	s->packets = f->what == FETCH_MSGHDR || f->what == FETCH_MMSGHDR;
	if (at_exit && !could_wait)
		arg |= PART_EXIT << 8;
	if (at_exit && f->what != FETCH_BYTES && f->what != FETCH_PACKET)
		limit = could_wait ? ~0ULL : s->ret < 0 ? 0 : s->ret;
	/* The result counts messages; msg_len of the first says how long it is. */
	if (at_exit && f->what == FETCH_MMSGHDR && !could_wait && s->ret > 0 && unit == 64)
		limit = bpf_probe_read_user(&short_count, 4, (void *)(ptr + 56)) ? 0 : short_count;
	if (f->what == FETCH_MSGHDR || f->what == FETCH_MMSGHDR || f->what == FETCH_IOVEC)
		arg &= 7;
	n = put(s, arg, ptr, (f->what == FETCH_POINTERS ? pointer_bytes(s) : unit) * count, max);
	arg &= 7;
	if (f->what == FETCH_POINTERS)
		put_pointees(s, arg, at + sizeof(struct piece), n, unit);
	if (f->what == FETCH_IOVEC)
		put_iovec(s, arg, at + sizeof(struct piece), n, limit);
	else if (f->what == FETCH_MSGHDR || f->what == FETCH_MMSGHDR)
		put_message(s, arg, ptr, limit);
	return 0;
}

struct fetching {
	struct scratch *s;
	struct trace_plan *plan;
	__u32 when;
};

static long fetch_turn(__u32 i, struct fetching *f)
{
	struct trace_step *step;
	if (i >= TRACE_STEPS)
		return 1;
	step = &f->plan->step[i];
	if (!(step->when & f->when))
		return 0;
	if (f->when < TRACE_WHEN_SLEEPS && (step->what == FETCH_STRINGS || step->what == FETCH_COUNT))
		put_strings(f->s, step);
	else
		fetch_step(f->s, step, f->when);
	return 0;
}

/* when: one of TRACE_WHEN_*. Inline where calls would be more than 8 deep. */
INLINE void fetch_inline(struct scratch *s, struct trace_plan *plan, __u32 when)
{
	struct fetching f = { .s = s, .plan = plan, .when = when };
	__u32 n = plan->steps_nr;
	if (n)
		bpf_loop(n < TRACE_STEPS ? n : TRACE_STEPS, fetch_turn, &f, 0);
}

GLOBAL int fetch(struct scratch *s, struct trace_plan *plan, __u32 when)
{
	if (s && plan)
		fetch_inline(s, plan, when);
	return 0;
}

INLINE void take_args(struct scratch *s, struct pt_regs *regs, _Bool compat)
{
	s->compat = compat;
#if defined(__TARGET_ARCH_x86)
	if (compat) {
		s->arg[0] = (__u32)regs->bx;
		s->arg[1] = (__u32)regs->cx;
		s->arg[2] = (__u32)regs->dx;
		s->arg[3] = (__u32)regs->si;
		s->arg[4] = (__u32)regs->di;
		s->arg[5] = (__u32)regs->bp;
		return;
	}
	s->arg[0] = regs->di;
	s->arg[1] = regs->si;
	s->arg[2] = regs->dx;
	s->arg[3] = regs->r10;
	s->arg[4] = regs->r8;
	s->arg[5] = regs->r9;
#elif defined(__TARGET_ARCH_arm64)
	s->arg[0] = regs->orig_x0;
	s->arg[1] = regs->regs[1];
	s->arg[2] = regs->regs[2];
	s->arg[3] = regs->regs[3];
	s->arg[4] = regs->regs[4];
	s->arg[5] = regs->regs[5];
#endif
}
