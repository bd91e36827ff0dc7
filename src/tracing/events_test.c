/* Samples and events of BPF programs, written by hand, as lines: which of them have lines, the names of tasks, stacks. */
#include "tracing/events.h"

#include "record/bytes_builder.h"
#include "tracing/live_source.h"
#include "tracing/testing.h"

enum { EVENT_A, EVENT_B, EVENT_ON, EVENT_OFF, EVENTS };

/* Records in memory. */
struct fixture {
	struct record_source source; /* first */
	struct env *env;
	struct bytes_builder b;
	size_t at;
	struct line_keeper keeper;
	struct syscall_table *native;
	struct path_choice path;
	struct trace_calls calls;
	struct trace_event_choice choices[EVENTS];
	struct trace_events_setup setup;
	uint64_t lost;
};

static struct strobe_error *next(struct record_source *source, struct record *ret, bool *ret_end)
{
	struct fixture *f = (struct fixture *)source;
	*ret_end = f->at >= f->b.bytes.len;
	if (*ret_end)
		return NULL;
	*ret = (struct record){ .hdr = (const struct perf_event_header *)(f->b.bytes.data + f->at) };
	f->at += ret->hdr->size;
	return NULL;
}

static const struct env *env_of(struct record_source *source)
{
	return ((struct fixture *)source)->env;
}

static const struct record_source_ops ops = { .next = next, .env = env_of };

static struct trace_event_choice choice_of(void *ctx, const struct env_event *event, size_t index)
{
	return ((struct fixture *)ctx)->choices[index];
}

static int set_up(void **state)
{
	static const char *const names[EVENTS] = { "a", "b", "on", "off" };
	struct fixture *f = xcalloc(1, sizeof(*f));
	f->source.ops = &ops;
	f->env = env_create();
	for (uint64_t id = 0; id < EVENTS; id++) {
		struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .sample_id_all = 1,
						.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
		env_add_event(f->env, &attr, sizeof(attr), names[id], &id, 1);
	}
	f->native = syscall_table_create(&arch_x86_64);
	f->keeper = LINE_KEEPER;
	struct trace_lines_setup lines = { .sink = &f->keeper.sink };
	f->calls = (struct trace_calls){ .native = f->native, .path = &f->path, .lines = trace_lines_create(&lines) };
	for (unsigned i = 0; i < EVENTS; i++)
		f->choices[i].is_shown = true;
	f->setup = (struct trace_events_setup){ .env = f->env, .lines = f->calls.lines, .calls = &f->calls, .native = f->native,
						.choice = choice_of, .self = 1, .ctx = f };
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	trace_lines_destroy(f->calls.lines);
	syscall_table_destroy(f->native);
	env_destroy(f->env);
	bytes_deinit(&f->b);
	free(f);
	return 0;
}

