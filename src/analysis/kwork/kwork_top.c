#include "analysis/kwork/kwork_top.h"

#include <inttypes.h>
#include <string.h>

#include "base/sort.h"
#include "base/u64map.h"

#define BARS_WIDTH 30
#define BARS       "||||||||||||||||||||||||||||||"
#define RULE       "  ----------------------------------------------------"

void kwork_top_deinit(struct kwork_top *t)
{
	kwork_works_deinit(&t->rows);
	vec_deinit(&t->cpus);
}

static struct kwork_top_cpu *cpu_of(struct kwork_top *t, uint32_t cpu)
{
	while (t->cpus.len <= cpu)
		vec_push(&t->cpus, ((struct kwork_top_cpu){}));
	return &t->cpus.data[cpu];
}

/* Subtracts the time of interrupts from the interrupted task. */
static void take_interrupts(struct kwork_top *t, const struct kwork_works *works, struct kwork_work *task, enum kwork_kind kind)
{
	uint32_t at = kwork_works_lookup(works, kind, task->cpu, task->id);
	uint64_t ns = at == IDSET_NONE ? 0 : works->works.data[at].total_ns;
	if (at == IDSET_NONE || task->total_ns <= ns)
		return;
	struct kwork_top_cpu *c = cpu_of(t, task->cpu);
	task->total_ns -= ns;
	*(kind == KWORK_IRQ ? &c->irq_ns : &c->softirq_ns) += ns;
}

static void add_usage(struct kwork_top *t, const struct kwork_works *works, struct kwork_work *task)
{
	struct kwork_top_cpu *c = cpu_of(t, task->cpu);
	c->is_used = true;
	take_interrupts(t, works, task, KWORK_IRQ);
	take_interrupts(t, works, task, KWORK_SOFTIRQ);
	task->usage = (uint32_t)(task->total_ns * 10000 / c->total_ns);
	if (!task->id)
		c->idle_ns += task->total_ns;
}

/* A task that ran on several CPUs is one row, with its name on the first of these. */
static void add_row(struct kwork_top *t, struct u64map *rows, const struct kwork_work *task)
{
	bool is_new;
	uint64_t *at = u64map_put(rows, task->id ? task->id : UINT64_C(1) << 63 | task->cpu, &is_new);
	if (is_new) {
		*at = t->rows.works.len;
		vec_push(&t->rows.works, ((struct kwork_work){ .kind = KWORK_SCHED, .cpu = task->cpu, .id = task->id,
							       .name = task->name }));
	}
	struct kwork_work *row = &t->rows.works.data[*at];
	row->total_ns += task->total_ns;
	row->usage += task->usage;
	if (task->id)
		cpu_of(t, task->cpu)->load_ns += task->total_ns;
}

/* CPUs in descending order, as in perf. */
static void add_rows(struct kwork_top *t, const struct kwork_works *works, const char *name)
{
	VEC(struct sort_pair) order = {};
	struct u64map rows = {};
	for (size_t i = 0; i < works->works.len; i++) {
		const struct kwork_work *w = &works->works.data[i];
		bool is_chosen = !name || !w->name || !strcmp(w->name, name);
		if (w->kind == KWORK_SCHED && is_chosen)
			vec_push(&order, ((struct sort_pair){ ~((uint64_t)w->cpu << 32 | (w->id & UINT32_MAX)), i }));
	}
	sort_pairs(order.data, order.len);
	for (size_t i = 0; i < order.len; i++)
		add_row(t, &rows, &works->works.data[order.data[i].value]);
	u64map_deinit(&rows);
	vec_deinit(&order);
}

void kwork_top_make(struct kwork_top *t, struct kwork_works *works, const struct kwork_question *q)
{
	*t = (struct kwork_top){};
	for (size_t i = 0; i < works->works.len; i++)
		if (works->works.data[i].kind == KWORK_SCHED)
			cpu_of(t, works->works.data[i].cpu)->total_ns += works->works.data[i].total_ns;
	for (size_t i = 0; i < works->works.len; i++)
		if (works->works.data[i].kind == KWORK_SCHED && works->works.data[i].total_ns)
			add_usage(t, works, &works->works.data[i]);
	add_rows(t, works, q->name);
	kwork_works_sort(&t->rows, q);
}

/* ---- the table ---- */

static struct kwork_top_cpu sum_cpus(const struct kwork_top *t, uint32_t *ret_nr)
{
	struct kwork_top_cpu sum = {};
	*ret_nr = 0;
	for (size_t i = 0; i < t->cpus.len; i++) {
		const struct kwork_top_cpu *c = &t->cpus.data[i];
		sum.total_ns += c->total_ns;
		sum.idle_ns += c->idle_ns;
		sum.irq_ns += c->irq_ns;
		sum.softirq_ns += c->softirq_ns;
		*ret_nr += c->is_used;
	}
	return sum;
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? (double)part * 100 / (double)all : 0;
}

static void add_cpus(struct table *table, const struct kwork_top *t)
{
	uint32_t nr;
	struct kwork_top_cpu sum = sum_cpus(t, &nr);
	table_head(table, "%s", "");
	table_head(table, "Total  : %10.3f ms, %u cpus", (double)sum.total_ns / 1e6, nr);
	table_head(table, "%%Cpu(s): %6.2f%% id, %6.2f%% hi, %6.2f%% si", percent(sum.idle_ns, sum.total_ns),
		   percent(sum.irq_ns, sum.total_ns), percent(sum.softirq_ns, sum.total_ns));
	for (size_t i = 0; i < t->cpus.len; i++) {
		const struct kwork_top_cpu *c = &t->cpus.data[i];
		if (!c->is_used || !c->total_ns)
			continue;
		uint64_t ratio = c->load_ns * 10000 / c->total_ns;
		int bars = (int)(BARS_WIDTH * ratio / 10000);
		table_head(table, "%%Cpu%-4zu[%.*s%*s %6.2f%%]", i, bars, BARS, BARS_WIDTH - bars, "", (double)ratio / 100);
	}
	table_head(table, "%s", "");
}

void kwork_top_table(struct table *table, const struct kwork_top *t)
{
	table_init(table, "strobe-kwork-top", 1);
	table_column(table, (struct table_column){ .key = "tid", .title = "PID", .type = TABLE_COUNT, .width = 7 });
	table_column(table, (struct table_column){ .key = "comm", .type = TABLE_TEXT, .data_only = true });
	table_column(table, (struct table_column){ .key = "cpu_percent", .title = "%CPU", .type = TABLE_NUMBER, .decimals = 2,
						   .width = 6 });
	table_column(table, (struct table_column){ .key = "runtime_ns", .title = "RUNTIME", .type = TABLE_COUNT, .width = 16 });
	table_column(table, (struct table_column){ .key = "command", .title = "COMMAND", .type = TABLE_TEXT, .text_only = true,
						   .width = 16, .is_fixed = true });
	table->layout = (struct table_layout){ .after_rule = RULE, .has_blank_ends = true, .blank_lines = 1 };
	add_cpus(table, t);
	for (size_t i = 0; i < t->rows.works.len; i++) {
		const struct kwork_work *r = &t->rows.works.data[i];
		const char *name = r->name ? r->name : "";
		if (!r->total_ns)
			continue;
		table_row(table);
		table_set_count(table, 0, r->id);
		table_set_text(table, 1, name);
		table_set_number(table, 2, (double)r->usage / 100);
		table_set_count(table, 3, r->total_ns);
		table_show(table, 3, "%13.3f ms", (double)r->total_ns / 1e6);
		table_set_text(table, 4, name);
	}
}
