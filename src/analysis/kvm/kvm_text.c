#include "analysis/kvm/kvm_text.h"

#include <inttypes.h>

#include "base/out.h"
#include "table/table.h"

#define NAME_WIDTH 40

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole * 100 : 0;
}

/* Of the mean. */
static double error_percent(const struct kvm_row *r)
{
	return r->ns.mean > 0 ? stats_error(&r->ns) / r->ns.mean * 100 : 0;
}

void kvm_text(struct out *out, const struct kvm_exits *x, enum kvm_subject subject, const char *pids)
{
	static const char *const titles[] = {
		[KVM_EXITS] = "VM-EXIT", [KVM_MEMORY] = "MMIO Access", [KVM_PORTS] = "IO Port Access", [KVM_MSRS] = "MSR Access",
	};
	out_f(out, "\n\nAnalyze events for %s%s, ", pids ? "pid(s) " : "all VMs", pids ? pids : "");
	if (x->vcpu == KVM_ALL_VCPUS)
		out_str(out, "all VCPUs:\n\n");
	else
		out_f(out, "VCPU %" PRId64 ":\n\n", x->vcpu);
	out_f(out, "%*s %10s %9s %9s %11s %11s %16s \n\n", NAME_WIDTH, titles[subject], "Samples", "Samples%", "Time%", "Min Time",
	      "Max Time", "Avg time");
	for (uint32_t i = 0; i < x->rows.len; i++) {
		const struct kvm_row *r = &x->rows.data[i];
		out_text_right(out, strtab_get(&x->names, r->name), NAME_WIDTH);
		out_f(out, " %10" PRIu64 " %8.2f%% %8.2f%% %9.2fus %9.2fus %9.2fus ( +-%7.2f%% )\n", r->ns.n, percent(r->ns.n, x->samples),
		      percent(r->total_ns, x->total_ns), r->ns.min / 1000, r->ns.max / 1000, r->ns.mean / 1000, error_percent(r));
	}
	out_f(out, "\nTotal Samples:%" PRIu64 ", Total events handled time:%.2fus.\n\n", x->samples, (double)x->total_ns / 1000);
}

void kvm_table(struct table *t, const struct kvm_exits *x)
{
	static const struct table_column columns[] = {
		{ .key = "name", .type = TABLE_TEXT },		 { .key = "samples", .type = TABLE_COUNT },
		{ .key = "samples_percent", .type = TABLE_NUMBER }, { .key = "time_percent", .type = TABLE_NUMBER },
		{ .key = "total_ns", .type = TABLE_COUNT },	 { .key = "min_ns", .type = TABLE_NUMBER },
		{ .key = "max_ns", .type = TABLE_NUMBER },	 { .key = "average_ns", .type = TABLE_NUMBER },
		{ .key = "error_percent", .type = TABLE_NUMBER },
	};
	table_init(t, "strobe-kvm-stat", 1);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(t, columns[i]);
	for (uint32_t i = 0; i < x->rows.len; i++) {
		const struct kvm_row *r = &x->rows.data[i];
		const double numbers[] = { r->ns.min, r->ns.max, r->ns.mean, error_percent(r) };
		table_row(t);
		table_set_text(t, 0, strtab_get(&x->names, r->name));
		table_set_count(t, 1, r->ns.n);
		table_set_number(t, 2, percent(r->ns.n, x->samples));
		table_set_number(t, 3, percent(r->total_ns, x->total_ns));
		table_set_count(t, 4, r->total_ns);
		for (size_t j = 0; j < sizeof(numbers) / sizeof(*numbers); j++)
			table_set_number(t, 5 + j, numbers[j]);
	}
}
