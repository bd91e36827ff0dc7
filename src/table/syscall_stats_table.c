#include "table/syscall_stats_table.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

#define MS_PER_NS 1e-6
#define NS_PER_MS 1e6
#define BAR_WIDTH 40
#define STACKS_SHOWN 10 /* per call, in text */

/* ---- one call ---- */

/* The columns of a call, in the same order in both tables. */
enum { NAME, CALLS, ERRORS, TOTAL, LEAST, MEAN, MOST, DEVIATION, CALL_COLUMNS };

static void set_call(struct table *t, size_t first, const struct syscall_stat *row)
{
	table_set_text(t, first + NAME, row->name);
	table_set_count(t, first + CALLS, row->calls);
	table_set_count(t, first + ERRORS, row->errors);
	table_set_count(t, first + TOTAL, row->total_ns);
	table_set_count(t, first + LEAST, row->min_ns);
	table_set_number(t, first + MEAN, syscall_stat_mean_ns(row));
	table_set_count(t, first + MOST, row->max_ns);
	table_set_number(t, first + DEVIATION, syscall_stat_error_percent(row));
}

/* ---- as text ---- */

static void add_block_columns(struct table *t)
{
	static const struct table_column columns[] = {
		[NAME] = { "syscall", NULL, TABLE_TEXT, .width = 15, .is_fixed = true },
		[CALLS] = { "calls", NULL, TABLE_COUNT, .width = 8, .is_fixed = true },
		[ERRORS] = { "errors", NULL, TABLE_COUNT, .width = 6, .is_fixed = true },
		[TOTAL] = { "total_ns", NULL, TABLE_COUNT, 3, .scale = MS_PER_NS, .width = 9, .is_fixed = true },
		[LEAST] = { "min_ns", NULL, TABLE_COUNT, 3, .scale = MS_PER_NS, .width = 9, .is_fixed = true },
		[MEAN] = { "mean_ns", NULL, TABLE_NUMBER, 3, .scale = MS_PER_NS, .width = 9, .is_fixed = true },
		[MOST] = { "max_ns", NULL, TABLE_COUNT, 3, .scale = MS_PER_NS, .width = 9, .is_fixed = true },
		[DEVIATION] = { "error_percent", NULL, TABLE_NUMBER, 2, .width = 10, .is_fixed = true },
	};
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(t, columns[i]);
}

/* "512ns", "4us", "1ms": powers of two of nanoseconds, rounded down to their unit. */
static void add_bound(struct strbuf *b, unsigned slot)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned unit = 0;
	uint64_t v = slot ? 1ULL << slot : 0;
	for (; v >= 1024 && unit < 3; unit++)
		v >>= 10;
	strbuf_addf(b, "%4llu%-2s", (unsigned long long)v, units[unit]);
}

