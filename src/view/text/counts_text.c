#include "view/text/counts_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

#define VALUE_COLUMNS  18
#define UNIT_COLUMNS   4  /* at least */
#define NAME_COLUMNS   32
#define CGROUP_COLUMNS 16
#define FIGURE_COLUMNS 38
#define HEADING_EVERY  25 /* intervals */
#define METRIC_COLUMNS 20

/* Columns of a place and their heading, by what a place is. */
struct place_layout {
	unsigned columns;
	const char *name;
};

static struct place_layout place_layout(enum counts_by by)
{
	static const struct place_layout layouts[] = {
		[COUNTS_BY_CPU] = { 6, "cpu" },		 [COUNTS_BY_CORE] = { 18, "core" },  [COUNTS_BY_CLUSTER] = { 20, "cluster" },
		[COUNTS_BY_CACHE] = { 22, "cache" },	 [COUNTS_BY_DIE] = { 12, "die" },    [COUNTS_BY_SOCKET] = { 6, "socket" },
		[COUNTS_BY_NODE] = { 6, "node" },	 [COUNTS_BY_THREAD] = { 24, "comm" },
	};
	return layouts[by];
}

/* "S0-D0-C1              1 ": the place of a row, as wide as the heading of its kind. */
static void place_text(struct strbuf *b, enum counts_by by, const struct counts_place *p)
{
	if (by == COUNTS_BY_NOTHING)
		return;
	if (by == COUNTS_BY_THREAD) {
		strbuf_addf(b, "%16s-%-7d ", p->comm ? p->comm : "", p->tid);
		return;
	}
	_cleanup_strbuf_ struct strbuf name = {};
	counts_place_name(&name, by, p);
	strbuf_addf(b, "%-*s ", (int)place_layout(p->of_core ? COUNTS_BY_CORE : by).columns, strbuf_str(&name));
	if (counts_place_has_cpus(by))
		strbuf_addf(b, "%4u ", p->cpus);
}

static void place_heading(struct out *out, enum counts_by by)
{
	struct place_layout layout = place_layout(by);
	if (by == COUNTS_BY_THREAD)
		out_f(out, " %16s-%-7s", layout.name, "pid");
	else if (by != COUNTS_BY_NOTHING)
		out_f(out, " %-*s%s", (int)layout.columns, layout.name, by == COUNTS_BY_CPU ? "" : " ctrs");
}

static const char *escape(const struct counts_text *t, enum counts_mark mark)
{
	static const char *const escapes[] = {
		[COUNTS_PLAIN] = "",        [COUNTS_LOW] = "\033[32m",  [COUNTS_MEDIUM] = "\033[35m",
		[COUNTS_HIGH] = "\033[31m", [COUNTS_GOOD] = "\033[32m", [COUNTS_BAD] = "\033[31m",
	};
	return t->colour ? escapes[mark] : "";
}

/* A number with its digits in groups of three where the locale has a separator. */
static void number_text(const struct counts_text *t, double value, unsigned decimals, struct strbuf *b)
{
	char plain[400];
	snprintf(plain, sizeof(plain), "%.*f", (int)decimals, value);
	if (!t->thousands || !*t->thousands) {
		strbuf_addstr(b, plain);
		return;
	}
	size_t start = *plain == '-', digits = strspn(plain + start, "0123456789");
	strbuf_add(b, plain, start);
	for (size_t i = 0; i < digits; i++) {
		if (i && (digits - i) % 3 == 0)
			strbuf_addstr(b, t->thousands);
		strbuf_addch(b, plain[start + i]);
	}
	strbuf_addstr(b, plain + start + digits);
}

static const char *state_text(enum counts_state state)
{
	return state == COUNTS_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}

static void figure(const struct counts_text *t, struct out *out, const struct counts_figure *f)
{
	char number[400];
	if (!f) {
		out_fill(out, ' ', FIGURE_COLUMNS);
		return;
	}
	int n = snprintf(number, sizeof(number), "%*.*f%s", (int)f->width, (int)f->decimals, f->value, f->suffix);
	const char *colour = escape(t, f->mark);
	out_f(out, " # %s%s%s ", colour, number, *colour ? "\033[m" : "");
	size_t used = 3 + (size_t)n + 1;
	out_text_left(out, f->unit, used < FIGURE_COLUMNS ? FIGURE_COLUMNS - used : 0);
}

static void noise(const struct counts_text *t, struct out *out, double percent, bool coloured)
{
	const char *colour = coloured ? escape(t, percent > 20 ? COUNTS_HIGH : percent > 5 ? COUNTS_MEDIUM :
						percent > 1 ? COUNTS_LOW : COUNTS_PLAIN) : "";
	if (percent != 0)
		out_f(out, "  ( +-%s%6.2f%%%s )", colour, percent, *colour ? "\033[m" : "");
}

