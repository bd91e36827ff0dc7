/*
 * The way to the reader: one ring for all CPUs. For the stream alone.
 *
 * The reader comes by itself every few milliseconds. When the ring fills, it is woken; when it is nearly full, who makes
 * a call waits for it, turning round on the spot (no program may sleep here): a traced program that is slower shows more
 * than one of which lines are missing. What is left of the ring is for those who cannot wait, and for a reader that needs
 * this very CPU: each call waits for so long only, and it runs in between. A reader that has stopped reading is not waited for.
 */
#pragma once
#include "bpf/trace/trace_fetch.bpf.h"

#define WAIT_NS      100000     /* of one call: preemption is off meanwhile */
#define WAIT_LAST_NS 1000000    /* the same, when hardly any room is left: many threads leave the reader little time to run */
#define PATIENCE_NS  2000000000 /* with a reader that takes nothing */
#define TURNS        64000      /* enough for WAIT_LAST_NS */
#define COMPAT_NS    30000
#define COMPAT_TURNS 1024

enum { SIGCONT = 18, SIGSTOP = 19 };

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} ring SEC(".maps");

/* Turns of bpf_loop(), of which the verifier looks at one: 1 where there is room, or the time is over. */
static long turn(__u32 i, __u64 *until_ns)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) < settings.ring_wait_bytes || bpf_ktime_get_ns() > *until_ns;
}

INLINE _Bool is_attached(void)
{
	return *(volatile __u32 *)&control.compat == TRACE_COMPAT_ATTACHED;
}

/* 1: it is attached, or the time is over. */
static long turn_for_compat(__u32 i, __u64 *until_ns)
{
	return is_attached() || bpf_ktime_get_ns() > *until_ns;
}

/* full: bytes that are in the ring. */
GLOBAL int wait_for_room(__u64 full)
{
	__u64 wait_ns = full < settings.ring_last_bytes ? WAIT_NS : WAIT_LAST_NS;
	__u64 now = bpf_ktime_get_ns(), read = bpf_ringbuf_query(&ring, BPF_RB_CONS_POS), until_ns = now + wait_ns;
	if (control.read_bytes != read) {
		control.read_bytes = read;
		control.read_ns = now;
	} else if (now - control.read_ns > PATIENCE_NS) {
		return 0;
	}
	__sync_fetch_and_add(&control.waits, 1);
	bpf_loop(TURNS, turn, &until_ns, 0);
	return 0;
}

/* Whether it went. */
INLINE _Bool send_bytes(const void *bytes, __u64 n, _Bool can_wait)
{
	__u64 flags = BPF_RB_NO_WAKEUP, full = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);
	if (full >= settings.ring_wake_bytes) {
		if (!control.woken) {
			control.woken = 1;
			flags = BPF_RB_FORCE_WAKEUP;
		}
		if (can_wait && full >= settings.ring_wait_bytes)
			wait_for_room(full);
	}
	return !bpf_ringbuf_output(&ring, (void *)bytes, n, flags);
}

INLINE void wake_reader(void)
{
	struct trace_event nothing = {};
	bpf_ringbuf_output(&ring, &nothing, sizeof(nothing), BPF_RB_FORCE_WAKEUP);
}

/*
 * A 32-bit program begins, or a 32-bit call, the first one: the reader is woken to attach the programs for the ends of such calls. It
 * attaches in less than a millisecond, as a rule; where it does not, the program is to stop, and the reader lets it go on.
 * Whether it is.
 */
GLOBAL int wait_for_compat(void)
{
	__u64 until_ns = bpf_ktime_get_ns() + COMPAT_NS;
	__sync_val_compare_and_swap(&control.compat, TRACE_COMPAT_NONE, TRACE_COMPAT_SEEN);
	wake_reader();
	bpf_loop(COMPAT_TURNS, turn_for_compat, &until_ns, 0);
	return !is_attached() && !bpf_send_signal(SIGSTOP);
}

/* It has stopped. Before, its SIGSTOP would be taken back with what else is there to be done. */
INLINE void let_go_on(__u32 pid)
{
	__u32 i = __sync_fetch_and_add(&control.stopped_nr, 1);
	if (__sync_val_compare_and_swap(&control.stopped[i % TRACE_STOPPED], 0, pid))
		bpf_send_signal(SIGCONT);
	wake_reader();
}

/* A call, a point, a signal. It does not wait where interrupts are off. */
INLINE void send(struct scratch *s, _Bool can_wait)
{
	__u64 n = s->at;
	if (n > TRACE_EVENT_MAX + PIECE_MAX || !send_bytes(s->buf, n, can_wait))
		__sync_fetch_and_add(&control.lost, 1);
}

/* What only describes a task. */
INLINE void send_aside(struct scratch *s)
{
	__u64 n = s->at;
	if (n > TRACE_EVENT_MAX || !send_bytes(s->buf, n, 0))
		__sync_fetch_and_add(&control.lost_others, 1);
}