static void add_histogram(struct table *t, const struct syscall_stat *row)
{
	unsigned first = SYSCALL_STATS_SLOTS, last = 0;
	uint64_t most = 1;
	for (unsigned i = 0; i < SYSCALL_STATS_SLOTS; i++) {
		if (!row->slot[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = row->slot[i] > most ? row->slot[i] : most;
	}
	_cleanup_strbuf_ struct strbuf b = {};
	for (unsigned i = first; i <= last; i++) {
		strbuf_reset(&b);
		strbuf_addstr(&b, "      [");
		add_bound(&b, i);
		strbuf_addstr(&b, " .. ");
		add_bound(&b, i + 1);
		strbuf_addf(&b, ") %9llu%s", (unsigned long long)row->slot[i], row->slot[i] ? " " : "");
		for (size_t n = (size_t)((double)row->slot[i] * BAR_WIDTH / (double)most); n; n--)
			strbuf_addch(&b, '#');
		table_line(t, "%s", strbuf_str(&b));
	}
}

static void add_errnos(struct table *t, const struct syscall_stat *row)
{
	for (size_t i = 0; i < row->errnos.len; i++) {
		const struct syscall_errno_count *e = &row->errnos.data[i];
		const char *name = strerrorname_np((int)e->errnum);
		if (name)
			table_line(t, "\t\t\t\t%s: %llu", name, (unsigned long long)e->calls);
		else
			table_line(t, "\t\t\t\t%u: %llu", e->errnum, (unsigned long long)e->calls);
	}
}

/* Those with the longest total time. */
static void add_stacks(struct table *t, const struct syscall_stat *row)
{
	struct syscall_stack rest = {};
	for (size_t i = 0; i < row->stacks.len; i++) {
		const struct syscall_stack *s = &row->stacks.data[i];
		if (i >= STACKS_SHOWN) {
			rest.nr++;
			rest.calls += s->calls;
			rest.errors += s->errors;
			rest.total_ns += s->total_ns;
			continue;
		}
		table_line(t, "   %15s %8llu %6llu %9.3f", "", (unsigned long long)s->calls, (unsigned long long)s->errors,
			   (double)s->total_ns * MS_PER_NS);
		for (uint32_t k = 0; k < s->nr; k++)
			table_line(t, "      %s", s->functions[k]);
	}
	if (rest.nr)
		table_line(t, "   %15s %8llu %6llu %9.3f in %u other stacks", "", (unsigned long long)rest.calls,
			   (unsigned long long)rest.errors, (double)rest.total_ns * MS_PER_NS, rest.nr);
}

static void add_block_row(struct table *t, const struct syscall_stat *row, struct syscall_stats_style style)
{
	table_row(t);
	set_call(t, 0, row);
	table_show(t, DEVIATION, "%.2f%%", syscall_stat_error_percent(row));
	if (style.errnos)
		add_errnos(t, row);
	if (style.histograms)
		add_histogram(t, row);
	add_stacks(t, row);
}

static void add_title(struct table *t, const struct syscall_stats *s, const struct syscall_thread *thread)
{
	_cleanup_strbuf_ struct strbuf b = {};
	strbuf_addf(&b, " %s", s->by == SYSCALL_STATS_BY_NOTHING ? "total" : thread->cgroup ? thread->cgroup : thread->comm);
	if (s->by == SYSCALL_STATS_BY_THREAD && !thread->is_others)
		strbuf_addf(&b, " (%u)", thread->tid);
	strbuf_addf(&b, ", %llu events", (unsigned long long)thread->events);
	if (s->by != SYSCALL_STATS_BY_NOTHING)
		strbuf_addf(&b, ", %.1f%%", s->events ? 100.0 * (double)thread->events / (double)s->events : 0.0);
	if (thread->has_sched)
		strbuf_addf(&b, ", %.3f msec, waited %.3f msec", (double)thread->ran_ns / NS_PER_MS, (double)thread->waited_ns / NS_PER_MS);
	table_head(t, "%s", strbuf_str(&b));
	table_head(t, "%s", "");
}

void syscall_stats_fill_block(struct table *t, const struct syscall_stats *s, const struct syscall_thread *thread,
			      struct syscall_stats_style style)
{
	table_init(t, "strobe-trace-summary", 1);
	t->layout = (struct table_layout){ .row = "   ", .gap = " ", .has_no_titles = true, .blank_lines = 2 };
	add_title(t, s, thread);
	/* perf's titles, which are not aligned with their columns. */
	table_head(t, "   syscall            calls  errors  total       min       avg       max       stddev");
	table_head(t, "                                     (msec)    (msec)    (msec)    (msec)        (%%)");
	table_head(t, "   --------------- --------  ------ -------- --------- --------- ---------     ------");
	add_block_columns(t);
	for (size_t i = 0; i < thread->rows.len && (!style.max_rows || i < style.max_rows); i++)
		add_block_row(t, &thread->rows.data[i], style);
}

/* ---- as data ---- */

enum {
	TREE_CGROUP, TREE_COMM, TREE_TID, TREE_PID, TREE_EVENTS, TREE_RAN, TREE_WAITED,
	TREE_CALL, TREE_ERRNOS = TREE_CALL + CALL_COLUMNS, TREE_SLOTS, TREE_FUNCTIONS,
};

static void add_tree_columns(struct table *t)
{
	static const struct table_column columns[] = {
		[TREE_CGROUP] = { "cgroup", NULL, TABLE_TEXT },        [TREE_COMM] = { "comm", NULL, TABLE_TEXT },
		[TREE_TID] = { "tid", NULL, TABLE_COUNT },             [TREE_PID] = { "pid", NULL, TABLE_COUNT },
		[TREE_EVENTS] = { "events", NULL, TABLE_COUNT },       [TREE_RAN] = { "ran_ns", NULL, TABLE_COUNT },
		[TREE_WAITED] = { "waited_ns", NULL, TABLE_COUNT },    [TREE_CALL + NAME] = { "syscall", NULL, TABLE_TEXT },
		[TREE_CALL + CALLS] = { "calls", NULL, TABLE_COUNT },  [TREE_CALL + ERRORS] = { "errors", NULL, TABLE_COUNT },
		[TREE_CALL + TOTAL] = { "total_ns", NULL, TABLE_COUNT }, [TREE_CALL + LEAST] = { "min_ns", NULL, TABLE_COUNT },
		[TREE_CALL + MEAN] = { "mean_ns", NULL, TABLE_NUMBER }, [TREE_CALL + MOST] = { "max_ns", NULL, TABLE_COUNT },
		[TREE_CALL + DEVIATION] = { "error_percent", NULL, TABLE_NUMBER },
		[TREE_ERRNOS] = { "errnos", NULL, TABLE_ITEMS },       [TREE_SLOTS] = { "log2_ns", NULL, TABLE_SERIES },
		[TREE_FUNCTIONS] = { "functions", NULL, TABLE_ITEMS, .items = TABLE_ITEMS_LIST },
	};
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		struct table_column c = columns[i];
		c.is_optional = true; /* threads and calls have different columns */
		table_column(t, c);
	}
}

static void add_tree_thread(struct table *t, const struct syscall_stats *s, const struct syscall_thread *thread)
{
	table_row(t);
	if (s->by == SYSCALL_STATS_BY_CGROUP) {
		table_set_text(t, TREE_CGROUP, thread->cgroup ? thread->cgroup : "");
	} else if (s->by == SYSCALL_STATS_BY_THREAD) {
		table_set_text(t, TREE_COMM, thread->comm);
		table_set_count(t, TREE_TID, thread->tid);
		table_set_count(t, TREE_PID, thread->pid);
	}
	table_set_count(t, TREE_EVENTS, thread->events);
	if (thread->has_sched) {
		table_set_count(t, TREE_RAN, thread->ran_ns);
		table_set_count(t, TREE_WAITED, thread->waited_ns);
	}
}

static void set_errnos(struct table *t, const struct syscall_stat *row)
{
	VEC(struct table_item) counts = {};
	for (size_t i = 0; i < row->errnos.len; i++) {
		const char *name = strerrorname_np((int)row->errnos.data[i].errnum);
		vec_push(&counts, ((struct table_item){ name ? name : "unknown", row->errnos.data[i].calls }));
	}
	if (counts.len)
		table_set_items(t, TREE_ERRNOS, counts.data, (uint32_t)counts.len);
	vec_deinit(&counts);
}

static void set_slots(struct table *t, const struct syscall_stat *row)
{
	double slots[SYSCALL_STATS_SLOTS];
	uint32_t n = 0;
	for (uint32_t i = 0; i < SYSCALL_STATS_SLOTS; i++) {
		slots[i] = (double)row->slot[i];
		n = row->slot[i] ? i + 1 : n;
	}
	table_set_series(t, TREE_SLOTS, slots, n);
}

static void add_tree_stack(struct table *t, const struct syscall_stack *s)
{
	struct table_item *items = arena_new_array(&t->arena, struct table_item, s->nr + 1);
	for (uint32_t i = 0; i < s->nr; i++)
		items[i] = (struct table_item){ .text = s->functions[i] };
	table_child(t, 2);
	table_set_count(t, TREE_CALL + CALLS, s->calls);
	table_set_count(t, TREE_CALL + ERRORS, s->errors);
	table_set_count(t, TREE_CALL + TOTAL, s->total_ns);
	table_set_items(t, TREE_FUNCTIONS, items, s->nr);
}

static void add_tree_call(struct table *t, const struct syscall_stat *row)
{
	table_child(t, 1);
	set_call(t, TREE_CALL, row);
	set_errnos(t, row);
	set_slots(t, row);
	for (size_t i = 0; i < row->stacks.len; i++)
		add_tree_stack(t, &row->stacks.data[i]);
}

void syscall_stats_fill_tree(struct table *t, const struct syscall_stats *s)
{
	static const char *const modes[] = { "thread", "total", "cgroup" };
	table_init(t, "strobe-trace-summary", 1);
	t->children_key = "syscalls";
	t->grandchildren_key = "stacks";
	t->has_no_notes = true;
	t->depth = 1; /* a thread has its list of calls, even if it is empty */
	table_fact(t, "by", "%s", modes[s->by]);
	table_fact_number(t, "events", (double)s->events, "%llu", (unsigned long long)s->events);
	add_tree_columns(t);
	size_t rows = s->threads.len;
	for (size_t i = 0; i < s->threads.len; i++)
		rows += s->threads.data[i].rows.len;
	table_reserve(t, rows);
	for (size_t i = 0; i < s->threads.len; i++) {
		const struct syscall_thread *thread = &s->threads.data[i];
		add_tree_thread(t, s, thread);
		for (size_t k = 0; k < thread->rows.len; k++)
			add_tree_call(t, &thread->rows.data[k]);
	}
}