static void add_sample(struct fixture *f, uint64_t event, uint32_t pid, uint64_t time_ns)
{
	bytes_begin(&f->b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	bytes_u64(&f->b, event);
	bytes_u32(&f->b, pid);
	bytes_u32(&f->b, pid);
	bytes_u64(&f->b, time_ns);
	bytes_end(&f->b);
}

/* An event of a BPF program, with a stack of that many addresses. */
static void add_bpf(struct fixture *f, uint8_t type, uint64_t time_ns, uint32_t frames)
{
	struct trace_event ev = { .time_ns = time_ns, .start_ns = time_ns - 5, .tid = 7, .pid = 7, .number = 3 /* close */, .type = type };
	struct trace_stack stack = { .user_bytes = frames * 8 };
	bytes_begin(&f->b, RECORD_TIMED, 0);
	bytes_u64(&f->b, time_ns);
	bytes_u32(&f->b, sizeof(ev));
	bytes_u32(&f->b, frames ? sizeof(stack) + frames * 8 : 0);
	bytes_raw(&f->b, &ev, sizeof(ev));
	if (frames)
		bytes_raw(&f->b, &stack, sizeof(stack));
	for (uint32_t i = 0; i < frames; i++)
		bytes_u64(&f->b, 0x1000 + i);
	bytes_end(&f->b);
}

static void read_all(struct fixture *f)
{
	struct trace_events *e;
	f->setup.resolver = resolver_create(&f->source, (struct symbols_options){}, (struct resolve_options){ .with_chains = true });
	e = trace_events_create(&f->setup);
	assert_ok(trace_events_read(e, NULL));
	f->lost = trace_events_lost(e);
	trace_events_destroy(e);
	resolver_destroy(f->setup.resolver);
}

static void assert_times(const struct fixture *f, const uint64_t *times, unsigned n)
{
	assert_int_equal(f->keeper.nr, n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(f->keeper.lines[i].line.time_ns, times[i]);
}

#define ASSERT_TIMES(f, ...)                                                          \
	do {                                                                          \
		const uint64_t times_[] = { __VA_ARGS__ };                            \
		assert_times(f, times_, sizeof(times_) / sizeof(*times_));            \
	} while (0)

static void events_are_chosen_and_in_order(void **state)
{
	struct fixture *f = *state;
	const pid_t excluded[] = { 8 };
	f->choices[EVENT_A].max = 2;
	f->choices[EVENT_ON].is_shown = false;
	f->setup.excluded = excluded;
	f->setup.excluded_nr = 1;
	add_sample(f, EVENT_B, 7, 40);
	add_sample(f, EVENT_A, 7, 20);
	add_sample(f, EVENT_A, 8, 21); /* excluded: does not count either */
	add_sample(f, EVENT_A, 1, 22); /* ourselves */
	add_sample(f, EVENT_ON, 7, 25);
	add_sample(f, EVENT_A, 7, 30);
	add_sample(f, EVENT_A, 7, 35); /* the third */
	read_all(f);
	ASSERT_TIMES(f, 20, 30, 40);
	assert_string_equal(f->keeper.lines[2].line.event, "b");
	assert_int_equal(f->keeper.lines[2].line.kind, TRACE_LINE_POINT);
}

static void some_events_switch(void **state)
{
	struct fixture *f = *state;
	f->choices[EVENT_ON] = (struct trace_event_choice){ .is_shown = true, .switches_on = true, .is_hidden = true,
								      .only_switches = true };
	f->choices[EVENT_OFF] = (struct trace_event_choice){ .is_shown = true, .switches_off = true }; /* shown */
	f->setup.starts_off = true;
	add_sample(f, EVENT_A, 7, 10);
	add_bpf(f, TRACE_EVENT_CALL, 11, 0);
	add_sample(f, EVENT_ON, 7, 12);
	add_sample(f, EVENT_A, 7, 13);
	add_sample(f, EVENT_ON, 7, 14);
	add_bpf(f, TRACE_EVENT_CALL, 20, 0);
	add_sample(f, EVENT_OFF, 7, 21);
	add_sample(f, EVENT_A, 7, 22);
	add_bpf(f, TRACE_EVENT_CALL, 23, 0);
	add_sample(f, EVENT_ON, 7, 24);
	add_sample(f, EVENT_A, 7, 25);
	read_all(f);
	ASSERT_TIMES(f, 13, 15 /* a call begins 5 before its end */, 21, 25);
	assert_string_equal(f->keeper.lines[1].call, "close");
}

static void small_stacks_have_no_line(void **state)
{
	struct fixture *f = *state;
	f->setup.min_stack = 2;
	f->setup.stacks = TRACE_STACKS_FP;
	add_bpf(f, TRACE_EVENT_CALL, 10, 0);
	add_bpf(f, TRACE_EVENT_CALL, 20, 1);
	add_bpf(f, TRACE_EVENT_CALL, 30, 2);
	add_bpf(f, TRACE_EVENT_CALL, 40, 3);
	add_sample(f, EVENT_A, 7, 50);
	read_all(f);
	ASSERT_TIMES(f, 25, 35);
	assert_int_equal(f->keeper.lines[0].line.frames_nr, 2);
	assert_int_equal(f->keeper.lines[1].line.frames_nr, 3);
}

static void add_trailer(struct fixture *f, uint32_t pid, uint64_t time_ns)
{
	bytes_u32(&f->b, pid);
	bytes_u32(&f->b, pid);
	bytes_u64(&f->b, time_ns);
	bytes_u64(&f->b, 0);
	bytes_end(&f->b);
}

/* Without BPF programs names come as records, and those of children from their parents. */
static void records_name_tasks(void **state)
{
	struct fixture *f = *state;
	bytes_begin(&f->b, PERF_RECORD_COMM, 0);
	bytes_u32(&f->b, 7);
	bytes_u32(&f->b, 7);
	bytes_string(&f->b, "parent");
	add_trailer(f, 7, 5);
	bytes_begin(&f->b, PERF_RECORD_FORK, 0);
	for (unsigned i = 0; i < 4; i++) /* pid, ppid, tid, ptid */
		bytes_u32(&f->b, i % 2 ? 7 : 9);
	bytes_u64(&f->b, 6);
	add_trailer(f, 7, 6);
	bytes_begin(&f->b, PERF_RECORD_LOST, 0);
	bytes_u64(&f->b, 0);
	bytes_u64(&f->b, 12);
	add_trailer(f, 7, 7);
	add_sample(f, EVENT_A, 9, 10);
	read_all(f);
	ASSERT_TIMES(f, 10);
	assert_string_equal(f->keeper.lines[0].comm, "parent");
	assert_int_equal(f->lost, 12);
}

static void add_event(struct env *env, uint32_t type, uint64_t config, const char *name)
{
	uint64_t id = env->events.len;
	struct perf_event_attr attr = { .size = sizeof(attr), .type = type, .config = config, .sample_type = PERF_SAMPLE_IDENTIFIER };
	env_add_event(env, &attr, sizeof(attr), name, &id, 1);
}

/* What recordings and live traces hold: each call is seen once, and a page fault is one whatever its event is called. */
static void roles_follow_from_events(void **state)
{
	struct env *env = env_create();
	add_event(env, PERF_TYPE_TRACEPOINT, 1, "syscalls:sys_enter_openat");
	add_event(env, PERF_TYPE_TRACEPOINT, 2, "syscalls:sys_exit_openat");
	assert_int_equal(trace_role_of(env, 0, true, true, false), TRACE_ROLE_PAIR);
	assert_int_equal(trace_role_of(env, 0, true, true, true), TRACE_ROLE_PAIR);
	assert_int_equal(trace_role_of(env, 0, false, true, true), TRACE_ROLE_POINT); /* calls come from BPF, or are not traced */
	assert_int_equal(trace_role_of(env, 0, false, true, false), TRACE_ROLE_NONE);
	/* Beside the entries of all calls those of one are events like any. */
	add_event(env, PERF_TYPE_TRACEPOINT, 3, "raw_syscalls:sys_enter");
	assert_int_equal(trace_role_of(env, 2, true, true, true), TRACE_ROLE_PAIR);
	assert_int_equal(trace_role_of(env, 0, true, true, true), TRACE_ROLE_POINT);
	assert_int_equal(trace_role_of(env, 0, true, true, false), TRACE_ROLE_NONE);
	assert_int_equal(trace_role_of(env, 1, true, true, false), TRACE_ROLE_PAIR);
	add_event(env, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "mine");
	add_event(env, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults:u");
	add_event(env, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "dummy");
	assert_int_equal(trace_role_of(env, 3, true, true, false), TRACE_ROLE_MAJOR_FAULT);
	assert_int_equal(trace_role_of(env, 4, true, true, true), TRACE_ROLE_MINOR_FAULT);
	assert_int_equal(trace_role_of(env, 4, true, false, true), TRACE_ROLE_POINT); /* with no resolver */
	assert_int_equal(trace_role_of(env, 5, true, true, false), TRACE_ROLE_NONE);
	env_destroy(env);
}

static void enough_lines_are_enough(void **state)
{
	struct fixture *f = *state;
	f->keeper.room = 2;
	add_sample(f, EVENT_A, 7, 10);
	add_bpf(f, TRACE_EVENT_CALL, 20, 0);
	add_bpf(f, TRACE_EVENT_CALL, 30, 0);
	add_sample(f, EVENT_A, 7, 40);
	read_all(f);
	ASSERT_TIMES(f, 10, 15);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(events_are_chosen_and_in_order), TEST(some_events_switch),	    TEST(small_stacks_have_no_line),
		TEST(records_name_tasks),	      TEST(enough_lines_are_enough),	    TEST(roles_follow_from_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
