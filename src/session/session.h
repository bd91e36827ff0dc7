/*
 * A recording, from its path to its resolver and its profile:
 *
 *	session_open(&s, host, path, force);       the source and its environment
 *	session_resolve(&s, &(struct session_request){ … });
 *	session_aggregate(&s, &damage);            or resolve_stream(s.resolver, …)
 *	session_remarks(&s, false);
 *	session_close(&s);
 *
 * A session owns all that its struct names but the host, which outlives it; a function that takes something out of it clears the
 * pointer. A zeroed struct is a closed session. One thread at a time; sessions share nothing, so that several can be open at once.
 */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "profile/profile.h"
#include "record/source.h"
#include "resolve/resolve.h"
#include "session/foreign_files.h"
#include "session/host.h"
#include "session/sample_choice.h"

struct session {
	const struct session_host *host;
	struct arena arena;           /* lists of the filter */
	struct record_source *source; /* whose records are resolved */
	struct record_source *reader; /* the recording itself: source, or what a source in front of it reads */
	const struct env *env;        /* of the source: complete for a file, for a stream as far as it was read */
	bool force;
	struct resolve_filter filter; /* of the last session_resolve() */
	struct foreign_files *foreign;
	struct resolver *resolver;
	struct profile *profile;
};

/* What is to be resolved. */
struct session_request {
	struct sample_choice choice;
	const struct resolve_filter *filter; /* in place of the choice; NULL: what the choice says */
	struct symbols_options symbols;
	struct resolve_options resolve; /* but for its filter */
};

/* path as in input_open(). force: the recording, and files with symbols, may belong to another user. session_close() in any case. */
struct strobe_error *session_open(struct session *s, const struct session_host *host, const char *path, bool force) _must_check_;
/* The same for a source that is open; takes it. */
void session_open_source(struct session *s, const struct session_host *host, struct record_source *source, bool force);
/* Reads samples of off-CPU time that hold their stack as others (record/offcpu.h); session_open() does so itself. */
void session_read_embedded(struct session *s);
/* Makes the resolver, or makes it anew: the profile of the earlier one is gone. */
struct strobe_error *session_resolve(struct session *s, const struct session_request *request) _must_check_;
/* Reads the source to its end and resolves nothing: numbers of records (resolver_stats()), and tasks, which are sealed. */
struct strobe_error *session_count(struct session *s) _must_check_;
/*
 * Reads the source to its end into s->profile. Where the source is damaged, the profile has what was whole, which may be nothing, and
 * *ret_damage (the caller's) says what ended it; else *ret_damage is NULL. ERROR_STOPPED where the progress was stopped.
 */
struct strobe_error *session_aggregate(struct session *s, struct strobe_error **ret_damage) _must_check_;
/* What was lost or damaged, and, once resolved, which files had been replaced; verbose: where symbols came from. */
void session_remarks(const struct session *s, bool verbose);
void session_close(struct session *s);
