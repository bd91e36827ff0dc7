/*
 * The code of the functions of a profile, one listing after the other, the costliest first, for each event or group of events.
 *
 *	annotation_create(&session, &options, &a)             before the recording is read
 *	annotation_resolve(a) … session_aggregate(&session, &damage)
 *	annotation_find(a)                                    the functions
 *	annotation_part(a, i) …                               events side by side, of those there are annotation_parts(a)
 *	annotation_each(a, i, show, ctx)                      their listings
 *	annotation_finish(a)                                  what was missing
 *	annotation_destroy(a)
 *
 * Session, request and their strings outlive the annotation; messages go through the session's host. One thread.
 */
#pragma once
#include "session/report/request.h"
#include "session/session.h"
#include "table/listing.h"

struct annotation;
struct annotation_options {
	/*
	 * Which samples, objects (filter.dsos) and events (code.event: names, divided by commas, or NULL); how events are grouped;
	 * percent_limit; where code comes from; display.quiet: no messages.
	 */
	const struct report_request *request;
	const char *symbol;  /* this function alone, or what the compiler made of it; or NULL */
	bool skip_missing;   /* functions without code are not reported */
};
struct strobe_error *annotation_create(struct session *s, const struct annotation_options *options, struct annotation **ret) _must_check_;
void annotation_destroy(struct annotation *a);

/* The resolver of the session. */
struct strobe_error *annotation_resolve(struct annotation *a) _must_check_;
/* Where there are none, that is reported, or the error where a function was requested. */
struct strobe_error *annotation_find(struct annotation *a) _must_check_;

size_t annotation_parts(const struct annotation *a);
/* "cycles:u", or "anon group { cycles, instructions }". */
const char *annotation_title(const struct annotation *a, size_t part);
/* show() returns false to end. An error is one that the next function would meet as well; others are reported. */
struct strobe_error *annotation_each(struct annotation *a, size_t part, bool (*show)(void *ctx, const struct listing *l), void *ctx)
	_must_check_;
/* Reports functions whose code is missing. */
void annotation_finish(struct annotation *a);
/* Whether something that was requested could not be listed. */
bool annotation_is_incomplete(const struct annotation *a);
