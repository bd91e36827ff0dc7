/* The table of a text report. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "view/cells.h"
#include "view/text/text_priv.h"

unsigned text_header_width(const struct text_part *t, uint32_t field)
{
	return cell_header_width(t->report, t->part, &t->report->fields[field], t->widths[field]);
}

static void text_widths(struct text_part *t)
{
	t->widths = xcalloc(t->report->fields_nr + 1, sizeof(*t->widths));
	cell_widths(t->report, t->part, t->widths);
}

static void pad_to(struct strbuf *b, size_t start, size_t width)
{
	while (b->len - start < width)
		strbuf_addch(b, ' ');
}

static void write_line_so_far(struct text_part *t)
{
	out_text(t->out, strbuf_str(&t->line), t->line.len);
	strbuf_reset(&t->line);
}

bool text_colour(struct text_part *t, double percent)
{
	const struct report_text *o = t->options;
	if (!o->colour_off || percent <= 0.5)
		return false;
	write_line_so_far(t);
	out_str(t->out, percent >= 5 ? o->colour_high : o->colour_medium);
	return true;
}

void text_colour_end(struct text_part *t, bool coloured)
{
	if (!coloured)
		return;
	write_line_so_far(t);
	out_str(t->out, t->options->colour_off);
}

void text_value(struct text_part *t, uint32_t field, const struct hist_stat *stats, bool last)
{
	const struct hist_key *k = &t->report->fields[field];
	bool is_known = !cell_is_of_children(k) || t->part->hist->options.children;
	uint32_t events = t->part->is_group && is_known ? t->part->hist->options.events_nr : 1;
	size_t used = 0;
	for (uint32_t j = 0; j < events; j++) {
		double percent = report_percent(hist_value(&stats[j], k->column),
						report_column_total(t->report, t->part, j, k->column));
		bool coloured = cell_is_percent(k) && text_colour(t, percent);
		size_t start = t->line.len;
		cell_value(t->report, t->part, k, &stats[j], j, t->widths[field], &t->line);
		used += t->line.len - start;
		text_colour_end(t, coloured);
	}
	for (; !last && used < text_header_width(t, field); used++)
		strbuf_addch(&t->line, ' ');
}

/* The separator must not occur in a cell. */
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
	if (cell_is_value(k)) {
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
	cell_add_header(t->report, t->part, &t->report->fields[field], t->widths[field], &t->line);
}

/* The line above the headers, if a column has a title there. */
static void add_titles(struct text_part *t)
{
	const struct report *r = t->report;
	bool first = true;
	strbuf_addstr(&t->line, "# ");
	for (uint32_t i = 0; i < r->fields_nr; i++) {
		if (r->fields[i].elided)
			continue;
		if (!first)
			strbuf_addstr(&t->line, r->separator ? r->separator : "  ");
		cell_add_title(r, t->part, &r->fields[i], t->widths[i], &t->line);
		first = false;
	}
	text_flush_line(t);
}

static void add_heads(struct text_part *t)
{
	const struct report *r = t->report;
	bool first = true;
	if (cell_any_divided(r))
		add_titles(t);
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

/* Writing fewer rows than this takes less time than starting a thread. */
#define ROWS_FOR_THREADS 64
/* The call trees of the first rows take as long as those of hundreds of the last. */
#define ROWS_AT_ONCE 4
/* Maximum size of a buffer that is reused for the next rows with their call trees. */
#define PIECE_BYTES_KEPT (64u << 10)

/* Rows with their call trees, written in pieces by several threads, each with its own line and output. */
struct pieces {
	struct text_part *part;
	_Atomic bool failed; /* an output error: no more pieces are made */
	struct piece {
		struct strbuf line;
		struct out out;
	} slots[POOL_SLOTS];
};

static void add_rows(struct text_part *t, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to && !out_failed(t->out); i++) {
		add_row(t, t->rows.entries[i]);
		text_chain(t, t->rows.entries[i]);
	}
}

