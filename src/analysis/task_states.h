/*
 * States of threads and their times: a state machine that processes the scheduler's events in order of time.
 *
 *	task_states_init(&s, &(struct task_states_options){ .interval = fn, .ctx = ctx });
 *	task_states_switch(&s, &(struct task_switch){ … });  sched_switch
 *	task_states_wake(&s, &(struct task_wake){ … });      sched_waking, or sched_wakeup without sched_waking
 *	task_states_gap(&s, cpu, time);                      records were lost
 *	task_states_finish(&s, time);
 *
 * A thread is known from its first event on. From then to its end, or the end of the recording, it is in exactly one state at any time:
 * the sums of its states add up to its time, to the nanosecond. At the end of each interval the caller is called.
 *
 * After lost records, the state of threads that they may concern is unknown from the last record of that CPU to the next event of
 * the thread. The same holds for contradictions (a thread leaves a CPU on which it was not) and, if wake-ups are recorded, for a
 * thread that slept and runs without one. That time is TASK_UNKNOWN, and not part of other sums. A wake-up between a thread's
 * decision to sleep and its switch is recorded before it sleeps: then it was runnable all the time.
 *
 * Kernels do not report each switch: Linux 6.18 in a virtual machine omits some from idle. A thread that wakes another is running:
 * if no switch was reported, from that wake-up on.
 *
 * Times in nanoseconds. Threads have indexes; a reused ID is a new thread. The idle thread of each CPU is a thread, too.
 * A zeroed struct is empty and valid. One thread. Source: include/trace/events/sched.h.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vector.h"

#define TASK_NONE   UINT32_MAX
#define TASK_NO_CPU UINT32_MAX
#define TASK_CPUS_MAX 8192 /* events of other CPUs are counted and ignored */

enum task_state {
	TASK_UNKNOWN,
	TASK_RUNNING,
	TASK_RUNNABLE,        /* waits for a CPU */
	TASK_SLEEPING,        /* interruptibly; idle kernel threads, too */
	TASK_UNINTERRUPTIBLE, /* for a disk, a lock of the kernel … */
	TASK_STOPPED,         /* by a signal or a debugger */
	TASK_DEAD,            /* has ended, without further time */
	TASK_STATES
};

struct task {
	uint32_t tid;
	uint32_t pid;         /* 0: idle threads, or not known yet */
	uint32_t cpu;         /* where it runs or last ran, or TASK_NO_CPU */
	uint8_t state;        /* enum task_state */
	char letter;          /* of the state, as printed by sched_switch: S, D, I …; R if runnable or running */
	bool is_preempted;    /* runnable since it was preempted, or yielded its CPU */
	bool is_cut;          /* the start of the state is unknown */
	bool is_known;        /* an event has shown its state: first_ns is set */
	bool is_exiting;      /* an exit record came */
	bool has_ended;
	uint32_t waker;       /* of a woken thread that is runnable: index; or TASK_NONE */
	uint64_t since_ns;    /* the state's beginning */
	uint64_t first_ns, last_ns; /* range of its known time; last_ns: its end, or that of the recording */
	uint64_t ns[TASK_STATES];
	uint64_t runs;        /* number of times that it got a CPU */
	uint64_t migrations;
	uint64_t tag;         /* of the event that began the state */
	uint64_t early_wake_ns; /* time of a wake-up while it ran; 0: none */
	uint64_t early_tag;
	uint32_t early_waker;
};

/* An interval of a thread in one state. */
struct task_interval {
	uint32_t task;      /* index */
	uint32_t cpu;       /* where it ran, or else last ran */
	uint32_t waker;     /* of TASK_RUNNABLE after a wake-up, and of a wait that was ended by one: index; or TASK_NONE */
	uint8_t state;      /* enum task_state */
	char letter;
	bool is_preempted;
	bool is_cut;        /* its true start or end is unknown */
	uint64_t start_ns, end_ns;
	uint64_t tag;       /* of the event that began it */
	uint64_t end_tag;   /* of the event that ended it; 0: none did */
};

/* sched_switch. Tags identify data of the caller for an event, such as a stack or a priority; 0: none. */
struct task_switch {
	uint64_t time_ns;
	uint32_t cpu;
	uint32_t prev_tid, next_tid;
	char letter;        /* of prev_state; 0: not in the recording (context-switch records); the thread waits */
	uint64_t tag;
};

struct task_wake {
	uint64_t time_ns;
	uint32_t cpu;       /* of the waker */
	uint32_t tid;
	uint32_t waker_tid; /* the thread of the event; 0: the idle thread of the CPU; (uint32_t)-1: a thread that has ended */
	bool is_new;        /* sched_wakeup_new: the thread begins */
	bool in_interrupt;  /* the waker is not that thread but an interrupt: the wakee gets no waker */
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
	struct u64map by_tid;    /* the current thread of an ID: index + 1 */
	struct task_cpu {
		uint32_t current; /* index, or TASK_NONE: unknown */
		uint32_t idle;    /* likewise */
		uint64_t last_ns; /* of its last event */
		bool seen;
	} *cpus;
	uint32_t cpus_nr;
	uint64_t first_ns, last_ns;
	bool has_begun;
	uint64_t gaps;           /* calls of task_states_gap() */
	uint64_t broken;         /* events that contradict earlier ones */
	uint64_t backwards;      /* events that are earlier than the previous one of the same thread */
	uint64_t bad_cpus;       /* events with invalid CPUs */
};

void task_states_init(struct task_states *s, const struct task_states_options *o);
void task_states_deinit(struct task_states *s);

void task_states_switch(struct task_states *s, const struct task_switch *e);
void task_states_wake(struct task_states *s, const struct task_wake *e);
/* sched_migrate_task: a runnable thread is to run elsewhere. */
void task_states_migrate(struct task_states *s, uint32_t tid, uint32_t cpu, uint64_t time_ns);
/* A fork record: the ID now belongs to a new thread, without a state before its first event. */
void task_states_fork(struct task_states *s, uint32_t pid, uint32_t tid);
/* An exit record: the thread still runs until it is switched out as dead or in an unrecorded state. */
void task_states_exit(struct task_states *s, uint32_t tid);
/* Records of a CPU (TASK_NO_CPU: of any) were lost between its last event and this time. */
void task_states_gap(struct task_states *s, uint32_t cpu, uint64_t time_ns);
/* Ends all intervals, no earlier than the last event. Nothing may follow. */
void task_states_finish(struct task_states *s, uint64_t time_ns);

/* The index of the current thread of an ID, which is added if new; cpu selects an idle thread. */
uint32_t task_states_find(struct task_states *s, uint32_t tid, uint32_t cpu);
/* The sum of all states, TASK_UNKNOWN included: last_ns - first_ns. */
uint64_t task_time(const struct task *t);
static inline uint64_t task_waiting(const struct task *t)
{
	return t->ns[TASK_SLEEPING] + t->ns[TASK_UNINTERRUPTIBLE] + t->ns[TASK_STOPPED];
}

/* The state for a letter of sched_switch: TASK_RUNNABLE for R and unknown ones, TASK_SLEEPING for 0. */
enum task_state task_state_of(char letter);
/* "running", "runnable" …: as in data. */
const char *task_state_name(enum task_state state);

/*
 * The letter of a prev_state: letters has one per bit, lowest first, for the recorded kernel. The lowest bit counts. R if no bit is set,
 * or one without a letter ("R+").
 */
char task_state_letter(const char *letters, uint64_t prev_state);
/* Reads these letters from the print format of sched_switch; default "SDTtXZPI". At most n - 1. */
void task_state_letters(const char *print_fmt, char *ret, size_t n);
