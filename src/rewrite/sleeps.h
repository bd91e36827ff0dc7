/*
 * inject --sched-stat: merges the time that a task slept (sched_stat_*, recorded on the CPU that woke it) with the place where it
 * went to sleep (sched_switch, with its call chain): each sched_stat sample becomes the task's last sched_switch, at the time and
 * with the period of the sched_stat one. Samples of sched_switch and sched_process_exit themselves are left out, as in perf. Records
 * have to come in order of time. One thread.
 */
#pragma once
#include "base/error.h"
#include "record/env.h"
#include "record/source.h"

struct sleeps;

/* ERROR_NOT_FOUND if the recording lacks these events. env must outlive it. */
struct strobe_error *sleeps_create(const struct env *env, struct sleeps **ret) _must_check_;
void sleeps_destroy(struct sleeps *s);
/* Writes the merged sample for r, and returns whether to keep r itself. */
struct strobe_error *sleeps_record(struct sleeps *s, struct record r, struct record_sink *out, bool *ret_keep) _must_check_;
/* The number of merged samples. */
uint64_t sleeps_joined(const struct sleeps *s);
