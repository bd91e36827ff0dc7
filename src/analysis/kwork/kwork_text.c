#include "analysis/kwork/kwork_text.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_WIDTH 30
#define RULE       "---------------------------------------------------------------------------------------------------------------------" \
		   "-----------"

void kwork_name(const struct kwork_work *w, char *ret, size_t n)
{
	const char *name = w->name ? w->name : "(null)";
	switch (w->kind) {
	case KWORK_IRQ:
		snprintf(ret, n, "%s:%" PRIu64, name, w->id);
		break;
	case KWORK_SOFTIRQ:
		snprintf(ret, n, "(s)%s:%" PRIu64, name, w->id);
		break;
	case KWORK_WORKQUEUE:
		if (w->name)
			snprintf(ret, n, "(w)%s", name);
		else
			snprintf(ret, n, "(w)0x%" PRIx64, w->id);
		break;
	default:
		snprintf(ret, n, "%s", name);
	}
}

static void put_name(struct out *out, const struct kwork_work *w)
{
	char name[NAME_WIDTH];
	kwork_name(w, name, sizeof(name));
	out_text_left(out, name, NAME_WIDTH);
}

static void put_s(struct out *out, uint64_t ns)
{
	out_fixed(out, ns / 1000, 6, 17);
}

/* ---- report and latency ---- */

enum column {
	KIND, NAME, ID, CPU, COUNT, TIME, MAX, MAX_START, MAX_END, /* of data */
	TEXT_NAME, TEXT_CPU, TEXT_TIME, TEXT_COUNT, TEXT_MAX, TEXT_START, TEXT_END,
};

static void add_data(struct table *t, const char *key, enum table_type type)
{
	table_column(t, (struct table_column){ .key = key, .type = type, .data_only = true });
}

/* As in perf, titles are left-aligned, and numbers right-aligned. */
static void add_text(struct table *t, const char *title, unsigned width)
{
	table_column(t, (struct table_column){ .key = title, .type = TABLE_TEXT, .text_only = true, .width = width, .is_fixed = true });
}

static void add_columns(struct table *t, bool is_latency)
{
	add_data(t, "kind", TABLE_TEXT);
	add_data(t, "name", TABLE_TEXT);
	add_data(t, "id", TABLE_COUNT);
	add_data(t, "cpu", TABLE_COUNT);
	add_data(t, "count", TABLE_COUNT);
	add_data(t, is_latency ? "delay_ns" : "runtime_ns", TABLE_COUNT);
	add_data(t, is_latency ? "max_delay_ns" : "max_runtime_ns", TABLE_COUNT);
	add_data(t, "max_start_ns", TABLE_COUNT);
	add_data(t, "max_end_ns", TABLE_COUNT);
	add_text(t, "Kwork Name", NAME_WIDTH);
	add_text(t, "Cpu", 4);
	add_text(t, is_latency ? "Avg delay" : "Total Runtime", 13);
	add_text(t, "Count", 9);
	add_text(t, is_latency ? "Max delay" : "Max runtime", 13);
	add_text(t, is_latency ? "Max delay start" : "Max runtime start", 19);
	add_text(t, is_latency ? "Max delay end       |" : "Max runtime end     |", 0);
}

static void show_s(struct table *t, enum column column, uint64_t ns, const char *end)
{
	table_show(t, column, "%10" PRIu64 ".%06" PRIu64 " s%s", ns / 1000000000, ns / 1000 % 1000000, end);
}

static void add_row(struct table *t, const struct kwork_work *w, bool is_latency)
{
	const uint64_t numbers[] = { w->id, w->cpu, w->count, w->total_ns, w->max_ns, w->max_start_ns, w->max_end_ns };
	double ns = is_latency ? (double)w->total_ns / (double)w->count : (double)w->total_ns;
	char name[NAME_WIDTH];
	table_row(t);
	table_set_text(t, KIND, kwork_kind_name(w->kind));
	table_set_text(t, NAME, w->name ? w->name : "");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		table_set_count(t, ID + i, numbers[i]);
	kwork_name(w, name, sizeof(name));
	table_set_text(t, TEXT_NAME, name);
	table_show(t, TEXT_CPU, "%04" PRIu32, w->cpu);
	table_show(t, TEXT_TIME, "%10.3f ms", ns / 1e6);
	table_show(t, TEXT_COUNT, "%9" PRIu64, w->count);
	table_show(t, TEXT_MAX, "%10.3f ms", (double)w->max_ns / 1e6);
	show_s(t, TEXT_START, w->max_start_ns, "");
	show_s(t, TEXT_END, w->max_end_ns, " |");
}

