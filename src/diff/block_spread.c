#include "diff/block_spread.h"

#include <math.h>

#include "statistics/stats.h"

struct block_spread block_spread_of(const struct block *before, const struct block *after)
{
	struct block_spread s = { .runs_nr = before->runs_nr < after->runs_nr ? before->runs_nr : after->runs_nr };
	struct stats all = {};
	for (uint32_t i = 0; i < s.runs_nr; i++) {
		s.runs[i] = fabs((double)after->runs[i] - (double)before->runs[i]);
		stats_add(&all, s.runs[i]);
	}
	s.error_percent = all.mean > 0 ? 100 * stats_error(&all) / all.mean : 0;
	return s;
}

void block_spread_text(const struct block_spread *s, struct strbuf *out)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const uint32_t steps = sizeof(bars) / sizeof(*bars) - 1;
	double least = INFINITY, most = 0;
	for (uint32_t i = 0; i < s->runs_nr; i++) {
		least = fmin(least, s->runs[i]);
		most = fmax(most, s->runs[i]);
	}
	if (s->runs_nr < 2 || most <= 0)
		return;
	strbuf_addf(out, "±%5.1f%% ", s->error_percent);
	for (uint32_t i = 0; i < s->runs_nr; i++)
		strbuf_addstr(out, bars[most > least ? (uint32_t)((s->runs[i] - least) * steps / (most - least)) : 0]);
}
