/* Lists of events reduced to a PMU or a type of core, grouped, and repeated for cgroups, on made-up machines. */
#include "base/testing.h"

#include "event/narrow.h"
#include "sys/faked.h"

static struct sys_faked *hybrid_machine(void)
{
	struct sys_faked *f = sys_faked_create();
	sys_faked_file(f, "/sys/devices/system/cpu/online", "0-3\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/cpu_core/type", "4\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/cpu_atom/type", "10\n");
	return f;
}

/* Events of these PMUs (NULL: none), in groups of two: 0 leads 1, 2 leads 3, … */
static void fill(struct event_list *list, const char *const *pmus, size_t n)
{
	event_list_init(list);
	for (size_t i = 0; i < n; i++) {
		struct event *e = event_list_add(list, EVENT_RAW, 4, i, "x");
		e->pmu = pmus[i];
		e->leader = (uint32_t)(i & ~(size_t)1);
	}
}

static void events_of_one_core_type_remain(void **state)
{
	static const char *const pmus[] = { "cpu_atom", "cpu_atom", "cpu_core", "cpu_core", NULL, "cpu_atom", "msr" };
	struct sys_faked *f = hybrid_machine();
	struct event_list list;
	fill(&list, pmus, 7);
	assert_ok(event_list_keep_core_type(&list, sys_faked_sys(f), "core"));
	static const uint64_t configs[] = { 2, 3, 4, 6 };
	static const uint32_t leaders[] = { 0, 0, 2, 3 };
	assert_int_equal(list.events.len, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(list.events.data[i].attr.config, configs[i]);
		assert_int_equal(list.events.data[i].leader, leaders[i]);
	}
	assert_fails(event_list_keep_core_type(&list, sys_faked_sys(f), "big"), ERROR_USAGE);
	assert_fails(event_list_keep_core_type(&list, sys_faked_sys(f), ""), ERROR_USAGE);
	/* The whole name of a PMU is a type, too. */
	assert_ok(event_list_keep_core_type(&list, sys_faked_sys(f), "cpu_core"));
	assert_int_equal(list.events.len, 4);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static void events_of_one_pmu_remain(void **state)
{
	static const char *const pmus[] = { "cpu_atom", "cpu_core", "cpu_atom" };
	struct sys_faked *f = hybrid_machine();
	struct event_list list;
	fill(&list, pmus, 3);
	assert_fails(event_list_keep_pmu(&list, sys_faked_sys(f), "msr"), ERROR_USAGE);
	assert_ok(event_list_keep_pmu(&list, sys_faked_sys(f), "cpu_core"));
	/* The leader of its group was removed: it leads itself. */
	assert_int_equal(list.events.len, 1);
	assert_int_equal(list.events.data[0].leader, 0);
	assert_fails(event_list_keep_pmu(&list, sys_faked_sys(f), "cpu_atom"), ERROR_USAGE);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static void one_group_has_no_tools(void **state)
{
	static const char *const pmus[3] = {};
	struct event_list list;
	fill(&list, pmus, 3);
	list.events.data[1].kind = EVENT_TOOL;
	list.events.data[1].leader = 1;
	event_list_group_all(&list);
	assert_int_equal(list.events.data[1].leader, 1);
	assert_int_equal(list.events.data[2].leader, 0);
	event_list_deinit(&list);
}

static void assert_events(const struct event_list *list, const char *const *cgroups, const uint32_t *leaders, size_t n)
{
	assert_int_equal(list->events.len, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(list->events.data[i].cgroup, cgroups[i]);
		assert_int_equal(list->events.data[i].leader, leaders[i]);
		assert_int_equal(list->events.data[i].attr.config, i % 3);
	}
}

static void all_events_are_repeated_for_each_cgroup(void **state)
{
	static const char *const pmus[3] = {};
	static const char *const named[] = { "a", "a", "a", "b/c", "b/c", "b/c" };
	static const char *const matched[] = { "x1", "x1", "x1", "x1/y2", "x1/y2", "x1/y2" };
	static const uint32_t leaders[] = { 0, 0, 2, 3, 3, 5 };
	struct sys_faked *f = sys_faked_create();
	const struct sys *sys = sys_faked_sys(f);
	struct event_list list;
	fill(&list, pmus, 3);
	assert_ok(event_list_for_each_cgroup(&list, sys, "a,,b/c"));
	assert_events(&list, named, leaders, 6);
	assert_fails(event_list_for_each_cgroup(&list, sys, "d"), ERROR_USAGE); /* these have cgroups */
	event_list_deinit(&list);

	sys_faked_file(f, "/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
	sys_faked_file(f, "/sys/fs/cgroup/x1/y2/cgroup.procs", "");
	sys_faked_file(f, "/sys/fs/cgroup/z/cgroup.procs", "");
	fill(&list, pmus, 3);
	assert_fails(event_list_for_each_cgroup(&list, sys, "("), ERROR_USAGE);
	assert_fails(event_list_for_each_cgroup(&list, sys, "^q"), ERROR_NOT_FOUND);
	assert_ok(event_list_for_each_cgroup(&list, sys, "[0-9]$"));
	assert_events(&list, matched, leaders, 6);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static void terms_of_samples_are_refused(void **state)
{
	static const char *const pmus[1] = {};
	struct event_list list;
	fill(&list, pmus, 1);
	list.events.data[0].terms.set = EVENT_TERM_PERIOD | EVENT_TERM_NAME;
	assert_ok(event_list_check_counting(&list));
	list.events.data[0].terms.set |= EVENT_TERM_MAX_STACK;
	assert_fails(event_list_check_counting(&list), ERROR_USAGE);
	event_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_one_core_type_remain),
		cmocka_unit_test(events_of_one_pmu_remain),
		cmocka_unit_test(one_group_has_no_tools),
		cmocka_unit_test(all_events_are_repeated_for_each_cgroup),
		cmocka_unit_test(terms_of_samples_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
