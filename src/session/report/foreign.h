/*
 * A profile of another program in place of a recording: it has rows and names, but neither records nor an environment. Private to
 * session/report/.
 */
#pragma once
#include "session/report/report_session.h"

static inline bool report_is_foreign(const struct report_session *r)
{
	return !r->session.source;
}

/* Reads it into r->session.profile, with names. */
struct strobe_error *report_open_foreign(struct report_session *r, const struct session_host *host, const char *path) _must_check_;
/* report_prepare() for such a profile. */
struct strobe_error *report_prepare_foreign(struct report_session *r) _must_check_;
/* Its events as a report groups them: each by itself, in the arena. */
struct report_event *report_foreign_events(struct arena *arena, const struct profile *p);
