#include "dump/facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64map.h"
#include "table/table.h"
#include "view/text/table_text.h"

enum { STAT_NAME, STAT_LABEL, STAT_EVENTS, STAT_SHARE };

/* "              SAMPLE events:        312  (71.4%)" */
static void begin_stats(struct table *t)
{
	table_init(t, "strobe-report-stats", 1);
	t->layout = (struct table_layout){ .row = "", .gap = " ", .has_no_titles = true };
	table_column(t, (struct table_column){ "name", NULL, TABLE_TEXT, .width = 20, .align = TABLE_ALIGN_RIGHT });
	table_column(t, (struct table_column){ "label", NULL, TABLE_TEXT, .text_only = true });
	table_column(t, (struct table_column){ "events", NULL, TABLE_COUNT, .width = 10 });
	table_column(t, (struct table_column){ "percent", NULL, TABLE_NUMBER });
}

static void add_stat(struct table *t, const char *name, uint64_t events)
{
	table_row(t);
	table_set_text(t, STAT_NAME, name);
	table_set_text(t, STAT_LABEL, "events:");
	table_set_count(t, STAT_EVENTS, events);
}

static void add_part(struct table *t, const char *name, uint64_t events, uint64_t total)
{
	double share = 100.0 * (double)events / (double)total;
	if (!events)
		return;
	add_stat(t, name, events);
	table_set_number(t, STAT_SHARE, share);
	table_show(t, STAT_SHARE, " (%4.1f%%)", share);
}

static void end_stats(struct out *out, struct table *t)
{
	table_text(out, t, NULL);
	table_deinit(t);
}

void facts_stats(struct out *out, const struct env *env, const struct resolve_stats *stats, bool skip_empty)
{
	uint64_t total = stats->unknown_records;
	struct table t;
	for (uint32_t i = 1; i < RECORD_TYPE_LIMIT; i++)
		total += stats->records[i];
	begin_stats(&t);
	table_head(&t, "%s", "");
	table_head(&t, "Aggregated stats:");
	add_stat(&t, "TOTAL", total);
	for (uint32_t i = 1; i < RECORD_TYPE_LIMIT; i++)
		if (record_type_name(i))
			add_part(&t, record_type_name(i), stats->records[i], total);
	add_part(&t, "UNKNOWN", stats->unknown_records, total);
	end_stats(out, &t);
	for (uint32_t i = 0; i < stats->events_nr && i < env->events.len; i++) {
		const struct resolve_event_stats *e = &stats->events[i];
		if (skip_empty && !e->samples && !e->lost_samples)
			continue;
		begin_stats(&t);
		table_head(&t, "%s stats:", env->events.data[i].name);
		if (e->samples || !skip_empty)
			add_stat(&t, "SAMPLE", e->samples);
		if (e->lost_samples)
			add_stat(&t, "LOST_SAMPLES", e->lost_samples);
		end_stats(out, &t);
	}
}

