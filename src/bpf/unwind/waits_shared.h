/*
 * Waits of threads: what waits.bpf.c and wait_sink.c both know.
 *
 * Waits at one place are summed up until they come to a quantum; then there is a message. Those of the rest are in the map of sums
 * when the recording ends, with their addresses in the map of stacks.
 */
#pragma once
#include "record/wait_layout.h"

#define WAIT_FRAMES_MAX 256 /* a power of two */
#define WAIT_SUMS	32768
#define WAIT_STACKS	16384
#define WAIT_THREADS	32768
#define WAIT_CALLS	512
/* Copies of stack that a CPU may write in a window of time: what lacks a table is walked in user space, as long as that is rare. */
#define WAIT_COPIES	     128
#define WAIT_COPIES_WINDOW_NS 100000000ULL

/* How a call waits, by its number. */
enum wait_call {
	WAIT_CALL_OTHER,
	WAIT_CALL_FUTEX,
	WAIT_CALL_EPOLL,
	WAIT_CALL_POLL,
	WAIT_CALL_TIME,
	WAIT_CALL_CHILD,
	WAIT_CALL_SIGNAL,
	WAIT_CALL_FD, /* for what its first argument is open on */
};

enum wait_flags { WAIT_COPIED = 1, WAIT_CUT = 2, WAIT_IO = 4 }; /* IO: for a device, which answers by an interrupt */

struct wait_place {
	__u64 stack; /* hash of its addresses; where they are walked in user space, the wait's own number */
	__u64 object;
	__u32 tid;
	__u8 state, reason;
	__s16 call;
};

struct wait_sum {
	__u64 ns;
	__u32 waits, pid;
	char name[WAIT_NAME_BYTES];
};

struct wait_stack {
	__u32 nr, cut;
	__u64 ips[WAIT_FRAMES_MAX];
};

/* Addresses follow: nr of the stack, and then of the waker's. */
struct wait_message {
	__u32 message; /* UNWIND_MESSAGE_WAIT */
	__u32 flags;   /* enum wait_flags */
	__u32 pid, tid;
	__u64 ns, number; /* with WAIT_COPIED: in unwind_copy.wait */
	struct wait_raw raw;
	__u32 nr, unused;
};

/* A thread: where it waits, while it does. */
struct wait_thread {
	__u64 since_ns; /* 0: it does not wait */
	__u64 woken_ns; /* 0: it has not been woken yet */
	struct wait_place place;
	struct wait_message out;
	__u64 ips[WAIT_FRAMES_MAX + WAIT_WAKER_MAX];
};

struct wait_control {
	__u64 enabled_ns;   /* waits that began later are recorded; 0: none are */
	__u64 threads_lost; /* waits of threads that there was no room for */
};
