/* System calls out of samples of raw_syscalls, written by hand: names, times, results, and whose architecture they have. */
#include "tracing/events.h"

#include "decode/tracing_data_builder.h"
#include "tracing/testing.h"

enum { ENTER, EXIT, EVENTS };
enum { NUMBER_AT = 8, VALUES_AT = 16 }; /* in raw data: the call's number; its arguments, or its result */

/* Fields as in /sys/kernel/tracing/events/raw_syscalls of a 64-bit machine. */
static const char *const formats[EVENTS] = {
	[ENTER] = "name: sys_enter\nID: 21\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		  "\n\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		  "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\nprint fmt: \"\"\n",
	[EXIT] = "name: sys_exit\nID: 22\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		 "\n\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		 "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"\n",
};
static const uint32_t tracepoint_ids[EVENTS] = { 21, 22 };

struct fixture {
	struct env *env;
	struct bytes_builder formats, record;
	struct line_keeper keeper;
	struct syscall_table *calls, *compat_calls;
	struct trace_lines *lines;
	struct trace_events *events;
};

static int set_up(void **state)
{
	static const char *const names[EVENTS] = { "raw_syscalls:sys_enter", "raw_syscalls:sys_exit" };
	struct fixture *f = xcalloc(1, sizeof(*f));
	f->env = env_create();
	bytes_formats(&f->formats, "raw_syscalls", formats, EVENTS);
	f->env->tracing_data = f->formats.bytes.data;
	f->env->tracing_data_bytes = f->formats.bytes.len;
	for (uint64_t id = 0; id < EVENTS; id++) {
		struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT, .config = tracepoint_ids[id],
						.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							       PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER,
						.sample_regs_user = 1 };
		env_add_event(f->env, &attr, sizeof(attr), names[id], &id, 1);
	}
	f->keeper = LINE_KEEPER;
	f->lines = trace_lines_create(&(struct trace_lines_setup){ .sink = &f->keeper.sink });
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	trace_events_destroy(f->events);
	trace_lines_destroy(f->lines);
	syscall_table_destroy(f->calls);
	syscall_table_destroy(f->compat_calls);
	env_destroy(f->env);
	bytes_deinit(&f->formats);
	bytes_deinit(&f->record);
	free(f);
	return 0;
}

/* A recording of a machine. */
static void begin(struct fixture *f, const struct arch *arch)
{
	f->calls = syscall_table_create(arch);
	f->compat_calls = syscall_table_create(arch->compat);
	struct call_pairs_setup pairs = { .lines = f->lines, .calls = f->calls, .compat_calls = f->compat_calls };
	struct trace_events_setup setup = { .env = f->env, .lines = f->lines, .native = f->calls, .pairs = &pairs };
	f->events = trace_events_create(&setup);
}

struct made_sample {
	uint64_t event;
	uint32_t tid;
	uint64_t time_ns, number, value; /* value: the first argument, or the result */
	bool is_32_bit;
	bool is_short; /* its raw data ends within the call's number */
};

