/* Which events sample memory accesses follows from the PMUs of the machine: those of Intel, AMD, POWER and Arm. */
#include "base/testing.h"

#include <stdio.h>
#include <string.h>

#include "analysis/memory/access_events.h"
#include "base/strbuf.h"
#include "sys/faked.h"

#define PMUS "/sys/bus/event_source/devices/"

static void expect(const struct sys_faked *f, struct access_choice choice, const char *expected)
{
	struct strbuf text = {};
	struct arena arena;
	arena_init(&arena);
	struct recorded_events e = { .arena = &arena };
	if (!choice.latency)
		choice.latency = ACCESS_LATENCY_DEFAULT;
	struct strobe_error *err = access_recorded_events(sys_faked_sys(f), &choice, &e);
	for (size_t i = 0; i < e.list.len; i++)
		strbuf_addf(&text, "%s%s", i ? " " : "", e.list.data[i]);
	if (err)
		assert_non_null(strstr(err->message, expected));
	else
		assert_string_equal(strbuf_str(&text), expected);
	error_destroy(err);
	strbuf_deinit(&text);
	vec_deinit(&e.list);
	arena_deinit(&arena);
}

static void add_pebs(struct sys_faked *f, const char *pmu, const char *type)
{
	char path[200];
	snprintf(path, sizeof(path), PMUS "%s/type", pmu);
	sys_faked_file(f, path, type);
	snprintf(path, sizeof(path), PMUS "%s/format/ldlat", pmu);
	sys_faked_file(f, path, "config1:0-15\n");
	snprintf(path, sizeof(path), PMUS "%s/events/mem-loads", pmu);
	sys_faked_file(f, path, "event=0xcd,umask=0x1,ldlat=3\n");
	snprintf(path, sizeof(path), PMUS "%s/events/mem-stores", pmu);
	sys_faked_file(f, path, "event=0xd0,umask=0x82\n");
}

#define LOADS_AND_STORES .loads = true, .stores = true

static void intel(void **state)
{
	(void)state;
	struct sys_faked *f = sys_faked_create();
	expect(f, (struct access_choice){ LOADS_AND_STORES }, "no event that samples memory accesses");
	add_pebs(f, "cpu", "4\n");
	expect(f, (struct access_choice){ LOADS_AND_STORES }, "cpu/mem-loads,ldlat=30/P cpu/mem-stores/P");
	expect(f, (struct access_choice){ .loads = true, .latency = 100, .latency_set = true }, "cpu/mem-loads,ldlat=100/P");
	expect(f, (struct access_choice){ .stores = true }, "cpu/mem-stores/P");
	expect(f, (struct access_choice){ LOADS_AND_STORES, .only = "ldlat-stores" }, "cpu/mem-stores/P");
	expect(f, (struct access_choice){ LOADS_AND_STORES, .only = "mem-ldst" }, "no memory event 'mem-ldst'");
	sys_faked_file(f, PMUS "cpu/events/mem-loads-aux", "event=0x03,umask=0x82\n");
	expect(f, (struct access_choice){ .loads = true }, "{cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/}:P");
	sys_faked_destroy(f);
}

static void both_kinds_of_cores(void **state)
{
	(void)state;
	struct sys_faked *f = sys_faked_create();
	add_pebs(f, "cpu_core", "4\n");
	add_pebs(f, "cpu_atom", "10\n");
	expect(f, (struct access_choice){ .loads = true }, "cpu_atom/mem-loads,ldlat=30/P cpu_core/mem-loads,ldlat=30/P");
	sys_faked_destroy(f);
}

static void power(void **state)
{
	(void)state;
	struct sys_faked *f = sys_faked_create();
	sys_faked_file(f, PMUS "cpu/type", "4\n");
	sys_faked_file(f, PMUS "cpu/events/mem-loads", "event=0x34340401e0\n");
	sys_faked_file(f, PMUS "cpu/events/mem-stores", "event=0x343c0401e0\n");
	expect(f, (struct access_choice){ LOADS_AND_STORES }, "cpu/mem-loads/ cpu/mem-stores/");
	sys_faked_destroy(f);
}

static void amd(void **state)
{
	(void)state;
	struct sys_faked *f = sys_faked_create();
	sys_faked_file(f, PMUS "ibs_op/type", "11\n");
	expect(f, (struct access_choice){ LOADS_AND_STORES }, "ibs_op//");
	expect(f, (struct access_choice){ .stores = true, .latency = 256, .latency_set = true }, "ibs_op//");
	sys_faked_file(f, PMUS "ibs_op/format/ldlat", "config1:0-11\n");
	expect(f, (struct access_choice){ .loads = true, .latency = 256, .latency_set = true }, "ibs_op/ldlat=256/");
	sys_faked_destroy(f);
}

static void arm(void **state)
{
	(void)state;
	struct sys_faked *f = sys_faked_create();
	sys_faked_file(f, PMUS "arm_spe_0/type", "9\n");
	expect(f, (struct access_choice){ LOADS_AND_STORES }, "perf inject --itrace=M");
	sys_faked_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intel), cmocka_unit_test(both_kinds_of_cores), cmocka_unit_test(power), cmocka_unit_test(amd),
		cmocka_unit_test(arm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
