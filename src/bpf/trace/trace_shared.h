/*
 * Shared by the BPF programs of trace (trace_*.bpf.c) and their loaders: settings, the rows of the summary,
 * and the events of the stream. Private to them.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC. Thread and process ids are the kernel's own, of the initial PID namespace.
 */
#pragma once
#include <linux/types.h>

/* Calls by number; those of 32-bit programs follow after the native ones. A number beyond shares the last place. */
#define TRACE_NUMBERS 512
#define TRACE_CALLS   (2 * TRACE_NUMBERS)

/* Calls that need special treatment: struct trace_control, kind. */
enum trace_call_kind {
	TRACE_CALL_OTHER,
	TRACE_CALL_STARTS,      /* a task, which returns from the call, too: fork, vfork, clone, clone3 */
	TRACE_CALL_ENDS,        /* the task, and never returns: exit, exit_group */
	TRACE_CALL_EXECUTES,    /* execve */
	TRACE_CALL_EXECUTES_AT, /* execveat; on x86 it has the number of execve when it returns */
};

/* --- the summary --- */

#define TRACE_SLOTS        32 /* of a histogram: slot i holds durations from 2^i ns on; the last one all longer ones */
#define TRACE_ROWS         32768
#define TRACE_ROWS_OTHERS  4096 /* the last rows: for threads for which there was no room */
#define TRACE_THREADS      16384
#define TRACE_ROW_OTHERS   (TRACE_ROWS - TRACE_ROWS_OTHERS)
#define TRACE_THREAD_NONE  0xffffffffU

/* One call of one thread (or of all of them). Written by one CPU at a time. */
struct trace_row {
	__u32 thread; /* index in the threads, or TRACE_THREAD_NONE: all, or those for which there was no room */
	__u32 call;   /* number, + TRACE_NUMBERS of a 32-bit program */
	__u64 calls, errors;
	__u64 total_ns, min_ns, max_ns;
	__u64 squares[2]; /* the sum of the squares of the durations: low and high half */
	__u32 slot[TRACE_SLOTS];
};

struct trace_thread {
	__u32 tid, pid;
	__u64 cgroup; /* in TRACE_BY_CGROUP */
	__u32 halves; /* events that belong to no row: the child's return from fork, the beginning of a call cut off by the end */
	__u32 last_call; /* + 1: the call by which it ended, which has no row; 0: it ended otherwise */
	char comm[16];
	__u32 gone;     /* its end was seen: the second pair of times was taken then, or at its last switch */
	__u64 ran_before_ns, waited_before_ns; /* on CPUs and waiting for one, before it was first seen */
	__u64 ran_ns, waited_ns;
};

struct trace_errno_key {
	__u32 row, errnum;
};

enum trace_by { TRACE_BY_THREAD, TRACE_BY_ALL, TRACE_BY_CGROUP };

/* --- functions: those whose calls are traced, by the number that is the cookie of their probes --- */

/*
 * Whether a function was called by a jump at the end of another one whose return is probed (a tail call): then its return address is the
 * one that the kernel has put there, the beginning of a page of its own. Otherwise the other function was left by longjmp or an exception.
 */
#define TRACE_FUNC_IS_JUMP(return_address) (((return_address) & 0xfff) == 0)

#define TRACE_FUNC_ARGS   6 /* integer registers; or what enum trace_func_compat says */
#define TRACE_FUNC_STEPS  8
#define TRACE_FUNC_SLOTS_CPU 3
/* In place of a register number: the stack pointer at entry; the return value. */
#define TRACE_FUNC_STACK  6
#define TRACE_FUNC_RESULT 7
/* The part of a step's piece is this plus the number of the step (SYSCALL_PART_DATA). */
#define TRACE_FUNC_PART   16

/* 32-bit programs on x86: the first words of the stack after the return address; or three of them, and three registers. */
enum trace_func_compat { TRACE_FUNC_NATIVE, TRACE_FUNC_STACK_WORDS, TRACE_FUNC_REGISTERS_TOO };
#define TRACE_FUNC_I386_AX 3
#define TRACE_FUNC_I386_DX 4
#define TRACE_FUNC_I386_CX 5