static int compare_reads(const void *a, const void *b)
{
	const struct thread_read *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Threads in the order of their first READ record, as in perf. */
static void rank_reads(struct thread_read *reads, size_t n)
{
	struct u64map ranks = {};
	for (size_t i = 0; i < n; i++) {
		bool is_new;
		uint64_t *rank = u64map_put(&ranks, (uint64_t)reads[i].pid << 32 | reads[i].tid, &is_new);
		if (is_new)
			*rank = ranks.used;
		reads[i].rank = (uint32_t)*rank;
	}
	u64map_deinit(&ranks);
	qsort(reads, n, sizeof(*reads), compare_reads);
}

static void begin_reads(struct table *t)
{
	table_init(t, "strobe-report-reads", 1);
	t->layout = (struct table_layout){ .head = "# " };
	table_column(t, (struct table_column){ "pid", "PID", TABLE_COUNT });
	table_column(t, (struct table_column){ "tid", "TID", TABLE_COUNT });
}

/* One line for each thread, one column for each event. */
static void fill_reads(struct table *t, const struct env *env, const struct thread_read *all, size_t n)
{
	for (size_t e = 0; n && e < env->events.len; e++)
		table_column(t, (struct table_column){ env->events.data[e].name, NULL, TABLE_COUNT });
	for (size_t from = 0, to; from < n; from = to) {
		table_row(t);
		table_set_count(t, 0, all[from].pid);
		table_set_count(t, 1, all[from].tid);
		for (size_t e = 0; e < env->events.len; e++)
			table_set_count(t, 2 + e, 0);
		for (to = from; to < n && all[to].rank == all[from].rank; to++)
			table_set_count(t, 2 + all[to].event, all[to].value);
	}
}

/* --pretty raw: one line for each thread and event. perf calls the number of the event "Raw", and forgets to end the lines. */
static void fill_raw_reads(struct table *t, const struct env *env, const struct thread_read *all, size_t n)
{
	table_column(t, (struct table_column){ "name", "Name", TABLE_TEXT, .align = TABLE_ALIGN_RIGHT });
	table_column(t, (struct table_column){ "event", "Raw", TABLE_COUNT });
	table_column(t, (struct table_column){ "count", "Count", TABLE_COUNT });
	for (size_t i = 0; i < n; i++) {
		table_row(t);
		table_set_count(t, 0, all[i].pid);
		table_set_count(t, 1, all[i].tid);
		table_set_text(t, 2, env->events.data[all[i].event].name);
		table_set_count(t, 3, all[i].event);
		table_show(t, 3, "%" PRIx32, all[i].event);
		table_set_count(t, 4, all[i].value);
	}
}

void facts_reads(struct out *out, const struct env *env, const struct thread_reads *reads, bool raw)
{
	struct thread_read *sums = xmemdup(reads->all.data, reads->all.len * sizeof(*sums));
	size_t n = 0;
	rank_reads(sums, reads->all.len);
	for (size_t i = 0; i < reads->all.len; i++)
		if (n && !compare_reads(&sums[n - 1], &sums[i]))
			sums[n - 1].value += sums[i].value;
		else
			sums[n++] = sums[i];
	struct table t;
	begin_reads(&t);
	(raw ? fill_raw_reads : fill_reads)(&t, env, sums, n);
	table_text(out, &t, NULL);
	table_deinit(&t);
	free(sums);
}

struct task {
	const struct thread *thread;
	uint32_t parent; /* index + 1 of the task it descends from; 0 = none */
	uint32_t first, last, next; /* children and siblings, index + 1 */
	unsigned depth;
	bool listed;
};

#define DEPTH_MAX 500 /* of the indent */

struct tasks {
	struct out *out;
	struct machine *machine;
	struct task *all;
	uint32_t nr;
	bool with_maps;
	unsigned depth;
};

/* The identity of a file in its record: inode or build ID. */
static void print_identity(struct out *out, const struct mapped_file *f)
{
	bool by_id = !f->ino && f->build_id_len;
	for (uint32_t i = 0; by_id && i < f->build_id_len; i++)
		out_hex_width(out, f->build_id[i], 2, '0');
	if (!by_id)
		out_u64(out, f->ino);
}

static bool print_map(void *ctx, const struct map *m)
{
	struct tasks *t = ctx;
	out_fill(t->out, ' ', 32 + t->depth);
	out_f(t->out, " %" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " ", m->start, m->end, m->prot & 1 ? 'r' : '-',
	      m->prot & 2 ? 'w' : '-', m->prot & 4 ? 'x' : '-', m->flags & 1 ? 's' : 'p', m->pgoff);
	print_identity(t->out, m->file);
	out_ch(t->out, ' ');
	out_text(t->out, m->file->path, strlen(m->file->path));
	out_ch(t->out, '\n');
	return true;
}

static void print_task(struct tasks *t, uint32_t index)
{
	struct task *task = &t->all[index];
	task->depth = t->depth;
	const struct thread *th = task->thread;
	const char *comm = strtab_get(machine_strings(t->machine), machine_comm(t->machine, th, th->end_ns));
	int ppid = th->tid && task->parent ? (int)th->ppid : -1;
	out_f(t->out, "%10d %8d %8d |", (int)th->pid, (int)th->tid, ppid);
	/* The idle task is the root: all others are below it. */
	out_fill(t->out, ' ', t->depth + (th->tid != 0));
	out_text(t->out, comm, strlen(comm));
	out_ch(t->out, '\n');
	if (t->with_maps)
		machine_each_map(t->machine, th, th->end_ns, print_map, t);
}

/* Prints a family line by line, parents first, without recursion: a recording may have any number of generations. */
static void print_family(struct tasks *t, uint32_t root)
{
	uint32_t at = root;
	for (;;) {
		print_task(t, at);
		if (t->all[at].first) {
			at = t->all[at].first - 1;
			t->depth += t->depth < DEPTH_MAX;
			continue;
		}
		while (at != root && !t->all[at].next) {
			at = t->all[at].parent - 1;
			t->depth = t->all[at].depth;
		}
		if (at == root)
			return;
		at = t->all[at].next - 1;
	}
}

static int compare_tasks(const void *a, const void *b)
{
	const struct thread *x = ((const struct task *)a)->thread, *y = ((const struct task *)b)->thread;
	return x->tid < y->tid ? -1 : x->tid > y->tid ? 1 : x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* Adds a task below its parent, after adding the parent in the same way. */
static void list_task(struct tasks *t, uint32_t i, struct task *roots)
{
	while (!t->all[i].listed) {
		struct task *parent = t->all[i].parent ? &t->all[t->all[i].parent - 1] : roots;
		t->all[i].listed = true;
		if (parent->last)
			t->all[parent->last - 1].next = i + 1;
		else
			parent->first = i + 1;
		parent->last = i + 1;
		if (parent == roots)
			break;
		i = t->all[i].parent - 1;
	}
}

void facts_tasks(struct out *out, struct machine *m, bool with_maps)
{
	struct tasks t = { .out = out, .machine = m, .with_maps = with_maps };
	size_t n = machine_threads_count(m);
	t.all = xcalloc(n + 1, sizeof(*t.all));
	for (size_t i = 0; i < n; i++)
		t.all[t.nr++].thread = machine_thread_at(m, i);
	qsort(t.all, t.nr, sizeof(*t.all), compare_tasks);
	/* The last of several tasks with the same ID. */
	uint32_t kept = 0;
	for (uint32_t i = 0; i < t.nr; i++)
		if (i + 1 == t.nr || t.all[i].thread->tid != t.all[i + 1].thread->tid)
			t.all[kept++] = t.all[i];
	t.nr = kept;
	struct u64map index = {}; /* by tid: index + 1 */
	for (uint32_t i = 0; i < t.nr; i++)
		*u64map_put(&index, t.all[i].thread->tid, NULL) = i + 1;
	for (uint32_t i = 0; i < t.nr; i++) {
		const struct thread *th = t.all[i].thread;
		const uint64_t *parent = th->tid && th->ppid != UINT32_MAX ? u64map_get(&index, th->ppid) : NULL;
		t.all[i].parent = parent && *parent != i + 1 ? (uint32_t)*parent : 0;
	}
	u64map_deinit(&index);
	out_f(out, "# %8s %8s %8s  comm\n", "pid", "tid", "ppid");
	struct task roots = {};
	for (uint32_t i = 0; i < t.nr; i++)
		list_task(&t, i, &roots);
	for (uint32_t i = roots.first; i; i = t.all[i - 1].next)
		print_family(&t, i - 1);
	free(t.all);
}

/* ---- symbols ---- */

static void print_symbol(void *ctx, const struct symbol *sym)
{
	/* STB_LOCAL, STB_GLOBAL, STB_WEAK */
	static const char bindings[] = { 'l', 'g', 'w' };
	char binding = sym->binding < sizeof(bindings) ? bindings[sym->binding] : '?';
	out_f(ctx, " %" PRIx64 "-%" PRIx64 " %c ", sym->start, sym->end, binding);
	out_text(ctx, sym->raw_name, strlen(sym->raw_name));
	out_ch(ctx, '\n');
}

static void print_symbols_of(void *ctx, struct dso *d)
{
	struct dso_facts facts = dso_facts(d);
	if (!facts.loaded)
		return;
	out_str(ctx, "dso: ");
	out_text_str(ctx, facts.long_name ? facts.long_name : "?");
	out_f(ctx, " (%s)\n", facts.source ? facts.source : "no symbols");
	dso_each_symbol(d, print_symbol, ctx);
}

void facts_symbols(struct out *out, struct symbols *symbols)
{
	symbols_each_dso(symbols, print_symbols_of, out);
}
