/* Rows, totals and call trees of a small profile, each computed by hand. */
#include "report/query.h"

#include "view/view_testing.h"

/* Total 100. x: main 0 itself, 75 with callees; b 45 and 45; a 30 and 40; r, which recurses, 0 and 35. y: b 25 and 25. */
static const struct test_sample samples[] = {
	{ "x", "main>a>b", 10 },
	{ "x", "main>a", 30 },
	{ "x", "main>r>r>b", 35 },
	{ "y", "b", 25 },
};
#define SAMPLES_NR (sizeof(samples) / sizeof(*samples))

static const struct report_event apart[] = {
	{ .name = "cycles", .leader = 0, .has_chains = true },
	{ .name = "sched:sched_switch", .leader = 1 },
};
static const struct report_event grouped[] = {
	{ .name = "cycles", .leader = 0, .group_members = 2, .has_chains = true },
	{ .name = "sched:sched_switch", .leader = 0 },
};

struct fixture {
	struct report_grouping grouping;
	struct report_filter filter;
	struct report_query q;
	struct profile *p;
	struct report_built built;
};

/* A test may modify it before run_query(). */
static struct fixture *open_fixture(void)
{
	static struct fixture f;
	f = (struct fixture){ .grouping = report_grouping_defaults(), .p = test_profile(samples, SAMPLES_NR) };
	report_query_init(&f.q, &f.grouping, &f.filter);
	f.q.program = "strobe";
	f.q.events = apart;
	f.q.events_nr = 2;
	f.q.has_chains = true;
	f.grouping.chains.threads = 1;
	return &f;
}

static void run_query(struct fixture *f)
{
	assert_ok(report_choose_columns(&f->q));
	assert_ok(report_filters_create(&f->q));
	assert_ok(report_query_bind(&f->q, f->p));
	report_build_parts(&f->q, f->p, &f->built);
}

static void close_fixture(struct fixture *f)
{
	report_parts_deinit(&f->q, &f->built);
	report_query_deinit(&f->q);
	profile_destroy(f->p);
}

/* A row as "comm symbol own with-callees", of the part's first event. */
static const char *row_text(const struct report_part *part, uint32_t entry)
{
	static char text[128];
	const struct hist *h = part->hist;
	const struct hist_entry *e = &h->entries.data[entry];
	const struct profile_function *f = hist_function(h, e);
	uint32_t comm = profile_find_column(h->profile, "comm");
	snprintf(text, sizeof(text), "%s %s %llu %llu", profile_str(h->profile, (str_id)hist_label(h, e, comm, 0)),
		 f ? profile_str(h->profile, f->name) : "?", (unsigned long long)hist_stats(h, e)->period,
		 (unsigned long long)hist_stats(h, e)->children);
	return text;
}

static void assert_rows(const struct fixture *f, const char *const *expected, uint32_t n)
{
	struct report_rows rows;
	assert_true(f->built.report.parts_nr >= 1);
	report_rows_init(&rows, &f->built.report, &f->built.parts[0]);
	assert_int_equal(rows.nr, n);
	for (uint32_t i = 0; i < n; i++)
		assert_string_equal(row_text(&f->built.parts[0], rows.entries[i]), expected[i]);
	report_rows_deinit(&rows);
}
#define ROWS(f, ...) assert_rows(f, (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

/* ---- rows ---- */

static void rows_by_their_own_share(void **state)
{
	struct fixture *f = open_fixture();
	run_query(f);
	assert_int_equal(f->built.report.parts_nr, 1); /* the other event has no samples */
	assert_int_equal(f->built.parts[0].samples, 4);
	assert_int_equal(f->built.parts[0].period, 100);
	assert_string_equal(f->built.parts[0].event_name, "cycles");
	ROWS(f, "x b 45 45", "x a 30 30", "y b 25 25");
	close_fixture(f);
}

static void rows_with_callees(void **state)
{
	struct fixture *f = open_fixture();
	f->q.children = true;
	run_query(f);
	ROWS(f, "x main 0 75", "x b 45 45", "x a 30 40", "x r 0 35", "y b 25 25");
	close_fixture(f);
}

