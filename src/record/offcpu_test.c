/* A sample of another thread with a wait in its raw bytes, by hand: whole, and cut off at each place. */
#include "record/offcpu.h"

#include <stdlib.h>

#include "base/testing.h"
#include "record/bytes_builder.h"

#define TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)
#define RAW_BYTES (6 * sizeof(uint64_t))

/* Gives one record, over and over. */
struct single {
	struct record_source source;
	struct env *env;
	struct record record;
};

static struct strobe_error *single_next(struct record_source *s, struct record *ret, bool *ret_end)
{
	*ret = ((struct single *)s)->record;
	*ret_end = false;
	return NULL;
}

static const struct env *single_env(struct record_source *s)
{
	return ((struct single *)s)->env;
}

static void single_destroy(struct record_source *s)
{
	env_destroy(((struct single *)s)->env);
}

static const struct record_source_ops single_ops = { .next = single_next, .env = single_env, .destroy = single_destroy };

static struct env *env_of(const char *name, uint64_t sample_type)
{
	struct env *env = env_create();
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_BPF_OUTPUT, .sample_type = sample_type };
	env_add_event(env, &attr, sizeof(attr), name, NULL, 0);
	return env;
}

/* Thread 11 of process 10 waited 5000 ns at 0x1000, called from 0x2000; thread 20 runs next. */
static struct record build(struct bytes_builder *b, uint32_t raw_bytes, uint64_t words)
{
	uint64_t raw[] = { 0, 5000, words, PERF_CONTEXT_USER, 0x1000, 0x2000, 0 };
	memcpy(raw, (const uint32_t[]){ 10, 11 }, sizeof(*raw));
	uint8_t bytes[sizeof(uint32_t) + sizeof(raw)];
	memcpy(bytes, &raw_bytes, sizeof(raw_bytes));
	memcpy(bytes + sizeof(raw_bytes), raw, sizeof(raw));
	bytes_begin(b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(b, 20 | (uint64_t)20 << 32);
	bytes_u64(b, 77);
	bytes_u64(b, 1);
	bytes_raw(b, bytes, (sizeof(raw_bytes) + raw_bytes + 7) & ~(size_t)7);
	return bytes_end(b);
}

static bool read_one(uint32_t raw_bytes, uint64_t words, struct sample *ret, void (*check)(const struct sample *s))
{
	struct bytes_builder b = {};
	struct single input = { .source.ops = &single_ops, .env = env_of("offcpu-time", TYPE) };
	struct record r;
	bool end;
	input.record = build(&b, raw_bytes, words);
	struct record_source *s = offcpu_create(&input.source);
	assert_ok(source_next(s, &r, &end));
	bool is_whole = env_decode_sample(source_env(s), r, ret);
	if (is_whole)
		check(ret);
	assert_true(source_env(s)->events.data[0].attr.sample_type == ((TYPE & ~(uint64_t)PERF_SAMPLE_RAW) | PERF_SAMPLE_CALLCHAIN));
	source_destroy(s);
	bytes_deinit(&b);
	return is_whole;
}

static void check_wait(const struct sample *s)
{
	assert_int_equal(s->pid, 10);
	assert_int_equal(s->tid, 11);
	assert_int_equal(s->time, 77);
	assert_int_equal(s->period, 5000);
	assert_int_equal(s->callchain_nr, 3);
	assert_true(s->callchain[0] == PERF_CONTEXT_USER && s->callchain[1] == 0x1000 && s->callchain[2] == 0x2000);
	assert_int_equal(s->raw_bytes, 0);
}

static void test_whole(void **state)
{
	struct sample s;
	assert_true(read_one(RAW_BYTES + sizeof(uint64_t), 3, &s, check_wait));
}

static void test_damaged(void **state)
{
	struct sample s;
	for (uint32_t n = 0; n < RAW_BYTES + sizeof(uint64_t); n++)
		assert_false(read_one(n, 3, &s, check_wait));
	assert_false(read_one(RAW_BYTES + sizeof(uint64_t), 5, &s, check_wait));
	assert_false(read_one(RAW_BYTES + sizeof(uint64_t), UINT64_MAX, &s, check_wait));
}

/* Another name, or the form before 6.15. */
static void test_others(void **state)
{
	static const struct {
		const char *name;
		uint64_t type;
		bool is_embedded;
	} events[] = { { "offcpu-time", TYPE, true }, { "bpf-output", TYPE, false }, { "offcpu-time", PERF_SAMPLE_CALLCHAIN, false } };
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		struct env *env = env_of(events[i].name, events[i].type);
		assert_int_equal(offcpu_is_embedded(env), events[i].is_embedded);
		env_destroy(env);
	}
}

/* A stream that names another event after its first sample. */
static void test_growing_stream(void **state)
{
	static const struct perf_event_header update = { .type = RECORD_EVENT_UPDATE, .size = sizeof(update) };
	struct single input = { .source.ops = &single_ops, .env = env_of("cpu-clock", TYPE) };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_BPF_OUTPUT, .sample_type = TYPE };
	struct record r;
	bool end;
	input.env->is_pipe = true;
	struct record_source *s = offcpu_create(&input.source);
	const struct env *env = source_env(s);
	for (unsigned i = 0; i < 10; i++) {
		env_add_event(input.env, &attr, sizeof(attr), "offcpu-time", NULL, 0);
		input.record = (struct record){ .hdr = &update };
		assert_ok(source_next(s, &r, &end));
		assert_int_equal(env->events.len, 2 + i);
		assert_true(env->events.data[1 + i].attr.sample_type & PERF_SAMPLE_CALLCHAIN);
		assert_true(input.env->events.data[1 + i].attr.sample_type == TYPE);
	}
	source_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_whole), cmocka_unit_test(test_damaged), cmocka_unit_test(test_others),
					     cmocka_unit_test(test_growing_stream) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
