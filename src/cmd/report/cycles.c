/*
 * report --total-cycles: which blocks of code the processor spent its cycles in, out of branch records with cycle counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "cmd/report/blocks.h"
#include "cmd/report/report.h"
#include "table/table.h"
#include "view/text/table_text.h"

static int compare_blocks(const void *pa, const void *pb)
{
	const struct block *a = pa, *b = pb;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	return a->end.addr < b->end.addr ? -1 : a->end.addr > b->end.addr;
}

static void range_text(const struct block *b, struct strbuf *out)
{
	const struct symbol *sym = b->end.symbol;
	const char *name = dso_symbol_name(b->end.dso, sym);
	uint64_t end = b->end.addr - sym->start;
	strbuf_reset(out);
	if (b->start)
		strbuf_addf(out, "[%s+0x%llx -> 0x%llx]", name, (unsigned long long)(b->start - sym->start), (unsigned long long)end);
	else
		strbuf_addf(out, "[%s+? -> 0x%llx]", name, (unsigned long long)end);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

enum { SHARE, CYCLES, AVERAGE_SHARE, AVERAGE, RANGE, DSO };

/* Wide enough for all blocks, those below --percent-limit too. */
static void add_columns(struct table *t, const struct block *all, size_t n)
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
		unsigned dso_bytes = (unsigned)strlen(all[i].end.map->file->name);
		range_text(&all[i], &text);
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

static void add_row(struct table *t, const struct block *k, double share, uint64_t averages)
{
	_cleanup_strbuf_ struct strbuf range = {};
	range_text(k, &range);
	table_row(t);
	set_percent(t, SHARE, share);
	set_cycles(t, CYCLES, k->cycles);
	set_percent(t, AVERAGE_SHARE, percent(k->cycles / k->times, averages));
	set_cycles(t, AVERAGE, k->cycles / k->times);
	table_set_text(t, RANGE, strbuf_str(&range));
	table_set_text(t, DSO, k->end.map->file->name);
}

static void print_event(struct blocks *b, struct out *out, uint32_t event, const struct block *all, size_t n)
{
	const struct report_options *o = b->run->o;
	unsigned long long branches = b->branches[event];
	struct table t;
	uint64_t averages = 0;
	for (size_t i = 0; i < n; i++)
		averages += all[i].cycles / all[i].times;
	table_init(&t, "strobe-total-cycles", 1);
	t.layout = (struct table_layout){ .head = "# ", .rule = '.', .after_rule = "#", .has_no_titles = o->display.quiet,
					  .blank_lines = 1 };
	if (!o->display.quiet) {
		table_head(&t, "# Samples: %llu  of event '%s'", branches, b->run->env->events.data[event].name);
		table_head(&t, "# Event count (approx.): %llu", branches);
		table_head(&t, "#");
	}
	add_columns(&t, all, n);
	for (size_t i = 0; i < n; i++) {
		double share = percent(all[i].cycles, b->totals[event]);
		if (share >= o->grouping.percent_limit)
			add_row(&t, &all[i], share, averages);
	}
	table_text(out, &t, NULL);
	table_deinit(&t);
}

struct strobe_error *report_print_cycles(struct report_run *r, struct out *out)
{
	size_t n = r->env->events.len;
	struct blocks b = {};
	struct strobe_error *err = blocks_read(&b, r);
	if (b.all.len)
		qsort(b.all.data, b.all.len, sizeof(*b.all.data), compare_blocks);
	for (size_t from = 0, event = 0; event < n; event++) {
		size_t to = from;
		while (to < b.all.len && b.all.data[to].event == event)
			to++;
		if (b.samples[event])
			print_event(&b, out, (uint32_t)event, b.all.data + from, to - from);
		from = to;
	}
	blocks_deinit(&b);
	return err;
}
