/*
 * The PERF_SAMPLE_RAW bytes of a wait's sample, event WAIT_EVENT (`record --wall`), of type PERF_COUNT_SW_BPF_OUTPUT. Its period is the
 * length of the wait in nanoseconds, its time the end of the wait. Shared by user space and the BPF programs that write it
 * (bpf/unwind/waits.bpf.c). Numbers have the recording's byte order.
 */
#pragma once
#include <linux/types.h>

#define WAIT_EVENT   "wait-time"
#define OFFCPU_EVENT "offcpu-time" /* perf's: without these bytes */

#define WAIT_MAGIC	 0x54494157 /* "WAIT" */
#define WAIT_NAME_BYTES	 32
#define WAIT_COMM_BYTES	 16
#define WAIT_WAKER_MAX	 64
#define WAIT_OWNER_MAX	 64
#define WAIT_NO_CALL	 (-1)

enum wait_state { WAIT_SLEEPING, WAIT_BLOCKED, WAIT_RUNNABLE, WAIT_STOPPED, WAIT_STATES };

enum wait_reason {
	WAIT_FOR_CALL, /* for a system call, by its number */
	WAIT_FOR_CPU,  /* woken, but not running yet */
	WAIT_PREEMPTED,
	WAIT_THROTTLED, /* by the limit of its cgroup */
	WAIT_FOR_FUTEX,
	WAIT_FOR_EPOLL,
	WAIT_FOR_POLL,
	WAIT_FOR_TIME,
	WAIT_FOR_CHILD,
	WAIT_FOR_SIGNAL,
	WAIT_FOR_FILE, /* for the file of the call's descriptor, with its name */
	WAIT_FOR_PIPE,
	WAIT_FOR_SOCKET,
	WAIT_FOR_DEVICE,
	WAIT_FOR_OTHER_FILE, /* eventfd, inotify, … */
	WAIT_FOR_PAGE,	     /* a page fault */
	WAIT_FOR_DISK,	     /* input or output in a call without a descriptor */
	WAIT_REASONS,
};

/* Parts that distinguish one text from another are in one piece: of the reason from `reason` to `name`, of the waker from `waker` on. */
struct wait_raw {
	__u32 magic;
	__u8 state, reason;
	__s16 call;                  /* number of the system call, or WAIT_NO_CALL */
	char name[WAIT_NAME_BYTES];  /* last component of the file's path, possibly truncated; padded with zeros, NUL-terminated */
	__u64 object;                /* address of the futex, or number of the inode */
	__u32 waits;                 /* number of waits in this sample */
	__u32 waker;                 /* of the last of them: enum wait_waker */
	char waker_comm[WAIT_COMM_BYTES];
	__u32 waker_pid, waker_tid;
	__u16 waker_nr;              /* addresses of the waker's stack, which follow: innermost first */
	__u16 lock_bytes;            /* of struct wait_lock and the addresses of the owner's stack, which follow these; 0: none */
	__u16 unused[2];
};

enum wait_waker { WAIT_WAKER_UNKNOWN, WAIT_WAKER_TASK, WAIT_WAKER_INTERRUPT };

/* A wait for a futex, at its begin; of several, the last one. Addresses of the owner's stack follow. */
struct wait_lock {
	__u64 max_ns, min_ns; /* of the waits in the sample */
	__u32 op;             /* of futex(2), with its flags */
	__u32 value;          /* at the address: of a priority inheritance lock, and of pthread_join(3), a thread's ID */
	__u32 word;           /* 8 bytes further: of a mutex of glibc, its owner's thread ID */
	__u32 owner;          /* the thread that one of these names, of the same process; 0: none */
	__u16 owner_state;    /* enum wait_owner */
	__u16 owner_nr, unused[2];
};

enum wait_owner { WAIT_OWNER_UNKNOWN, WAIT_OWNER_RUNS, WAIT_OWNER_WAITS };
