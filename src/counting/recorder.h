/*
 * Counts in progress, kept in a perf.data file: `stat record`.
 */
#pragma once
#include "counter/counter.h"
#include "table/counts.h"

struct recorder;

struct recorder_settings {
	const char *path;     /* "-": standard output; borrowed */
	enum counts_by by;    /* as the counts are shown */
	uint64_t interval_ms;
	bool is_scaled;
};

/* Creates the file, with what describes the set. */
struct strobe_error *recorder_create(const struct recorder_settings *settings, const struct counter_set *set, struct recorder **ret)
	_must_check_;
/* Adds the last readings, as those of an interval or as the final ones. */
struct strobe_error *recorder_add(struct recorder *r, double time_s, bool final) _must_check_;
struct strobe_error *recorder_finish(struct recorder *r) _must_check_;
/* NULL is none. A file that was not finished is left incomplete. */
void recorder_destroy(struct recorder *r);
