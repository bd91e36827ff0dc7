#include "view/data/counts_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/strbuf.h"

/* A CPU is only its number, since its key is "cpu". */
static void place_name(struct strbuf *b, enum counts_by by, const struct counts_place *p)
{
	if (by == COUNTS_BY_CPU && !p->of_core)
		strbuf_addf(b, "%d", p->cpu);
	else
		counts_place_name(b, by, p);
}

static const char *place_key(enum counts_by by, const struct counts_place *p)
{
	static const char *const keys[] = {
		[COUNTS_BY_CPU] = "cpu",   [COUNTS_BY_CORE] = "core",     [COUNTS_BY_CLUSTER] = "cluster",
		[COUNTS_BY_CACHE] = "cache", [COUNTS_BY_DIE] = "die",     [COUNTS_BY_SOCKET] = "socket",
		[COUNTS_BY_NODE] = "node", [COUNTS_BY_THREAD] = "thread",
	};
	return by == COUNTS_BY_CPU && p->of_core ? "core" : keys[by];
}

static const char *const states[] = { [COUNTS_COUNTED] = "counted", [COUNTS_NOT_COUNTED] = "not counted",
				      [COUNTS_NOT_SUPPORTED] = "not supported" };

/* A string with quotes, escaped. */
static void quoted(struct out *out, const char *s)
{
	struct json j;
	json_init(&j, out, false);
	json_str(&j, s);
}

struct line {
	struct out *out;
	bool some;
};

static void key(struct line *l, const char *name)
{
	out_f(l->out, "%s\"%s\" : ", l->some ? ", " : "{", name);
	l->some = true;
}

static void line_place(struct line *l, const struct counts *c, const struct counts_row *row)
{
	struct strbuf name = {};
	if (c->is_interval) {
		key(l, "interval");
		out_f(l->out, "%.9f", c->time_s);
	}
	if (c->by == COUNTS_BY_NOTHING)
		return;
	place_name(&name, c->by, &row->place);
	key(l, place_key(c->by, &row->place));
	quoted(l->out, strbuf_str(&name));
	strbuf_deinit(&name);
	if (counts_place_has_cpus(c->by)) {
		key(l, "counters");
		out_u64(l->out, row->place.cpus);
	}
}

/* A value as text, as perf prints it since 6.2. */
static void figure_keys(struct line *l, const struct counts_figure *f)
{
	key(l, "metric-value");
	out_f(l->out, "\"%.6f\"", f->value);
	key(l, "metric-unit");
	quoted(l->out, f->unit);
}

static void line_row(struct line *l, const struct counts *c, const struct counts_row *row)
{
	struct out *out = l->out;
	bool counted = row->state == COUNTS_COUNTED;
	line_place(l, c, row);
	if (!row->is_metric) {
		key(l, "counter-value");
		if (counted)
			out_f(out, "\"%.6f\"", row->value);
		else
			out_f(out, "\"<%s>\"", states[row->state]);
		key(l, "unit");
		quoted(out, row->unit);
		key(l, "event");
		quoted(out, row->event);
	}
	if (row->cgroup) {
		key(l, "cgroup");
		quoted(out, row->cgroup);
	}
	if (row->noise.present) {
		key(l, "variance");
		out_f64(out, row->noise.percent, 2);
	}
	if (!row->is_metric) {
		key(l, "event-runtime");
		out_u64(out, counted ? row->running_ns : 0);
		key(l, "pcnt-running");
		out_f64(out, counted && row->enabled_ns ? 100.0 * (double)row->running_ns / (double)row->enabled_ns : 100.0, 2);
	}
	if (row->figures_nr)
		figure_keys(l, &row->figures[0]);
	out_str(out, "}\n");
}

/* --metric-only: an object for each place. */
static void figures_lines(struct out *out, const struct counts *c)
{
	struct line l = { .out = out };
	for (size_t i = 0; i < c->rows.len; i++) {
		const struct counts_row *row = &c->rows.data[i];
		if (!i || !counts_same_place(&row[-1].place, &row->place)) {
			if (l.some)
				out_str(out, "}\n");
			l.some = false;
			line_place(&l, c, row);
		}
		for (unsigned k = 0; k < row->figures_nr && !row->missing; k++) {
			key(&l, row->figures[k].unit);
			out_f(out, "\"%.*f\"", (int)row->figures[k].decimals, row->figures[k].value);
		}
	}
	out_str(out, l.some ? "}\n" : "{}\n");
}

