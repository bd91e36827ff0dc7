/*
 * Waits of threads: shared by waits.bpf.c and wait_sink.c.
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
/* Return addresses by which a stack is known again, and the words of stack that they lie in. */
#define WAIT_SLOTS 32
#define WAIT_SPAN  128
#define WAIT_THREAD_GROUPS 64
/*
 * Of waits for locks, the first at a place and one of so many that follow are looked at in detail: stacks of who has the lock, and of who
 * wakes.
 */
#define WAIT_DETAILED 16
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
	__u32 owner, unused; /* of a futex */
};

struct wait_sum {
	__u64 ns;
	__u32 waits, pid;
	char name[WAIT_NAME_BYTES];
	struct wait_lock lock;
	__u64 owner_stack; /* hash of its addresses */
};

struct wait_stack {
	__u32 nr, cut;
	__u64 ips[WAIT_FRAMES_MAX];
};

/* Addresses follow: nr of the stack, then of the owner's, then of the waker's. */
struct wait_message {
	__u32 message; /* UNWIND_MESSAGE_WAIT */
	__u32 flags;   /* enum wait_flags */
	__u32 pid, tid;
	__u64 ns, number; /* with WAIT_COPIED: in unwind_copy.wait */
	struct wait_raw raw;
	struct wait_lock lock;
	__u32 nr, unused;
};

/* A thread: where it waits, while it does. */
struct wait_thread {
	__u64 since_ns; /* 0: it does not wait */
	__u64 woken_ns; /* 0: it has not been woken yet */
	__u64 regs;     /* where the kernel has its registers */
	__u64 owner_stack; /* as in wait_sum */
	__u64 owner_regs, owner_since_ns; /* of an owner whose stack is to be walked; 0: none is */
	__u32 is_left_out; /* no wait for a lock: only its time and registers are known */
	__u16 is_detailed;
	__u16 has_walked;  /* so that user space knows which files its stacks lead through */
	/* Of the stack that was walked last, with the addresses in ips. */
	__u64 pc, sp, fp;
	__u32 slots_nr; /* 0: it is not known again */
	__u32 span;     /* words from sp on that they lie in */
	__u32 turns;    /* that it was known again */
	__u8 slots[WAIT_SLOTS]; /* in which of them return addresses lie; WAIT_SPAN: in a register */
	struct wait_place place;
	struct wait_message out;
	__u64 ips[WAIT_FRAMES_MAX + WAIT_OWNER_MAX + WAIT_WAKER_MAX];
};

struct wait_control {
	__u64 enabled_ns;   /* waits that began later are recorded; 0: none are */
	__u64 threads_lost; /* waits of threads that there was no room for */
	__u32 detailed[WAIT_THREAD_GROUPS]; /* waits for locks that go on, whose wakers are noted: by the last bits of the thread ID */
};
