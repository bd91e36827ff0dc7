/*
 * What threads do, and for how long: a machine of task states, fed with the scheduler's events in order of time.
 *
 *	task_states_init(&s, &(struct task_states_options){ .interval = fn, .ctx = ctx });
 *	task_states_switch(&s, &(struct task_switch){ … });  sched_switch
 *	task_states_wake(&s, &(struct task_wake){ … });      sched_waking, or sched_wakeup where there is no sched_waking
 *	task_states_gap(&s, cpu, time);                      records were lost
 *	task_states_finish(&s, time);
 *
 * A thread is known from its first event on. From then to its end, or to the end of the recording, it is in exactly one state at any
 * time: the sums of its states are its time, to the nanosecond. Each interval is also given to the caller as it ends.
 *
 * Lost records: of threads whose events may be among them nothing is known from the last record of that CPU to their next event. The
 * same holds where events contradict each other (a thread leaves a CPU that it was not on) and, where wake-ups are recorded, of a
 * thread that slept and runs without one. That time is TASK_UNKNOWN: part of no other sum. A wake-up between a thread's decision
 * to sleep and its leaving the CPU is recorded before it sleeps: it then was runnable all the time.
 *
 * Kernels do not report each switch: Linux 6.18 in a virtual machine leaves out some of those from idle. A thread that wakes
 * another runs, so it does from that wake-up on where no switch came before.
 *
 * Times in nanoseconds. Threads are known by index; IDs are used again, and each use is a thread of its own. The idle thread of each CPU
 * is a thread, too. A zeroed struct is empty and valid. One thread. Source: include/trace/events/sched.h.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vector.h"

#define TASK_NONE   UINT32_MAX
#define TASK_NO_CPU UINT32_MAX
#define TASK_CPUS_MAX 8192 /* events of others are counted and ignored */

enum task_state {
	TASK_UNKNOWN,
	TASK_RUNNING,
	TASK_RUNNABLE,        /* waits for a CPU */
	TASK_SLEEPING,        /* interruptibly; idle kernel threads, too */
	TASK_UNINTERRUPTIBLE, /* for a disk, a lock of the kernel … */
	TASK_STOPPED,         /* by a signal or a debugger */
	TASK_DEAD,            /* has ended: no time passes in it */
	TASK_STATES
};

struct task {
	uint32_t tid;
	uint32_t pid;         /* 0: not known yet; that of the idle threads */
	uint32_t cpu;         /* where it runs or last ran, or TASK_NO_CPU */
	uint8_t state;        /* enum task_state */
	char letter;          /* of the state, as sched_switch prints it: S, D, I …; R of one that is runnable or runs */
	bool is_preempted;    /* runnable since it was put off its CPU, or yielded it */
	bool is_cut;          /* the state began earlier than is known */
	bool is_known;        /* an event said what it does: it has a first_ns */
	bool is_exiting;      /* an exit record came */
	bool has_ended;
	uint32_t waker;       /* index, or TASK_NONE: of a runnable thread that was woken */
	uint64_t since_ns;    /* the state's beginning */
	uint64_t first_ns, last_ns; /* what is known of it; last_ns: its end, or that of the recording */
	uint64_t ns[TASK_STATES];
	uint64_t runs;        /* times that it was given a CPU */
	uint64_t migrations;
	uint64_t tag;         /* of the event that began the state */
	uint64_t early_wake_ns; /* a wake-up came while it ran; 0: none did */
	uint64_t early_tag;
	uint32_t early_waker;
};

/* A stretch of a thread's time in one state. */
struct task_interval {
	uint32_t task;      /* index */
	uint32_t cpu;       /* it ran there; else where it last ran */
	uint32_t waker;     /* of TASK_RUNNABLE after a wake-up, and of a wait that it ended: index; or TASK_NONE */
	uint8_t state;      /* enum task_state */
	char letter;
	bool is_preempted;
	bool is_cut;        /* it began earlier or ended later than is known */
	uint64_t start_ns, end_ns;
	uint64_t tag;       /* of the event that began it */
	uint64_t end_tag;   /* of the event that ended it; 0: none did */
};

