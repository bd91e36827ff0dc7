#include "analysis/sched/sched_sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void sched_sums_deinit(struct sched_sums *s)
{
	vec_deinit(&s->rows);
	arena_deinit(&s->arena);
}

struct sched_sum *sched_sums_add(struct sched_sums *s, const char *comm, uint32_t tid)
{
	vec_push(&s->rows, ((struct sched_sum){ .comm = comm, .tid = tid, .threads = 1 }));
	return &vec_last(&s->rows);
}

static uint32_t *delays_of(struct sched_sums *s, struct sched_sum *row)
{
	if (!row->delays)
		row->delays = arena_new_array(&s->arena, uint32_t, SCHED_DELAY_BUCKETS);
	return row->delays;
}

void sched_sums_delay(struct sched_sums *s, struct sched_sum *row, uint64_t ns)
{
	delays_of(s, row)[sched_delay_bucket(ns)]++;
}

void sched_sum_join(struct sched_sums *s, struct sched_sum *to, const struct sched_sum *from)
{
	to->threads += from->threads;
	to->runtime_ns += from->runtime_ns;
	to->count += from->count;
	to->delay_ns += from->delay_ns;
	if (to->max_ns < from->max_ns) {
		to->max_ns = from->max_ns;
		to->max_start_ns = from->max_start_ns;
		to->max_end_ns = from->max_end_ns;
	}
	for (int i = 0; i < TASK_STATES; i++)
		to->ns[i] += from->ns[i];
	for (unsigned i = 0; from->delays && i < SCHED_DELAY_BUCKETS; i++)
		delays_of(s, to)[i] += from->delays[i];
}

/* ---- order ---- */

static uint64_t average(const struct sched_sum *r)
{
	return r->count ? r->delay_ns / r->count : 0;
}

static uint64_t get_avg(const struct sched_sum *r)
{
	return average(r);
}

static uint64_t get_max(const struct sched_sum *r)
{
	return r->max_ns;
}

static uint64_t get_switch(const struct sched_sum *r)
{
	return r->count;
}

static uint64_t get_runtime(const struct sched_sum *r)
{
	return r->runtime_ns;
}

static uint64_t get_pid(const struct sched_sum *r)
{
	return r->tid;
}

static const struct key {
	const char *name;
	uint64_t (*get)(const struct sched_sum *r);
} keys_known[] = {
	{ "avg", get_avg }, { "max", get_max }, { "switch", get_switch }, { "runtime", get_runtime }, { "pid", get_pid },
};
#define KEYS (sizeof(keys_known) / sizeof(*keys_known))

struct key_list {
	const struct key *keys[2 * KEYS];
	size_t nr;
	int (*rest)(const void *a, const void *b); /* the order of rows whose keys are equal */
};

static struct strobe_error *parse_keys(const char *text, struct key_list *ret)
{
	while (*(text += strspn(text, ", "))) {
		size_t n = strcspn(text, ", ");
		const struct key *found = NULL;
		for (size_t i = 0; i < KEYS; i++)
			if (!strncmp(keys_known[i].name, text, n) && !keys_known[i].name[n])
				found = &keys_known[i];
		if (!found)
			return error_create(ERROR_USAGE, "unknown sort key '%.*s': expected avg, max, switch, runtime, pid", (int)n, text);
		if (ret->nr == sizeof(ret->keys) / sizeof(*ret->keys))
			return error_create(ERROR_USAGE, "too many sort keys");
		ret->keys[ret->nr++] = found;
		text += n;
	}
	return NULL;
}

struct strobe_error *sched_sums_check(const char *keys)
{
	struct key_list list = {};
	return parse_keys(keys, &list);
}

static int by_name(const void *a, const void *b)
{
	const struct sched_sum *x = a, *y = b;
	int order = -strcmp(x->comm, y->comm);
	return order ? order : x->tid < y->tid ? 1 : x->tid > y->tid ? -1 : 0;
}

static int by_tid(const void *a, const void *b)
{
	const struct sched_sum *x = a, *y = b;
	return x->tid < y->tid ? 1 : x->tid > y->tid ? -1 : by_name(a, b);
}