static void the_limit_is_of_what_rows_are_sorted_by(void **state)
{
	struct fixture *f = open_fixture();
	f->grouping.percent_limit = 30;
	run_query(f);
	ROWS(f, "x b 45 45", "x a 30 30");
	close_fixture(f);
	f = open_fixture();
	f->grouping.percent_limit = 30;
	f->q.children = true;
	run_query(f);
	ROWS(f, "x main 0 75", "x b 45 45", "x a 30 40", "x r 0 35");
	close_fixture(f);
}

static void rows_are_limited_by_samples_and_number(void **state)
{
	struct fixture *f = open_fixture();
	f->q.limits = (struct report_limits){ .rows = 2 };
	run_query(f);
	ROWS(f, "x b 45 45", "x a 30 30");
	assert_int_equal(f->built.parts[0].hist->totals[0].period, 100);
	close_fixture(f);
	/* b has two samples; a and y's b have one each. */
	f = open_fixture();
	f->q.limits = (struct report_limits){ .by_samples = true, .samples_above = 1 };
	run_query(f);
	ROWS(f, "x b 45 45");
	close_fixture(f);
	/* With callees, main has three, a and b have two. */
	f = open_fixture();
	f->q.children = true;
	f->q.limits = (struct report_limits){ .by_samples = true, .samples_above = 1, .rows = 2 };
	run_query(f);
	ROWS(f, "x main 0 75", "x b 45 45");
	close_fixture(f);
}

static void keys_group_rows(void **state)
{
	struct fixture *f = open_fixture();
	f->grouping.sort = "sym";
	run_query(f);
	assert_true(f->built.report.symbol_first);
	assert_int_equal(f->built.parts[0].hist->order_nr, 2);
	/* b of x and of y is one row; its comm is that of its first sample. */
	ROWS(f, "x b 70 70", "x a 30 30");
	close_fixture(f);
}

static void empty_events_are_parts_if_requested(void **state)
{
	struct fixture *f = open_fixture();
	f->grouping.skip_empty = false;
	run_query(f);
	assert_int_equal(f->built.report.parts_nr, 2);
	assert_int_equal(f->built.parts[1].samples, 0);
	close_fixture(f);
	/* In a live report, all except dummies are. */
	const struct report_event live[] = { apart[0], { .name = "dummy", .leader = 1, .is_dummy = true } };
	f = open_fixture();
	f->q.is_live = true;
	run_query(f);
	assert_int_equal(f->built.report.parts_nr, 2);
	close_fixture(f);
	f = open_fixture();
	f->q.is_live = true;
	f->q.events = live;
	run_query(f);
	assert_int_equal(f->built.report.parts_nr, 1);
	close_fixture(f);
}

/* ---- call trees ---- */

static const char *frame_name(const struct profile *p, frame_id frame)
{
	return profile_str(p, p->functions.data[p->frames.data[frame].function].name);
}

static void assert_node(const struct fixture *f, const struct calltree_node *n, uint64_t total, uint64_t hits, const char *frames)
{
	char text[128] = "";
	assert_non_null(n);
	for (uint32_t i = 0; i < n->frames_nr; i++) {
		strcat(text, i ? ">" : "");
		strcat(text, frame_name(f->p, n->frames[i]));
	}
	assert_string_equal(text, frames);
	assert_int_equal(calltree_total(n), total);
	assert_int_equal(n->hits, hits);
}

static void call_trees_callers_first(void **state)
{
	struct fixture *f = open_fixture();
	struct report_rows rows;
	f->q.children = true;
	run_query(f);
	report_rows_init(&rows, &f->built.report, &f->built.parts[0]);
	assert_non_null(rows.trees);
	/* main: 40 by a, of which 30 end in a, and 35 by r. */
	const struct calltree_node *n = calltrees_get(rows.trees, rows.entries[0])->child;
	assert_node(f, n, 75, 0, "main");
	assert_node(f, n->child, 40, 30, "a");
	assert_node(f, n->child->child, 10, 10, "b");
	assert_node(f, n->child->next, 35, 35, "r>r>b");
	/* b: the complete stacks that end in b. */
	n = calltrees_get(rows.trees, rows.entries[1])->child;
	assert_node(f, n, 45, 0, "main");
	assert_node(f, n->child, 35, 35, "r>r>b");
	assert_node(f, n->child->next, 10, 10, "a>b");
	report_rows_deinit(&rows);
	close_fixture(f);
}