static void take(struct fixture *f, struct made_sample s)
{
	uint8_t raw[68] = {};
	uint32_t raw_bytes = s.is_short ? 12 : sizeof(raw); /* with the u32 of the size a multiple of 8, as the kernel has it */
	memcpy(raw + NUMBER_AT, &s.number, 8);
	memcpy(raw + VALUES_AT, &s.value, 8);
	bytes_deinit(&f->record);
	bytes_begin(&f->record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	bytes_u64(&f->record, s.event);
	bytes_u32(&f->record, s.tid);
	bytes_u32(&f->record, s.tid);
	bytes_u64(&f->record, s.time_ns);
	bytes_u32(&f->record, raw_bytes);
	bytes_raw(&f->record, raw, raw_bytes);
	bytes_u64(&f->record, s.is_32_bit ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64);
	bytes_u64(&f->record, 0); /* the one register of sample_regs_user */
	assert_ok(trace_events_take(f->events, bytes_end(&f->record)));
}

static const struct kept_line *line(const struct fixture *f, unsigned i, enum trace_line_kind kind, const char *call)
{
	assert_in_range(i + 1, 1, f->keeper.nr);
	assert_int_equal(f->keeper.lines[i].line.kind, kind);
	assert_string_equal(f->keeper.lines[i].call, call);
	return &f->keeper.lines[i];
}

/* x86-64: 0 is read, 3 is close. */
static void calls_are_put_together_by_thread(void **state)
{
	struct fixture *f = *state;
	begin(f, &arch_x86_64);
	take(f, (struct made_sample){ ENTER, 7, 100, 0 });
	take(f, (struct made_sample){ ENTER, 8, 110, 3 }); /* interrupts 7's, which is shown */
	take(f, (struct made_sample){ EXIT, 7, 150, 0, 512 });
	take(f, (struct made_sample){ EXIT, 8, 180, 3, (uint64_t)-9 });
	assert_int_equal(f->keeper.nr, 3);
	assert_int_equal(line(f, 0, TRACE_LINE_ENTERED, "read")->line.time_ns, 100);
	const struct kept_line *read = line(f, 1, TRACE_LINE_CALL, "read"), *close = line(f, 2, TRACE_LINE_CALL, "close");
	assert_int_equal(read->line.tid, 7);
	assert_int_equal(read->line.time_ns, 100);
	assert_int_equal(read->line.duration_ns, 50);
	assert_int_equal(read->ret, 512);
	assert_int_equal(close->line.tid, 8);
	assert_int_equal(close->line.time_ns, 110);
	assert_int_equal(close->line.duration_ns, 70);
	assert_int_equal(close->ret, -9);
}

static void an_exit_alone_has_no_start(void **state)
{
	struct fixture *f = *state;
	begin(f, &arch_x86_64);
	take(f, (struct made_sample){ EXIT, 7, 150, 3 });
	assert_int_equal(f->keeper.nr, 1);
	const struct kept_line *close = line(f, 0, TRACE_LINE_CALL, "close");
	assert_true(close->line.start_unknown);
	assert_false(close->line.has_duration);
	assert_int_equal(close->line.time_ns, 150);
}

static void a_short_sample_is_counted_as_damaged(void **state)
{
	struct fixture *f = *state;
	begin(f, &arch_x86_64);
	take(f, (struct made_sample){ ENTER, 7, 100, 0, .is_short = true });
	take(f, (struct made_sample){ EXIT, 7, 150, 0, .is_short = true });
	assert_int_equal(f->keeper.nr, 0);
	assert_int_equal(trace_events_damaged(f->events), 2);
}

/* 3 is close on x86-64, read on i386. */
static void a_32_bit_program_has_its_own_numbers(void **state)
{
	struct fixture *f = *state;
	begin(f, &arch_x86_64);
	take(f, (struct made_sample){ EXIT, 7, 150, 3 });
	take(f, (struct made_sample){ EXIT, 8, 160, 3, .is_32_bit = true });
	assert_ptr_equal(line(f, 0, TRACE_LINE_CALL, "close")->arch, &arch_x86_64);
	assert_ptr_equal(line(f, 1, TRACE_LINE_CALL, "read")->arch, &arch_i386);
}

/* 500 is not a number of either table. Both kinds of recording are read on any machine. */
static void unknown_calls_have_the_architecture_of_the_recording(void **state, const struct arch *arch, const struct arch *compat)
{
	struct fixture *f = *state;
	begin(f, arch);
	take(f, (struct made_sample){ EXIT, 7, 150, 500 });
	take(f, (struct made_sample){ EXIT, 8, 160, 500, .is_32_bit = true });
	assert_ptr_equal(line(f, 0, TRACE_LINE_CALL, "syscall_0x1f4")->arch, arch);
	assert_ptr_equal(line(f, 1, TRACE_LINE_CALL, "syscall_0x1f4")->arch, compat);
}

static void unknown_calls_of_x86_64(void **state)
{
	unknown_calls_have_the_architecture_of_the_recording(state, &arch_x86_64, &arch_i386);
}

static void unknown_calls_of_aarch64(void **state)
{
	unknown_calls_have_the_architecture_of_the_recording(state, &arch_aarch64, &arch_arm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(calls_are_put_together_by_thread, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_exit_alone_has_no_start, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_short_sample_is_counted_as_damaged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_32_bit_program_has_its_own_numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unknown_calls_of_x86_64, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unknown_calls_of_aarch64, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