static int by_keys(const void *a, const void *b, void *ctx)
{
	const struct key_list *list = ctx;
	for (size_t i = 0; i < list->nr; i++) {
		uint64_t x = list->keys[i]->get(a), y = list->keys[i]->get(b);
		if (x != y)
			return x < y ? 1 : -1;
	}
	return list->rest(a, b);
}

void sched_sums_merge(struct sched_sums *s)
{
	size_t n = 0;
	s->is_merged = true;
	if (s->rows.len)
		qsort(s->rows.data, s->rows.len, sizeof(*s->rows.data), by_name);
	for (size_t i = 0; i < s->rows.len; i++) {
		if (n && !strcmp(s->rows.data[n - 1].comm, s->rows.data[i].comm))
			sched_sum_join(s, &s->rows.data[n - 1], &s->rows.data[i]);
		else
			s->rows.data[n++] = s->rows.data[i];
	}
	s->rows.len = n;
}

void sched_sums_sort(struct sched_sums *s, const char *keys)
{
	struct key_list list = { .rest = s->is_merged ? by_name : by_tid };
	size_t n = 0;
	error_destroy(parse_keys(keys, &list));
	for (size_t i = 0; i < s->rows.len; i++)
		if (s->rows.data[i].count && strcmp(s->rows.data[i].comm, "swapper") != 0)
			s->rows.data[n++] = s->rows.data[i];
	s->rows.len = n;
	if (n)
		qsort_r(s->rows.data, n, sizeof(*s->rows.data), by_keys, &list);
}

/* ---- perf's table ---- */

#define RULE_10 "----------"
#define RULE_50 RULE_10 RULE_10 RULE_10 RULE_10 RULE_10
#define RULE_51 " " RULE_50 "-"
#define RULE_113 RULE_51 RULE_50 RULE_10 "--"
#define RULE_139 RULE_51 RULE_50 RULE_10 RULE_10 RULE_10 "--------"

static void show_ms(struct table *t, size_t column, const char *what, int width, uint64_t ns)
{
	table_show(t, column, "%s%*.3f ms ", what, width, (double)ns / 1e6);
}

static void show_s(struct table *t, size_t column, const char *what, uint64_t ns)
{
	table_show(t, column, "%s%5" PRIu64 ".%06" PRIu64 " s ", what, ns / 1000000000, ns / 1000 % 1000000);
}

static void show_row(struct table *t, const struct sched_sum *r)
{
	table_row(t);
	table_show(t, 0, r->threads > 1 ? "%s:(%u) " : "%s:%u ", r->comm, r->threads > 1 ? r->threads : r->tid);
	show_ms(t, 1, "", 11, r->runtime_ns);
	table_show(t, 2, "%9" PRIu64 " ", r->count);
	show_ms(t, 3, " avg:", 8, average(r));
	show_ms(t, 4, " max:", 8, r->max_ns);
	show_s(t, 5, " max start: ", r->max_start_ns);
	show_s(t, 6, " max end: ", r->max_end_ns);
}

void sched_sums_text(struct table *t, const struct sched_sums *s)
{
	static const char *const titles[] = { "Task                  ", "   Runtime ms  ", "  Count   ", " Avg delay ms    ",
					      " Max delay ms    ", " Max delay start           ", " Max delay end          |" };
	uint64_t runtime_ns = 0, count = 0;
	table_init(t, "strobe-sched-latency-text", 1);
	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
		table_column(t, (struct table_column){ .key = titles[i], .type = TABLE_TEXT, .is_fixed = true });
	t->layout = (struct table_layout){ .gap = "|", .after_rule = RULE_139, .after_rows = RULE_113 };
	table_head(t, "%s", "");
	table_head(t, RULE_139);
	for (size_t i = 0; i < s->rows.len; i++) {
		show_row(t, &s->rows.data[i]);
		runtime_ns += s->rows.data[i].runtime_ns;
		count += s->rows.data[i].count;
	}
	table_foot(t, "  TOTAL:                |%11.3f ms |%9" PRIu64 " |", (double)runtime_ns / 1e6, count);
	table_foot(t, RULE_51);
}

/* ---- data ---- */