static void call_trees_callees_first(void **state)
{
	struct fixture *f = open_fixture();
	struct report_rows rows;
	f->grouping.chains.callee_first = true;
	run_query(f);
	report_rows_init(&rows, &f->built.report, &f->built.parts[0]);
	const struct calltree_node *n = calltrees_get(rows.trees, rows.entries[0])->child;
	assert_node(f, n, 45, 0, "b");
	assert_node(f, n->child, 35, 35, "r>r>main");
	assert_node(f, n->child->next, 10, 10, "a>main");
	report_rows_deinit(&rows);
	close_fixture(f);
}

static void no_call_trees_without_stacks(void **state)
{
	struct fixture *f = open_fixture();
	struct report_rows rows;
	f->q.has_chains = false;
	run_query(f);
	report_rows_init(&rows, &f->built.report, &f->built.parts[0]);
	assert_null(rows.trees);
	report_rows_deinit(&rows);
	close_fixture(f);
}

/* ---- filters ---- */

static void hidden_rows_count_in_totals(void **state)
{
	struct fixture *f = open_fixture();
	f->filter.comms = "y,z";
	run_query(f);
	ROWS(f, "y b 25 25");
	const struct hist_total *t = &f->built.parts[0].hist->totals[0];
	assert_int_equal(t->period, 100);
	assert_int_equal(t->shown_period, 25);
	assert_int_equal(report_total(&f->built.report, &f->built.parts[0], 0), 100);
	assert_int_equal(f->built.parts[0].period, 100);
	close_fixture(f);
}

static void relative_shares_are_of_what_filters_leave(void **state)
{
	struct fixture *f = open_fixture();
	f->filter.comms = "y";
	f->grouping.relative = true;
	run_query(f);
	assert_int_equal(report_total(&f->built.report, &f->built.parts[0], 0), 25);
	assert_int_equal(f->built.parts[0].period, 25);
	assert_int_equal(f->built.parts[0].samples, 1);
	close_fixture(f);
}

static void filters_by_symbol_object_and_number(void **state)
{
	struct fixture *f = open_fixture();
	f->filter.symbols = "a";
	run_query(f);
	ROWS(f, "x a 30 30");
	close_fixture(f);
	f = open_fixture();
	f->filter.symbol_filter = "b";
	run_query(f);
	ROWS(f, "x b 45 45", "y b 25 25");
	close_fixture(f);
	f = open_fixture();
	f->filter.dsos = "prog,libc.so.6";
	f->filter.pids = "7,40";
	f->filter.tids = "41";
	run_query(f);
	ROWS(f, "x b 45 45", "x a 30 30", "y b 25 25");
	close_fixture(f);
	f = open_fixture();
	f->filter.pids = "41";
	run_query(f);
	assert_int_equal(f->built.parts[0].hist->order_nr, 0);
	assert_int_equal(f->built.parts[0].period, 100);
	close_fixture(f);
	f = open_fixture();
	f->filter.socket_set = true; /* not recorded */
	run_query(f);
	assert_int_equal(f->built.parts[0].hist->order_nr, 0);
	close_fixture(f);
}

static void parallelism_keeps_rows_out_of_entries(void **state)
{
	struct fixture *f = open_fixture();
	profile_destroy(f->p);
	f->p = profile_create();
	uint32_t comm = profile_column(f->p, "comm", COLUMN_STRING), level = profile_column(f->p, "parallelism", COLUMN_U64);
	uint32_t cycles = profile_event(f->p, "cycles", "");
	for (uint64_t i = 1; i <= 3; i++) {
		uint64_t labels[2];
		labels[comm] = strtab_add(&f->p->strings, "x");
		labels[level] = i;
		profile_add(f->p, test_stack(f->p, "main"), profile_labels(f->p, labels), cycles, 1, 10 * i, 0);
	}
	f->q.has_switches = true;
	f->filter.parallelism = "1,3-5";
	run_query(f);
	ROWS(f, "x main 40 40"); /* 10 and 30, not 20 */
	assert_int_equal(f->built.parts[0].period, 60);
	assert_true(report_row_kept(&f->q, f->p, &f->p->rows.data[0]));
	assert_false(report_row_kept(&f->q, f->p, &f->p->rows.data[1]));
	close_fixture(f);
	f = open_fixture();
	f->filter.parallelism = "0";
	assert_fails(report_filters_create(&f->q), ERROR_USAGE);
	close_fixture(f);
}

