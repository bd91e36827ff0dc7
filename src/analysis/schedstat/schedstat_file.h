/*
 * Readings of /proc/schedstat in a recording, as perf's `sched stats record` writes them: one before a time and one after it, each a
 * record for each CPU and each of its domains, and the domains' names in the feature CPU_DOMAIN_INFO.
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
/* Fills what the feature CPU_DOMAIN_INFO has. */
void schedstat_describe(struct env *env, const struct schedstat *s);
/* What was counted between the readings of a recording. */
struct strobe_error *schedstat_read(struct record_source *source, const sys_cpus *cpus, struct schedstat *ret) _must_check_;
/* What was counted between the readings of a file; cpus: only these, where there are any. schedstat_deinit() in any case. */
struct strobe_error *schedstat_load(const char *path, bool force, const sys_cpus *cpus, struct schedstat *ret) _must_check_;