/* What to fetch besides registers. */
enum trace_func_what {
	TRACE_FUNC_STRING,
	TRACE_FUNC_BYTES,        /* max of them */
	TRACE_FUNC_SPAN,         /* as many as the next register says, at most max */
	TRACE_FUNC_STRING_INDIRECT /* at the pointer stored there */
};

/* How returns are traced: not at all, by replacing the return address (uretprobe), by probes at the exits of the function. */
enum trace_func_returns { TRACE_FUNC_NO_RETURNS, TRACE_FUNC_BY_ADDRESS, TRACE_FUNC_BY_EXITS };

/* In the cookie of a probe at an exit: a jump to another function, whose result is not known yet. */
#define TRACE_FUNC_LEFT_BY_JUMP (1u << 31)

struct trace_func_step {
	__u8 what, arg; /* enum trace_func_what; the register with the pointer */
	__u16 max;      /* bytes */
	__s32 offset;   /* from the pointer */
};

struct trace_func {
	__u8 compat;       /* enum trace_func_compat */
	__u8 steps_nr;     /* at entry */
	__u8 steps_result; /* after these in `step`: at return */
	__u8 returns;      /* enum trace_func_returns */
	__u8 popped;       /* bytes of arguments that the function takes from the stack as it returns */
	__u8 unused[3];
	struct trace_func_step step[TRACE_FUNC_STEPS];
};

/*
 * A histogram of durations: four slots for each power of two, so that the error of percentiles is at most an eighth; the first four are 0
 * to 3 ns, the last one is for all above 2^40 ns (18 minutes).
 */
#define TRACE_FUNC_SLOTS 160

/* Sums of a function; CPUs are spread over several rows of it. */
struct trace_func_row {
	__u64 calls, returns; /* entries; those of them whose end was seen */
	__u64 total_ns, max_ns;
	__u64 slot[TRACE_FUNC_SLOTS];
};

/* --- the stream --- */

enum trace_event_type {
	TRACE_EVENT_CALL = 1,   /* a call has returned */
	TRACE_EVENT_ENTERED,    /* a call that does not return, or sleeps: its result follows later */
	TRACE_EVENT_FORK,       /* args: child's tid, child's pid; payload: its name */
	TRACE_EVENT_EXEC,       /* payload: the new name */
	TRACE_EVENT_RENAME,
	TRACE_EVENT_EXIT,       /* ret: exit code of the task; args: ns on a CPU, ns waiting for one, 1: the process ends */
	TRACE_EVENT_RAN,        /* args: as in the EXIT of the task, but final */
	TRACE_EVENT_SIGNAL,     /* is delivered; args: number; payload: the beginning of its siginfo_t */
	TRACE_EVENT_POINT,      /* the entry of a call, as a tracepoint */
	TRACE_EVENT_STACK,      /* for the next CALL, POINT or FUNC of the same task: struct trace_stack in place of args */
	TRACE_EVENT_FUNC,       /* a function is called: number: which; start_ns: its stack pointer; args: TRACE_FUNC_ARGS registers;
				 * ret: the return address */
	TRACE_EVENT_FUNC_RETURN, /* likewise; ret: the return value; args: its second word */
};

/* How user stacks are recorded. */
enum trace_stacks { TRACE_STACKS_NONE, TRACE_STACKS_FP, TRACE_STACKS_DUMP };

#define TRACE_STACK_FRAMES 127
#define TRACE_STACK_BYTES  16384 /* at most, of a dump: the kernel has 32 kB a CPU for all of it */
#define TRACE_STACK_REGS   40    /* as ptrace(2) orders them */

/* After it: kernel_bytes of addresses, then user_bytes of addresses (FP) or of the stack itself (DUMP). */
struct trace_stack {
	__u32 kernel_bytes, user_bytes;
	__u64 regs[TRACE_STACK_REGS]; /* DUMP */
};