/* Of 100 samples, alone_nr were taken while one thread ran, the others while two ran. */
static bool shows_latency(const char *sort, const char *fields, uint64_t alone_nr)
{
	struct fixture *f = open_fixture();
	bool ret = false;
	profile_destroy(f->p);
	f->p = profile_create();
	uint32_t comm = profile_column(f->p, "comm", COLUMN_STRING), level = profile_column(f->p, "parallelism", COLUMN_U64);
	uint32_t cycles = profile_event(f->p, "cycles", "");
	for (uint64_t i = 1; i <= 2; i++) {
		uint64_t labels[2], samples = i == 1 ? alone_nr : 100 - alone_nr;
		labels[comm] = strtab_add(&f->p->strings, "x");
		labels[level] = i;
		profile_add(f->p, test_stack(f->p, "main"), profile_labels(f->p, labels), cycles, samples, 10, 0);
	}
	f->q.has_switches = f->q.shows_latency = true;
	f->grouping.sort = sort;
	f->grouping.fields = fields;
	run_query(f);
	report_elide(&f->q, f->p);
	for (uint32_t i = 0; i < f->q.fields_nr; i++)
		ret |= f->q.fields[i].column->id == COLUMN_LATENCY && !f->q.fields[i].elided;
	close_fixture(f);
	return ret;
}

/* perf's rule in builtin-report.c: 99 in 100. */
static void latency_is_left_out_where_threads_ran_alone(void **state)
{
	assert_true(shows_latency(NULL, NULL, 98));
	assert_false(shows_latency(NULL, NULL, 99));
	assert_false(shows_latency("sym", NULL, 100));
	assert_true(shows_latency("latency,sym", NULL, 100));
	assert_true(shows_latency(NULL, "overhead,latency,sym", 100));
}

