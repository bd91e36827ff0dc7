/* Event texts on made-up machines: the resulting attrs, and the error messages. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "event/event.h"
#include "event/names.h"
#include "event/pmu.h"
#include "event/tracepoint.h"
#include "sys/faked.h"

static void pmu_file(struct sys_faked *f, const char *pmu, const char *file, const char *content)
{
	char path[256];
	snprintf(path, sizeof(path), PMU_DIR "/%s/%s", pmu, file);
	sys_faked_file(f, path, content);
}

static void uncore_box(struct sys_faked *f, const char *pmu, const char *type)
{
	pmu_file(f, pmu, "type", type);
	pmu_file(f, pmu, "cpumask", "0,16\n");
	pmu_file(f, pmu, "format/event", "config:0-7\n");
	pmu_file(f, pmu, "format/umask", "config:8-15\n");
	pmu_file(f, pmu, "events/cas_count_read", "event=0x04,umask=0x03\n");
	pmu_file(f, pmu, "events/cas_count_read.scale", "6.103515625e-5\n");
	pmu_file(f, pmu, "events/cas_count_read.unit", "MiB\n");
	pmu_file(f, pmu, "events/cas_count_read.per-pkg", "1\n");
}

static struct sys_faked *intel(void)
{
	struct sys_faked *f = sys_faked_create();
	pmu_file(f, "cpu", "type", "4\n");
	pmu_file(f, "cpu", "format/event", "config:0-7\n");
	pmu_file(f, "cpu", "format/umask", "config:8-15\n");
	pmu_file(f, "cpu", "format/edge", "config:18\n");
	pmu_file(f, "cpu", "format/inv", "config:23\n");
	pmu_file(f, "cpu", "format/cmask", "config:24-31\n");
	pmu_file(f, "cpu", "format/offcore_rsp", "config1:0-63\n");
	pmu_file(f, "cpu", "format/ldlat", "config1:0-15\n");
	pmu_file(f, "cpu", "events/cpu-cycles", "event=0x3c\n");
	pmu_file(f, "cpu", "events/instructions", "event=0xc0\n");
	pmu_file(f, "cpu", "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	pmu_file(f, "cpu", "events/topdown-slots", "event=0x00,umask=0x4\n");
	uncore_box(f, "uncore_imc_0", "12\n");
	uncore_box(f, "uncore_imc_1", "13\n");
	pmu_file(f, "uncore_imc_free_running_0", "type", "14\n");
	pmu_file(f, "power", "type", "9\n");
	pmu_file(f, "power", "cpumask", "0\n");
	pmu_file(f, "power", "format/event", "config:0-7\n");
	pmu_file(f, "power", "events/energy-pkg", "event=0x02\n");
	pmu_file(f, "power", "events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	pmu_file(f, "power", "events/energy-pkg.unit", "Joules\n");
	pmu_file(f, "hv_gpci", "type", "20\n");
	pmu_file(f, "hv_gpci", "format/request", "config:0-31\n");
	pmu_file(f, "hv_gpci", "format/chip", "config1:16-31\n");
	pmu_file(f, "hv_gpci", "events/disp", "request=0x10,chip=?\n");
	sys_faked_tracepoint(f, "sched", "sched_switch", 314);
	sys_faked_tracepoint(f, "sched", "sched_process_fork", 308);
	sys_faked_tracepoint(f, "sched", "sched_process_exec", 309);
	sys_faked_tracepoint(f, "syscalls", "sys_enter_read", 700);
	sys_faked_tracepoint(f, "raw_syscalls", "sys_enter", 22);
	sys_faked_file(f, "/sys/kernel/tracing/events/sched/enable", "0\n");
	sys_faked_file(f, "/sys/kernel/tracing/events/enable", "0\n");
	sys_faked_file(f, "/sys/kernel/tracing/events/ftrace/print/format", "\n");
	return f;
}

static struct sys_faked *hybrid(void)
{
	struct sys_faked *f = sys_faked_create();
	static const struct {
		const char *pmu, *type, *cpus;
	} rows[] = { { "cpu_core", "4\n", "0-7\n" }, { "cpu_atom", "10\n", "8-15\n" } };
	for (size_t i = 0; i < 2; i++) {
		pmu_file(f, rows[i].pmu, "type", rows[i].type);
		pmu_file(f, rows[i].pmu, "cpus", rows[i].cpus);
		pmu_file(f, rows[i].pmu, "format/event", "config:0-7\n");
		pmu_file(f, rows[i].pmu, "events/cpu-cycles", "event=0x3c\n");
	}
	return f;
}

static struct sys_faked *arm(void)
{
	struct sys_faked *f = sys_faked_create();
	pmu_file(f, "armv8_pmuv3_0", "type", "8\n");
	pmu_file(f, "armv8_pmuv3_0", "cpus", "0-3\n");
	pmu_file(f, "armv8_pmuv3_0", "format/event", "config:0-15\n");
	pmu_file(f, "armv8_pmuv3_0", "format/long", "config1:0\n");
	pmu_file(f, "armv8_pmuv3_0", "events/l1d_cache_refill", "event=0x0003\n");
	pmu_file(f, "arm_spe_0", "type", "9\n");
	pmu_file(f, "arm_spe_0", "cpumask", "0-3\n");
	pmu_file(f, "arm_spe_0", "format/period", "config1:0-7\n");
	pmu_file(f, "arm_spe_0", "format/inv_event_filter", "config3:0-63\n");
	return f;
}

static struct event_list parsed(struct sys_faked *f, const char *text)
{
	struct event_list list;
	event_list_init(&list);
	struct strobe_error *err = event_parse(&list, sys_faked_sys(f), text);
	if (err)
		fail_msg("%s: %s", text, err->message);
	return list;
}

static void pmu_terms_land_in_their_bits(void **state)
{
	static const struct {
		const char *text;
		uint32_t type;
		uint64_t config, config1;
		const char *name;
	} rows[] = {
		{ "cpu/event=0x3c,umask=1,name=x/", 4, 0x13c, 0, "x" },
		{ "cpu/event=0xa8,umask=0x1,cmask=0x1,name='LSD.UOPS:cmask=0x1'/u", 4, 0x10001a8, 0,
		  "LSD.UOPS:cmask=0x1" },
		{ "cpu/event=0xa8,umask=0x1,name=\\'LSD:c,x/y\\'/", 4, 0x1a8, 0, "LSD:c,x/y" },
		{ "cpu/event=0xb7,umask=1,offcore_rsp=0xffffffffffffffff/", 4, 0x1b7, UINT64_MAX,
		  "cpu/event=0xb7,umask=1,offcore_rsp=0xffffffffffffffff/" },
		{ "cpu/mem-loads/pp", 4, 0x1cd, 3, "cpu/mem-loads/pp" },
		{ "cpu/mem-loads,ldlat=30/", 4, 0x1cd, 30, "cpu/mem-loads,ldlat=30/" },
		{ "cpu/ldlat=30,mem-loads/", 4, 0x1cd, 30, "cpu/ldlat=30,mem-loads/" },
		{ "cpu/edge,inv,event=010/", 4, 0x84000a, 0, "cpu/edge,inv,event=010/" },
		{ "cpu/event=08/", 4, 8, 0, "cpu/event=08/" },
		{ "cpu/r1a8/", 4, 0x1a8, 0, "cpu/r1a8/" },
		{ "cpu/r0x1A8/k", 4, 0x1a8, 0, "cpu/r0x1A8/k" },
		{ "cpu/config=0x1a8,config1=7/", 4, 0x1a8, 7, "cpu/config=0x1a8,config1=7/" },
		{ "mem-loads", 4, 0x1cd, 3, "mem-loads" },
		{ "mem-loads:u", 4, 0x1cd, 3, "mem-loads:u" },
		{ "topdown-slots/name=s/k", 4, 0x400, 0, "s" },
		{ "TOPDOWN-SLOTS", 4, 0x400, 0, "TOPDOWN-SLOTS" },
		{ "cpu/branches/", 0, 4, 0, "cpu/branches/" },
		{ "cpu/LLC-loads/", 3, 2, 0, "cpu/LLC-loads/" },
		{ "hv_gpci/disp,chip=0x2/", 20, 0x10, 0x20000, "hv_gpci/disp,chip=0x2/" },
	};
	struct sys_faked *f = intel();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct event_list list = parsed(f, rows[i].text);
		const struct event *e = &list.events.data[0];
		assert_int_equal(list.events.len, 1);
		assert_int_equal(e->attr.type, rows[i].type);
		if (e->attr.config != rows[i].config || e->attr.config1 != rows[i].config1)
			fail_msg("%s: config 0x%llx, config1 0x%llx", rows[i].text, e->attr.config, e->attr.config1);
		assert_string_equal(e->name, rows[i].name);
		event_list_deinit(&list);
	}
	sys_faked_destroy(f);
}

/* perf-list(1) says that AMD's event 0x28f, umask 3 is r20000038f, over config:0-7,32-35. */
static void formats_may_be_split(void **state)
{
	struct sys_faked *f = sys_faked_create();
	pmu_file(f, "cpu", "type", "4\n");
	pmu_file(f, "cpu", "format/event", "config:0-7,32-35\n");
	pmu_file(f, "cpu", "format/umask", "config:8-15\n");
	struct event_list list = parsed(f, "cpu/event=0x28f,umask=0x03/,r20000038f");
	assert_int_equal(list.events.data[0].attr.config, 0x20000038f);
	assert_int_equal(list.events.data[1].attr.config, 0x20000038f);
	event_list_deinit(&list);
	sys_faked_destroy(f);
	unsigned config;
	struct pmu_range ranges[64];
	size_t nr;
	assert_true(pmu_format_parse("config2:1,3-4,63\n", &config, ranges, &nr) && config == 2 && nr == 3);
	assert_false(pmu_format_parse("config:64", &config, ranges, &nr) ||
		     pmu_format_parse("config:4-3", &config, ranges, &nr) ||
		     pmu_format_parse("config9:1", &config, ranges, &nr) ||
		     pmu_format_parse("config", &config, ranges, &nr) ||
		     pmu_format_parse("config:1,", &config, ranges, &nr));
}

