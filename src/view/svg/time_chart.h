/*
 * A time chart as a picture: CPUs with what ran there and how deep they slept, below them a bar for each task with its states, and lines
 * from who woke to whom. Classes, titles and places are those of perf's timechart, so that what reads its pictures reads these.
 *
 * Everything that is text is escaped. One thread.
 */
#pragma once
#include "base/out.h"
#include "table/time_chart.h"

struct time_chart_svg_options {
	uint64_t width;             /* least width in pixels: a second has 200 at least */
	uint64_t highlight_ns;      /* running for so long is marked; 0: none is */
	const char *highlight_name; /* or tasks with this in their names; NULL: none are */
	uint32_t rows;              /* of tasks: what time_chart_choose() returned */
	bool no_power;
	bool skip_again; /* calls that ended with EAGAIN */
};

/* Sets the slots of rows. */
void time_chart_svg(struct out *out, struct time_chart *c, const struct time_chart_svg_options *o);
