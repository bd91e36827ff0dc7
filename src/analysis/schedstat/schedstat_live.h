/*
 * The scheduler's counters of the running system, before and after a command, or until Ctrl-C.
 *
 * The kernel counts some of them only while kernel.sched_schedstats is 1: it is set to 1 meanwhile. One thread.
 */
#pragma once
#include "analysis/schedstat/schedstat.h"
#include "sys/cpus.h"
#include "sys/sys.h"

struct schedstat_times {
	struct schedstat before, after;
};

/* cpus: only these, unless empty; command: NULL: until a signal arrives. Call schedstat_deinit() for both in any case. */
struct strobe_error *schedstat_measure(const struct sys *sys, const sys_cpus *cpus, char *const *command,
				       struct schedstat_times *ret) _must_check_;
/* Writes the readings as a recording; an older file of that name becomes PATH.old. */
struct strobe_error *schedstat_record(const struct sys *sys, const struct schedstat_times *t, const char *path) _must_check_;
