/* The table of a text report. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/text/text_priv.h"

/* A number with at most four digits, and its unit. */
static char shorten(uint64_t *n)
{
	static const char units[] = " KMG";
	size_t unit = 0;
	while (*n > 1000 && unit < sizeof(units) - 2) {
		*n /= 1000;
		unit++;
	}
	return units[unit];
}

static bool is_value(const struct hist_key *k)
{
	return k->column->from == COLUMN_FROM_VALUES;
}

static bool is_percent(enum column_id id)
{
	return id != COLUMN_SAMPLE && id != COLUMN_PERIOD && id != COLUMN_CI;
}

static const char *header_of(const struct report *r, const struct report_part *p, const struct hist_key *k)
{
	/* With children beside it, what is spent in the function itself needs another name. */
	if (k->column->id == COLUMN_OVERHEAD && p->hist->options.children)
		for (uint32_t i = 0; i < r->fields_nr; i++)
			if (r->fields[i].column->id == COLUMN_OVERHEAD_CHILDREN)
				return "Self";
	return k->header;
}

unsigned text_header_width(const struct text_part *t, uint32_t field)
{
	const struct hist_key *k = &t->report->fields[field];
	if (!is_value(k))
		return t->widths[field];
	/* As wide as asked for, but not narrower than its name or the events of a group need. */
	unsigned width = t->widths[field], name = (unsigned)strlen(header_of(t->report, t->part, k));
	if (t->part->is_group && width < k->column->width * t->part->hist->options.events_nr)
		width = k->column->width * t->part->hist->options.events_nr;
	return width < name ? name : width;
}

void text_widths(struct text_part *t)
{
	const struct report *r = t->report;
	const struct hist *h = t->part->hist;
	t->widths = xcalloc(r->fields_nr + 1, sizeof(*t->widths));
	for (uint32_t i = 0, shown = 0; i < r->fields_nr; i++) {
		const struct hist_key *k = &r->fields[i];
		unsigned fixed = !k->elided && shown < r->widths_nr ? r->widths[shown] : 0;
		shown += !k->elided;
		if (fixed) {
			t->widths[i] = fixed;
			continue;
		}
		unsigned width = k->column->width;
		if (!is_value(k) && width < strlen(k->header))
			width = (unsigned)strlen(k->header);
		for (uint32_t e = 0; !is_value(k) && e < h->order_nr; e++) {
			unsigned n = column_measure(h, k, &h->entries.data[h->order[e]]);
			if (n > width)
				width = n;
		}
		t->widths[i] = width;
	}
}

static void pad_to(struct strbuf *b, size_t start, size_t width)
{
	while (b->len - start < width)
		strbuf_addch(b, ' ');
}

/* One sum; field_width counts the blank before it. */
static void add_value(struct text_part *t, const struct hist_key *k, const struct hist_stat *s, uint32_t event,
		      unsigned field_width)
{
	const struct report *r = t->report;
	uint64_t value = hist_value(s, k->column->id);
	if (k->column->id == COLUMN_OVERHEAD_CHILDREN && !t->part->hist->options.children) {
		strbuf_addf(&t->line, " %*s", !r->separator && field_width ? (int)field_width - 1 : 0, "N/A");
	} else if (k->column->id == COLUMN_CI) {
		struct report_interval ci = report_interval(s->period, report_total(r, t->part, event),
							    t->part->hist->totals[event].samples);
		struct strbuf text = {};
		strbuf_addf(&text, "%.2f-%.2f%%", ci.low, ci.high);
		strbuf_addf(&t->line, "%*s", r->separator ? 0 : (int)field_width, strbuf_str(&text));
		strbuf_deinit(&text);
	} else if (is_percent(k->column->id)) {
		double percent = report_percent(value, report_total(r, t->part, event));
		int digits = field_width > 2 ? (int)field_width - 2 : 0;
		if (r->separator)
			strbuf_addf(&t->line, " %.2f%%", percent);
		else
			strbuf_addf(&t->line, " %*.2f%%", digits, percent);
	} else if (r->separator) {
		strbuf_addf(&t->line, " %llu", (unsigned long long)value);
	} else {
		strbuf_addf(&t->line, " %*llu", field_width ? (int)field_width - 1 : 0, (unsigned long long)value);
	}
}