static void columns_of_one_name_are_left_out(void **state)
{
	struct report_only only[REPORT_ONLY_MAX];
	struct fixture *f = open_fixture();
	f->filter.comms = "y";
	run_query(f);
	report_elide(&f->q, f->p);
	assert_int_equal(report_only(&f->q, only), 1);
	assert_string_equal(only[0].column, "comm");
	assert_string_equal(only[0].value, "y");
	/* overhead comm dso symbol */
	assert_int_equal(f->q.fields_nr, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(f->q.fields[i].elided, i == 1);
	close_fixture(f);
	/* A row must have at least one key. */
	f = open_fixture();
	f->filter = (struct report_filter){ .comms = "y", .dsos = "prog", .symbols = "b" };
	run_query(f);
	report_elide(&f->q, f->p);
	assert_int_equal(report_only(&f->q, only), 3);
	for (uint32_t i = 0; i < 4; i++)
		assert_false(f->q.fields[i].elided);
	close_fixture(f);
}

/* ---- groups ---- */

static void add_switches(struct fixture *f)
{
	uint64_t labels[] = { strtab_add(&f->p->strings, "x"), 40, 41 };
	profile_add(f->p, test_stack(f->p, "main>a"), profile_labels(f->p, labels), 1, 2, 200, 0);
}

static void events_of_a_group_are_side_by_side(void **state)
{
	struct fixture *f = open_fixture();
	add_switches(f);
	f->q.events = grouped;
	run_query(f);
	assert_int_equal(f->built.report.parts_nr, 1);
	const struct report_part *part = &f->built.parts[0];
	assert_true(part->is_group);
	assert_string_equal(part->event_name, "anon group { cycles, sched:sched_switch }");
	assert_int_equal(part->samples, 4 + 2);
	assert_int_equal(part->period, 100 + 200);
	assert_int_equal(part->hist->totals[0].period, 100);
	assert_int_equal(part->hist->totals[1].period, 200);
	ROWS(f, "x b 45 45", "x a 30 30", "y b 25 25");
	const struct hist_stat *a = hist_stats(part->hist, &part->hist->entries.data[part->hist->order[1]]);
	assert_int_equal(a[1].period, 200);
	close_fixture(f);
	/* Sorted by the other event, a comes first. */
	f = open_fixture();
	add_switches(f);
	f->q.events = grouped;
	f->grouping.group_sort_index = 1;
	run_query(f);
	assert_string_equal(row_text(&f->built.parts[0], f->built.parts[0].hist->order[0]), "x a 30 30");
	close_fixture(f);
}

static void an_event_without_samples_is_left_out_of_its_group(void **state)
{
	struct fixture *f = open_fixture();
	f->q.events = grouped;
	run_query(f);
	assert_int_equal(f->built.report.parts_nr, 1);
	assert_int_equal(f->built.parts[0].hist->options.events_nr, 1);
	assert_false(f->built.parts[0].is_group);
	assert_string_equal(f->built.parts[0].event_name, "cycles");
	close_fixture(f);
	f = open_fixture();
	f->q.events = grouped;
	f->grouping.skip_empty = false;
	run_query(f);
	assert_int_equal(f->built.parts[0].hist->options.events_nr, 2);
	assert_string_equal(f->built.parts[0].event_name, "anon group { cycles, sched:sched_switch }");
	close_fixture(f);
}

static void group_joins_and_no_group_parts(void **state)
{
	struct fixture *f = open_fixture();
	add_switches(f);
	f->q.events = grouped;
	f->grouping.group = false;
	run_query(f);
	assert_int_equal(f->built.report.parts_nr, 2);
	assert_int_equal(f->built.parts[1].period, 200);
	close_fixture(f);
	/* Not recorded in a group: only --group joins them. */
	f = open_fixture();
	add_switches(f);
	run_query(f);
	assert_int_equal(f->built.report.parts_nr, 2);
	close_fixture(f);
	f = open_fixture();
	add_switches(f);
	f->grouping.group_set = true;
	run_query(f);
	assert_int_equal(f->built.report.parts_nr, 1);
	assert_string_equal(f->built.parts[0].event_name, "cycles, sched:sched_switch");
	close_fixture(f);
}

/* ---- stacks ---- */

static const char *parent_of(const struct fixture *f, size_t row)
{
	return profile_str(f->p, f->q.parents[f->p->rows.data[row].stack]);
}

static void parents_are_callers_that_match(void **state)
{
	struct fixture *f = open_fixture();
	f->grouping.sort = "parent";
	f->grouping.parent = "^(a|main)$";
	run_query(f);
	/* Callers first: the outermost. */
	assert_string_equal(parent_of(f, 0), "main");
	assert_string_equal(parent_of(f, 2), "main");
	assert_string_equal(parent_of(f, 3), "");
	assert_int_equal(f->built.parts[0].hist->order_nr, 2);
	assert_int_equal(f->built.parts[0].hist->stats[0].period, 75);
	close_fixture(f);
	/* Callees first: the innermost. */
	f = open_fixture();
	f->grouping.sort = "parent";
	f->grouping.parent = "^(a|main)$";
	f->grouping.chains.callee_first = true;
	run_query(f);
	assert_string_equal(parent_of(f, 0), "a");
	assert_string_equal(parent_of(f, 1), "a");
	assert_string_equal(parent_of(f, 2), "main");
	close_fixture(f);
}

static void what_has_no_parent_can_be_excluded(void **state)
{
	struct fixture *f = open_fixture();
	f->grouping.parent = "^a$";
	f->filter.exclude_other = true;
	run_query(f);
	assert_int_equal(f->built.parts[0].hist->totals[0].shown_period, 40);
	assert_int_equal(f->built.parts[0].hist->totals[0].period, 100);
	close_fixture(f);
	f = open_fixture();
	f->grouping.parent = "(";
	assert_ok(report_choose_columns(&f->q));
	assert_ok(report_filters_create(&f->q));
	assert_fails(report_query_bind(&f->q, f->p), ERROR_USAGE);
	close_fixture(f);
}

static void cut_callees_make_a_new_profile(void **state)
{
	struct fixture *f = open_fixture();
	struct profile *cut, *whole = f->p;
	stack_id before[SAMPLES_NR];
	for (size_t i = 0; i < SAMPLES_NR; i++)
		before[i] = whole->rows.data[i].stack;
	assert_ok(report_cut_callees(whole, "^[ar]$", &cut));
	/* The original is unchanged. */
	assert_int_equal(whole->rows.len, SAMPLES_NR);
	for (size_t i = 0; i < SAMPLES_NR; i++)
		assert_int_equal(whole->rows.data[i].stack, before[i]);
	assert_int_equal(cut->events.data[0].value, 100);
	assert_int_equal(cut->events.data[0].samples, 4);
	/* a counts b's 10 for itself, and the outer r counts all samples below it. */
	f->p = cut;
	run_query(f);
	ROWS(f, "x a 40 40", "x r 35 35", "y b 25 25");
	close_fixture(f);
	assert_fails(report_cut_callees(whole, "(", &cut), ERROR_USAGE);
	assert_null(cut);
	profile_destroy(whole);
}

/* ---- columns ---- */

static void assert_keys(const struct hist_key *keys, uint32_t n, const char *expected)
{
	char text[256] = "";
	for (uint32_t i = 0; i < n; i++) {
		strcat(text, i ? "," : "");
		strcat(text, keys[i].column->name);
	}
	assert_string_equal(text, expected);
}

static void choose(struct fixture *f, const char *sort, const char *fields, const char *expected_keys, const char *expected_fields)
{
	f->grouping.sort = sort;
	f->grouping.fields = fields;
	assert_ok(report_choose_columns(&f->q));
	assert_keys(f->q.keys, f->q.keys_nr, expected_keys);
	assert_keys(f->q.fields, f->q.fields_nr, expected_fields);
}

static void keys_and_columns(void **state)
{
	struct fixture *f = open_fixture();
	choose(f, NULL, NULL, "comm,dso,symbol", "overhead,comm,dso,symbol");
	choose(f, "cpu,comm", NULL, "cpu,comm", "overhead,cpu,comm");
	choose(f, "+cpu", NULL, "comm,dso,symbol,cpu", "overhead,comm,dso,symbol,cpu");
	choose(f, NULL, "+period", "comm,dso,symbol", "overhead,period,comm,dso,symbol");
	choose(f, "comm", "sample,comm,pid", "comm,pid", "sample,comm,pid");
	f->grouping.show_samples = f->grouping.show_period = f->grouping.show_ci = true;
	choose(f, "comm", NULL, "comm", "overhead,ci,sample,period,comm");
	f->grouping.show_samples = f->grouping.show_period = f->grouping.show_ci = false;
	f->q.children = true;
	choose(f, "comm", NULL, "comm", "overhead_children,overhead,comm");
	f->q.children = false;
	f->q.shows_latency = true;
	choose(f, "comm", NULL, "comm", "overhead,latency,comm");
	f->grouping.latency = true;
	choose(f, "comm", NULL, "comm", "latency,overhead,comm");
	f->q.shows_latency = f->grouping.latency = false;
	f->q.only_tracepoints = true;
	choose(f, NULL, NULL, "trace", "overhead,trace");
	close_fixture(f);
}

static void fails(struct fixture *f, const char *sort, const char *fields)
{
	f->grouping.sort = sort;
	f->grouping.fields = fields;
	assert_fails(report_choose_columns(&f->q), ERROR_USAGE);
}

static void keys_that_are_not_there(void **state)
{
	struct fixture *f = open_fixture();
	fails(f, "nosuch", NULL);
	fails(f, NULL, "nosuch");
	fails(f, NULL, "dtlb"); /* is served by perf alone */
	fails(f, "symbol_from", NULL);  /* without branch records */
	fails(f, "symbol_daddr", NULL); /* without memory accesses */
	fails(f, "latency", NULL);      /* without context switches */
	fails(f, "ipc_null", NULL);
	f->q.branch_mode = f->q.mem_mode = f->q.has_switches = true;
	choose(f, "symbol_from", NULL, "symbol_from,ipc_lbr", "overhead,symbol_from,ipc_lbr");
	choose(f, "parallelism", NULL, "parallelism", "overhead,parallelism");
	close_fixture(f);
}

static bool has_label(struct fixture *f, const char *name)
{
	uint32_t n;
	const char *const *labels = report_labels(&f->q, &n);
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(labels[i], name))
			return true;
	return false;
}

