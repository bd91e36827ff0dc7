/*
 * Feeds the state machine of analysis/task_states.h with the scheduler events of a recording.
 *
 * One thread. Shares the threads by perf's rules with the caller, to assign states to the threads in perf's tables.
 */
#pragma once
#include "analysis/sched/sched_source.h"
#include "analysis/task_states.h"

/* Handles an event; tag is kept with the state that it begins. sched_wakeup is ignored if there is sched_waking. */
void sched_states_event(struct task_states *s, const struct sched_event *e, bool has_waking, uint64_t tag);
/* FORK, EXIT and LOST; others are ignored. */
void sched_states_record(struct task_states *s, struct record r, const struct sample_tail *tail);
/* Reports how much time is unknown, and why. */
void sched_states_remarks(const struct task_states *s, const struct session_host *host);
