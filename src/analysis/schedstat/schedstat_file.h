/*
 * Readings of /proc/schedstat in a recording of perf's `sched stats record`: one at the start and one at the end, each a record per CPU
 * and per domain, with the domains' names in the feature CPU_DOMAIN_INFO.
 *
 * One thread. Source of the records: <perf/event.h> of libperf of Linux 7.0.
 */
#pragma once
#include "analysis/schedstat/schedstat.h"
#include "base/error.h"
#include "record/source.h"
#include "sys/cpus.h"

/* The records of one reading. */
struct strobe_error *schedstat_put(struct record_sink *sink, const struct schedstat *s) _must_check_;
/* Fills in the data of the feature CPU_DOMAIN_INFO. */
void schedstat_describe(struct env *env, const struct schedstat *s);
/* The differences between the readings of a recording. */
struct strobe_error *schedstat_read(struct record_source *source, const sys_cpus *cpus, struct schedstat *ret) _must_check_;
/* The differences between the readings of a file; cpus: only these, unless empty. Call schedstat_deinit() in any case. */
struct strobe_error *schedstat_load(const char *path, bool force, const sys_cpus *cpus, struct schedstat *ret) _must_check_;