static void write_line_so_far(struct text_part *t)
{
	out_text(t->out, strbuf_str(&t->line), t->line.len);
	strbuf_reset(&t->line);
}

bool text_colour(struct text_part *t, double percent)
{
	const struct report *r = t->report;
	if (!r->colour_off || percent <= 0.5)
		return false;
	write_line_so_far(t);
	out_str(t->out, percent >= 5 ? r->colour_high : r->colour_medium);
	return true;
}

void text_colour_end(struct text_part *t, bool coloured)
{
	if (!coloured)
		return;
	write_line_so_far(t);
	out_str(t->out, t->report->colour_off);
}

void text_value(struct text_part *t, uint32_t field, const struct hist_stat *stats, bool last)
{
	const struct hist_key *k = &t->report->fields[field];
	bool is_known = k->column->id != COLUMN_OVERHEAD_CHILDREN || t->part->hist->options.children;
	uint32_t events = t->part->is_group && is_known ? t->part->hist->options.events_nr : 1;
	size_t used = 0;
	for (uint32_t j = 0; j < events; j++) {
		double percent = report_percent(hist_value(&stats[j], k->column->id), report_total(t->report, t->part, j));
		bool coloured = is_percent(k->column->id) && text_colour(t, percent);
		size_t start = t->line.len;
		add_value(t, k, &stats[j], j, t->widths[field]);
		used += t->line.len - start;
		text_colour_end(t, coloured);
	}
	for (; !last && used < text_header_width(t, field); used++)
		strbuf_addch(&t->line, ' ');
}

/* The separator must not stand in a cell. */
static void hide_separator(struct text_part *t, size_t start)
{
	const char *sep = t->report->separator;
	if (sep && sep[0] && !sep[1])
		for (size_t i = start; i < t->line.len; i++)
			if (t->line.data[i] == sep[0])
				t->line.data[i] = '.';
}

void text_cell(struct text_part *t, uint32_t field, const struct hist_entry *e, bool last)
{
	const struct hist_key *k = &t->report->fields[field];
	if (is_value(k)) {
		text_value(t, field, hist_stats(t->part->hist, e), last);
		return;
	}
	size_t start = t->line.len;
	column_format(t->part->hist, k, e, t->widths[field], &t->line);
	hide_separator(t, start);
	if (!last)
		pad_to(&t->line, start, t->widths[field]);
}

void text_flush_line(struct text_part *t)
{
	out_text(t->out, strbuf_str(&t->line), t->line.len);
	out_ch(t->out, '\n');
	strbuf_reset(&t->line);
}

void text_add_header(struct text_part *t, uint32_t field)
{
	const struct hist_key *k = &t->report->fields[field];
	const char *header = header_of(t->report, t->part, k);
	bool right = is_value(k) || k->column->id == COLUMN_FIELD;
	strbuf_addf(&t->line, right ? "%*s" : "%-*s", (int)text_header_width(t, field), header);
}

static void add_heads(struct text_part *t)
{
	const struct report *r = t->report;
	bool first = true;
	strbuf_addstr(&t->line, "# ");
	for (uint32_t i = 0; i < r->fields_nr; i++) {
		if (r->fields[i].elided)
			continue;
		if (!first)
			strbuf_addstr(&t->line, r->separator ? r->separator : "  ");
		text_add_header(t, i);
		first = false;
	}
	text_flush_line(t);
	if (r->separator)
		return;
	strbuf_addstr(&t->line, "# ");
	first = true;
	for (uint32_t i = 0; i < r->fields_nr; i++) {
		if (r->fields[i].elided)
			continue;
		if (!first)
			strbuf_addstr(&t->line, "  ");
		for (unsigned n = text_header_width(t, i); n; n--)
			strbuf_addch(&t->line, '.');
		first = false;
	}
	text_flush_line(t);
	out_str(t->out, "#\n");
}