static const struct percentile {
	const char *key, *title;
	double share;
} percentiles[] = {
	{ "p50_delay_ns", "p50", 0.5 },
	{ "p90_delay_ns", "p90", 0.9 },
	{ "p99_delay_ns", "p99", 0.99 },
	{ "p999_delay_ns", "p99.9", 0.999 },
};
#define PERCENTILES (sizeof(percentiles) / sizeof(*percentiles))

static size_t add_time(struct table *t, const char *key, const char *title, bool data_only)
{
	return table_column(t, (struct table_column){ .key = key, .title = title, .type = TABLE_COUNT, .unit = "ms", .scale = 1e-6,
						      .decimals = 3, .data_only = data_only });
}

static void add_state_columns(struct table *t)
{
	static const char *const keys[TASK_DEAD] = { "unknown_ns", "running_ns", "runnable_ns", "sleeping_ns", "uninterruptible_ns",
						     "stopped_ns" };
	for (int i = 1; i <= TASK_DEAD; i++)
		add_time(t, keys[i % TASK_DEAD], task_state_name((enum task_state)(i % TASK_DEAD)), false);
	for (size_t i = 0; i < PERCENTILES; i++)
		add_time(t, percentiles[i].key, percentiles[i].title, false);
}

static void add_columns(struct table *t, bool has_states)
{
	table_column(t, (struct table_column){ .key = "comm", .title = "task", .type = TABLE_TEXT });
	table_column(t, (struct table_column){ .key = "tid", .type = TABLE_COUNT, .data_only = true });
	table_column(t, (struct table_column){ .key = "threads", .type = TABLE_COUNT });
	table_column(t, (struct table_column){ .key = "switches", .type = TABLE_COUNT, .data_only = true });
	add_time(t, "runtime_ns", NULL, true);
	add_time(t, "avg_delay_ns", NULL, true);
	if (has_states)
		add_state_columns(t);
	add_time(t, "max_delay_ns", "max", false);
	add_time(t, "max_delay_start_ns", NULL, true);
	add_time(t, "max_delay_end_ns", NULL, true);
	if (has_states)
		table_column(t, (struct table_column){ .key = "delays", .title = "delays (1 ns, 2, 4 ... 18 minutes)",
						       .type = TABLE_SERIES, .width = 41 });
}

/* One number for each power of two: 1 ns, 2, 4, 8 … */
static void set_delays(struct table *t, size_t column, const uint32_t *delays)
{
	double octaves[SCHED_DELAY_BUCKETS / 4 + 1] = {};
	for (unsigned i = 0; i < SCHED_DELAY_BUCKETS; i++)
		octaves[i < 4 ? (i > 1) : i / 4 + 1] += delays[i];
	table_set_series(t, column, octaves, SCHED_DELAY_BUCKETS / 4 + 1);
}

static size_t set_states(struct table *t, size_t column, const struct sched_sum *r, const uint32_t *delays)
{
	for (int i = 1; i <= TASK_DEAD; i++)
		table_set_count(t, column++, r->ns[i % TASK_DEAD]);
	for (size_t i = 0; i < PERCENTILES; i++)
		table_set_count(t, column++, sched_delay_percentile(delays, percentiles[i].share, r->max_ns));
	return column;
}

static void set_row(struct table *t, const struct sched_sum *r, bool has_states)
{
	static const uint32_t none[SCHED_DELAY_BUCKETS];
	const uint32_t *delays = r->delays ? r->delays : none;
	size_t column = 6;
	table_set_text(t, 0, r->comm);
	if (r->threads == 1)
		table_set_count(t, 1, r->tid);
	table_set_count(t, 2, r->threads);
	table_set_count(t, 3, r->count);
	table_set_count(t, 4, r->runtime_ns);
	table_set_count(t, 5, average(r));
	if (has_states)
		column = set_states(t, column, r, delays);
	table_set_count(t, column++, r->max_ns);
	table_set_count(t, column++, r->max_start_ns);
	table_set_count(t, column++, r->max_end_ns);
	if (has_states)
		set_delays(t, column, delays);
}

void sched_sums_table(struct table *t, const struct sched_sums *s)
{
	table_init(t, "strobe-sched-latency", 1);
	add_columns(t, s->has_states);
	for (size_t i = 0; i < s->rows.len; i++) {
		table_row(t);
		set_row(t, &s->rows.data[i], s->has_states);
	}
}
