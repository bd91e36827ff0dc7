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

static void put_row(struct out *out, const struct kwork_work *w, bool is_latency)
{
	double ns = is_latency ? (double)w->total_ns / (double)w->count : (double)w->total_ns;
	out_str(out, "  ");
	put_name(out, w);
	out_f(out, " | %04" PRIu32 " | %10.3f ms | %9" PRIu64 " | %10.3f ms | ", w->cpu, ns / 1e6, w->count, (double)w->max_ns / 1e6);
	put_s(out, w->max_start_ns);
	out_str(out, " s | ");
	put_s(out, w->max_end_ns);
	out_str(out, " s |\n");
}

static void put_titles(struct out *out, bool is_latency)
{
	const char *what = is_latency ? "delay" : "runtime";
	out_f(out, "\n  %-30s | %-4s | %-13s | %-9s | Max %-9s | Max %s %-*s | Max %s %-*s |\n", "Kwork Name", "Cpu",
	      is_latency ? "Avg delay" : "Total Runtime", "Count", what, what, is_latency ? 9 : 7, "start", what,
	      is_latency ? 9 : 7, "end");
}

static void put_skipped(struct out *out, const struct kwork_works *w)
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
		out_f(out, "  INFO: %.3f%% skipped events (%" PRIu64 " including %" PRIu64 " raise, %" PRIu64 " entry, %" PRIu64 " exit)\n",
		      (double)all / (double)w->records * 100.0, all, n[KWORK_RAISE], n[KWORK_ENTRY], n[KWORK_EXIT]);
}

static void put_summary(struct out *out, const struct kwork_works *w)
{
	uint64_t count = 0, total_ns = 0, span_ns = w->last_ns - w->first_ns;
	for (size_t i = 0; i < w->works.len; i++) {
		count += w->works.data[i].count;
		total_ns += w->works.data[i].total_ns;
	}
	out_f(out, "  Total count            : %9" PRIu64 "\n", count);
	out_f(out, "  Total runtime   (msec) : %9.3f (%.3f%% load average)\n", (double)total_ns / 1e6,
	      span_ns ? (double)total_ns / (double)span_ns : 0.0);
	out_f(out, "  Total time span (msec) : %9.3f\n", (double)span_ns / 1e6);
}

void kwork_text(struct out *out, const struct kwork_works *w, const struct kwork_question *q)
{
	put_titles(out, q->report == KWORK_LATENCY);
	out_f(out, " %s\n", RULE);
	for (size_t i = 0; i < w->works.len; i++)
		if (w->works.data[i].count)
			put_row(out, &w->works.data[i], q->report == KWORK_LATENCY);
	out_f(out, " %s\n", RULE);
	if (q->summary) {
		put_summary(out, w);
		out_f(out, " %s\n", RULE);
	}
	if (w->lost && w->records)
		out_f(out, "  INFO: %.3f%% lost events (%" PRIu64 " out of %" PRIu64 ", in %" PRIu64 " chunks)\n",
		      (double)w->lost / (double)w->records * 100.0, w->lost, w->records, w->lost_records);
	put_skipped(out, w);
	out_ch(out, '\n');
}

void kwork_table(struct table *t, const struct kwork_works *w, const struct kwork_question *q)
{
	bool is_latency = q->report == KWORK_LATENCY;
	table_init(t, is_latency ? "strobe-kwork-latency" : "strobe-kwork-report", 1);
	table_column(t, (struct table_column){ .key = "kind", .type = TABLE_TEXT });
	table_column(t, (struct table_column){ .key = "name", .type = TABLE_TEXT });
	table_column(t, (struct table_column){ .key = "id", .type = TABLE_COUNT });
	table_column(t, (struct table_column){ .key = "cpu", .type = TABLE_COUNT });
	table_column(t, (struct table_column){ .key = "count", .type = TABLE_COUNT });
	table_column(t, (struct table_column){ .key = is_latency ? "delay_ns" : "runtime_ns", .type = TABLE_COUNT });
	table_column(t, (struct table_column){ .key = is_latency ? "max_delay_ns" : "max_runtime_ns", .type = TABLE_COUNT });
	table_column(t, (struct table_column){ .key = "max_start_ns", .type = TABLE_COUNT });
	table_column(t, (struct table_column){ .key = "max_end_ns", .type = TABLE_COUNT });
	for (size_t i = 0; i < w->works.len; i++) {
		const struct kwork_work *k = &w->works.data[i];
		const uint64_t numbers[] = { k->id, k->cpu, k->count, k->total_ns, k->max_ns, k->max_start_ns, k->max_end_ns };
		if (!k->count)
			continue;
		table_row(t);
		table_set_text(t, 0, kwork_kind_name(k->kind));
		table_set_text(t, 1, k->name ? k->name : "");
		for (size_t n = 0; n < sizeof(numbers) / sizeof(*numbers); n++)
			table_set_count(t, n + 2, numbers[n]);
	}
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
