/*
 * Counts of a recording, gathered as recorded or in another way, as count listings: `stat report`.
 */
#pragma once
#include "base/error.h"
#include "record/source.h"
#include "table/counts.h"

struct replay_settings {
	enum counts_by by;     /* COUNTS_BY_NOTHING: as recorded */
	unsigned cache_level;
	bool no_merge, no_scale;
	bool metrics_only;
	bool has_summary;      /* the sum of all intervals follows them */
	void (*show)(void *ctx, struct counts *c); /* each interval, or the whole; counts are valid during the call */
	void *ctx;
};

/* Reads the source to its end. Rounds before an error have been shown. */
struct strobe_error *replay_counts(struct record_source *source, const struct replay_settings *settings) _must_check_;