void counts_json_lines(struct out *out, const struct counts *c)
{
	if (c->metrics_only) {
		figures_lines(out, c);
		return;
	}
	for (size_t i = 0; i < c->rows.len; i++) {
		const struct counts_row *row = &c->rows.data[i];
		struct line l = { .out = out };
		line_row(&l, c, row);
		for (unsigned k = 1; k < row->figures_nr; k++) {
			struct line more = { .out = out };
			line_place(&more, c, row);
			figure_keys(&more, &row->figures[k]);
			out_str(out, "}\n");
		}
	}
}

static void number(struct json *j, const char *name, double value)
{
	json_key(j, name);
	json_f64(j, value);
}

static void text(struct json *j, const char *name, const char *value)
{
	if (value) {
		json_key(j, name);
		json_str(j, value);
	}
}

static void document_place(struct json *j, enum counts_by by, const struct counts_place *p)
{
	struct strbuf name = {};
	if (by == COUNTS_BY_NOTHING)
		return;
	place_name(&name, by, p);
	json_key(j, place_key(by, p));
	if (by == COUNTS_BY_CPU && !p->of_core)
		json_i64(j, p->cpu);
	else
		json_str(j, strbuf_str(&name));
	strbuf_deinit(&name);
	if (by == COUNTS_BY_THREAD)
		number(j, "tid", p->tid);
	else if (by != COUNTS_BY_CPU)
		number(j, "cpus", p->cpus);
}

static void document_figures(struct json *j, const struct counts_row *row)
{
	json_key(j, "figures");
	json_array(j);
	for (unsigned i = 0; i < row->figures_nr; i++) {
		json_object(j);
		number(j, "value", row->figures[i].value);
		text(j, "unit", row->figures[i].unit);
		json_end(j);
	}
	json_end(j);
}

static void document_row(struct json *j, const struct counts *c, const struct counts_row *row)
{
	json_object(j);
	document_place(j, c->by, &row->place);
	text(j, row->is_metric ? "metric" : "event", row->is_metric ? row->metric : row->event);
	text(j, "cgroup", row->cgroup);
	if (!row->is_metric) {
		text(j, "state", states[row->state]);
		json_key(j, "value");
		if (row->state == COUNTS_COUNTED)
			json_f64(j, row->value);
		else
			json_null(j);
		text(j, "unit", *row->unit ? row->unit : NULL);
		json_key(j, "enabled_ns");
		json_u64(j, row->enabled_ns);
		json_key(j, "running_ns");
		json_u64(j, row->running_ns);
	}
	if (row->noise.present) {
		number(j, "error_percent", row->noise.percent);
		number(j, "low95", row->noise.low);
		number(j, "high95", row->noise.high);
		number(j, "min", row->noise.min);
		number(j, "max", row->noise.max);
	}
	if (row->figures_nr)
		document_figures(j, row);
	text(j, "missing", row->missing);
	json_end(j);
}

void counts_json_begin(struct json *j, struct out *out, const char *target)
{
	json_init(j, out, true);
	json_object(j);
	json_format(j, "strobe-stat", 1);
	text(j, "target", target);
	json_key(j, "measurements");
	json_array(j);
}

static void document_times(struct json *j, const struct counts *c)
{
	if (c->is_interval) {
		number(j, "time_s", c->time_s);
		number(j, "interval_s", c->interval_s);
		return;
	}
	number(j, "elapsed_s", c->elapsed.mean_s);
	if (c->runs > 1) {
		number(j, "elapsed_error_s", c->elapsed.error_s);
		number(j, "elapsed_low95_s", c->elapsed.low_s);
		number(j, "elapsed_high95_s", c->elapsed.high_s);
		number(j, "elapsed_min_s", c->elapsed.min_s);
		number(j, "elapsed_max_s", c->elapsed.max_s);
	}
	if (c->has_usage) {
		number(j, "user_s", c->user_s);
		number(j, "system_s", c->system_s);
	}
}

void counts_json_add(struct json *j, const struct counts *c)
{
	json_object(j);
	text(j, "kind", c->is_interval ? "interval" : c->is_summary ? "summary" : "whole");
	json_key(j, "runs");
	json_u64(j, c->runs);
	document_times(j, c);
	json_key(j, "counts");
	json_array(j);
	for (size_t i = 0; i < c->rows.len; i++)
		if (!c->metrics_only || c->rows.data[i].figures_nr)
			document_row(j, c, &c->rows.data[i]);
	json_end(j);
	json_end(j);
}

void counts_json_end(struct json *j)
{
	json_end(j);
	json_end(j);
	out_ch(j->out, '\n');
}
