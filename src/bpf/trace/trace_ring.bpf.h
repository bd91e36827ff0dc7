/*
 * Writes events to the reader: one ring for all CPUs. For the stream only.
 *
 * The reader polls every few milliseconds. It is woken when the ring fills up; when the ring is nearly full, a call waits for
 * the reader in a busy loop (programs cannot sleep here): a slower traced program is better than missing lines. The rest of the
 * ring is for events that cannot wait. The wait of each call is limited, so that a reader that needs this CPU can run in
 * between. A reader that has stopped reading is not waited for.
 */
#pragma once
#include "bpf/trace/trace_fetch.bpf.h"

#define WAIT_NS      100000     /* per call: preemption is off meanwhile */
#define WAIT_LAST_NS 1000000    /* likewise when hardly any room is left: many threads leave the reader little time to run */
#define PATIENCE_NS  2000000000 /* until a reader that reads nothing is considered stopped */
#define TURNS        64000      /* enough for WAIT_LAST_NS */
#define COMPAT_NS    30000
#define COMPAT_TURNS 1024

enum { SIGCONT = 18, SIGSTOP = 19 };

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} ring SEC(".maps");

/* An iteration of bpf_loop(), of which the verifier checks one; returns 1 to stop: there is room, or the time is over. */
static long turn(__u32 i, __u64 *until_ns)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) < settings.ring_wait_bytes || bpf_ktime_get_ns() > *until_ns;
}

INLINE _Bool is_attached(void)
{
	return *(volatile __u32 *)&control.compat == TRACE_COMPAT_ATTACHED;
}

/* Returns 1 to stop: it is attached, or the time is over. */
static long turn_for_compat(__u32 i, __u64 *until_ns)
{
	return is_attached() || bpf_ktime_get_ns() > *until_ns;
}

/* full: bytes in the ring. */
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

/* Returns whether it was sent. */
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
 * The first 32-bit program or call begins: wakes the reader to attach the programs for the ends of such calls. That usually takes
 * less than a millisecond; if it takes longer, the traced program must stop, and the reader continues it. Returns whether it must
 * stop.
 */
GLOBAL int wait_for_compat(void)
{
	__u64 until_ns = bpf_ktime_get_ns() + COMPAT_NS;
	__sync_val_compare_and_swap(&control.compat, TRACE_COMPAT_NONE, TRACE_COMPAT_SEEN);
	wake_reader();
	bpf_loop(COMPAT_TURNS, turn_for_compat, &until_ns, 0);
	return !is_attached() && !bpf_send_signal(SIGSTOP);
}

/* For a process that has stopped: a SIGCONT before that would discard its pending SIGSTOP. */
INLINE void let_go_on(__u32 pid)
{
	__u32 i = __sync_fetch_and_add(&control.stopped_nr, 1);
	if (__sync_val_compare_and_swap(&control.stopped[i % TRACE_STOPPED], 0, pid))
		bpf_send_signal(SIGCONT);
	wake_reader();
}

/* Sends a call, point or signal. Does not wait where interrupts are off. */
INLINE void send(struct scratch *s, _Bool can_wait)
{
	__u64 n = s->at;
	if (n > TRACE_EVENT_MAX + PIECE_MAX || !send_bytes(s->buf, n, can_wait))
		__sync_fetch_and_add(&control.lost, 1);
}

/* Sends an event that only describes a task. */
INLINE void send_aside(struct scratch *s)
{
	__u64 n = s->at;
	if (n > TRACE_EVENT_MAX || !send_bytes(s->buf, n, 0))
		__sync_fetch_and_add(&control.lost_others, 1);
}