/* sched_switch. Tags are the caller's, for what it keeps of an event: a stack, a priority. 0: nothing. */
struct task_switch {
	uint64_t time_ns;
	uint32_t cpu;
	uint32_t prev_tid, next_tid;
	char letter;        /* of prev_state; 0: the recording does not have it (context-switch records), and the thread waits */
	uint64_t tag;
};

struct task_wake {
	uint64_t time_ns;
	uint32_t cpu;       /* of the waker */
	uint32_t tid;
	uint32_t waker_tid; /* the thread that the event is of; 0 with the CPU: the idle thread; (uint32_t)-1: one that has ended */
	bool is_new;        /* sched_wakeup_new: the thread begins */
	bool in_interrupt;  /* the waker is not that thread but an interrupt: the woken one has none */
	uint64_t tag;
};

struct task_states_options {
	void (*interval)(void *ctx, const struct task_interval *i); /* or NULL */
	void *ctx;
	bool has_wakes;     /* wake-ups are recorded: without them a wait lasts until the thread runs */
};

struct task_states {
	struct task_states_options options;
	VEC(struct task) tasks;
	struct u64map by_tid;    /* the present thread of an ID: index + 1 */
	struct task_cpu {
		uint32_t current; /* index, or TASK_NONE: not known */
		uint32_t idle;    /* likewise */
		uint64_t last_ns; /* of its last event */
		bool seen;
	} *cpus;
	uint32_t cpus_nr;
	uint64_t first_ns, last_ns;
	bool has_begun;
	uint64_t gaps;           /* calls of task_states_gap() */
	uint64_t broken;         /* events that contradict those before */
	uint64_t backwards;      /* events earlier than one before, of the same thread */
	uint64_t bad_cpus;       /* events of CPUs that cannot be */
};

void task_states_init(struct task_states *s, const struct task_states_options *o);
void task_states_deinit(struct task_states *s);

void task_states_switch(struct task_states *s, const struct task_switch *e);
void task_states_wake(struct task_states *s, const struct task_wake *e);
/* sched_migrate_task: a runnable thread is to run elsewhere. */
void task_states_migrate(struct task_states *s, uint32_t tid, uint32_t cpu, uint64_t time_ns);
/* A fork record: from now on the ID is another thread. It has no state before an event says it. */
void task_states_fork(struct task_states *s, uint32_t pid, uint32_t tid);
/* An exit record: the thread still runs, until it is switched out dead, or in a state that is not recorded. */
void task_states_exit(struct task_states *s, uint32_t tid);
/* Records of a CPU (TASK_NO_CPU: of any) were lost between its last event and this time. */
void task_states_gap(struct task_states *s, uint32_t cpu, uint64_t time_ns);
/* Ends all intervals, no earlier than the last event. Nothing may follow. */
void task_states_finish(struct task_states *s, uint64_t time_ns);

/* The index of the present thread of an ID; cpu chooses among the idle threads. Made where there is none. */
uint32_t task_states_find(struct task_states *s, uint32_t tid, uint32_t cpu);
/* The sum of all states, TASK_UNKNOWN included: last_ns - first_ns. */
uint64_t task_time(const struct task *t);
static inline uint64_t task_waiting(const struct task *t)
{
	return t->ns[TASK_SLEEPING] + t->ns[TASK_UNINTERRUPTIBLE] + t->ns[TASK_STOPPED];
}

/* The state that a letter of sched_switch stands for: TASK_RUNNABLE of R and of unknown ones, TASK_SLEEPING of 0. */
enum task_state task_state_of(char letter);
/* "running", "runnable" …: as in data. */
const char *task_state_name(enum task_state state);

/*
 * The letter of a prev_state: letters has one for each bit, lowest first, as the kernel of the recording has them. Of several bits, the
 * lowest. R without any, and of a bit without a letter ("R+").
 */
char task_state_letter(const char *letters, uint64_t prev_state);
/* These letters from sched_switch's print format; "SDTtXZPI" where it does not have them. At most n - 1. */
void task_state_letters(const char *print_fmt, char *ret, size_t n);
