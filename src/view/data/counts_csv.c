#include "view/data/counts_csv.h"

#include <inttypes.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

static void place_fields(struct out *out, enum counts_by by, const struct counts_place *p, const char *sep)
{
	if (by == COUNTS_BY_NOTHING)
		return;
	_cleanup_strbuf_ struct strbuf name = {};
	counts_place_name(&name, by, p);
	out_text(out, strbuf_str(&name), name.len);
	out_str(out, sep);
	if (counts_place_has_cpus(by))
		out_f(out, "%u%s", p->cpus, sep);
}

static void prefix(struct out *out, const struct counts *c, const char *sep, bool no_summary_word)
{
	if (c->is_interval) {
		double whole = floor(c->time_s);
		out_f(out, "%.0f.%09.0f%s", whole, floor((c->time_s - whole) * 1e9), sep);
	} else if (c->is_summary && !no_summary_word) {
		out_f(out, "summary%s", sep);
	}
}

static void figure_fields(struct out *out, const struct counts_figure *f, const char *sep)
{
	out_str(out, sep);
	if (f)
		out_f(out, "%.*f", (int)f->decimals, f->value);
	out_str(out, sep);
	out_text_str(out, f ? f->unit : "");
}

static void row_fields(struct out *out, const struct counts *c, const struct counts_row *row, const char *sep)
{
	static const char *const states[] = { [COUNTS_NOT_COUNTED] = "<not counted>",
					      [COUNTS_NOT_SUPPORTED] = "<not supported>" };
	place_fields(out, c->by, &row->place, sep);
	if (row->is_metric)
		out_str(out, sep);
	else if (row->state == COUNTS_COUNTED)
		out_f(out, "%.*f%s", row->is_fraction ? 2 : 0, row->value, sep);
	else
		out_f(out, "%s%s", states[row->state], sep);
	out_text_str(out, row->unit);
	out_str(out, sep);
	out_text_str(out, row->is_metric ? "" : row->event);
	if (row->cgroup) {
		out_str(out, sep);
		out_text_str(out, row->cgroup);
	}
	if (c->runs > 1)
		out_f(out, "%s%.2f%%", sep, row->noise.percent);
	double share = row->state == COUNTS_COUNTED && row->enabled_ns ?
			       100.0 * (double)row->running_ns / (double)row->enabled_ns : 100.0;
	out_f(out, "%s%" PRIu64 "%s%.2f", sep, row->state == COUNTS_COUNTED ? row->running_ns : 0, sep, share);
}

static void figures_heading(struct out *out, const struct counts *c, const char *sep)
{
	static const char *const places[] = {
		[COUNTS_BY_NOTHING] = "",    [COUNTS_BY_CPU] = "cpu", [COUNTS_BY_CORE] = "core",     [COUNTS_BY_CLUSTER] = "cluster",
		[COUNTS_BY_CACHE] = "cache", [COUNTS_BY_DIE] = "die", [COUNTS_BY_SOCKET] = "socket", [COUNTS_BY_NODE] = "node",
		[COUNTS_BY_THREAD] = "comm-pid",
	};
	if (c->is_interval)
		out_f(out, "time%s", sep);
	if (c->by != COUNTS_BY_NOTHING)
		out_f(out, "%s%s", places[c->by], sep);
	if (counts_place_has_cpus(c->by))
		out_f(out, "ctrs%s", sep);
	for (size_t i = 0; i < c->rows.len && counts_same_place(&c->rows.data[0].place, &c->rows.data[i].place); i++) {
		const struct counts_row *row = &c->rows.data[i];
		for (unsigned k = 0; k < (row->missing ? 1 : row->figures_nr); k++) {
			out_text_str(out, row->figures[k].unit);
			out_str(out, sep);
		}
	}
	out_ch(out, '\n');
}

/* --metric-only: a line of names, and a line of values for each place. */
static void figures_csv(struct out *out, const struct counts *c, const char *sep, bool no_summary_word)
{
	for (size_t i = 0; i < c->rows.len; i++) {
		const struct counts_row *row = &c->rows.data[i];
		if (!i || !counts_same_place(&row[-1].place, &row->place)) {
			if (i)
				out_ch(out, '\n');
			prefix(out, c, sep, no_summary_word);
			place_fields(out, c->by, &row->place, sep);
		}
		for (unsigned k = 0; k < row->figures_nr && !row->missing; k++)
			out_f(out, "%.*f%s", (int)row->figures[k].decimals, row->figures[k].value, sep);
		/* A metric whose events are missing has a column, too. */
		if (row->missing)
			out_str(out, sep);
	}
	out_ch(out, '\n');
}

void counts_csv(struct out *out, const struct counts *c, const char *sep, bool no_summary_word)
{
	if (c->metrics_only) {
		/* Once at the top. */
		if (!c->is_interval || c->time_s == c->interval_s)
			figures_heading(out, c, sep);
		figures_csv(out, c, sep, no_summary_word);
		return;
	}
	for (size_t i = 0; i < c->rows.len; i++) {
		const struct counts_row *row = &c->rows.data[i];
		prefix(out, c, sep, no_summary_word);
		row_fields(out, c, row, sep);
		figure_fields(out, row->figures_nr ? &row->figures[0] : NULL, sep);
		out_ch(out, '\n');
		for (unsigned k = 1; k < row->figures_nr; k++) {
			/* Further metrics on lines of their own, in the same columns. */
			unsigned empty = 4 + (row->cgroup != NULL) + (c->runs > 1);
			prefix(out, c, sep, no_summary_word);
			place_fields(out, c->by, &row->place, sep);
			for (unsigned n = 0; n < empty; n++)
				out_str(out, sep);
			figure_fields(out, &row->figures[k], sep);
			out_ch(out, '\n');
		}
	}
}
