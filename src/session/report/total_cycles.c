/*
 * A report of the blocks of code by cycles, from branch records with cycle counts.
 */
#include <string.h>

#include "base/strbuf.h"
#include "session/report/cycles.h"
#include "table/table.h"
#include "view/text/table_text.h"

static const char *object_name(const struct block *b)
{
	return ((const struct mapped_file *)b->end.object)->name;
}

static void range_text(struct report_session *r, const struct block *b, struct strbuf *out)
{
	const struct symbol *sym = b->end.function;
	const char *name = dso_symbol_name(symbols_dso(resolver_symbols(r->session.resolver), b->end.object), sym);
	uint64_t end = b->end.addr - sym->start;
	strbuf_reset(out);
	if (b->start)
		strbuf_addf(out, "[%s+0x%llx -> 0x%llx]", name, (unsigned long long)(b->start - sym->start), (unsigned long long)end);
	else
		strbuf_addf(out, "[%s+? -> 0x%llx]", name, (unsigned long long)end);
}

enum { SHARE, CYCLES, AVERAGE_SHARE, AVERAGE, RANGE, DSO };

/* Wide enough for all blocks, including those below --percent-limit. */
static void add_columns(struct report_session *r, struct table *t, const struct block *all, size_t n)
{
	static const struct table_column columns[] = {
		[SHARE] = { "percent", "Sampled Cycles%", TABLE_NUMBER, 2, .width = 15 },
		[CYCLES] = { "cycles", "Sampled Cycles", TABLE_COUNT, .width = 14 },
		[AVERAGE_SHARE] = { "average_percent", "Avg Cycles%", TABLE_NUMBER, 2, .width = 11 },
		[AVERAGE] = { "average_cycles", "Avg Cycles", TABLE_COUNT, .width = 10 },
		[RANGE] = { "range", "[Program Block Range]", TABLE_TEXT, .width = 21, .align = TABLE_ALIGN_RIGHT },
		[DSO] = { "dso", "Shared Object", TABLE_TEXT, .width = 13, .align = TABLE_ALIGN_RIGHT },
	};
	_cleanup_strbuf_ struct strbuf text = {};
	unsigned range = columns[RANGE].width, dso = columns[DSO].width;
	for (size_t i = 0; i < n; i++) {
		unsigned dso_bytes = (unsigned)strlen(object_name(&all[i]));
		range_text(r, &all[i], &text);
		range = text.len > range ? (unsigned)text.len : range;
		dso = dso_bytes > dso ? dso_bytes : dso;
	}
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		struct table_column c = columns[i];
		c.width = i == RANGE ? range : i == DSO ? dso : c.width;
		table_column(t, c);
	}
}

static void set_percent(struct table *t, size_t column, double value)
{
	table_set_number(t, column, value);
	table_show(t, column, "%.2f%%", value);
}

static void set_cycles(struct table *t, size_t column, uint64_t cycles)
{
	table_set_count(t, column, cycles);
	if (cycles >= 1000000)
		table_show(t, column, "%.1fM", (double)cycles / 1000000.0);
	else if (cycles >= 1000)
		table_show(t, column, "%.1fK", (double)cycles / 1000.0);
}

static void add_row(struct report_session *r, struct table *t, const struct block *k, double share, uint64_t averages)
{
	_cleanup_strbuf_ struct strbuf range = {};
	range_text(r, k, &range);
	table_row(t);
	set_percent(t, SHARE, share);
	set_cycles(t, CYCLES, k->cycles);
	set_percent(t, AVERAGE_SHARE, report_percent(block_average(k), averages));
	set_cycles(t, AVERAGE, block_average(k));
	table_set_text(t, RANGE, strbuf_str(&range));
	table_set_text(t, DSO, object_name(k));
}

static void print_event(struct report_session *r, const struct blocks *b, struct out *out, uint32_t event,
			 const struct block *all, size_t n)
{
	const struct report_request *o = &r->request;
	unsigned long long branches = b->events[event].branches;
	struct table t;
	uint64_t averages = 0;
	for (size_t i = 0; i < n; i++)
		averages += block_average(&all[i]);
	table_init(&t, "strobe-total-cycles", 1);
	t.layout = (struct table_layout){ .head = "# ", .rule = '.', .after_rule = "#", .has_no_titles = o->display.quiet,
					  .blank_lines = 1 };
	if (!o->display.quiet) {
		table_head(&t, "# Samples: %llu  of event '%s'", branches, r->session.env->events.data[event].name);
		table_head(&t, "# Event count (approx.): %llu", branches);
		table_head(&t, "#");
	}
	add_columns(r, &t, all, n);
	for (size_t i = 0; i < n; i++) {
		double share = report_percent(all[i].cycles, b->events[event].cycles);
		if (share >= o->grouping.percent_limit)
			add_row(r, &t, &all[i], share, averages);
	}
	table_text(out, &t, NULL);
	table_deinit(&t);
}

struct strobe_error *report_print_cycles(struct report_session *r, struct out *out)
{
	size_t n = r->session.env->events.len;
	struct blocks b = {};
	struct strobe_error *err = report_read_blocks(r, &b);
	blocks_sort(&b);
	for (size_t from = 0, event = 0; event < n; event++) {
		size_t to = from;
		while (to < b.all.len && b.all.data[to].event == event)
			to++;
		if (b.events[event].samples)
			print_event(r, &b, out, (uint32_t)event, b.all.data + from, to - from);
		from = to;
	}
	blocks_deinit(&b);
	return err;
}
