/*
 * A time chart as a picture: CPUs with the tasks that ran there and their idle states, below them a bar per task with its states, and
 * lines from wakers to woken tasks. Classes, titles and positions are those of perf's timechart, for programs that read its pictures.
 *
 * Everything that is text is escaped. One thread.
 */
#pragma once
#include "base/out.h"
#include "table/time_chart.h"

struct time_chart_svg_options {
	uint64_t width;             /* minimum width in pixels; at least 200 per second */
	uint64_t highlight_ns;      /* mark tasks that ran at least this long; 0: none */
	const char *highlight_name; /* or tasks whose name contains this; NULL: none */
	uint32_t rows;              /* of tasks: the result of time_chart_choose() */
	bool no_power;
	bool skip_eagain; /* leave out calls that ended with EAGAIN */
};

/* Sets the slots of rows. */
void time_chart_svg(struct out *out, struct time_chart *c, const struct time_chart_svg_options *o);
