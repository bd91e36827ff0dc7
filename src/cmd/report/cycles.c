/*
 * report --total-cycles: which blocks of code the processor spent its cycles in, out of branch records with cycle counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cmd/report/blocks.h"
#include "cmd/report/report.h"

static int compare_blocks(const void *pa, const void *pb)
{
	const struct block *a = pa, *b = pb;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	return a->end.addr < b->end.addr ? -1 : a->end.addr > b->end.addr;
}

static const char *cycles_text(uint64_t cycles, char *text, size_t bytes)
{
	if (cycles >= 1000000)
		snprintf(text, bytes, "%.1fM", (double)cycles / 1000000.0);
	else if (cycles >= 1000)
		snprintf(text, bytes, "%.1fK", (double)cycles / 1000.0);
	else
		snprintf(text, bytes, "%llu", (unsigned long long)cycles);
	return text;
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

struct widths {
	int range, dso;
};

static struct widths measure(const struct block *all, size_t n, struct strbuf *text)
{
	struct widths w = { (int)strlen("[Program Block Range]"), (int)strlen("Shared Object") };
	for (size_t i = 0; i < n; i++) {
		range_text(&all[i], text);
		int dso = (int)strlen(all[i].end.map->file->name);
		w.range = (int)text->len > w.range ? (int)text->len : w.range;
		w.dso = dso > w.dso ? dso : w.dso;
	}
	return w;
}

static void add_dots(struct out *out, int n, const char *behind)
{
	for (int i = 0; i < n; i++)
		out_ch(out, '.');
	out_str(out, behind);
}

static void print_event(struct blocks *b, struct out *out, uint32_t event, const struct block *all, size_t n)
{
	const struct report_options *o = b->run->o;
	struct strbuf range = {};
	char sum[32], average[32];
	struct widths w = measure(all, n, &range);
	uint64_t averages = 0;
	for (size_t i = 0; i < n; i++)
		averages += all[i].cycles / all[i].times;
	if (!o->display.quiet) {
		out_f(out, "# Samples: %llu  of event '", (unsigned long long)b->branches[event]);
		out_text_str(out, b->run->env->events.data[event].name);
		out_str(out, "'\n");
		out_f(out, "# Event count (approx.): %llu\n#\n", (unsigned long long)b->branches[event]);
		out_f(out, "# Sampled Cycles%%  Sampled Cycles  Avg Cycles%%  Avg Cycles  %*s  %*s\n", w.range,
		      "[Program Block Range]", w.dso, "Shared Object");
		out_str(out, "# ...............  ..............  ...........  ..........  ");
		add_dots(out, w.range, "  ");
		add_dots(out, w.dso, "\n#\n");
	}
	for (size_t i = 0; i < n; i++) {
		const struct block *k = &all[i];
		double share = percent(k->cycles, b->totals[event]);
		if (share < o->grouping.percent_limit)
			continue;
		range_text(k, &range);
		out_f(out, "%16.2f%%  %14s  %10.2f%%  %10s  ", share, cycles_text(k->cycles, sum, sizeof(sum)),
		      percent(k->cycles / k->times, averages), cycles_text(k->cycles / k->times, average, sizeof(average)));
		out_fill(out, ' ', (size_t)w.range - range.len);
		out_text(out, strbuf_str(&range), range.len);
		out_f(out, "  %*s", w.dso - (int)strlen(k->end.map->file->name), "");
		out_text(out, k->end.map->file->name, strlen(k->end.map->file->name));
		out_ch(out, '\n');
	}
	out_str(out, "\n");
	strbuf_deinit(&range);
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