static void uncore_boxes_are_found_by_glob_and_prefix(void **state)
{
	static const struct {
		const char *text;
		size_t boxes;
	} rows[] = {
		{ "uncore_imc_0/cas_count_read/", 1 }, { "imc_1/cas_count_read/", 1 },
		{ "imc/cas_count_read/", 2 },          { "uncore_imc/cas_count_read/", 2 },
		{ "*imc*/cas_count_read/", 2 },        { "uncore_*/event=4,umask=3/", 2 },
		{ "imc_[01]/cas_count_read/", 2 },     { "cas_count_read", 2 },
	};
	struct sys_faked *f = intel();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct event_list list = parsed(f, rows[i].text);
		if (list.events.len != rows[i].boxes)
			fail_msg("%s: %zu boxes", rows[i].text, list.events.len);
		const struct event *e = &list.events.data[list.events.len - 1];
		assert_int_equal(e->attr.config, 0x304);
		assert_int_equal(e->attr.type, i == 0 ? 12 : 13);
		assert_true(e->uncore);
		assert_int_equal(e->merge, rows[i].boxes > 1);
		assert_int_equal(e->cpus.len, 2);
		assert_int_equal(e->cpus.data[1], 16);
		event_list_deinit(&list);
	}
	struct event_list list = parsed(f, "power/energy-pkg/");
	assert_string_equal(list.events.data[0].unit, "Joules");
	assert_true(list.events.data[0].scale == 0x1p-32);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static void generic_events_on_a_hybrid_machine(void **state)
{
	static const struct {
		const char *text;
		uint32_t type;
		uint64_t core_config, atom_config;
		const char *core_name;
	} rows[] = {
		{ "cycles", 0, 0x400000000, 0xa00000000, "cpu_core/cycles/" },
		{ "instructions:u", 0, 0x400000001, 0xa00000001, "cpu_core/instructions/u" },
		{ "LLC-load-misses", 3, 0x400010002, 0xa00010002, "cpu_core/LLC-load-misses/" },
		{ "cpu/cpu-cycles/", UINT32_MAX, 0x3c, 0x3c, "cpu/cpu-cycles/" },
		{ "r3c:k", UINT32_MAX, 0x3c, 0x3c, "cpu_core/r3c/k" },
	};
	struct sys_faked *f = hybrid();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct event_list list = parsed(f, rows[i].text);
		/* PMUs are in the order of names: cpu_atom first. */
		assert_int_equal(list.events.len, 2);
		const struct event *atom = &list.events.data[0], *core = &list.events.data[1];
		assert_string_equal(core->name, rows[i].core_name);
		assert_int_equal(core->attr.type, rows[i].type == UINT32_MAX ? 4 : rows[i].type);
		assert_int_equal(atom->attr.type, rows[i].type == UINT32_MAX ? 10 : rows[i].type);
		assert_int_equal(core->attr.config, rows[i].core_config);
		assert_int_equal(atom->attr.config, rows[i].atom_config);
		assert_int_equal(atom->cpus.data[0], 8);
		event_list_deinit(&list);
	}
	struct event_list list = parsed(f, "cpu_atom/instructions/,faults");
	assert_int_equal(list.events.len, 2);
	assert_int_equal(list.events.data[0].attr.config, 0xa00000001);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static void arm_formats(void **state)
{
	struct sys_faked *f = arm();
	struct event_list list = parsed(
		f, "armv8_pmuv3_0/event=0x11,long/,l1d_cache_refill:u,cycles,arm_spe_0/inv_event_filter=5,period=3/");
	assert_int_equal(list.events.len, 4);
	assert_int_equal(list.events.data[0].attr.config, 0x11);
	assert_int_equal(list.events.data[0].attr.config1, 1);
	assert_int_equal(list.events.data[1].attr.config, 3);
	assert_int_equal(list.events.data[1].attr.type, 8);
	assert_int_equal(list.events.data[2].attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(list.events.data[3].config3, 5);
	/* This PMU has a format with the name of a common term. */
	assert_int_equal(list.events.data[3].attr.config1, 3);
	assert_false(list.events.data[3].terms.set & EVENT_TERM_PERIOD);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static void tracepoints_exist(void **state)
{
	struct sys_faked *f = intel();
	const struct sys *sys = sys_faked_sys(f);
	assert_true(tracepoint_exists(sys, "sched", "sched_switch"));
	assert_false(tracepoint_exists(sys, "sched", "sched_switc"));
	assert_false(tracepoint_exists(sys, "power", "sched_switch"));
	sys_faked_destroy(f);
}

static void tracepoint_globs(void **state)
{
	struct sys_faked *f = intel();
	struct event_list list = parsed(f, "sched:*,*:sys_enter*,sched:sched_process_[ef]*:k");
	static const struct {
		const char *name;
		uint64_t id;
	} expected[] = {
		{ "sched:sched_process_exec", 309 }, { "sched:sched_process_fork", 308 },
		{ "sched:sched_switch", 314 },       { "raw_syscalls:sys_enter", 22 },
		{ "syscalls:sys_enter_read", 700 },  { "sched:sched_process_exec", 309 },
		{ "sched:sched_process_fork", 308 },
	};
	assert_int_equal(list.events.len, 7);
	for (size_t i = 0; i < 7; i++) {
		const struct event *e = &list.events.data[i];
		assert_string_equal(e->name, expected[i].name);
		assert_int_equal(e->attr.config, expected[i].id);
		assert_int_equal(e->attr.type, PERF_TYPE_TRACEPOINT);
		assert_int_equal(e->attr.sample_period, 1);
		assert_int_equal(e->attr.exclude_user, i >= 5);
	}
	assert_string_equal(list.events.data[3].system, "raw_syscalls");
	assert_string_equal(list.events.data[3].tracepoint, "sys_enter");
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static void terms_of_one_event(void **state)
{
	struct sys_faked *f = intel();
	struct event_list list = parsed(
		f,
		"cpu-clock/"
		"period=1000,call-graph=dwarf,stack-size=2048,time=0,name=abc,no-inherit,max-stack=10,overwrite/u,"
		"cycles/"
		"freq=max,inherit=0,call-graph=no,percore,aux-output,aux-sample-size=4096,nr=5,branch_type=any_call/,"
		"cpu/event=1,@cfg1,@cfg2=config,freq=99,no-overwrite=1,metric-id=m,cpu=1-2/,"
		"sched:sched_switch/call-graph=fp,name=sw/k,cs/aux-action=pause/");
	assert_int_equal(list.events.len, 5);
	const struct event *e = list.events.data;
	assert_string_equal(e[0].name, "abc");
	assert_int_equal(e[0].terms.set, EVENT_TERM_PERIOD | EVENT_TERM_CALL_GRAPH | EVENT_TERM_STACK_SIZE |
						 EVENT_TERM_TIME | EVENT_TERM_NAME | EVENT_TERM_INHERIT |
						 EVENT_TERM_MAX_STACK | EVENT_TERM_OVERWRITE);
	assert_int_equal(e[0].terms.period, 1000);
	assert_int_equal(e[0].terms.call_graph, EVENT_CALL_GRAPH_DWARF);
	assert_int_equal(e[0].terms.stack_size, 2048);
	assert_true(!e[0].terms.time && !e[0].terms.inherit && e[0].terms.overwrite && e[0].attr.exclude_kernel);
	assert_int_equal(e[0].terms.max_stack, 10);
	assert_true(e[1].terms.freq == EVENT_FREQ_MAX && !e[1].terms.inherit && e[1].terms.percore &&
		    e[1].attr.aux_output);
	assert_int_equal(e[1].terms.call_graph, EVENT_CALL_GRAPH_NO);
	assert_int_equal(e[1].terms.aux_sample_size, 4096);
	assert_int_equal(e[1].terms.max_events, 5);
	assert_string_equal(e[1].terms.branch_type, "any_call");
	assert_int_equal(e[2].terms.driver_configs_nr, 2);
	assert_string_equal(e[2].terms.driver_configs[1], "cfg2=config");
	assert_true(e[2].terms.freq == 99 && !e[2].terms.overwrite && (e[2].terms.set & EVENT_TERM_OVERWRITE));
	assert_string_equal(e[2].terms.metric_id, "m");
	assert_int_equal(e[2].cpus.len, 2);
	assert_string_equal(e[3].name, "sw");
	assert_int_equal(e[3].terms.call_graph, EVENT_CALL_GRAPH_FP);
	assert_int_equal(perf_abi_attr_aux_action(&e[4].attr), PERF_ABI_AUX_PAUSE);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static void groups_have_leaders(void **state)
{
	struct sys_faked *f = intel();
	struct event_list list = parsed(f, "cs,{cycles , instructions:k}:SW,g2{faults:u,sched:sched_process_*}:p");
	static const struct {
		uint32_t leader;
		bool sample_read, weak;
		unsigned precise;
		const char *group;
	} expected[] = {
		{ 0, false, false, 0, NULL }, { 1, true, true, 0, NULL },   { 1, true, true, 0, NULL },
		{ 3, false, false, 1, "g2" }, { 3, false, false, 1, "g2" }, { 3, false, false, 1, "g2" },
	};
	assert_int_equal(list.events.len, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct event *e = &list.events.data[i];
		assert_int_equal(e->leader, expected[i].leader);
		assert_int_equal(e->sample_read, expected[i].sample_read);
		assert_int_equal(e->weak_group, expected[i].weak);
		assert_int_equal(e->attr.precise_ip, expected[i].precise);
		assert_int_equal(!e->group_name, !expected[i].group);
	}
	assert_string_equal(list.events.data[2].name, "instructions:k");
	event_list_deinit(&list);
	/* Lists grow, and a leader is counted from the list's start. */
	list = parsed(f, "cs");
	assert_ok(event_parse(&list, sys_faked_sys(f), "{faults,cycles}"));
	assert_int_equal(list.events.data[2].leader, 1);
	assert_fails(event_parse(&list, sys_faked_sys(f), "cs,cs,nope"), ERROR_USAGE);
	assert_int_equal(list.events.len, 3);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static void names_are_read_whatever_their_case(void **state)
{
	struct sys_faked *f = intel();
	struct event_list list = parsed(f, "CYCLES,Cpu-Cycles,l1-DCACHE-LOAD-misses,Page-Faults:u,R1A8");
	assert_int_equal(list.events.len, 5);
	assert_int_equal(list.events.data[1].attr.config, 0);
	assert_int_equal(list.events.data[2].attr.config, 0x10000);
	assert_string_equal(list.events.data[2].name, "l1-DCACHE-LOAD-misses");
	assert_int_equal(list.events.data[4].attr.config, 0x1a8);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static void probes_are_definitions(void **state)
{
	static const struct {
		const char *text, *path, *definition;
		bool is_return;
	} rows[] = {
		{ "u:/usr/bin/zsh:zfree(p=$arg1)", "/usr/bin/zsh", "zfree p=$arg1", false },
		{ "ur:/usr/bin/zsh:zfree($retval)", "/usr/bin/zsh", "zfree%return $retval", true },
		{ "k:tcp_sendmsg(size)", NULL, "tcp_sendmsg size", false },
		{ "kr:tcp_sendmsg", NULL, "tcp_sendmsg%return", true },
		{ "u:./a:f+8()", "./a", "f+8", false },
		{ "u:./a:dir/a.c:12(n, p->q[2].r:u32 ,s:string)", "./a", "dir/a.c:12 n p->q[2].r:u32 s:string", false },
		{ "u:./a:f(x=+8(+0(%di)):x32)", "./a", "f x=+8(+0(%di)):x32", false },
		{ "u:./a:g:e=f:3", "./a", "g:e=f:3", false },
		{ "u:./a\\:b:f\\,g", "./a:b", "f\\,g", false },
		{ "u:./a:ns::f*", "./a", "ns::f*", false },
		{ "u:./a:f;x*", "./a", "f;x*", false },
	};
	struct sys_faked *f = intel();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct event_list list;
		event_list_init(&list);
		assert_ok(event_parse(&list, sys_faked_sys(f), rows[i].text));
		assert_int_equal(list.events.len, 1);
		const struct event *e = &list.events.data[0];
		assert_int_equal(e->kind, EVENT_PROBE);
		assert_string_equal(e->name, rows[i].text);
		assert_string_equal(e->probe->definition, rows[i].definition);
		assert_int_equal(e->probe->is_return, rows[i].is_return);
		if (rows[i].path)
			assert_string_equal(e->probe->path, rows[i].path);
		else
			assert_null(e->probe->path);
		event_list_deinit(&list);
	}
	sys_faked_destroy(f);
}

static void probes_stand_among_events(void **state)
{
	struct sys_faked *f = intel();
	struct event_list list;
	event_list_init(&list);
	assert_ok(event_parse(&list, sys_faked_sys(f), "cs,{cycles,u:./a:f(x,y)/period=3,name=n/,k:g}:W,ur:./a:h"));
	assert_int_equal(list.events.len, 5);
	assert_int_equal(list.events.data[2].leader, 1);
	assert_int_equal(list.events.data[3].leader, 1);
	assert_true(list.events.data[3].weak_group);
	assert_string_equal(list.events.data[2].name, "n");
	assert_int_equal(list.events.data[2].terms.period, 3);
	assert_string_equal(list.events.data[2].probe->definition, "f x y");
	assert_string_equal(list.events.data[3].probe->definition, "g");
	assert_string_equal(list.events.data[4].probe->definition, "h%return");
	assert_ok(event_list_add_filter(&list, 4, "x > 1"));
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static const struct {
	const char *text;
	unsigned column; /* from 1; 0: none in the message */
	const char *says;
} mistakes[] = {
	{ "cylces", 1, "did you mean 'cycles'?" },
	{ "cs,instruction", 4, "did you mean 'instructions'?" },
	{ "sched_switch", 1, "did you mean 'sched:sched_switch'?" },
	{ "shed_switch", 1, "did you mean 'sched:sched_switch'?" },
	{ "prog.o", 1, "BPF programs" },
	{ "mem-load", 1, "did you mean 'mem-loads'?" },
	{ "nothing_like_it", 1, "strobe list" },
	{ "cycles:x", 8, "unknown modifier 'x'" },
	{ "cycles:pppp", 11, "three times" },
	{ "cycles:kk", 9, "twice" },
	{ "cycles:", 8, "missing modifier" },
	{ "cycles:u:k", 9, "unexpected ':'" },
	{ "cycles,,cs", 8, "expected an event before ','" },
	{ ",cycles", 1, "expected an event before ','" },
	{ "cycles,", 8, "expected an event" },
	{ "", 1, "expected an event" },
	{ "cs}", 3, "unmatched }" },
	{ "{cs,faults", 1, "unmatched {" },
	{ "{cs,{faults}}", 5, "expected an event before '{'" },
	{ "{cs,g{faults}}", 6, "groups cannot be nested" },
	{ "{}", 2, "expected an event before '}'" },
	{ "cpu/evnt=1/", 5, "did you mean 'event'?" },
	{ "cpu/event=1", 4, "unmatched /" },
	{ "cpu/event=0x100/", 11, "maximum is 0xff" },
	{ "cpu/event=zz/", 11, "invalid number" },
	{ "cpu/event=1,,umask=2/", 13, "term is missing" },
	{ "cpu/name='x/", 10, "quote is not closed" },
	{ "cycles/foo=1/", 8, "unknown term 'foo'" },
	{ "cycles/period=x/", 15, "invalid number" },
	{ "cycles/period/", 8, "requires a value" },
	{ "cycles/period=1,freq=2/", 8, "exclude each other" },
	{ "cycles/call-graph=dwraf/", 19, "fp, dwarf, lbr or no" },
	{ "cycles/stack-size=100000/", 19, "65528" },
	{ "cycles/time=2/", 13, "maximum is 1" },
	{ "cpus/event=1/", 1, "did you mean 'cpu'?" },
	{ "hv_gpci/disp/", 9, "requires a value for 'chip'" },
	{ "sched:sched_swich", 7, "did you mean 'sched:sched_switch'?" },
	{ "shed:sched_switch", 1, "did you mean 'sched:sched_switch'?" },
	{ "sched:sched_stat_wait", 7, "CONFIG_SCHEDSTATS" },
	{ "kvm:kvm_exit", 1, "module kvm" },
	{ "probe_libc:sched_switch", 1, "probes are created with perf probe --add" },
	{ "sched:", 7, "missing tracepoint name" },
	{ "sched:x*", 7, "no tracepoint 'sched:x*'" },
	/* Names without an ID: another file in the directory, a tracepoint that cannot be counted. */
	{ "sched:enable", 7, "no tracepoint 'sched:enable'" },
	{ "ftrace:print", 8, "no tracepoint 'ftrace:print'" },
	{ "ftrace:p*", 8, "no tracepoint 'ftrace:p*'" },
	{ "mem:zz", 5, "expected an address" },
	{ "mem:0x1000/0", 12, "a length" },
	{ "mem:0x1000/4:q", 14, "unknown modifier 'q'" },
	{ "u:", 3, "expected the path" },
	{ "u:/bin/ls", 3, "expected the path" },
	{ "u::main", 3, "expected the path" },
	{ "u:/bin/ls:", 11, "expected a place" },
	{ "k:", 3, "expected a place" },
	{ "k:(a)", 3, "expected a place" },
	{ "u:/bin/ls:main(a", 15, "unmatched (" },
	{ "u:/bin/ls:main(a,,b)", 18, "expected an argument before ','" },
	{ "u:/bin/ls:main(a,)", 18, "expected an argument before ')'" },
	{ "u:/bin/ls:main(a b)", 17, "separated by commas" },
	{ "u:/bin/ls:main():u", 17, "no modifiers" },
	{ "u:/bin/ls:main()x", 17, "unexpected 'x'" },
	{ "k:f()/foo=1/", 7, "unknown term 'foo'" },
	{ "L1-icache-stores", 1, "does not have this operation" },
	{ "r12345678123456789", 1, "no event" },
};

static void mistakes_are_pointed_at(void **state)
{
	struct sys_faked *f = intel();
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		struct event_list list;
		event_list_init(&list);
		struct strobe_error *err = event_parse(&list, sys_faked_sys(f), mistakes[i].text);
		if (!err)
			fail_msg("%s is taken", mistakes[i].text);
		char column[32];
		snprintf(column, sizeof(column), "column %u:", mistakes[i].column);
		if (!strstr(err->message, column) || !strstr(err->message, mistakes[i].says) || strchr(err->message, '\n'))
			fail_msg("%s: %s", mistakes[i].text, err->message);
		assert_int_equal(err->code, ERROR_USAGE);
		assert_int_equal(list.events.len, 0);
		error_destroy(err);
		event_list_deinit(&list);
	}
	sys_faked_destroy(f);
}

static void without_tracefs_it_says_so(void **state)
{
	struct sys_faked *f = sys_faked_create();
	struct event_list list;
	event_list_init(&list);
	struct strobe_error *err = event_parse(&list, sys_faked_sys(f), "cs,sched:sched_switch");
	assert_int_equal(err->code, ERROR_UNSUPPORTED);
	assert_non_null(strstr(err->message, "/sys/kernel/tracing"));
	error_destroy(err);
	err = event_parse(&list, sys_faked_sys(f), "cpu/event=1/");
	assert_non_null(strstr(err->message, "no hardware counters"));
	error_destroy(err);
	assert_int_equal(list.events.len, 0);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

static bool count_group(void *ctx, const struct event_name *n)
{
	unsigned *counts = ctx;
	counts[__builtin_ctz(n->group)]++;
	return true;
}

static void filters_are_for_tracepoints_from_an_index_on(void **state)
{
	struct sys_faked *f = intel();
	struct event_list list = parsed(f, "instructions,sched:sched_switch,sched:sched_process_fork");
	assert_fails(event_list_add_filter(&list, 3, "pid > 1"), ERROR_USAGE); /* no event */
	assert_fails(event_list_add_filter(&list, 0, "pid > 1"), ERROR_USAGE); /* not a tracepoint */
	assert_ok(event_list_add_filter(&list, 1, "pid > 1"));
	assert_ok(event_list_add_filter(&list, 2, "pid < 9"));
	assert_null(list.events.data[0].filter);
	assert_string_equal(list.events.data[1].filter, "pid > 1");
	assert_string_equal(list.events.data[2].filter, "(pid > 1) && (pid < 9)");
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

/* Every listed name can be parsed. */
static bool parse_listed(void *ctx, const struct event_name *n)
{
	struct sys_faked *f = ctx;
	if (n->terms && strchr(n->terms, '?'))
		return true;
	struct event_list list = parsed(f, n->name);
	assert_int_equal(list.events.len, 1);
	assert_int_equal(list.events.data[0].attr.type, n->type);
	if (n->group == EVENT_GROUP_HARDWARE || n->group == EVENT_GROUP_SOFTWARE || n->group == EVENT_GROUP_CACHE)
		assert_int_equal(list.events.data[0].attr.config, n->config);
	event_list_deinit(&list);
	if (n->alias && n->group != EVENT_GROUP_PMU) {
		list = parsed(f, n->alias);
		assert_int_equal(list.events.data[0].attr.config, n->config);
		event_list_deinit(&list);
	}
	return true;
}

static void all_names_can_be_listed_and_typed(void **state)
{
	struct sys_faked *f = intel();
	unsigned counts[6] = { 0 };
	assert_ok(event_names_each(sys_faked_sys(f), EVENT_GROUP_ALL, count_group, counts));
	assert_int_equal(counts[0], 10);
	assert_int_equal(counts[1], 12);
	assert_int_equal(counts[2], 3);
	/* L1D, LLC, DTLB and node 6 each, L1I 4, ITLB and branch 2 each */
	assert_int_equal(counts[3], 4 * 6 + 4 + 2 * 2);
	assert_int_equal(counts[4], 4 + 2 + 1 + 1);
	assert_int_equal(counts[5], 5);
	assert_ok(event_names_each(sys_faked_sys(f), EVENT_GROUP_ALL, parse_listed, f));
	sys_faked_destroy(f);
	f = sys_faked_create();
	assert_fails(event_names_each(sys_faked_sys(f), EVENT_GROUP_TRACEPOINT, count_group, counts),
		     ERROR_UNSUPPORTED);
	sys_faked_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmu_terms_land_in_their_bits),
		cmocka_unit_test(formats_may_be_split),
		cmocka_unit_test(uncore_boxes_are_found_by_glob_and_prefix),
		cmocka_unit_test(generic_events_on_a_hybrid_machine),
		cmocka_unit_test(arm_formats),
		cmocka_unit_test(tracepoints_exist),
		cmocka_unit_test(tracepoint_globs),
		cmocka_unit_test(terms_of_one_event),
		cmocka_unit_test(groups_have_leaders),
		cmocka_unit_test(names_are_read_whatever_their_case),
		cmocka_unit_test(probes_are_definitions),
		cmocka_unit_test(probes_stand_among_events),
		cmocka_unit_test(mistakes_are_pointed_at),
		cmocka_unit_test(without_tracefs_it_says_so),
		cmocka_unit_test(filters_are_for_tracepoints_from_an_index_on),
		cmocka_unit_test(all_names_can_be_listed_and_typed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
