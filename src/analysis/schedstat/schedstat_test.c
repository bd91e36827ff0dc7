#include "analysis/schedstat/schedstat.h"

#include <string.h>

#include "analysis/schedstat/schedstat_fields.h"
#include "base/testing.h"

/* Two CPUs with one domain each, as the documentation of version 17 says; each domain has 45 counters. */
#define ZEROS_40 "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
static const char before_text[] = "version 17\ntimestamp 1000\n"
				  "cpu0 1 0 10 5 20 4294967290 1000 500 3\ndomain0 MC 00000003 10 4 1 0 0 " ZEROS_40 "\n"
				  "cpu1 2 0 10 5 20 10 3000 500 3\ndomain0 MC 00000003 0 0 0 0 0 " ZEROS_40 "\n";
static const char after_text[] = "version 17\ntimestamp 1250\n"
				 "cpu0 4 0 30 15 40 4 2000 900 5\ndomain0 MC 00000003 20 7 2 0 0 " ZEROS_40 "\n"
				 "cpu1 2 0 10 5 20 10 3000 500 3\ndomain0 MC 00000003 0 0 0 0 0 " ZEROS_40 "\n";

static void expect_error(struct strobe_error *err, enum error_code code, const char *part)
{
	assert_true(error_is(err, code) && strstr(err->message, part));
	error_destroy(err);
}

static struct schedstat parse(const char *text)
{
	struct schedstat s = {};
	assert_ok(schedstat_parse(&s, text, strlen(text)));
	return s;
}

static void differences_are_those_of_each_counter(void **state)
{
	(void)state;
	struct schedstat before = parse(before_text), after = parse(after_text), mean = {};
	assert_ok(schedstat_subtract(&after, &before));
	assert_int_equal(after.jiffies, 250);
	assert_int_equal(after.cpus.data[0].counters[0], 3);
	assert_int_equal(after.cpus.data[0].counters[5], 10); /* 32 bits, which began again */
	assert_int_equal(after.cpus.data[0].counters[6], 1000);
	assert_int_equal(after.domains.data[0].counters[0], 10);
	assert_string_equal(after.domains.data[0].name, "MC");
	assert_string_equal(after.domains.data[0].cpus, "0-1");
	schedstat_mean(&mean, &after);
	assert_int_equal(mean.cpus.data[0].counters[6], 500);
	assert_int_equal(mean.domains.data[0].counters[0], 5);
	schedstat_deinit(&mean);
	schedstat_deinit(&before);
	schedstat_deinit(&after);
}

static void other_cpus_are_not_subtracted(void **state)
{
	(void)state;
	struct schedstat before = parse("version 17\ntimestamp 1\ncpu0 1 2 3 4 5 6 7 8 9\n");
	struct schedstat after = parse("version 17\ntimestamp 2\ncpu1 1 2 3 4 5 6 7 8 9\n");
	expect_error(schedstat_subtract(&after, &before), ERROR_FORMAT, "changed");
	schedstat_deinit(&before);
	schedstat_deinit(&after);
}

static void what_is_not_of_a_known_version_is_refused(void **state)
{
	static const char *const texts[] = {
		"", "version 18\n", "version 14\n", "cpu0 1 2 3 4 5 6 7 8 9\n", "version 15\ncpu0 1 2 3\n", "version 15\ndomain0 3 1\n",
		"version 15\ncpu0 1 2 3 4 5 6 7 8 9\ndomain0 xyz 1 2\n", "version 15\nnode0 1\n", "version 99999999999999999999\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct schedstat s = {};
		expect_error(schedstat_parse(&s, texts[i], strlen(texts[i])), ERROR_UNSUPPORTED, "/proc/schedstat");
		schedstat_deinit(&s);
	}
}

static void masks_are_lists(void **state)
{
	static const char *const cases[][2] = {
		{ "1", "0" }, { "f", "0-3" }, { "00000000,0000000a", "1,3" }, { "1,00000000", "32" }, { "ff,f0000001", "0,28-39" },
		{ "0", "" },
	};
	struct arena arena;
	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(schedstat_cpu_list(&arena, cases[i][0]), cases[i][1]);
	assert_null(schedstat_cpu_list(&arena, "0x3"));
	arena_deinit(&arena);
}

static size_t counters_of(const schedstat_fields *fields)
{
	size_t nr = 0;
	for (size_t i = 0; i < fields->len; i++)
		nr += fields->data[i].kind == SCHEDSTAT_COUNTER;
	return nr;
}

/* Order and number of counters are the kernel's (kernel/sched/stats.c). */
static void each_counter_of_a_version_has_a_name(void **state)
{
	(void)state;
	for (uint32_t version = 15; version <= 17; version++) {
		struct arena arena;
		schedstat_fields fields = {};
		arena_init(&arena);
		schedstat_domain_fields(version, &arena, &fields);
		assert_int_equal(counters_of(&fields), schedstat_domain_counters(version));
		assert_string_equal(fields.data[1].name, version == 15 ? "idle_lb_count" : "busy_lb_count");
		assert_string_equal(fields.data[4].name, version == 15 ? "idle_lb_imbalance" : version == 16 ? "busy_lb_imbalance" :
				    "busy_lb_imbalance_load");
		vec_deinit(&fields);
		arena_deinit(&arena);
	}
}

static void successes_are_what_neither_balanced_nor_failed(void **state)
{
	const uint64_t counters[] = { 20, 7, 3, 0, 0, 0, 0, 25 };
	(void)state;
	assert_float_equal(schedstat_value(&(struct schedstat_field){ .kind = SCHEDSTAT_SUCCESSES }, counters), 10, 0.0);
	assert_float_equal(schedstat_value(&(struct schedstat_field){ .kind = SCHEDSTAT_MEAN_PULLED, .pulled_at = 7 }, counters), 2.5, 0.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_are_those_of_each_counter),
		cmocka_unit_test(other_cpus_are_not_subtracted),
		cmocka_unit_test(what_is_not_of_a_known_version_is_refused),
		cmocka_unit_test(masks_are_lists),
		cmocka_unit_test(each_counter_of_a_version_has_a_name),
		cmocka_unit_test(successes_are_what_neither_balanced_nor_failed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
