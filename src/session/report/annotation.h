/*
 * Listings of the code of a profile's functions, the hottest first, for each event or group of events.
 *
 *	annotation_create(&session, &options, &a)             before the recording is read
 *	annotation_resolve(a) … session_aggregate(&session, &damage)
 *	annotation_find(a)                                    the functions
 *	annotation_part(a, i) …                               part i of annotation_parts(a): events side by side
 *	annotation_each(a, i, show, ctx)                      their listings
 *	annotation_finish(a)                                  what was missing
 *	annotation_destroy(a)
 *
 * Session, request and their strings must outlive the annotation; messages go through the session's host. One thread.
 */
#pragma once
#include "session/report/request.h"
#include "session/session.h"
#include "table/layout.h"
#include "table/listing.h"

struct annotation;
struct annotation_options {
	/*
	 * Selects samples, objects (filter.dsos) and events (code.event: comma-separated names, or NULL); grouping of events;
	 * percent_limit; sources of code; display.quiet: no messages.
	 */
	const struct report_request *request;
	const char *symbol;  /* only this function, or its clones; or NULL */
	bool skip_missing;   /* do not report functions without code */
	bool with_types;     /* instructions of listings name the type of their data */
};
struct strobe_error *annotation_create(struct session *s, const struct annotation_options *options, struct annotation **ret) _must_check_;
void annotation_destroy(struct annotation *a);

/* The resolver of the session. */
struct strobe_error *annotation_resolve(struct annotation *a) _must_check_;
/* If there are none, that is reported, or returned as an error if a function was requested. */
struct strobe_error *annotation_find(struct annotation *a) _must_check_;

size_t annotation_parts(const struct annotation *a);
/* "cycles:u", or "anon group { cycles, instructions }". */
const char *annotation_title(const struct annotation *a, size_t part);
/* show() returns false to end. Returns errors that would also occur for the next function; others are reported. */
struct strobe_error *annotation_each(struct annotation *a, size_t part, bool (*show)(void *ctx, const struct listing *l), void *ctx)
	_must_check_;
/*
 * The types of data that instructions of the functions access, by cost: begin() with the numbers of instructions, then show() for each,
 * until it returns false. Both arguments are borrowed for the call. ERROR_UNSUPPORTED: no library disassembles the architecture.
 */
struct annotation_types {
	void (*begin)(void *ctx, const struct layout_stats *s);
	bool (*show)(void *ctx, const struct layout *l);
	void *ctx;
};
struct strobe_error *annotation_types(struct annotation *a, size_t part, const struct annotation_types *shown) _must_check_;
/* Reports functions whose code is missing. */
void annotation_finish(struct annotation *a);
/* Whether a requested function could not be listed. */
bool annotation_is_incomplete(const struct annotation *a);
