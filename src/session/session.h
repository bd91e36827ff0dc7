/*
 * An open recording, with its resolver and profile:
 *
 *	session_open(&s, host, path, force);       the source and its environment
 *	session_resolve(&s, &(struct session_request){ … });
 *	session_aggregate(&s, &damage);            or resolve_stream(s.resolver, …)
 *	session_remarks(&s, false);
 *	session_close(&s);
 *
 * A session owns everything in its struct except the host, which must outlive it; a function that takes something out of it clears the
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
	const struct env *env;        /* of the source: complete for a file; for a stream as far as it was read */
	bool force;
	struct resolve_filter filter; /* of the last session_resolve() */
	struct foreign_files *foreign;
	struct resolver *resolver;
	struct profile *profile;
};

/* What to resolve. */
struct session_request {
	struct sample_choice choice;
	const struct resolve_filter *filter; /* in place of the choice; NULL: made from the choice */
	struct symbols_options symbols;
	struct resolve_options resolve; /* but for its filter */
};

/* path as in input_open(). force: the recording, and files with symbols, may belong to another user. Call session_close() in any case. */
struct strobe_error *session_open(struct session *s, const struct session_host *host, const char *path, bool force) _must_check_;
/* The same for an open source, whose ownership it takes. */
void session_open_source(struct session *s, const struct session_host *host, struct record_source *source, bool force);
/* Converts samples of off-CPU time, which contain their stack, to ordinary ones (record/offcpu.h); session_open() does so itself. */
void session_read_embedded(struct session *s);
/* Creates the resolver, or recreates it: the profile of the earlier one is freed. */
struct strobe_error *session_resolve(struct session *s, const struct session_request *request) _must_check_;
/* Reads the source to its end without resolving: for numbers of records (resolver_stats()) and tasks. */
struct strobe_error *session_count(struct session *s) _must_check_;
/*
 * Reads the source to its end into s->profile. If the source is damaged, the profile has its complete part, which may be empty, and
 * *ret_damage, which the caller owns, is the error; else NULL. ERROR_STOPPED if the progress stopped it.
 */
struct strobe_error *session_aggregate(struct session *s, struct strobe_error **ret_damage) _must_check_;
/* Reports losses and damage and, once resolved, replaced files; verbose: sources of symbols. */
void session_remarks(const struct session *s, bool verbose);
void session_close(struct session *s);