#define TRACE_FLAG_COMPAT   1 /* a call of a 32-bit program */
#define TRACE_FLAG_STARTED  2 /* start_ns is known */
#define TRACE_FLAG_RESUMED  4 /* its ENTERED came before */
#define TRACE_FLAG_COMPLETED 64 /* with memory of its arguments that could not be read before its ENTERED */
#define TRACE_FLAG_MAYBE    8 /* a string has the selected last component: the reader must check whether it is that file */
#define TRACE_FLAG_NO_RESULT 32 /* FUNC_RETURN: a tail call: another function returns in place of this one */
#define TRACE_FLAG_ASIDE    16 /* FORK, EXIT: on a CPU or at a time that is not traced: for the names of tasks, not to be shown */

struct trace_event {
	__u64 time_ns, start_ns;
	__u32 tid, pid;
	__u32 number; /* as passed by the program */
	__u8 type, flags, args_nr, unused;
	__s64 ret;
	__u32 cpu, unused_too;
	/* args_nr words, then the payload up to the end of the record */
};

/* The maximum length of a record of the stream. */
#define TRACE_EVENT_MAX 16384

/* --- what to fetch: the layout of struct syscall_fetch and struct syscall_plan of decode/syscall.h --- */

#define TRACE_STEPS 8

/* When a step is executed. A step that is for the entry, but can wait, is executed at the end or when the call sleeps. */
#define TRACE_WHEN_ENTERS  1
#define TRACE_WHEN_POINT   2 /* at entry, which is reported at once */
#define TRACE_WHEN_SLEEPS  4 /* only the steps that could wait */
#define TRACE_WHEN_RETURNS 8
#define TRACE_WHEN_FAILS   16

struct trace_step {
	__u8 what, at, arg, len, len_arg, when; /* when: TRACE_WHEN_* of `at` */
	__u16 max, unit;
};

struct trace_plan {
	__u32 classes;
	__u8 known, args_nr, steps_nr, entry_steps, exit_steps;
	__u8 unused_there[3];
	struct trace_step step[TRACE_STEPS];
	/* Not in struct syscall_plan: */
	__u8 at_entry; /* steps that cannot wait */
	__u8 no_return;
	__u8 files;    /* descriptors whose files are reported: bit by argument, and TRACE_FILE_OF_RESULT */
	__u8 fds;      /* TRACE_FDS_* */
};

#define TRACE_ARGS           6
#define TRACE_FILE_OF_RESULT (1 << TRACE_ARGS)
#define TRACE_FDS_PAIR       7  /* these bits: 1 + the argument that points to two descriptors that the call creates */
#define TRACE_FDS_RESULT     8  /* the result is a descriptor */
#define TRACE_FDS_CLOSED     16
#define TRACE_FDS_MOVED      32 /* the call changes the working directory */
#define TRACE_DIRECTORY      (-100) /* in place of a descriptor: AT_FDCWD */

/* A piece of part TRACE_PART_FILE: the open file of a descriptor. */
#define TRACE_PART_FILE 5
#define TRACE_FILE_REMOVED 1 /* the file has been unlinked */
#define TRACE_FILE_KNOWN   2 /* all names could be read */

struct trace_file {
	__u64 inode;
	__u32 magic; /* of the file system: statfs(2) */
	__s32 fd;
	__u32 flags, unused;
	/* The names of its path after it, from the last one on, each with its NUL. */
};

/* How a call is selected. */
#define TRACE_SELECTED_CALL  1
#define TRACE_SELECTED_POINT 2 /* its entry, as a tracepoint */

#define TRACE_PATH_MAX 256

/* --- settings: constants to the programs --- */

/* Selection by path: by a prefix of paths, and descriptors opened by them; or by a file, its descriptors and names. */
enum trace_by_path { TRACE_BY_NO_PATH, TRACE_BY_PREFIX, TRACE_BY_FILE };

struct trace_name {
	__u32 bytes; /* 0: none */
	char text[TRACE_PATH_MAX];
};