static void make_piece(void *ctx, size_t i, unsigned slot)
{
	struct pieces *p = ctx;
	struct piece *to = &p->slots[slot];
	struct text_part own = *p->part;
	uint32_t from = (uint32_t)i * ROWS_AT_ONCE, left = own.rows.nr - from;
	own.out = &to->out;
	own.line = to->line;
	if (!p->failed)
		add_rows(&own, from, from + (left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE));
	to->line = own.line;
}

static void write_piece(void *ctx, size_t i, unsigned slot)
{
	struct pieces *p = ctx;
	struct out *made = &p->slots[slot].out;
	size_t bytes;
	const char *text = out_mem(made, &bytes);
	(void)i;
	out_write(p->part->out, text, bytes);
	p->failed = out_failed(p->part->out);
	made->len = 0;
	if (made->cap > PIECE_BYTES_KEPT)
		error_destroy(out_close(made)); /* memory does not fail */
}

static void add_rows_by_threads(struct text_part *t, unsigned threads)
{
	struct pieces p = { .part = t };
	pool_run_in_order((t->rows.nr + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, threads, make_piece, write_piece, &p);
	for (unsigned i = 0; i < POOL_SLOTS; i++) {
		strbuf_deinit(&p.slots[i].line);
		error_destroy(out_close(&p.slots[i].out));
	}
}

static void add_title(struct text_part *t)
{
	const struct report_part *p = t->part;
	uint64_t samples = p->samples;
	char unit = cell_shorten(&samples);
	strbuf_addf(&t->line, "# Samples: %llu%c of event%s '%s'", (unsigned long long)samples, unit, p->is_group ? "s" : "",
		    p->event_name);
	if (t->options->ref_chains && strstr(p->event_name, "call-graph=no"))
		strbuf_addstr(&t->line, ", show reference callgraph");
	if (t->options->time_slices)
		strbuf_addf(&t->line, " (time slices: %s)", t->options->time_slices);
	text_flush_line(t);
	if (t->report->mem_mode) {
		out_f(t->out, "# Total weight : %llu\n", (unsigned long long)p->period);
		if (t->report->sort_order)
			out_f(t->out, "# Sort order   : %s\n", t->report->sort_order);
	} else {
		out_f(t->out, "# Event count (approx.): %llu\n", (unsigned long long)p->period);
	}
	if (t->options->has_socket)
		out_f(t->out, "# Processor Socket: %llu\n", (unsigned long long)t->options->socket);
	out_str(t->out, "#\n");
}

static void add_part(struct out *o, const struct report *all, const struct report_part *p, const struct report_text *options)
{
	struct report own = *all, *r = &own;
	struct text_part t = { .out = o, .report = r, .options = options, .part = p };
	struct hist_key *fields = cell_fields(all, p, &own.fields_nr);
	own.fields = fields;
	text_widths(&t);
	if (!options->quiet)
		add_title(&t);
	if (r->hierarchy) {
		text_hierarchy(&t);
	} else {
		if (!options->quiet)
			add_heads(&t);
		report_rows_init(&t.rows, r, p);
		unsigned threads = r->chains.threads ? r->chains.threads : pool_cpus();
		if (threads < 2 || t.rows.nr < ROWS_FOR_THREADS)
			add_rows(&t, 0, t.rows.nr);
		else
			add_rows_by_threads(&t, threads);
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

void text_report(struct out *o, const struct report *r, const struct report_text *options)
{
	if (!options->quiet)
		out_f(o, "#\n# Total Lost Samples: %llu\n#\n", (unsigned long long)r->lost_samples);
	for (uint32_t i = 0; i < r->parts_nr && !out_failed(o); i++)
		add_part(o, r, &r->parts[i], options);
	if (options->tip && !options->quiet)
		out_f(o, "#\n# (Tip: %s)\n#\n", options->tip);
}
