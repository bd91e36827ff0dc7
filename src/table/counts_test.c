/* Names of places in perf's format: the examples of perf-stat(1) and its --per-core, --per-die, --per-cache. */
#include "table/counts.h"

#include "base/testing.h"

static void check(enum counts_by by, struct counts_place place, const char *name, bool has_cpus)
{
	struct strbuf b = {};
	counts_place_name(&b, by, &place);
	assert_string_equal(strbuf_str(&b), name);
	assert_int_equal(counts_place_has_cpus(by), has_cpus);
	strbuf_deinit(&b);
}

static void places_have_names(void **state)
{
	const struct counts_place p = { .cpu = 3, .core = 1, .cluster = 2, .die = 4, .socket = 5, .node = 6, .cache_level = 3,
					.cache = 7, .cpus = 8, .tid = 41, .comm = "make" };
	struct counts_place of_core = p;
	of_core.of_core = true;
	check(COUNTS_BY_NOTHING, p, "", false);
	check(COUNTS_BY_CPU, p, "CPU3", false);
	check(COUNTS_BY_CPU, of_core, "S5-D4-C1", false);
	check(COUNTS_BY_CORE, p, "S5-D4-C1", true);
	check(COUNTS_BY_CLUSTER, p, "S5-D4-CLS2", true);
	check(COUNTS_BY_CACHE, p, "S5-D4-L3-ID7", true);
	check(COUNTS_BY_DIE, p, "S5-D4", true);
	check(COUNTS_BY_SOCKET, p, "S5", true);
	check(COUNTS_BY_NODE, p, "N6", true);
	check(COUNTS_BY_THREAD, p, "make-41", false);
	check(COUNTS_BY_THREAD, (struct counts_place){ .tid = 41 }, "-41", false);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(places_have_names) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
