#include "view/data/counts_prometheus.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

struct labels {
	struct out *out;
	bool some;
};

static void label(struct labels *l, const char *name, const char *value)
{
	out_f(l->out, "%s%s=\"", l->some ? "," : "{", name);
	for (const char *c = value, *end = c + strlen(c); *c; c++) {
		uint32_t rune;
		size_t n = utf8_decode(c, (size_t)(end - c), &rune);
		/* The text is UTF-8, and the name of a thread may be anything. */
		if (n > 1 || (unsigned char)*c >= 0x80) {
			bool is_harmless = n > 1 && !utf8_steers(rune);
			out_write(l->out, is_harmless ? c : "?", is_harmless ? n : 1);
			c += n > 1 ? n - 1 : 0;
			continue;
		}
		if (*c != '\n' && ((unsigned char)*c < ' ' || *c == 0x7f)) {
			out_ch(l->out, '?');
			continue;
		}
		if (*c == '\\' || *c == '"')
			out_ch(l->out, '\\');
		out_str(l->out, *c == '\n' ? "\\n" : (const char[]){ *c, '\0' });
	}
	out_ch(l->out, '"');
	l->some = true;
}

static void number_label(struct labels *l, const char *name, int64_t value)
{
	out_f(l->out, "%s%s=\"%" PRId64 "\"", l->some ? "," : "{", name, value);
	l->some = true;
}

static void place_labels(struct labels *l, enum counts_by by, const struct counts_place *p)
{
	bool in_socket = by == COUNTS_BY_CORE || by == COUNTS_BY_CLUSTER || by == COUNTS_BY_CACHE || by == COUNTS_BY_DIE;
	if (by == COUNTS_BY_CPU)
		number_label(l, "cpu", p->cpu);
	if (in_socket || by == COUNTS_BY_SOCKET)
		number_label(l, "socket", p->socket);
	if (in_socket)
		number_label(l, "die", p->die);
	if (by == COUNTS_BY_CORE)
		number_label(l, "core", p->core);
	if (by == COUNTS_BY_CLUSTER)
		number_label(l, "cluster", p->cluster);
	if (by == COUNTS_BY_CACHE) {
		number_label(l, "cache_level", p->cache_level);
		number_label(l, "cache", p->cache);
	}
	if (by == COUNTS_BY_NODE)
		number_label(l, "node", p->node);
	if (by == COUNTS_BY_THREAD) {
		label(l, "comm", p->comm ? p->comm : "");
		number_label(l, "tid", p->tid);
	}
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The number of rows before this one with the same labels: an event that was specified twice, or uncore boxes that are not merged. */
static unsigned copies_before(const struct counts *c, const struct counts_row *row)
{
	unsigned n = 0;
	for (const struct counts_row *r = c->rows.data; r < row; r++)
		n += r->is_metric == row->is_metric && counts_same_place(&r->place, &row->place) && same_text(r->event, row->event) &&
		     same_text(r->cgroup, row->cgroup);
	return n;
}

static void row_labels(struct out *out, const struct counts *c, const struct counts_row *row, const char *figure)
{
	struct labels l = { .out = out };
	unsigned copies = row->is_metric ? 0 : copies_before(c, row);
	if (!row->is_metric)
		label(&l, "event", row->event);
	if (figure)
		label(&l, "figure", figure);
	else if (*row->unit)
		label(&l, "unit", row->unit);
	if (row->cgroup)
		label(&l, "cgroup", row->cgroup);
	/* No two lines of an exposition may have the same labels. */
	if (copies)
		number_label(&l, "copy", copies + 1);
	place_labels(&l, c->by, &row->place);
	out_str(out, l.some ? "} " : " ");
}

void counts_prometheus(struct out *out, const struct counts *c)
{
	out_str(out, "# HELP strobe_events_total Events counted so far.\n# TYPE strobe_events_total counter\n");
	for (size_t i = 0; i < c->rows.len; i++) {
		const struct counts_row *row = &c->rows.data[i];
		if (row->is_metric || row->state != COUNTS_COUNTED)
			continue;
		out_str(out, "strobe_events_total");
		row_labels(out, c, row, NULL);
		out_f(out, "%.17g\n", row->value);
	}
	out_str(out, "# HELP strobe_running_ratio Share of the time during which the event had a counter.\n# TYPE "
			"strobe_running_ratio gauge\n");
	for (size_t i = 0; i < c->rows.len; i++) {
		const struct counts_row *row = &c->rows.data[i];
		if (row->is_metric || row->state != COUNTS_COUNTED || !row->enabled_ns)
			continue;
		out_str(out, "strobe_running_ratio");
		row_labels(out, c, row, NULL);
		out_f(out, "%.6g\n", (double)row->running_ns / (double)row->enabled_ns);
	}
	out_str(out, "# HELP strobe_figure Metrics computed from counts, over the whole time.\n# TYPE strobe_figure gauge\n");
	for (size_t i = 0; i < c->rows.len; i++)
		for (unsigned k = 0; k < c->rows.data[i].figures_nr; k++) {
			const struct counts_row *row = &c->rows.data[i];
			/* Rates are left to the server that scrapes. */
			if (text_has_suffix(row->figures[k].unit, "/sec"))
				continue;
			out_str(out, "strobe_figure");
			row_labels(out, c, row, row->figures[k].unit);
			out_f(out, "%.17g\n", row->figures[k].value);
		}
	out_f(out, "# HELP strobe_elapsed_seconds Time since counting began.\n# TYPE strobe_elapsed_seconds gauge\n"
		   "strobe_elapsed_seconds %.9f\n", c->elapsed.mean_s);
}