static void time_prefix(struct out *out, const struct counts *c)
{
	if (!c->is_interval)
		return;
	double whole = floor(c->time_s);
	out_f(out, "%6.0f.%09.0f ", whole, floor((c->time_s - whole) * 1e9));
}

static unsigned unit_columns(const struct counts *c)
{
	return c->unit_width > UNIT_COLUMNS ? c->unit_width : UNIT_COLUMNS;
}

/* A metric that could not be computed. */
static void missing_text(struct out *out, const struct counts *c, const struct counts_row *row)
{
	struct strbuf place = {};
	time_prefix(out, c);
	place_text(&place, c->by, &row->place);
	out_fill(out, ' ', place.len + VALUE_COLUMNS + 1 + unit_columns(c) + 1 + NAME_COLUMNS);
	strbuf_deinit(&place);
	out_str(out, " # ");
	out_text_str(out, row->metric);
	out_str(out, ": not computed, these are missing: ");
	out_text_str(out, row->missing);
	out_ch(out, '\n');
}

static void row_text(const struct counts_text *t, struct out *out, const struct counts *c, const struct counts_row *row)
{
	struct strbuf b = {};
	bool counted = row->state == COUNTS_COUNTED;
	if (row->missing) {
		missing_text(out, c, row);
		return;
	}
	time_prefix(out, c);
	place_text(&b, c->by, &row->place);
	out_text(out, strbuf_str(&b), b.len);
	strbuf_reset(&b);
	if (row->is_metric) /* the row's value is the metric */
		out_fill(out, ' ', VALUE_COLUMNS + 1);
	else if (counted)
		number_text(t, row->value, row->is_fraction ? 2 : 0, &b);
	else
		strbuf_addstr(&b, state_text(row->state));
	if (!row->is_metric) {
		out_right(out, strbuf_str(&b), VALUE_COLUMNS);
		out_ch(out, ' ');
	}
	strbuf_deinit(&b);
	out_text_left(out, row->unit, unit_columns(c));
	out_ch(out, ' ');
	out_text_left(out, row->is_metric ? "" : row->event, NAME_COLUMNS);
	if (row->cgroup) {
		out_ch(out, ' ');
		out_text_left(out, row->cgroup, CGROUP_COLUMNS);
	}
	figure(t, out, row->figures_nr ? &row->figures[0] : NULL);
	if (row->noise.present)
		noise(t, out, row->noise.percent, true);
	if (counted && row->running_ns != row->enabled_ns && row->enabled_ns)
		out_f(out, "  (%.2f%%)", 100.0 * (double)row->running_ns / (double)row->enabled_ns);
	out_ch(out, '\n');
	for (unsigned i = 1; i < row->figures_nr; i++) {
		struct strbuf place = {};
		time_prefix(out, c);
		place_text(&place, c->by, &row->place);
		out_fill(out, ' ', place.len + VALUE_COLUMNS + 1 + unit_columns(c) + 1 + NAME_COLUMNS +
				   (row->cgroup ? 1 + CGROUP_COLUMNS : 0));
		strbuf_deinit(&place);
		figure(t, out, &row->figures[i]);
		out_ch(out, '\n');
	}
}

static void heading(struct counts_text *t, struct out *out, const struct counts *c)
{
	if (t->clear)
		out_str(out, t->clear);
	if (!t->clear && t->lines++ % HEADING_EVERY)
		return;
	out_f(out, "#%15s", "time");
	place_heading(out, c->by);
	if (!c->metrics_only)
		out_f(out, " %*s %*s events\n", VALUE_COLUMNS, "counts", (int)unit_columns(c), "unit");
}

static size_t metric_width(const char *name)
{
	size_t n = strlen(name);
	return n > METRIC_COLUMNS ? n : METRIC_COLUMNS;
}

/* A metric that could not be computed has a column, too. */
static unsigned columns_of(const struct counts_row *row)
{
	return row->missing ? 1 : row->figures_nr;
}