static void add_skipped(struct table *t, const struct kwork_works *w)
{
	uint64_t n[KWORK_POINTS], all = 0;
	for (int i = 0; i < KWORK_POINTS; i++)
		n[i] = w->skipped[i];
	for (size_t i = 0; i < w->works.len; i++) {
		const struct kwork_work *k = &w->works.data[i];
		n[KWORK_RAISE] += k->is_raised;
		n[KWORK_ENTRY] += k->is_entered + k->unmatched[KWORK_ENTRY];
		n[KWORK_EXIT] += k->unmatched[KWORK_EXIT];
	}
	for (int i = 0; i < KWORK_POINTS; i++)
		all += n[i];
	if (all && w->records)
		table_foot(t, "  INFO: %.3f%% skipped events (%" PRIu64 " including %" PRIu64 " raise, %" PRIu64 " entry, %" PRIu64
			   " exit)", (double)all / (double)w->records * 100.0, all, n[KWORK_RAISE], n[KWORK_ENTRY], n[KWORK_EXIT]);
}

static void add_summary(struct table *t, const struct kwork_works *w)
{
	uint64_t count = 0, total_ns = 0, span_ns = w->last_ns - w->first_ns;
	for (size_t i = 0; i < w->works.len; i++) {
		count += w->works.data[i].count;
		total_ns += w->works.data[i].total_ns;
	}
	table_foot(t, "  Total count            : %9" PRIu64, count);
	table_foot(t, "  Total runtime   (msec) : %9.3f (%.3f%% load average)", (double)total_ns / 1e6,
		   span_ns ? (double)total_ns / (double)span_ns : 0.0);
	table_foot(t, "  Total time span (msec) : %9.3f", (double)span_ns / 1e6);
	table_foot(t, " " RULE);
}

void kwork_table(struct table *t, const struct kwork_works *w, const struct kwork_question *q)
{
	bool is_latency = q->report == KWORK_LATENCY;
	table_init(t, is_latency ? "strobe-kwork-latency" : "strobe-kwork-report", 1);
	add_columns(t, is_latency);
	t->layout = (struct table_layout){ .gap = " | ", .after_rule = " " RULE, .after_rows = " " RULE, .blank_lines = 1 };
	table_head(t, "%s", "");
	for (size_t i = 0; i < w->works.len; i++)
		if (w->works.data[i].count)
			add_row(t, &w->works.data[i], is_latency);
	if (q->summary)
		add_summary(t, w);
	if (w->lost && w->records)
		table_foot(t, "  INFO: %.3f%% lost events (%" PRIu64 " out of %" PRIu64 ", in %" PRIu64 " chunks)",
			   (double)w->lost / (double)w->records * 100.0, w->lost, w->records, w->lost_records);
	add_skipped(t, w);
}

/* ---- timehist ---- */

const char *const kwork_line_keys[] = { "kind", "name", "id", "cpu", "start_ns", "end_ns", "runtime_ns", "delay_ns", "chain", NULL };

void kwork_line_titles(struct out *out)
{
	out_f(out, " %-17s  %-17s  %-6s  %-30s  %-10s  %-10s\n", "Runtime start", "Runtime end", "Cpu", "Kwork name", "Runtime",
	      "Delaytime");
	out_f(out, " %-17s  %-17s  %-6s  %-30s  %-10s  %-10s\n", "", "", "", "(TYPE)NAME:NUM", "(msec)", "(msec)");
	out_f(out, " %.17s  %.17s  %.6s  %.30s  %.10s  %.10s\n", RULE, RULE, RULE, RULE, RULE, RULE);
}

void kwork_line(struct out *out, const struct kwork_work *w, uint64_t end_ns, bool with_chain)
{
	out_ch(out, ' ');
	put_s(out, w->entered_ns);
	out_str(out, "  ");
	put_s(out, end_ns);
	out_f(out, "  [%04" PRIu32 "]  ", w->cpu);
	put_name(out, w);
	out_f(out, "  %10.3f ", (double)(end_ns - w->entered_ns) / 1e6);
	if (w->entered_raise_ns)
		out_f(out, " %10.3f ", (double)(w->entered_ns - w->entered_raise_ns) / 1e6);
	else
		out_f(out, " %10s ", "");
	if (with_chain && w->chain) {
		out_str(out, "  ");
		out_text_str(out, w->chain);
	}
	out_ch(out, '\n');
}

void kwork_line_row(struct sched_rows *r, const struct kwork_work *w, uint64_t end_ns)
{
	sched_rows_str(r, kwork_kind_name(w->kind));
	sched_rows_str(r, w->name);
	sched_rows_u64(r, w->id);
	sched_rows_u64(r, w->cpu);
	sched_rows_u64(r, w->entered_ns);
	sched_rows_u64(r, end_ns);
	sched_rows_u64(r, end_ns - w->entered_ns);
	if (w->entered_raise_ns)
		sched_rows_u64(r, w->entered_ns - w->entered_raise_ns);
	else
		sched_rows_str(r, NULL);
	sched_rows_str(r, w->chain);
}
