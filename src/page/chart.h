/*
 * What threads did when, in the page of a recording's profile and as a page of its own.
 *
 * One thread.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "session/session.h"
#include "table/time_chart.h"

/*
 * The chart of the recording at path, which is that of the open session, read once more; page_chart_destroy(). NULL: it does not say what
 * threads do when, or it is a stream. A damaged recording has what was whole.
 */
struct time_chart *page_chart_read(const struct session *s, const char *path, const struct symbols_options *symbols);
/* NULL is none. */
void page_chart_destroy(struct time_chart *c);
/* The page of a chart, with facts of the recording at path. */
struct strobe_error *page_chart_write(const struct time_chart *c, const char *path, bool force, struct out *out) _must_check_;