static void labels_are_those_that_keys_and_filters_read(void **state)
{
	struct fixture *f = open_fixture();
	choose(f, "symbol,cpu", NULL, "symbol,cpu,ipc_null", "overhead,symbol,cpu,ipc_null");
	assert_true(has_label(f, "cpu"));
	assert_false(has_label(f, "comm"));
	assert_false(has_label(f, "pid"));
	assert_false(has_label(f, "socket"));
	assert_false(has_label(f, "parallelism"));
	f->filter = (struct report_filter){ .comms = "x", .pids = "1", .parallelism = "1", .socket_set = true };
	assert_true(has_label(f, "comm"));
	assert_true(has_label(f, "pid"));
	assert_true(has_label(f, "socket"));
	assert_true(has_label(f, "parallelism"));
	assert_false(has_label(f, "tid"));
	f->q.needs_threads = true;
	assert_true(has_label(f, "tid"));
	close_fixture(f);
}

static bool by_labels(struct fixture *f, const char *sort)
{
	f->grouping.sort = sort;
	assert_ok(report_choose_columns(&f->q));
	return report_by_labels(&f->q);
}

static void rows_by_labels_alone(void **state)
{
	struct fixture *f = open_fixture();
	assert_false(by_labels(f, "comm"));
	f->q.has_chains = false;
	assert_true(by_labels(f, "comm"));
	assert_true(by_labels(f, "comm,tid"));
	assert_false(by_labels(f, "comm,sym"));
	assert_false(by_labels(f, "dso"));
	f->filter.symbols = "main";
	assert_false(by_labels(f, "comm"));
	close_fixture(f);
}

