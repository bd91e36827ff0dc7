/*
 * A chart of threads over time, in the page of a recording's profile and as a page of its own.
 *
 * One thread.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "session/session.h"
#include "table/time_chart.h"

/*
 * Reads the recording at path, which is that of the open session, again; free with page_chart_destroy(). NULL: it has no data on threads
 * over time, or it is a stream. For a damaged recording, the chart has the undamaged part.
 */
struct time_chart *page_chart_read(const struct session *s, const char *path, const struct symbols_options *symbols);
/* NULL is fine. */
void page_chart_destroy(struct time_chart *c);
/* Writes the page of a chart, with facts of the recording at path. */
struct strobe_error *page_chart_write(const struct time_chart *c, const char *path, bool force, struct out *out) _must_check_;
