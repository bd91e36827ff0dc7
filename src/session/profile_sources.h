/*
 * Several profiles as one: files, recordings and servers are read, symbolized, merged, and compared with bases that are merged too.
 *
 * One file of which sums or a copy are enough is not built up as a profile: its tables are read, and its bytes stay. Messages go
 * through the host: a source of several that cannot be read is named and passed over. One thread.
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

/* Samples of a base have it with -diff_base, "true": as pprof calls it. */
#define PPROF_BASE_LABEL "pprof::base"

struct profile_sources {
	int nr;
	const char *const *names;
	const char *binary;       /* of the program itself, in place of the profile's; or NULL */
	VEC(const char *) bases;  /* are merged, too */
	bool is_diff_base;        /* percentages are of the base, whose samples have a label */
	bool normalize;
	bool may_copy;            /* for -proto, and nothing that it has is selected or changed */
	bool may_stream;          /* sums over its samples are enough */
	bool needs_labels;        /* where they have any */
	bool all_frames;          /* also those that the profile itself drops */
	const char *value;        /* the only one that is read, or NULL: all */
	struct profile_fetch server; /* for sources that are servers; its source is not used */
	const char *add_comment;
	const char *build_id;     /* of the program itself, in place of what the profile says; or NULL */
	struct symbolize symbolize;
};

/* Zeroed is empty. */
struct merged_profile {
	struct profile *profile;     /* NULL where there is one of the two below */
	struct pprof_copy *copy;     /* the profile as it is, where may_copy; or NULL */
	struct pprof_stream *stream; /* its tables, and samples that are not kept, where may_stream; or NULL */
	struct exchange_bytes unpacked; /* what the stream reads */
	bool has_base, was_fetched;  /* was_fetched: any source was a server */
	int64_t *base_totals;        /* by event, with is_diff_base; else NULL; in the arena */
};

/* The arena must outlive *ret, which merged_profile_deinit() frees, also after an error. */
struct strobe_error *profile_sources_read(const struct session_host *host, struct arena *arena, const struct profile_sources *sources,
					  struct merged_profile *ret) _must_check_;
void merged_profile_deinit(struct merged_profile *m);
