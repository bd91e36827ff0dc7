/*
 * Waits of threads: shared by waits.bpf.c and wait_samples.c.
 *
 * Waits at one place are summed up until they reach a quantum, when a message is sent. The rest is sent when the thread ends, and before
 * its addresses become those of other functions; or it is in the map of sums when the recording ends, with addresses in the map of stacks.
 */
#pragma once
#include "record/wait_layout.h"

#define WAIT_FRAMES_MAX 256 /* a power of two */
#define WAIT_SUMS	32768
#define WAIT_STACKS	16384
#define WAIT_THREADS	32768
#define WAIT_CALLS	512
/*
 * Stacks of a thread that are recognised: the maximum number of them, of addresses in each, of words on which its walk depended, and of
 * words of stack among which these are. All are powers of two.
 */
#define WAIT_KNOWN 8
#define WAIT_DEPTH 32
#define WAIT_WORDS 64
#define WAIT_SPAN  512
#define WAIT_THREAD_GROUPS 64
/*
 * Of the waits for a lock at one place, the first ones and then one of this many are recorded with the stacks of owner and waker.
 */
#define WAIT_DETAILED 16
/* The maximum number of stack copies per CPU and time window: stacks in code without a table are walked in user space as long as they are
 * few. */
#define WAIT_COPIES	     128
#define WAIT_COPIES_WINDOW_NS 100000000ULL

/* The maximum number of sums that are sent at once; those of further places stay in the map. The verifier follows each turn. */
#define WAIT_SENT_MAX	     16

/* How a system call waits. */
enum wait_call {
	WAIT_CALL_OTHER,
	WAIT_CALL_FUTEX,
	WAIT_CALL_EPOLL,
	WAIT_CALL_POLL,
	WAIT_CALL_TIME,
	WAIT_CALL_CHILD,
	WAIT_CALL_SIGNAL,
	WAIT_CALL_FD, /* for the file of its first argument */
};

enum wait_flags { WAIT_COPIED = 1, WAIT_CUT = 2, WAIT_IO = 4 }; /* IO: for a device, which interrupts */

struct wait_place {
	__u64 stack; /* hash of its addresses; if walked in user space, the number of the wait */
	__u64 object;
	__u32 tid;
	__u8 state, reason;
	__s16 call;
	__u32 owner; /* of a futex */
	__u32 program; /* another after an exec: the same addresses are then other functions */
};

struct wait_sum {
	__u64 ns;
	__u32 waits, pid;
	char name[WAIT_NAME_BYTES];
	struct wait_lock lock;
	__u64 owner_stack; /* hash of its addresses */
	struct wait_place older; /* the thread's sum before this one; tid 0: none */
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

/*
 * A stack of a thread that was walked to its end, and what it is recognised by: a walk depends on pc, sp, fp, the mappings of the process,
 * and words of the stack.
 */
struct wait_known {
	__u64 pc, sp, fp;
	__u64 mappings; /* mappings_tag() */
	__u64 words;	/* hash_word() of the words */
	__u64 hash;	/* of its addresses */
	__u32 turns;	/* how often it was recognised */
	__u16 nr;	/* 0: no stack */
	__u16 words_nr;
	__u32 span; /* the greatest of the numbers in `at` */
	__u32 unused;
	__u16 at[WAIT_WORDS]; /* number of each word, from sp on 1, 2 ...; 0: the link register */
	__u64 ips[WAIT_DEPTH];
};

/* A thread: where it waits, while it does. */
struct wait_thread {
	__u64 since_ns; /* 0: it does not wait */
	__u64 woken_ns; /* 0: it has not been woken yet */
	__u64 regs;     /* address of its registers in the kernel */
	__u64 owner_stack; /* as in wait_sum */
	__u64 owner_regs, owner_since_ns; /* of an owner whose stack is to be walked; 0: none */
	__u32 is_left_out; /* not a wait for a lock: only its time and registers are recorded */
	__u16 is_detailed;
	__u16 has_walked;  /* so that user space has the files on its stacks */
	__u32 last_known;  /* number of the known stack whose addresses are in ips; WAIT_KNOWN: of none */
	__u32 unused;
	__u64 memory, code_pages; /* when it left its CPU last: its mm, and the size of executable mappings */
	struct wait_place newest; /* its latest sum; tid 0: none */
	struct wait_known known[WAIT_KNOWN];
	struct wait_place place;
	struct wait_message out;
	__u64 ips[WAIT_FRAMES_MAX + WAIT_OWNER_MAX + WAIT_WAKER_MAX];
};

struct wait_control {
	__u64 enabled_ns;   /* waits that began later are recorded; 0: none */
	__u64 threads_lost; /* waits of threads for which there was no room */
	__u32 detailed[WAIT_THREAD_GROUPS]; /* current waits for locks whose wakers are recorded, by the last bits of the thread ID */
};
