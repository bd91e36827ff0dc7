/*
 * Writes counts in progress to a perf.data file: `stat record`.
 */
#pragma once
#include "counter/counter.h"
#include "table/counts.h"

struct counts_recorder;

struct counts_recorder_settings {
	const char *path;     /* "-": standard output; borrowed */
	enum counts_by by;    /* how the counts are shown */
	uint64_t interval_ms;
	bool is_scaled;
};

/* Creates the file, with a description of the set. */
struct strobe_error *counts_recorder_create(const struct counts_recorder_settings *settings, const struct counter_set *set,
					    struct counts_recorder **ret)
	_must_check_;
/* Adds the last readings, as those of an interval or as the final ones. */
struct strobe_error *counts_recorder_add(struct counts_recorder *r, double time_s, bool final) _must_check_;
struct strobe_error *counts_recorder_finish(struct counts_recorder *r) _must_check_;
/* r may be NULL. A file that was not finished is left incomplete. */
void counts_recorder_destroy(struct counts_recorder *r);
