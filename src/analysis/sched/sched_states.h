/*
 * The machine of task states, fed with the scheduler's events of a recording.
 *
 * One thread. Shares with the caller the threads by perf's rules, so that a state can be given to the thread that perf's tables name.
 */
#pragma once
#include "analysis/sched/sched_source.h"
#include "analysis/task_states.h"

/* An event; tag is kept with the state that it begins. sched_wakeup is left out where there is sched_waking. */
void sched_states_event(struct task_states *s, const struct sched_event *e, bool has_waking, uint64_t tag);
/* FORK, EXIT and LOST; others are ignored. */
void sched_states_record(struct task_states *s, struct record r, const struct sample_tail *tail);
/* Says how much is not known, and why. */
void sched_states_remarks(const struct task_states *s, const struct session_host *host);