/*
 * Settings that are zero in most traces. For these, trace_plain.bpf.c is compiled with them as constants: cutting unused code out of a
 * program takes the kernel a millisecond whenever the program is loaded.
 */
struct trace_extras {
	__u64 longer_than_ns;
	__u8 by_cpu, by_cgroup, excludes;
	__u8 failures_only;
	__u8 stacks;        /* enum trace_stacks */
	__u8 kernel_stacks;
	__u8 sched;         /* read run times of tasks up to their end */
	__u8 points;        /* some calls are selected as tracepoints: TRACE_SELECTED_POINT */
	__u8 few_calls;     /* each call has an exit tracepoint of its own; the one of all calls is for 32-bit calls */
	__u8 by_path;       /* enum trace_by_path */
	__u8 unused[6];
};

struct trace_settings {
	struct trace_extras extras;
	__u32 self;      /* our own process, left out */
	__u8 by;         /* enum trace_by */
	__u8 errnos;     /* count errors by number */
	__u8 everyone;   /* all tasks; else those in the map of targets, and what they start */
	__u8 inherit;    /* what they start is followed */
	__u8 has_leader; /* counting begins with the exec of the leader */
	__u8 select_all;
	__u8 func_touches;  /* programs of functions may wait for memory */
	__u8 func_spread;   /* rows per function - 1; their number is a power of two */
	__u64 began_ns;  /* tasks that started later are traced from their beginning */
	__u32 str_limit;
	__u32 stack_bytes;  /* FP: of addresses; DUMP: of the stack */
	__u32 path_device;  /* of that directory, as the kernel encodes it; 0: unknown */
	__u32 unused;
	__u64 path_directory; /* inode of the directory that the file is in */
	__u64 ring_wake_bytes; /* from this fill level on the reader is woken */
	__u64 ring_wait_bytes; /* from this on calls wait for it */
	__u64 ring_last_bytes; /* from this on they wait longer */
	struct trace_name path[2]; /* TRACE_BY_FILE: its name in its directory, and that of a link to it */
};

/* 32-bit calls: none yet; seen; seen, and the exit tracepoint of all calls is attached for them. */
enum trace_compat { TRACE_COMPAT_NONE, TRACE_COMPAT_SEEN, TRACE_COMPAT_ATTACHED };
#define TRACE_STOPPED 16
/* Thread ids by their last bits. */
#define TRACE_NEAR    65536

/* Memory shared by programs and reader: the section .bss. */
struct trace_control {
	__u32 enabled;
	__u32 leader;  /* the command's process */
	__u32 threads, rows, rows_others;
	__u32 unused;
	__u64 began_ns;  /* the first call */
	__u64 dropped;   /* calls for which there was no row */
	__u64 lost;      /* calls, points and signals that did not fit into the ring */
	__u64 lost_others; /* likewise records about tasks; in the summary: errors by number */
	__u64 unfollowed; /* tasks, files and arguments for which there was no memory */
	__u64 waits;      /* calls that waited for the reader */
	__u64 read_bytes, read_ns; /* the read position when a call last waited, and since when the reader is at it */
	__u32 woken;      /* the reader has been woken; it resets this after reading */
	__u32 compat;     /* few_calls: enum trace_compat */
	__u32 stopped[TRACE_STOPPED], stopped_nr; /* processes that are stopped until compat is TRACE_COMPAT_ATTACHED */
	__u32 unused_too;
	__u8 selected[TRACE_CALLS]; /* by call, native ones first: TRACE_SELECTED_* */
	__u8 chosen[TRACE_NUMBERS]; /* by the last bits of a native or 32-bit number; 0: no such call is selected */
	__u8 kind[TRACE_CALLS];     /* by call: enum trace_call_kind */
	__u64 ended[TRACE_CALLS];   /* summary: tasks that ended by this call and are not in the rows of a thread */
	__u8 near[TRACE_NEAR];      /* 0: no task with these last bits of its ID has been a target */
};
