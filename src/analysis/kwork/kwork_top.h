/*
 * `kwork top`: the CPU time of tasks, without that of interrupts.
 *
 * Names are borrowed. Times in nanoseconds. One thread. Source of rules and text: perf 7.2.
 */
#pragma once
#include "analysis/kwork/kwork_works.h"
#include "base/out.h"
#include "table/table.h"

struct kwork_top_cpu {
	uint64_t total_ns, load_ns, idle_ns, irq_ns, softirq_ns;
	bool is_used;
};

struct kwork_top {
	struct kwork_works rows;  /* tasks, sorted; an idle task for each CPU */
	VEC(struct kwork_top_cpu) cpus;
};

/* works: of the report KWORK_TOP; the times of tasks in it are changed. */
void kwork_top_make(struct kwork_top *t, struct kwork_works *works, const struct kwork_question *q);
void kwork_top_deinit(struct kwork_top *t);
void kwork_top_table(struct table *table, const struct kwork_top *t);
