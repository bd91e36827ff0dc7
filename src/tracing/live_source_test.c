/* Records of rings and events of BPF programs as one source, in the rounds of a script. */
#include "tracing/live_source.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/testing.h"
#include "record/bytes_builder.h"
#include "record/order.h"

/* Each round of the rings: times, ending in 0; each drain of the tracer: events. */
struct script {
	struct record_source rings; /* first */
	const uint64_t (*rounds)[4];
	size_t round, at, rounds_nr;
	bool marked;
	struct env *env;
	struct bytes_builder record;
	const struct made_event {
		struct trace_event head;
		uint64_t words[64];
		size_t bytes; /* of head and words; 0: the last one */
	} (*drains)[4];
	size_t drained, drains_nr, event;
	unsigned waits, ends_after;
	uint32_t executed;
};

static struct strobe_error *rings_next(struct record_source *source, struct record *ret, bool *ret_end)
{
	struct script *s = (struct script *)source;
	uint64_t time_ns = s->round < s->rounds_nr ? s->rounds[s->round][s->at] : 0;
	*ret_end = false;
	bytes_deinit(&s->record);
	if (time_ns) {
		s->at++;
		bytes_begin(&s->record, PERF_RECORD_SAMPLE, 0);
		bytes_u64(&s->record, time_ns);
		*ret = bytes_end(&s->record);
		return NULL;
	}
	if (s->at && !s->marked) {
		s->marked = true;
		bytes_begin(&s->record, RECORD_FINISHED_ROUND, 0);
		*ret = bytes_end(&s->record);
		return NULL;
	}
	s->round++;
	s->at = 0;
	s->marked = false;
	*ret_end = true;
	return NULL;
}

static const struct env *rings_env(struct record_source *source)
{
	return ((struct script *)source)->env;
}

static void rings_destroy(struct record_source *source)
{
	struct script *s = (struct script *)source;
	bytes_deinit(&s->record);
	env_destroy(s->env);
}

static const struct record_source_ops rings_ops = {
	.next = rings_next, .env = rings_env, .destroy = rings_destroy,
};

/* Like stream_tracer_drain(): continues after the event at which fn returned false. */
static void drain(struct stream_tracer *tracer, bool (*fn)(void *ctx, const struct trace_event *ev, size_t bytes), void *ctx)
{
	struct script *s = (struct script *)tracer;
	while (s->drained < s->drains_nr && s->drains[s->drained][s->event].bytes) {
		const struct made_event *ev = &s->drains[s->drained][s->event++];
		if (!fn(ctx, &ev->head, ev->bytes))
			return;
	}
	s->drained++;
	s->event = 0;
}

static struct strobe_error *wait_once(void *ctx, bool *ret_end)
{
	struct script *s = ctx;
	*ret_end = ++s->waits == s->ends_after;
	return NULL;
}

static void note_exec(void *ctx, uint32_t pid)
{
	((struct script *)ctx)->executed = pid;
}

static struct made_event event(uint8_t type, uint32_t tid, uint64_t time_ns)
{
	return (struct made_event){ .head = { .type = type, .tid = tid, .pid = tid, .time_ns = time_ns },
				    .bytes = sizeof(struct trace_event) };
}

static struct trace_live live_of(struct script *s)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1 };
	s->rings.ops = &rings_ops;
	s->env = env_create();
	env_add_event(s->env, &attr, sizeof(attr), "x", NULL, 0);
	return (struct trace_live){ .rings = &s->rings, .tracer = (struct stream_tracer *)s, .drain = drain, .wait = wait_once,
				    .executes = note_exec, .ctx = s };
}

/* Reads all in order; times of samples as they are, those of events + 1000. */
static size_t read_times(struct trace_live *l, uint64_t *ret, size_t max)
{
	struct record_source *ordered = order_create(trace_live_source(l, NULL, 0));
	size_t n = 0;
	for (bool end = false;;) {
		struct record r;
		uint64_t time_ns;
		assert_ok(source_next(ordered, &r, &end));
		if (end)
			break;
		if (!env_record_time(source_env(ordered), r, &time_ns))
			continue;
		assert_true(n < max);
		ret[n++] = time_ns + (r.hdr->type == RECORD_TIMED ? 1000 : 0);
	}
	assert_int_equal(order_late(ordered), 0);
	source_destroy(ordered);
	return n;
}

/* Events that the programs write in the second round may be older than records of the rings in the first. */
static void both_come_in_order_of_time(void **state)
{
	static const uint64_t rounds[][4] = { { 10, 30 }, { 40 }, { 50 } };
	const struct made_event drains[][4] = { { event(TRACE_EVENT_CALL, 7, 20) },
						{ event(TRACE_EVENT_CALL, 7, 35), event(TRACE_EVENT_CALL, 8, 25) } };
	struct script s = { .rounds = rounds, .rounds_nr = 3, .drains = drains, .drains_nr = 2, .ends_after = 2 };
	struct trace_live l = live_of(&s);
	uint64_t times[8];
	const uint64_t expected[] = { 10, 1020, 1025, 30, 1035, 40, 50 };
	assert_int_equal(read_times(&l, times, 8), 7);
	assert_memory_equal(times, expected, sizeof(expected));
	assert_int_equal(s.waits, 2); /* one more round is read after that, without waiting */
	assert_int_equal(l.lost, 0);
}

