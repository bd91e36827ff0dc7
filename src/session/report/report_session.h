/*
 * An open recording, or a live source, and one query of it: from a request to rows, code and fields.
 *
 *	report_session_init(&r, &request);
 *	report_open(&r, host, path, force);                or session_open_source()
 *	report_prepare(&r);                                modes, columns, filters, resolver: nothing is read yet
 *	report_aggregate(&r, &damage);                     its profile; live sources set r.profile themselves
 *	report_build(&r, &built); … report_built_deinit(&r, &built);
 *	report_session_deinit(&r);
 *
 * The struct must not move between init and deinit; it borrows the strings of its request. One thread at a time; sessions share nothing.
 * Errors in the request are ERROR_USAGE; messages go through the session's host.
 */
#pragma once
#include "base/u64map.h"
#include "decode/tracepoint.h"
#include "report/query.h"
#include "session/report/request.h"
#include "session/session.h"
#include "view/text/text.h"

struct report_session {
	struct session session;
	struct report_request request;   /* completed by report_prepare() according to the events of the recording */
	struct report_query query;       /* of the request's grouping and filter */
	const struct profile *profile;   /* source of the rows: the session's, or a live one kept by its owner */
	struct progress *progress;       /* or NULL */
	bool *shown_events;              /* by index, whether the request selects it; NULL: all */
	bool by_address;                 /* frames are distinguished by address, whatever the keys are */
	struct time_range span;          /* limits --time to this span; {} is no limit */
	struct tracepoints *tracepoints; /* set once fields of them were keys */
	struct u64map last_threads;      /* by thread ID: index of the last thread that had it in the resolver's machine, + 1 */
};

void report_session_init(struct report_session *r, const struct report_request *request);
/* Closes the session too. */
void report_session_deinit(struct report_session *r);

/*
 * Opens a recording, or a profile of another program, which is read at once and has no resolver. path as in input_open().
 */
struct strobe_error *report_open(struct report_session *r, const struct session_host *host, const char *path, bool force) _must_check_;
/* Modes, columns, filters and resolver. */
struct strobe_error *report_prepare(struct report_session *r) _must_check_;
/* Recreates the resolver; also the last step of report_prepare(), once columns are chosen. */
struct strobe_error *report_resolve(struct report_session *r) _must_check_;
/*
 * Reads the recording to its end into r->profile, with columns bound. If it is damaged, the profile has its complete part, and
 * *ret_damage, which the caller owns, is the error.
 */
struct strobe_error *report_aggregate(struct report_session *r, struct strobe_error **ret_damage) _must_check_;

/* The first shown event that has samples, for pictures, which show only one; 0: none. */
uint32_t report_first_event(const struct report_session *r);
/* Whether widths in a picture of this event are sample counts, as in perf, since periods were not recorded. */
bool report_counts_samples(const struct report_session *r, uint32_t event);
/* The events of a recording as a report groups them, in the arena. */
struct report_event *report_events(struct arena *arena, const struct env *env, bool branch_history);
/*
 * Builds rows of r->profile, whose columns must be bound; valid until the profile changes. One at a time: strings are in
 * r->query.scratch, which report_built_deinit() empties.
 */
struct strobe_error *report_build(struct report_session *r, struct report_built *b) _must_check_;
void report_built_deinit(struct report_session *r, struct report_built *b);
/* Text around the rows of such a report, without colours. */
struct report_text report_text(const struct report_session *r);

/*
 * Fields of tracepoints: FIELD of all events that have it, EVENT.FIELD, EVENT.*, trace_fields; followed by /raw. EVENT is a
 * name, a part of one that only one event has, or %N. *ret_any is false where the word is none of these. add_fields of
 * the query: ctx is a struct report_session.
 */
struct strobe_error *report_add_fields(void *ctx, struct key_list *l, const char *word, size_t n, bool *ret_any) _must_check_;
