/* session, attr_config, event_set: what the kernel gets, on a made-up one; and a live session where that is
 * allowed. */
#include "base/testing.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/out.h"
#include "capture/followed.h"
#include "capture/session.h"
#include "sys/faked.h"

struct fixture {
	struct sys_faked *faked;
	const struct sys *sys;
	struct event_set events;
	struct capture_options options;
	struct capture *capture;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	f->faked = sys_faked_create();
	f->sys = sys_faked_sys(f->faked);
	sys_faked_file(f->faked, "/sys/devices/system/cpu/online", "0-1\n");
	sys_faked_file(f->faked, "/proc/sys/kernel/perf_event_paranoid", "2\n");
	sys_faked_file(f->faked, "/proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	sys_faked_file(f->faked, "/proc/sys/kernel/perf_event_mlock_kb", "516\n");
	sys_faked_status(f->faked, ~0ull, 0, 0);
	sys_faked_tracepoint(f->faked, "sched", "sched_switch", 314);
	sys_faked_tracepoint(f->faked, "sched", "sched_stat_runtime", 315);
	capture_options_init(&f->options);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	if (f->capture)
		capture_close(f->capture);
	sys_faked_destroy(f->faked);
	free(f);
	return 0;
}

static void take_events(struct fixture *f, const char *text)
{
	struct event_list list;
	event_list_init(&list);
	assert_ok(event_parse(&list, f->sys, text));
	event_set_init(&f->events, f->sys);
	event_set_add_list(&f->events, &list);
	event_list_deinit(&list);
}

static struct strobe_error *open_events(struct fixture *f, const char *text, pid_t workload)
{
	take_events(f, text);
	return capture_open(f->sys, &f->options, &f->events, workload, &f->capture);
}

static const struct perf_event_attr *attr_of(const struct fixture *f, size_t i)
{
	return &capture_events(f->capture)->events.data[i].attr;
}

#define BASIC (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* Expected values below: `perf record -vv` 6.1 with the same options. */
static void workload_attr(void **state)
{
	struct fixture *f = *state;
	assert_ok(open_events(f, "cpu-clock", 1234));
	const struct perf_event_attr *a = attr_of(f, 0);
	assert_int_equal(f->events.events.len, 1);
	assert_int_equal(a->size, 128);
	assert_int_equal(a->sample_type, BASIC | PERF_SAMPLE_PERIOD);
	assert_int_equal(a->read_format, PERF_FORMAT_ID | PERF_FORMAT_LOST);
	assert_true(a->freq && a->sample_freq == 4000);
	assert_true(a->disabled && a->inherit && a->enable_on_exec && a->sample_id_all && a->exclude_guest);
	assert_true(a->mmap && a->mmap2 && a->comm && a->comm_exec && a->task && a->ksymbol && a->bpf_event &&
		    a->build_id);
	assert_false(a->watermark);
	/* One on each CPU, of the child, none in a group. */
	assert_int_equal(f->faked->opens.len, 2);
	for (int cpu = 0; cpu < 2; cpu++) {
		const struct sys_faked_open *o = &f->faked->opens.data[cpu];
		assert_int_equal(o->pid, 1234);
		assert_int_equal(o->cpu, cpu);
		assert_int_equal(o->group_fd, -1);
		assert_true(o->flags & PERF_FLAG_FD_CLOEXEC);
	}
	assert_int_equal(capture_rings(f->capture), 2);
	assert_int_equal(capture_ring_bytes(f->capture), 512 << 10);
}

/* An event that counts time has its period in each sample: without it the kernel repeats samples. */
static void time_events(void **state)
{
	struct fixture *f = *state;
	f->options.target.system_wide = true;
	assert_ok(open_events(f, "sched:sched_stat_runtime,sched:sched_switch", 0));
	assert_true(attr_of(f, 0)->sample_type & PERF_SAMPLE_PERIOD);
	assert_false(attr_of(f, 1)->sample_type & PERF_SAMPLE_PERIOD);
}

/* Stacks that a program walks need room by their rate, here 4000 Hz for each event. */
static void check_rings_for_stacks(struct fixture *f, const char *events, int pid, int ring_mib)
{
	f->options.callgraph.mode = CALLGRAPH_EH;
	f->options.freq_hz = 4000;
	assert_ok(open_events(f, events, pid));
	assert_int_equal(capture_ring_bytes(f->capture), (uint64_t)ring_mib << 20);
}

static void rings_for_stacks(void **state)
{
	check_rings_for_stacks(*state, "cpu-clock", 1234, 4);
}

static void rings_for_many_stacks(void **state)
{
	check_rings_for_stacks(*state, "cpu-clock,task-clock", 1234, 8);
}

static void rings_for_all_stacks(void **state)
{
	struct fixture *f = *state;
	f->options.target.system_wide = true;
	check_rings_for_stacks(f, "cpu-clock", 0, 8);
}

static void system_wide_attrs(void **state)
{
	struct fixture *f = *state;
	f->options.target.system_wide = true;
	assert_ok(open_events(f, "sched:sched_switch", 0));
	assert_int_equal(f->events.events.len, 2); /* and a dummy that tracks */
	const struct perf_event_attr *a = attr_of(f, 0), *d = attr_of(f, 1);
	assert_true(a->sample_type & PERF_SAMPLE_RAW && a->sample_type & PERF_SAMPLE_CPU);
	assert_true(a->sample_type & PERF_SAMPLE_IDENTIFIER && d->sample_type & PERF_SAMPLE_IDENTIFIER);
	assert_int_equal(a->sample_period, 1);
	assert_false(a->freq || a->mmap || a->comm || a->task);
	assert_true(a->disabled && !a->enable_on_exec);
	assert_int_equal(d->config, PERF_COUNT_SW_DUMMY);
	assert_true(d->mmap && d->comm && d->task && !d->disabled && d->exclude_guest);
	/* As perf 7.2 has it. */
	assert_false(a->inherit || d->inherit);
	assert_int_equal(f->faked->opens.data[0].pid, -1);
	/* Bursts need room: large rings, woken at a quarter. */
	assert_int_equal(capture_ring_bytes(f->capture), 8 << 20);
	assert_true(a->watermark && a->wakeup_watermark == 2 << 20);
	/* One ring a CPU: the second event is directed into it. */
	unsigned redirected = 0;
	for (size_t i = 0; i < f->faked->ioctls.len; i++)
		redirected += f->faked->ioctls.data[i].request == PERF_EVENT_IOC_SET_OUTPUT;
	assert_int_equal(redirected, 2);
	assert_non_null(capture_env(f->capture)->tracing_data);
	/* Not our own: the filter names our thread. */
	capture_exclude_thread(f->capture, 77);
	assert_ok(capture_apply_filters(f->capture));
	assert_string_equal(f->events.events.data[0].filter, "common_pid != 77");
}

/* The process that is recorded by CPU, and the opened event that follows mappings. */
static const struct sys_faked_open *open_tracker(struct fixture *f, bool tracks_all)
{
	static const uint64_t bits[32];
	static const struct followed_tasks tasks = { .bits = bits, .nr = 64 * 32 };
	f->options.followed = &tasks;
	f->options.tracks_all = tracks_all;
	f->options.build_id_mmap = true;
	assert_ok(open_events(f, "cpu-clock", 1234));
	assert_int_equal(f->events.events.len, 2);
	assert_int_equal(f->faked->opens.len, 4);
	assert_int_equal(f->faked->opens.data[0].pid, -1);
	assert_false(f->faked->opens.data[0].attr.mmap);
	const struct sys_faked_open *o = &f->faked->opens.data[2];
	assert_int_equal(o->attr.config, PERF_COUNT_SW_DUMMY);
	assert_true(o->attr.mmap && o->attr.mmap2 && o->attr.comm && o->attr.task);
	return o;
}

static void mappings_of_followed_tasks(void **state)
{
	const struct sys_faked_open *o = open_tracker(*state, false);
	assert_int_equal(o->pid, 1234);
	assert_true(o->attr.inherit && o->attr.build_id);
}

static void mappings_of_all_tasks(void **state)
{
	const struct sys_faked_open *o = open_tracker(*state, true);
	assert_int_equal(o->pid, -1);
	assert_false(o->attr.inherit || o->attr.build_id || o->attr.enable_on_exec);
}

static void groups_that_are_read(void **state)
{
	struct fixture *f = *state;
	assert_ok(open_events(f, "{cpu-clock,context-switches}:S", 5));
	const struct perf_event_attr *leader = attr_of(f, 0), *member = attr_of(f, 1);
	const uint64_t fields = BASIC | PERF_SAMPLE_READ | PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD;
	assert_int_equal(leader->sample_type, fields);
	assert_int_equal(member->sample_type, fields);
	assert_int_equal(leader->read_format, PERF_FORMAT_ID | PERF_FORMAT_GROUP | PERF_FORMAT_LOST);
	assert_true(leader->disabled && leader->freq && leader->inherit);
	assert_false(member->disabled || member->freq || member->sample_freq);
	assert_true(member->inherit);
	assert_int_equal(f->faked->opens.data[2].group_fd, f->faked->opens.data[0].fd);
	assert_int_equal(capture_env(f->capture)->events.data[0].group_members, 2);
}

static void stacks_and_fields(void **state)
{
	struct fixture *f = *state;
	f->options.callgraph = (struct callgraph_options){ .mode = CALLGRAPH_DWARF, .dump_bytes = 8192 };
	f->options.use_clockid = true;
	f->options.clockid = 1;
	f->options.no_inherit = true;
	assert_ok(open_events(f, "cpu-clock", 5));
	const struct perf_event_attr *a = attr_of(f, 0);
	assert_int_equal(a->sample_type, BASIC | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ADDR |
						 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	assert_int_equal(a->sample_stack_user, 8192);
	assert_int_equal(a->sample_regs_user, sample_regs_all());
	assert_true(a->exclude_callchain_user && a->mmap_data && a->use_clockid && a->clockid == 1 && !a->inherit);
}

static void terms_win(void **state)
{
	struct fixture *f = *state;
	f->options.freq_hz = 0;
	f->options.period = 55;
	f->options.period_set = true;
	assert_ok(open_events(f, "cpu-clock/freq=1000/,context-switches,page-faults/period=7,time=0/", 5));
	assert_true(attr_of(f, 0)->freq && attr_of(f, 0)->sample_freq == 1000);
	assert_true(!attr_of(f, 1)->freq && attr_of(f, 1)->sample_period == 55);
	assert_true(!attr_of(f, 2)->freq && attr_of(f, 2)->sample_period == 7);
	assert_false(attr_of(f, 2)->sample_type & PERF_SAMPLE_TIME);
}

static void rates_and_limits(void **state)
{
	struct fixture *f = *state;
	sys_faked_file(f->faked, "/proc/sys/kernel/perf_event_max_sample_rate", "3200\n");
	assert_ok(open_events(f, "cpu-clock", 5));
	assert_int_equal(attr_of(f, 0)->sample_freq, 3200);
	assert_int_equal(capture_events(f->capture)->requested_freq, 4000);
	assert_int_equal(capture_events(f->capture)->lowered_freq, 3200);
	capture_close(f->capture);
	f->capture = NULL;
	f->options.strict_freq = true;
	struct strobe_error *err = open_events(f, "cpu-clock", 5);
	assert_non_null(err);
	assert_non_null(strstr(err->message, "perf_event_max_sample_rate"));
	error_destroy(err);
}

static bool is_noted(const struct fixture *f, const char *word)
{
	const char *const *notes;
	size_t n = capture_notes(f->capture, &notes);
	for (size_t i = 0; i < n; i++)
		if (strstr(notes[i], word))
			return true;
	return false;
}

/* Expected values: `perf record -vv` 7.2 with the same event on Linux 6.18, and the rule of the kernels before 6.12. */
static void groups_that_are_read_are_inherited_where_the_kernel_can(void **state)
{
	struct fixture *f = *state;
	assert_ok(open_events(f, "{cpu-clock,page-faults}:S", 1234));
	assert_true(attr_of(f, 0)->inherit && attr_of(f, 1)->inherit);
	assert_false(is_noted(f, "6.12"));
	capture_close(f->capture);
	f->capture = NULL;
	sys_faked_answer(f->faked, (struct sys_faked_answer){ .match = MATCH_GROUP_INHERITED, .errnum = EINVAL });
	assert_ok(open_events(f, "{cpu-clock,page-faults}:S", 1234));
	assert_false(attr_of(f, 0)->inherit || attr_of(f, 1)->inherit);
	assert_true(attr_of(f, 0)->read_format & PERF_FORMAT_LOST);
	assert_true(is_noted(f, "6.12"));
	capture_close(f->capture);
	f->capture = NULL;
	/* Of a CPU no task inherits: counts are the CPU's. */
	f->options.target.system_wide = true;
	assert_ok(open_events(f, "{cpu-clock,page-faults}:S", 0));
	assert_false(attr_of(f, 0)->inherit);
}

static void an_event_that_is_replaced_is_named(void **state)
{
	struct fixture *f = *state;
	sys_faked_answer(f->faked,
			 (struct sys_faked_answer){ .match = MATCH_TYPE, .type = PERF_TYPE_HARDWARE, .errnum = ENOENT });
	assert_ok(open_events(f, "cycles:u", 1234));
	assert_string_equal(f->events.events.data[0].name, "cpu-clock");
	assert_true(is_noted(f, "'cycles:u' is not supported"));
}

static void gives_up_what_it_must(void **state)
{
	struct fixture *f = *state;
	/* Precise only up to level 1, and user space only. */
	sys_faked_answer(f->faked,
			 (struct sys_faked_answer){ .match = MATCH_PRECISE, .precise_ip = 2, .errnum = EOPNOTSUPP });
	sys_faked_answer(f->faked, (struct sys_faked_answer){ .match = MATCH_KERNEL, .errnum = EACCES });
	sys_faked_status(f->faked, 0, 1000, 0);
	assert_ok(open_events(f, "cycles:P", 5));
	const struct perf_event_attr *a = attr_of(f, 0);
	assert_int_equal(a->precise_ip, 1);
	assert_true(a->exclude_kernel);
	assert_true(capture_events(f->capture)->user_only);
	assert_string_equal(f->events.events.data[0].name, "cycles:Pu");
	assert_true(is_noted(f, "perf_event_paranoid"));
}

static void refusals_name_the_cause(void **state)
{
	struct fixture *f = *state;
	sys_faked_answer(f->faked, (struct sys_faked_answer){ .match = MATCH_CPU, .cpu = 1, .errnum = ENODEV });
	struct strobe_error *err = open_events(f, "page-faults", 5);
	assert_non_null(err);
	assert_non_null(strstr(err->message, "page-faults"));
	error_destroy(err);
	f->options.target.cpus = "0,7";
	err = open_events(f, "page-faults", 0);
	assert_non_null(err);
	assert_non_null(strstr(err->message, "CPU 7"));
	error_destroy(err);
}

static struct strobe_error *drop(struct record_sink *s, const void *records, size_t bytes)
{
	return NULL;
}

/* A live session on ourselves: samples come, as records of the source and by draining alike. */
static void live_rings(void **state)
{
	struct fixture *f = *state;
	cpu_set_t one;
	char self[16];
	snprintf(self, sizeof(self), "%d", getpid());
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	f->sys = sys_live();
	f->options.target.pids = self;
	f->options.all_user = true;
	take_events(f, "cpu-clock");
	struct strobe_error *err = capture_open(f->sys, &f->options, &f->events, 0, &f->capture);
	if (err) {
		print_message("# %s\n", err->message);
		error_destroy(err);
		skip();
	}
	capture_enable(f->capture);
	for (volatile unsigned i = 0; i < 100000000; i++)
		;
	capture_disable(f->capture);
	struct record_source *source = capture_source(f->capture);
	struct record r;
	bool end = false;
	unsigned samples = 0, rounds = 0;
	for (;;) {
		assert_ok(source_next(source, &r, &end));
		if (end)
			break;
		rounds += r.hdr->type == RECORD_FINISHED_ROUND;
		if (r.hdr->type != PERF_RECORD_SAMPLE)
			continue;
		struct sample s;
		assert_true(env_decode_sample(source_env(source), r, &s));
		assert_int_equal(s.pid, getpid());
		samples++;
	}
	source_destroy(source);
	assert_int_equal(rounds, 1);
	assert_true(samples > 10);
	assert_int_equal(capture_totals(f->capture).samples, samples);
	uint64_t bytes;
	struct record_sink sink = { .write = drop };
	assert_ok(capture_drain(f->capture, 0, &sink, true, true, &bytes));
	assert_int_equal(bytes, 0);
	assert_ok(capture_finish(f->capture, &sink));
	assert_int_equal(capture_totals(f->capture).lost_samples, 0);
	assert_false(capture_tasks_gone(f->capture, 0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(workload_attr),
		TEST(time_events),
		TEST(rings_for_stacks),
		TEST(rings_for_many_stacks),
		TEST(rings_for_all_stacks),
		TEST(system_wide_attrs),
		TEST(mappings_of_followed_tasks),
		TEST(mappings_of_all_tasks),
		TEST(groups_that_are_read),
		TEST(stacks_and_fields),
		TEST(terms_win),
		TEST(rates_and_limits),
		TEST(groups_that_are_read_are_inherited_where_the_kernel_can),
		TEST(an_event_that_is_replaced_is_named),
		TEST(gives_up_what_it_must),
		TEST(refusals_name_the_cause),
		TEST(live_rings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