static void execs_are_reported_as_they_are_read(void **state)
{
	const struct made_event drains[][4] = { { event(TRACE_EVENT_EXEC, 9, 20) }, { event(TRACE_EVENT_EXEC, 8, 20) } };
	struct script s = { .drains = drains, .drains_nr = 1, .ends_after = 1 };
	struct trace_live l = live_of(&s);
	uint64_t times[8];
	assert_int_equal(read_times(&l, times, 8), 1);
	assert_int_equal(s.executed, 9);
	struct made_event aside[][4] = { { event(TRACE_EVENT_EXEC, 8, 20) } };
	aside[0][0].head.flags = TRACE_FLAG_ASIDE; /* of a task that is not traced */
	s = (struct script){ .drains = (const struct made_event(*)[4])aside, .drains_nr = 1, .ends_after = 1 };
	l = live_of(&s);
	assert_int_equal(read_times(&l, times, 8), 1);
	assert_int_equal(s.executed, 0);
}

static struct made_event stack_event(uint32_t tid, uint64_t address)
{
	struct made_event ev = event(TRACE_EVENT_STACK, tid, 5);
	struct trace_stack stack = { .user_bytes = 8 };
	memcpy(ev.words, &stack, sizeof(stack));
	ev.words[sizeof(stack) / 8] = address;
	ev.bytes += sizeof(stack) + 8;
	return ev;
}

static struct strobe_error *next_event(struct record_source *source, const struct trace_live_record **ret)
{
	struct record r = {};
	bool end = false;
	while (!end && (!r.hdr || r.hdr->type != RECORD_TIMED))
		TRY(source_next(source, &r, &end));
	*ret = end ? NULL : (const struct trace_live_record *)r.hdr;
	return NULL;
}

/* A stack belongs to the next event of its task, but not to a FORK: it waits for the call that forks. */
static void stacks_wait_for_their_call(void **state)
{
	struct made_event call = event(TRACE_EVENT_CALL, 7, 20);
	call.words[0] = 0x1234;
	call.head.args_nr = 1;
	call.bytes += 5; /* an odd length: the stack is aligned after it */
	const struct made_event drains[][4] = { { stack_event(7, 0xabc), event(TRACE_EVENT_CALL, 8, 10), event(TRACE_EVENT_FORK, 7, 15) },
						{ call, event(TRACE_EVENT_CALL, 7, 30) } };
	struct script s = { .drains = drains, .drains_nr = 2, .ends_after = 2 };
	struct trace_live l = live_of(&s);
	struct record_source *source = trace_live_source(&l, NULL, 0);
	static const uint64_t expected[][2] = { { 10, 0 }, { 15, 0 }, { 20, 0xabc }, { 30, 0 } };
	const struct trace_live_record *r = NULL;
	for (size_t i = 0; i < 4; i++) {
		size_t bytes;
		assert_ok(next_event(source, &r));
		assert_non_null(r);
		assert_int_equal(r->timed.time_ns, expected[i][0]);
		assert_int_equal(trace_live_event(r)->time_ns, expected[i][0]);
		const struct trace_stack *stack = trace_live_stack(r, &bytes);
		assert_int_equal(bytes, expected[i][1] ? sizeof(*stack) + 8 : 0);
		if (bytes)
			assert_int_equal(*(const uint64_t *)(stack + 1), expected[i][1]);
		if (i == 2)
			assert_int_equal(r->event_bytes, sizeof(struct trace_event) + 5);
	}
	assert_ok(next_event(source, &r));
	assert_null(r);
	source_destroy(source);
}

static void what_existed_before_comes_first(void **state)
{
	static const uint64_t rounds[][4] = { { 10 } };
	struct script s = { .rounds = rounds, .rounds_nr = 1, .ends_after = 1 };
	struct trace_live l = live_of(&s);
	struct { struct perf_event_header header; uint64_t time_ns; } *before = xcalloc(2, sizeof(*before));
	for (unsigned i = 0; i < 2; i++) {
		before[i].header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .size = sizeof(*before) };
		before[i].time_ns = 1 + i;
	}
	before[1].header.size++; /* one that is cut: not taken */
	struct record_source *source = trace_live_source(&l, before, 2 * sizeof(*before));
	static const uint64_t expected[] = { 1, 10 };
	for (unsigned i = 0; i < 2; i++) {
		struct record r;
		uint64_t time_ns = 0;
		bool end;
		assert_ok(source_next(source, &r, &end));
		assert_true(!end && env_record_time(source_env(source), r, &time_ns));
		assert_int_equal(time_ns, expected[i]);
	}
	source_destroy(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_come_in_order_of_time),
		cmocka_unit_test(execs_are_reported_as_they_are_read),
		cmocka_unit_test(stacks_wait_for_their_call),
		cmocka_unit_test(what_existed_before_comes_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
