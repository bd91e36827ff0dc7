#include "counter/metrics.h"

#include <math.h>
#include <stdio.h>

#include "base/testing.h"
#include "base/text.h"
#include "sys/faked.h"

static bool lookup(void *ctx, const char *name, double *ret)
{
	static const struct {
		const char *name;
		double value;
	} rows[] = { { "cycles", 200 }, { "instructions", 300 }, { "L1-dcache-load-misses", 30 }, { "cpu/x,y/", 7 }, { "none", 0 } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, name)) {
			*ret = rows[i].value;
			return true;
		}
	return false;
}

static double value_of(const char *text)
{
	struct arena arena;
	struct metric_node *node;
	arena_init(&arena);
	assert_ok(metric_parse(&arena, text, &node));
	double value = metric_eval(node, lookup, NULL);
	arena_deinit(&arena);
	return value;
}

static void values_follow_the_order_of_operators(void **state)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {
		{ "instructions / cycles", 1.5 },
		{ "1 + 2 * 3", 7 },
		{ "(1 + 2) * 3", 9 },
		{ "10 - 4 - 3", 3 },
		{ "2 * -3", -6 },
		{ "7 % 4", 3 },
		{ "1e3 + .5", 1000.5 },
		{ "100 * L1-dcache-load-misses / instructions", 10 },
		{ "cycles - 50", 150 },
		{ "min(cycles, instructions)", 200 },
		{ "max(1, min(2, 3)) + 1", 3 },
		{ "d_ratio(1, none)", 0 },
		{ "d_ratio(cycles, 100)", 2 },
		{ "1 if cycles < 100 else 2", 2 },
		{ "1 if cycles < 100 | instructions > 100 else 2", 1 },
		{ "1 if 3 > 2 & 2 >= 2 else 0", 1 },
		{ "1 if 1 == 2 else 5 if 1 != 2 else 6", 5 },
		{ "\"cpu/x,y/\" * 2", 14 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (fabs(value_of(rows[i].text) - rows[i].value) > 1e-12)
			fail_msg("%s gives %g, not %g", rows[i].text, value_of(rows[i].text), rows[i].value);
}

static void what_is_not_known_is_no_number(void **state)
{
	assert_true(isnan(value_of("cycles / none")));
	assert_true(isnan(value_of("unheard / 2")));
	assert_true(isnan(value_of("1 if unheard < 2 else 3")));
	assert_true(isnan(value_of("5 % none")));
}

static void errors_name_the_column(void **state)
{
	static const struct {
		const char *text, *word;
	} rows[] = {
		{ "1 +", "column 4" },  { "(1", "column 3" },           { "1 2", "column 3" },  { "min(1)", "column 6" },
		{ "", "column 1" },     { "1 if 2", "else" },           { "\"a", "unterminated" },    { "* 3", "column 1" },
		{ "max 1", "'('" },      { "min(1,", "unexpected end" },  { "min(*", "expected a number, an event or '('" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena arena;
		struct metric_node *node;
		arena_init(&arena);
		struct strobe_error *err = metric_parse(&arena, rows[i].text, &node);
		assert_non_null(err);
		if (!strstr(err->message, rows[i].word))
			fail_msg("'%s': %s", rows[i].text, err->message);
		error_destroy(err);
		arena_deinit(&arena);
	}
	char deep[1000];
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	struct arena arena;
	struct metric_node *node;
	arena_init(&arena);
	assert_fails(metric_parse(&arena, deep, &node), ERROR_USAGE);
	arena_deinit(&arena);
}

/* Every built-in definition parses, its threshold is over its own name, and names one group at least. */
static void built_in_metrics_make_sense(void **state)
{
	for (size_t i = 0; i < metrics_builtin_nr; i++) {
		const struct metric *m = &metrics_builtin[i];
		struct arena arena;
		struct metric_node *node;
		arena_init(&arena);
		assert_ok(metric_parse(&arena, m->expr, &node));
		if (m->threshold) {
			assert_ok(metric_parse(&arena, m->threshold, &node));
			assert_true(!strncmp(m->threshold, m->name, strlen(m->name)));
		}
		/* Some of perf's are ratios without a unit. */
		assert_true(*m->groups && *m->desc && (*m->unit || text_has_prefix(m->groups, "Default")));
		arena_deinit(&arena);
	}
}

/* A machine without a PMU has the metrics of software events, and names the missing events of others. */
static void missing_events_are_named(void **state)
{
	struct sys_faked *f = sys_faked_create();
	struct event_list events;
	struct metric_set set;
	event_list_init(&events);
	metric_set_init(&set);
	struct metric_options o = {};
	assert_ok(metric_set_add(&set, &events, sys_faked_sys(f), "fault_rate, retiring", o));
	assert_int_equal(set.uses.len, 2);
	assert_null(set.uses.data[0].missing);
	assert_non_null(strstr(set.uses.data[1].missing, "topdown-retiring"));
	assert_int_equal(events.events.len, 2);
	/* What is counted already is not counted twice. */
	assert_ok(metric_set_add(&set, &events, sys_faked_sys(f), "mine = max(page-faults, 1) * 2,switch_rate", o));
	assert_int_equal(events.events.len, 3);
	assert_fails(metric_set_add(&set, &events, sys_faked_sys(f), "fault_rte", o), ERROR_USAGE);
	/* Hardware events of one metric are a weak group. */
	assert_ok(metric_set_add(&set, &events, sys_faked_sys(f), "ipc", o));
	assert_int_equal(events.events.len, 5);
	assert_int_equal(events.events.data[4].leader, 3);
	assert_true(events.events.data[4].weak_group);
	metric_set_deinit(&set);
	event_list_deinit(&events);
	sys_faked_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_follow_the_order_of_operators),
		cmocka_unit_test(what_is_not_known_is_no_number),
		cmocka_unit_test(errors_name_the_column),
		cmocka_unit_test(built_in_metrics_make_sense),
		cmocka_unit_test(missing_events_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
