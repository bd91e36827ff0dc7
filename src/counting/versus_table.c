/* A table of differences of two commands: events with means, ratios and significance; and outliers and failed runs. */
#include "counting/versus.h"

#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define CHANCE          0.05
/* Interquartile ranges beyond the quartiles: Tukey's outer fences. */
#define OUTLIER_FENCES  3.0
#define OUTLIERS_NAMED  4

/* A compared quantity: an event, or the time. */
struct row {
	uint32_t event;        /* of the sets, if is_counted */
	const char *name, *unit;
	double scale;
	bool is_time;
};

enum column { EVENT, MEAN_A, MEAN_B, UNIT, RATIO, LOW, HIGH, P, DIFFERS, VERDICT };

static void add_columns(struct table *t)
{
	static const struct table_column columns[] = {
		[EVENT] = { "event", NULL, TABLE_TEXT },
		[MEAN_A] = { "mean_a", "mean of A", TABLE_NUMBER, 2 },
		[MEAN_B] = { "mean_b", "mean of B", TABLE_NUMBER, 2 },
		[UNIT] = { "unit", "", TABLE_TEXT },
		[RATIO] = { "ratio", "B/A", TABLE_NUMBER, 4 },
		[LOW] = { "low95", "from", TABLE_NUMBER, 4 },
		[HIGH] = { "high95", "to", TABLE_NUMBER, 4 },
		[P] = { "p", "p", TABLE_NUMBER, 4 },
		[DIFFERS] = { "differs", NULL, TABLE_BOOL, .data_only = true },
		[VERDICT] = { "verdict", "more than noise?", TABLE_TEXT, .text_only = true },
	};
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(t, columns[i]);
}

static void add_row(struct table *t, const struct row *row, const struct comparison *c)
{
	bool differs = c->p_adjusted < CHANCE, b_has_more = c->has_ratio ? c->ratio > 1 : c->mean_b > c->mean_a;
	table_row(t);
	table_set_text(t, EVENT, row->name);
	table_set_text(t, UNIT, row->unit);
	table_set_number(t, MEAN_A, c->mean_a * row->scale);
	table_set_number(t, MEAN_B, c->mean_b * row->scale);
	if (c->has_ratio) {
		table_set_number(t, RATIO, c->ratio);
		table_set_number(t, LOW, c->low);
		table_set_number(t, HIGH, c->high);
	}
	table_set_number(t, P, c->p_adjusted);
	table_set_bool(t, DIFFERS, differs);
	table_set_text(t, VERDICT, !differs ? "no" : b_has_more ? "yes, B has more" : "yes, B has less");
}

static struct compare_series values_of(const struct versus_side *side, const struct row *row)
{
	return row->is_time ? (struct compare_series){ side->elapsed.data, side->elapsed.len } : versus_values(side, row->event);
}

static void note_outliers(struct table *t, const struct row *row, const struct versus_side *side)
{
	struct compare_series s = values_of(side, row);
	_cleanup_free_ bool *mark = xcalloc(s.n + 1, sizeof(*mark));
	_cleanup_strbuf_ struct strbuf b = {};
	size_t odd = s.n ? stats_outliers(s.values, s.n, OUTLIER_FENCES, mark) : 0, named = 0;
	for (size_t i = 0; i < s.n && named < OUTLIERS_NAMED; i++)
		if (mark[i])
			strbuf_addf(&b, "%srun %zu: %.6g", named++ ? ", " : "", i + 1, s.values[i] * row->scale);
	if (odd)
		table_note(t, "outliers, included in the result: %s of %s, %s%s%s%s", row->name, side->name, strbuf_str(&b),
			   *row->unit ? " " : "", row->unit, odd > named ? ", and more" : "");
}

static void note_failures(struct table *t, const struct versus_side *side)
{
	int status = side->failed_status;
	if (!side->failed)
		return;
	if (WIFSIGNALED(status))
		table_note(t, "%u runs of %s failed, the last by signal %d (%s)", side->failed, side->name, WTERMSIG(status),
			   strsignal(WTERMSIG(status)));
	else
		table_note(t, "%u runs of %s failed, the last with status %d", side->failed, side->name, WEXITSTATUS(status));
}

static void add_command(struct table *t, const struct versus_side *side)
{
	_cleanup_strbuf_ struct strbuf b = {};
	for (int i = 0; i < side->counting.argc; i++)
		strbuf_addf(&b, "%s%s", i ? " " : "", side->counting.argv[i]);
	table_fact(t, side->name, "%s", strbuf_str(&b));
}

static size_t list_rows(const struct versus *v, struct row *rows)
{
	const struct counter_set *set = &v->sides[0].counting.set;
	size_t n = 0;
	for (uint32_t i = 0; i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		if (versus_is_counted(v, i))
			rows[n++] = (struct row){ .event = i, .name = e->name, .unit = e->unit, .scale = e->scale };
	}
	rows[n++] = (struct row){ .is_time = true, .name = "elapsed", .unit = "msec", .scale = 1e3 };
	return n;
}

void versus_table(const struct versus *v, struct table *t)
{
	const struct counter_set *set = &v->sides[0].counting.set;
	size_t pairs = v->sides[1].elapsed.len;
	_cleanup_free_ struct row *rows = xcalloc(set->events.len + 1, sizeof(*rows));
	_cleanup_free_ struct comparison *c = xcalloc(set->events.len + 1, sizeof(*c));
	size_t n = list_rows(v, rows);
	table_init(t, "strobe-stat-vs", 1);
	add_command(t, &v->sides[0]);
	add_command(t, &v->sides[1]);
	table_fact_number(t, "runs", (double)pairs, "%zu of each, in turn", pairs);
	add_columns(t);
	for (size_t i = 0; i < n; i++)
		c[i] = compare_series(values_of(&v->sides[0], &rows[i]), values_of(&v->sides[1], &rows[i]));
	compare_adjust(c, n);
	for (size_t i = 0; i < n; i++)
		add_row(t, &rows[i], &c[i]);
	table_note(t, "%s; p is corrected for %zu comparisons (Holm); p < %.2f is more than noise.",
		   c[0].by_rank ? "Mann-Whitney rank test; B/A is the median of all ratios, with its 95 % interval" :
				  "Welch's t test; B/A is the ratio of the means, with its 95 % interval",
		   n, CHANCE);
	for (size_t i = 0; i < 2 * n; i++)
		note_outliers(t, &rows[i / 2], &v->sides[i % 2]);
	for (uint32_t i = 0; i < set->events.len; i++)
		if (!versus_is_counted(v, i))
			table_note(t, "%s: %s", set->events.data[i].name,
				   set->events.data[i].supported ? "not counted" : "not supported on this machine");
	note_failures(t, &v->sides[0]);
	note_failures(t, &v->sides[1]);
}