/* --metric-only: one line of values per place, below a line of names. */
static void metrics_only_text(struct counts_text *t, struct out *out, const struct counts *c, bool with_heading)
{
	if (with_heading && c->rows.len) {
		struct strbuf place = {};
		if (!c->is_interval) {
			place_text(&place, c->by, &c->rows.data[0].place);
			out_fill(out, ' ', place.len ? place.len : 1);
		} else {
			out_ch(out, ' ');
		}
		strbuf_deinit(&place);
		for (size_t i = 0; i < c->rows.len && counts_same_place(&c->rows.data[0].place, &c->rows.data[i].place); i++)
			for (unsigned k = 0; k < columns_of(&c->rows.data[i]); k++) {
				const struct counts_row *row = &c->rows.data[i];
				const char *name = row->figures[k].unit;
				out_text_right(out, name, metric_width(name));
				out_ch(out, ' ');
			}
		out_ch(out, '\n');
	}
	for (size_t i = 0; i < c->rows.len; i++) {
		const struct counts_row *row = &c->rows.data[i];
		if (!i || !counts_same_place(&row[-1].place, &row->place)) {
			struct strbuf place = {};
			if (i)
				out_ch(out, '\n');
			time_prefix(out, c);
			place_text(&place, c->by, &row->place);
			if (place.len)
				out_text(out, strbuf_str(&place), place.len);
			else if (!c->is_interval)
				out_ch(out, ' ');
			strbuf_deinit(&place);
		}
		for (unsigned k = 0; k < columns_of(row); k++) {
			const struct counts_figure *f = &row->figures[k];
			char number[400] = "-";
			if (!row->missing)
				snprintf(number, sizeof(number), "%.*f%s", (int)f->decimals, f->value, f->suffix);
			const char *colour = escape(t, f->mark);
			out_str(out, colour);
			out_right(out, number, metric_width(f->unit));
			out_f(out, "%s ", *colour ? "\033[m" : "");
		}
	}
	out_ch(out, '\n');
}

/* Decimals with which a spread shows two digits. */
static int decimals_for(double spread)
{
	return spread > 1 || spread <= 0 ? 0 : (int)lround(ceil(-log10(spread)));
}

static void runs_table(struct out *out, const struct counts *c, int decimals)
{
	double mean = c->elapsed.mean_s;
	out_f(out, "%*s # Table of individual measurements:\n", 10, "");
	for (size_t i = 0; i < c->elapsed_each.len; i++) {
		double run = c->elapsed_each.data[i];
		int bar = 1 + abs((int)(100.0 * (run - mean) / run)) / 5;
		out_f(out, "%*s %.*f (%+.*f) ", 10, "", decimals, run, decimals, run - mean);
		out_fill(out, '#', (size_t)(bar < 100 ? bar : 100));
		out_ch(out, '\n');
	}
	out_f(out, "\n%*s # Final result:\n", 10, "");
}

static void footer(const struct counts_text *t, struct out *out, const struct counts *c)
{
	if (!c->is_null_run)
		out_ch(out, '\n');
	if (c->runs <= 1) {
		out_f(out, " %17.9f seconds time elapsed", c->elapsed.mean_s);
		if (c->has_usage)
			out_f(out, "\n\n %17.9f seconds user\n %17.9f seconds sys\n", c->user_s, c->system_s);
	} else {
		int decimals = decimals_for(c->elapsed.error_s) + 2;
		if (t->table)
			runs_table(out, c, decimals);
		int width = t->table ? decimals + 2 : 17;
		out_f(out, "%*s %*.*f +- %.*f seconds time elapsed", t->table ? 10 : 0, "", width, decimals, c->elapsed.mean_s,
		      decimals, c->elapsed.error_s);
		noise(t, out, c->elapsed.mean_s > 0 ? 100.0 * c->elapsed.error_s / c->elapsed.mean_s : 0, false);
		out_f(out, "\n%*s # 95 %% interval %.*f to %.*f, extremes %.*f and %.*f", t->table ? 10 : 17, "", decimals,
		      c->elapsed.low_s, decimals, c->elapsed.high_s, decimals, c->elapsed.min_s, decimals,
		      c->elapsed.max_s);
	}
	out_str(out, "\n\n");
}

static void rows_text(const struct counts_text *t, struct out *out, const struct counts *c)
{
	for (size_t i = 0; i < c->rows.len; i++)
		row_text(t, out, c, &c->rows.data[i]);
}

static void title(struct out *out, const struct counts *c)
{
	out_str(out, "\n Performance counter stats for ");
	out_text_str(out, c->target);
	if (c->runs > 1)
		out_f(out, " (%" PRIu64 " runs)", c->runs);
	out_str(out, ":\n\n");
}

void counts_text(struct counts_text *t, struct out *out, const struct counts *c)
{
	if (c->is_interval) {
		bool again = t->clear || t->lines % HEADING_EVERY == 0;
		heading(t, out, c);
		if (c->metrics_only)
			metrics_only_text(t, out, c, again);
		else
			rows_text(t, out, c);
		return;
	}
	/* A summary follows its intervals, below their heading. */
	if (!c->is_summary)
		title(out, c);
	if (c->metrics_only)
		metrics_only_text(t, out, c, !c->is_summary);
	else
		rows_text(t, out, c);
	footer(t, out, c);
}
