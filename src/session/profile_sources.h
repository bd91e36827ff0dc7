/*
 * Several profiles as one: reads files, recordings and servers, symbolises and merges them, and compares them with merged bases.
 *
 * If sums or a copy of a single file are enough, no profile is built: only its tables are read. Messages go through the host: if one
 * of several sources cannot be read, it is reported and skipped. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"
#include "exchange/pprof_copy.h"
#include "exchange/pprof_stream.h"
#include "profile/profile.h"
#include "session/host.h"
#include "session/profile_fetch.h"
#include "session/symbolize.h"

/* pprof's label of base samples with -diff_base, with the value "true". */
#define PPROF_BASE_LABEL "pprof::base"

struct profile_sources {
	int nr;
	const char *const *names;
	const char *binary;       /* of the main program, in place of the profile's; or NULL */
	VEC(const char *) bases;  /* are merged, too */
	bool is_diff_base;        /* percentages are relative to the base, whose samples get a label */
	bool normalize;
	bool may_copy;            /* for -proto, if nothing is selected or changed */
	bool may_stream;          /* only sums over samples are needed */
	bool needs_labels;        /* where they have any */
	bool all_frames;          /* also those that the profile's drop_frames would remove */
	const char *value;        /* read only this one; NULL: all */
	struct profile_fetch server; /* for sources that are servers; its source is not used */
	const char *add_comment;
	const char *build_id;     /* of the main program, in place of the one in the profile; or NULL */
	struct symbolize symbolize;
};

/* Zeroed is empty. */
struct merged_profile {
	struct profile *profile;     /* NULL if one of the two below is set */
	struct pprof_copy *copy;     /* the unchanged profile, if may_copy; or NULL */
	struct pprof_stream *stream; /* its tables, with samples read on demand, if may_stream; or NULL */
	struct exchange_bytes unpacked; /* what the stream reads */
	bool has_base, was_fetched;  /* was_fetched: any source was a server */
	int64_t *base_totals;        /* by event, with is_diff_base; else NULL; in the arena */
};

/* The arena must outlive *ret, which merged_profile_deinit() frees, also after an error. */
struct strobe_error *profile_sources_read(const struct session_host *host, struct arena *arena, const struct profile_sources *sources,
					  struct merged_profile *ret) _must_check_;
void merged_profile_deinit(struct merged_profile *m);
