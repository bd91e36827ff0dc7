#include "analysis/kvm/kvm_text.h"

#include <inttypes.h>
#include <sys/time.h>
#include <time.h>

#include "analysis/kvm/kvm.h"
#include "base/out.h"
#include "table/table.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole * 100 : 0;
}

/* Of the mean. */
static double error_percent(const struct kvm_row *r)
{
	return r->ns.mean > 0 ? stats_error(&r->ns) / r->ns.mean * 100 : 0;
}

enum column {
	NAME, SAMPLES, SAMPLES_PERCENT, TIME_PERCENT, TOTAL, MIN, MAX, AVERAGE, ERROR, /* of data */
	TEXT_NAME, TEXT_SAMPLES, TEXT_SAMPLES_PERCENT, TEXT_TIME_PERCENT, TEXT_MIN, TEXT_MAX, TEXT_AVERAGE,
};

static void add_columns(struct table *t, enum kvm_subject subject)
{
	static const char *const titles[] = {
		[KVM_EXITS] = "VM-EXIT", [KVM_MEMORY] = "MMIO Access", [KVM_PORTS] = "IO Port Access", [KVM_MSRS] = "MSR Access",
	};
	static const struct table_column data[] = {
		{ .key = "name", .type = TABLE_TEXT },		 { .key = "samples", .type = TABLE_COUNT },
		{ .key = "samples_percent", .type = TABLE_NUMBER }, { .key = "time_percent", .type = TABLE_NUMBER },
		{ .key = "total_ns", .type = TABLE_COUNT },	 { .key = "min_ns", .type = TABLE_NUMBER },
		{ .key = "max_ns", .type = TABLE_NUMBER },	 { .key = "average_ns", .type = TABLE_NUMBER },
		{ .key = "error_percent", .type = TABLE_NUMBER },
	};
	const struct {
		const char *title;
		unsigned width;
	} text[] = {
		{ titles[subject], 40 }, { "Samples", 10 },   { "Samples%", 9 },   { "Time%", 9 },
		{ "Min Time", 11 },	 { "Max Time", 11 }, { "Avg time ", 17 },
	};
	for (size_t i = 0; i < sizeof(data) / sizeof(*data); i++) {
		struct table_column c = data[i];
		c.data_only = true;
		table_column(t, c);
	}
	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
		table_column(t, (struct table_column){ .key = text[i].title, .type = TABLE_TEXT, .text_only = true, .width = text[i].width,
						       .is_fixed = true, .align = TABLE_ALIGN_RIGHT });
}

static void add_heads(struct table *t, const struct kvm_exits *x, const char *pids)
{
	table_head(t, "%s", "");
	table_head(t, "%s", "");
	if (x->vcpu == KVM_ALL_VCPUS)
		table_head(t, "Analyze events for %s%s, all VCPUs:", pids ? "pid(s) " : "all VMs", pids ? pids : "");
	else
		table_head(t, "Analyze events for %s%s, VCPU %" PRId64 ":", pids ? "pid(s) " : "all VMs", pids ? pids : "", x->vcpu);
	table_head(t, "%s", "");
}

static void add_row(struct table *t, const struct kvm_exits *x, const struct kvm_row *r)
{
	const char *name = strtab_get(&x->names, r->name);
	double samples = percent(r->ns.n, x->samples), time = percent(r->total_ns, x->total_ns);
	table_row(t);
	table_set_text(t, NAME, name);
	table_set_count(t, SAMPLES, r->ns.n);
	table_set_number(t, SAMPLES_PERCENT, samples);
	table_set_number(t, TIME_PERCENT, time);
	table_set_count(t, TOTAL, r->total_ns);
	table_set_number(t, MIN, r->ns.min);
	table_set_number(t, MAX, r->ns.max);
	table_set_number(t, AVERAGE, r->ns.mean);
	table_set_number(t, ERROR, error_percent(r));
	table_set_text(t, TEXT_NAME, name);
	table_show(t, TEXT_SAMPLES, "%" PRIu64, r->ns.n);
	table_show(t, TEXT_SAMPLES_PERCENT, "%.2f%%", samples);
	table_show(t, TEXT_TIME_PERCENT, "%.2f%%", time);
	table_show(t, TEXT_MIN, "%.2fus", r->ns.min / 1000);
	table_show(t, TEXT_MAX, "%.2fus", r->ns.max / 1000);
	table_show(t, TEXT_AVERAGE, "%9.2fus ( +-%7.2f%% )", r->ns.mean / 1000, error_percent(r));
}

void kvm_table(struct table *t, const struct kvm_exits *x, enum kvm_subject subject, const char *pids)
{
	table_init(t, "strobe-kvm-stat", 1);
	add_columns(t, subject);
	add_heads(t, x, pids);
	t->layout = (struct table_layout){ .head = "", .row = "", .gap = " ", .after_rule = "", .after_rows = "", .has_blank_ends = true,
					   .blank_lines = 1 };
	for (uint32_t i = 0; i < x->rows.len; i++)
		add_row(t, x, &x->rows.data[i]);
	table_foot(t, "Total Samples:%" PRIu64 ", Total events handled time:%.2fus.", x->samples, (double)x->total_ns / 1000);
}

void kvm_live_begin(struct out *out, bool is_terminal, uint64_t lost)
{
	struct timeval now;
	struct tm day;
	gettimeofday(&now, NULL);
	localtime_r(&now.tv_sec, &day);
	if (is_terminal)
		out_str(out, "\033[H\033[2J");
	out_f(out, "%02d:%02d:%02d.%06ld", day.tm_hour, day.tm_min, day.tm_sec, (long)now.tv_usec);
	if (lost)
		out_f(out, "  %" PRIu64 " events were lost: use larger rings (-m)", lost);
}

void kvm_slow_line(struct out *out, const struct kvm_slow_exit *e)
{
	out_f(out, "%" PRIu64 " VM %" PRIu32 ", vcpu %" PRIu32 ": ", e->time_ns, e->pid, e->vcpu);
	out_text_str(out, e->name);
	out_f(out, " event took %" PRIu64 "usec\n", e->took_ns / 1000);
}
