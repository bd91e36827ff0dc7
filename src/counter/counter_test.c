/* How counters are opened: bundles, and events that the machine lacks. */
#include "base/testing.h"

#include <errno.h>

#include "counter/counter.h"
#include "sys/faked.h"

#define EVENTS "cgroup-switches,faults,cs,migrations,dummy,minor-faults,major-faults,alignment-faults,emulation-faults"
#define EVENTS_NR 9

struct opened {
	struct sys_faked *sys;
	struct event_list list;
	struct target_map map;
	struct counter_set set;
};

static void open_on(struct opened *o, const char *text, const char *cpus)
{
	struct target target = { .cpus = cpus };
	sys_faked_file(o->sys, "/sys/devices/system/cpu/online", "0-1\n");
	event_list_init(&o->list);
	assert_ok(event_parse(&o->list, sys_faked_sys(o->sys), text));
	assert_ok(target_resolve(sys_faked_sys(o->sys), &target, cpus ? 0 : 4242, &o->map));
	counter_init(&o->set, sys_faked_sys(o->sys), &o->list, &o->map, (struct counter_options){ .bundle = true });
	assert_ok(counter_open(&o->set));
}

static void close_all(struct opened *o)
{
	counter_deinit(&o->set);
	target_map_deinit(&o->map);
	event_list_deinit(&o->list);
	sys_faked_destroy(o->sys);
}

static void software_events_are_opened_together(void **state)
{
	struct opened o = { .sys = sys_faked_create() };
	open_on(&o, EVENTS, "0-1");
	assert_int_equal(o.sys->opens.len, 2 * EVENTS_NR);
	for (size_t i = 0; i < o.sys->opens.len; i++) {
		const struct sys_faked_open *open = &o.sys->opens.data[i];
		size_t leader = i / EVENTS_NR * EVENTS_NR;
		assert_int_equal(open->cpu, i / EVENTS_NR);
		assert_int_equal(open->group_fd, i == leader ? -1 : o.sys->opens.data[leader].fd);
		assert_int_equal(open->attr.disabled, i == leader);
	}
	close_all(&o);
}

static void the_next_leads_where_the_first_is_not_supported(void **state)
{
	struct opened o = { .sys = sys_faked_create() };
	sys_faked_answer(o.sys, (struct sys_faked_answer){ .match = MATCH_TYPE | MATCH_CONFIG, .type = PERF_TYPE_SOFTWARE,
							   .config = PERF_COUNT_SW_CGROUP_SWITCHES, .errnum = ENOENT });
	open_on(&o, EVENTS, NULL);
	assert_false(o.set.events.data[0].supported);
	for (uint32_t i = 1; i < EVENTS_NR; i++) {
		assert_true(o.set.events.data[i].supported);
		assert_int_equal(o.set.events.data[i].opened_leader, 1);
		assert_true(o.set.slots.data[o.set.events.data[i].first_slot].fd >= 0);
	}
	assert_int_equal(o.sys->opens.len, EVENTS_NR);
	close_all(&o);
}

/* Refused only on the second CPU: the event is open on neither, and the others are counted. */
static void what_one_cpu_refuses_is_not_counted(void **state)
{
	struct opened o = { .sys = sys_faked_create() };
	sys_faked_answer(o.sys, (struct sys_faked_answer){ .match = MATCH_TYPE | MATCH_CONFIG | MATCH_CPU, .type = PERF_TYPE_SOFTWARE,
							   .config = PERF_COUNT_SW_PAGE_FAULTS, .cpu = 1, .errnum = ENODEV });
	open_on(&o, EVENTS, "0-1");
	for (uint32_t i = 0; i < EVENTS_NR; i++) {
		const struct counter_event *e = &o.set.events.data[i];
		assert_int_equal(e->supported, i != 1);
		for (uint32_t k = 0; k < e->slots_nr; k++)
			assert_int_equal(o.set.slots.data[e->first_slot + k].fd >= 0, i != 1);
	}
	close_all(&o);
}

static void groups_of_the_user_stay_as_they_are(void **state)
{
	struct opened o = { .sys = sys_faked_create() };
	open_on(&o, "{cs,faults},{dummy,cs},migrations", NULL);
	assert_int_equal(o.sys->opens.data[1].group_fd, o.sys->opens.data[0].fd);
	assert_int_equal(o.sys->opens.data[2].group_fd, -1);
	assert_int_equal(o.sys->opens.data[3].group_fd, o.sys->opens.data[2].fd);
	assert_int_equal(o.sys->opens.data[4].group_fd, -1);
	close_all(&o);
}

static void kinds_of_cores_can_be_merged(void **state)
{
	struct sys_faked *f = sys_faked_create();
	struct event_list list;
	sys_faked_file(f, "/sys/bus/event_source/devices/cpu_core/type", "4\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/cpu_core/cpus", "0-7\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/cpu_atom/type", "10\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/cpu_atom/cpus", "8-11\n");
	event_list_init(&list);
	assert_ok(event_parse(&list, sys_faked_sys(f), "cycles,instructions:u,cs,cpu_core/branches/"));
	assert_int_equal(list.events.len, 6);
	counter_merge_hybrid(&list);
	static const char *const names[] = { "cycles", "cycles", "instructions:u", "instructions:u", "cs", "cpu_core/branches/" };
	for (size_t i = 0; i < 6; i++) {
		assert_string_equal(list.events.data[i].name, names[i]);
		assert_int_equal(list.events.data[i].merge, i < 4);
	}
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(software_events_are_opened_together),
		cmocka_unit_test(the_next_leads_where_the_first_is_not_supported),
		cmocka_unit_test(what_one_cpu_refuses_is_not_counted),
		cmocka_unit_test(groups_of_the_user_stay_as_they_are),
		cmocka_unit_test(kinds_of_cores_can_be_merged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