/* Wilson's interval for 50 of 100 is 40.38 to 59.62 (Brown, Cai, DasGupta 2001: center 1/2, half-width .0962). */
static void interval_of_a_share(void **state)
{
	struct report_interval i = report_interval(500, 1000, 100);
	assert_true(i.low > 40.375 && i.low < 40.390);
	assert_true(i.high > 59.610 && i.high < 59.625);
	i = report_interval(0, 0, 0);
	assert_true(i.low <= 0 && i.high >= 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_by_their_own_share),
		cmocka_unit_test(rows_with_callees),
		cmocka_unit_test(the_limit_is_of_what_rows_are_sorted_by),
		cmocka_unit_test(rows_are_limited_by_samples_and_number),
		cmocka_unit_test(keys_group_rows),
		cmocka_unit_test(empty_events_are_parts_if_requested),
		cmocka_unit_test(call_trees_callers_first),
		cmocka_unit_test(call_trees_callees_first),
		cmocka_unit_test(no_call_trees_without_stacks),
		cmocka_unit_test(hidden_rows_count_in_totals),
		cmocka_unit_test(relative_shares_are_of_what_filters_leave),
		cmocka_unit_test(filters_by_symbol_object_and_number),
		cmocka_unit_test(parallelism_keeps_rows_out_of_entries),
		cmocka_unit_test(latency_is_left_out_where_threads_ran_alone),
		cmocka_unit_test(columns_of_one_name_are_left_out),
		cmocka_unit_test(events_of_a_group_are_side_by_side),
		cmocka_unit_test(an_event_without_samples_is_left_out_of_its_group),
		cmocka_unit_test(group_joins_and_no_group_parts),
		cmocka_unit_test(parents_are_callers_that_match),
		cmocka_unit_test(what_has_no_parent_can_be_excluded),
		cmocka_unit_test(cut_callees_make_a_new_profile),
		cmocka_unit_test(keys_and_columns),
		cmocka_unit_test(keys_that_are_not_there),
		cmocka_unit_test(labels_are_those_that_keys_and_filters_read),
		cmocka_unit_test(rows_by_labels_alone),
		cmocka_unit_test(interval_of_a_share),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