static void add_row(struct text_part *t, uint32_t entry)
{
	const struct report *r = t->report;
	const struct hist_entry *e = &t->part->hist->entries.data[entry];
	bool first = true;
	for (uint32_t i = 0; i < r->fields_nr; i++) {
		if (r->fields[i].elided)
			continue;
		if (!r->separator || !first)
			strbuf_addstr(&t->line, r->separator ? r->separator : "  ");
		first = false;
		text_cell(t, i, e, i + 1 == r->fields_nr);
	}
	text_flush_line(t);
}

static void add_title(struct text_part *t)
{
	const struct report_part *p = t->part;
	uint64_t samples = p->samples;
	char unit = shorten(&samples);
	strbuf_addf(&t->line, "# Samples: %llu%c of event%s '%s'", (unsigned long long)samples, unit, p->is_group ? "s" : "",
		    p->event_name);
	if (t->report->ref_chains && strstr(p->event_name, "call-graph=no"))
		strbuf_addstr(&t->line, ", show reference callgraph");
	if (t->report->time_slices)
		strbuf_addf(&t->line, " (time slices: %s)", t->report->time_slices);
	text_flush_line(t);
	if (t->report->mem_mode) {
		out_f(t->out, "# Total weight : %llu\n", (unsigned long long)p->period);
		out_f(t->out, "# Sort order   : %s\n", t->report->sort_order ? t->report->sort_order : "");
	} else {
		out_f(t->out, "# Event count (approx.): %llu\n", (unsigned long long)p->period);
	}
	if (t->report->has_socket)
		out_f(t->out, "# Processor Socket: %llu\n", (unsigned long long)t->report->socket);
	out_str(t->out, "#\n");
}

/* The columns that this event has. */
static struct hist_key *fields_of(const struct report *r, const struct report_part *p, uint32_t *ret_nr)
{
	struct hist_key *fields = xreallocarray(NULL, r->fields_nr + 1, sizeof(*fields));
	*ret_nr = 0;
	for (uint32_t i = 0; i < r->fields_nr; i++)
		if (report_part_has(p, &r->fields[i]))
			fields[(*ret_nr)++] = r->fields[i];
	return fields;
}

static void add_part(struct out *o, const struct report *all, const struct report_part *p)
{
	struct report own = *all, *r = &own;
	struct text_part t = { .out = o, .report = r, .part = p };
	struct hist_key *fields = fields_of(all, p, &own.fields_nr);
	own.fields = fields;
	text_widths(&t);
	if (!r->quiet)
		add_title(&t);
	if (r->hierarchy) {
		text_hierarchy(&t);
	} else {
		if (!r->quiet)
			add_heads(&t);
		report_rows_init(&t.rows, r, p);
		for (uint32_t i = 0; i < t.rows.nr && !out_failed(o); i++) {
			add_row(&t, t.rows.entries[i]);
			text_chain(&t, t.rows.entries[i]);
		}
		report_rows_deinit(&t.rows);
	}
	out_str(o, "\n\n");
	free(t.widths);
	free(fields);
	strbuf_deinit(&t.line);
}

void text_header_hint(struct out *o)
{
	out_str(o, "# To display the perf.data header info, please use --header/--header-only options.\n#\n");
}

void text_report(struct out *o, const struct report *r)
{
	if (!r->quiet)
		out_f(o, "#\n# Total Lost Samples: %llu\n#\n", (unsigned long long)r->lost_samples);
	for (uint32_t i = 0; i < r->parts_nr && !out_failed(o); i++)
		add_part(o, r, &r->parts[i]);
	if (r->tip && !r->quiet)
		out_f(o, "#\n# (Tip: %s)\n#\n", r->tip);
}
