#include "base/testing.h"
#include "record/attr_text.h"
#include "record/bytes_builder.h"
#include "record/env.h"

/* From bits as little-endian machines have them. */
static void set_flags(struct perf_event_attr *attr, uint64_t flags)
{
	attr->exclude_user = flags >> 4 & 1;
	attr->exclude_kernel = flags >> 5 & 1;
	attr->exclude_hv = flags >> 6 & 1;
	attr->precise_ip = flags >> 15 & 3;
	attr->exclude_host = flags >> 19 & 1;
	attr->exclude_guest = flags >> 20 & 1;
}

/* What perf evlist 6.1 calls events of such attrs in a file that does not name them. */
static void test_names(void **state)
{
	static const struct {
		uint32_t type, bp_type;
		uint64_t config, flags, bp_addr;
		const char *name;
	} cases[] = {
		{ PERF_TYPE_HARDWARE, 0, 0, 0, 0, "cycles:HG" },
		{ PERF_TYPE_HARDWARE, 0, 0, 1 << 20, 0, "cycles" },
		{ PERF_TYPE_HARDWARE, 0, 1, 3 << 5 | 1 << 20, 0, "instructions:uH" },
		{ PERF_TYPE_HARDWARE, 0, 0, 1 << 4, 0, "cycles:kh" },
		{ PERF_TYPE_HARDWARE, 0, 0, 7 << 4, 0, "cycles" },
		{ PERF_TYPE_HARDWARE, 0, 0, 1 << 19, 0, "cycles:G" },
		{ PERF_TYPE_HARDWARE, 0, 0, 1 << 15, 0, "cycles:p" },
		{ PERF_TYPE_HARDWARE, 0, 0, 2 << 15 | 1 << 20, 0, "cycles:ppH" },
		{ PERF_TYPE_HARDWARE, 0, 0, 3 << 15 | 3 << 5 | 1 << 19, 0, "cycles:upppG" },
		{ PERF_TYPE_HARDWARE, 0, 99, 1 << 20, 0, "unknown-hardware" },
		{ PERF_TYPE_SOFTWARE, 0, 9, 0, 0, "dummy:HG" },
		{ PERF_TYPE_SOFTWARE, 0, 2, 1 << 20, 0, "page-faults" },
		{ PERF_TYPE_HW_CACHE, 0, 0, 1 << 20, 0, "L1-dcache-loads" },
		{ PERF_TYPE_HW_CACHE, 0, 0x10000, 1 << 20, 0, "L1-dcache-load-misses" },
		{ PERF_TYPE_HW_CACHE, 0, 0x10203, 1 << 20, 0, "dTLB-prefetch-misses" },
		{ PERF_TYPE_HW_CACHE, 0, 0x10006, 1 << 20, 0, "node-load-misses" },
		{ PERF_TYPE_HW_CACHE, 0, 0x101, 1 << 20, 0, "invalid-cache" },
		{ PERF_TYPE_HW_CACHE, 0, 7, 1 << 20, 0, "unknown-ext-hardware-cache-type" },
		{ PERF_TYPE_RAW, 0, 0x1a8, 1 << 20, 0, "raw 0x1a8" },
		{ PERF_TYPE_BREAKPOINT, 3, 0, 1 << 20, 0x1234, "mem:0x1234:rw" },
		{ PERF_TYPE_BREAKPOINT, 4, 0, 0, 0x1234, "mem:0x1234:x:HG" },
		{ 99, 0, 0, 0, 0, "unknown attr type: 99" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct perf_event_attr attr = { .type = cases[i].type, .config = cases[i].config };
		set_flags(&attr, cases[i].flags);
		attr.bp_type = cases[i].bp_type;
		attr.bp_addr = cases[i].bp_addr;
		assert_string_equal(env_attr_name(&a, &attr), cases[i].name);
	}
	arena_deinit(&a);
}

static struct record sample_of(struct bytes_builder *b, uint64_t id)
{
	b->bytes.len = 0;
	bytes_begin(b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(b, id);
	bytes_u64(b, 0x1000);
	bytes_u64(b, 55);
	return bytes_end(b);
}

static void test_event_of_sample(void **state)
{
	struct env *e = env_create();
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME, .sample_id_all = 1,
	};
	struct bytes_builder b = {};
	uint64_t first[] = { 1, 2 }, second[] = { 3 }, more[] = { 3, 4 };
	struct sample s;
	uint64_t time;

	env_add_event(e, &attr, sizeof(attr), NULL, first, 2);
	assert_int_equal(env_event_of_sample(e, sample_of(&b, 77)), 0); /* there is only one */
	env_add_event(e, &attr, sizeof(attr), "second", second, 1);
	assert_true(e->one_layout);
	assert_int_equal(env_event_of_sample(e, sample_of(&b, 2)), 0);
	assert_int_equal(env_event_of_sample(e, sample_of(&b, 3)), 1);
	assert_int_equal(env_event_of_sample(e, sample_of(&b, 4)), 2); /* of none */
	assert_int_equal(env_event_of_sample(e, sample_of(&b, 0)), 0); /* made up by a tool */
	env_add_ids(e, 1, more, 2);
	assert_int_equal(e->events.data[1].ids_nr, 2);
	assert_true(env_decode_sample(e, sample_of(&b, 4), &s));
	assert_int_equal(s.event, 1);
	assert_int_equal(s.ip, 0x1000);
	assert_true(env_record_time(e, sample_of(&b, 4), &time));
	assert_int_equal(time, 55);
	attr.sample_type |= PERF_SAMPLE_RAW;
	env_add_event(e, &attr, sizeof(attr), NULL, NULL, 0);
	assert_false(e->one_layout);
	bytes_deinit(&b);
	env_destroy(e);
}

/* A tracepoint's event and the one for mappings beside it, as perf records them: what follows the time does not matter to it. */
static void test_one_time(void **state)
{
	struct env *e = env_create();
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD };
	struct bytes_builder b = {};
	uint64_t first[] = { 1 }, second[] = { 2 }, third[] = { 3 }, time;

	env_add_event(e, &attr, sizeof(attr), NULL, first, 1);
	attr.sample_type &= ~PERF_SAMPLE_PERIOD;
	env_add_event(e, &attr, sizeof(attr), NULL, second, 1);
	assert_false(e->one_layout);
	assert_true(e->one_time);
	assert_true(env_record_time(e, sample_of(&b, 2), &time));
	assert_int_equal(time, 55);
	struct record r = sample_of(&b, 1);
	((struct perf_event_header *)r.hdr)->size -= 8;
	assert_false(env_record_time(e, r, &time));
	attr.sample_type &= ~PERF_SAMPLE_IP;
	env_add_event(e, &attr, sizeof(attr), NULL, third, 1);
	assert_false(e->one_time);
	assert_true(env_record_time(e, sample_of(&b, 3), &time));
	assert_int_equal(time, 0x1000); /* its time is where others have their address */
	assert_true(env_record_time(e, sample_of(&b, 2), &time));
	assert_int_equal(time, 55);
	bytes_deinit(&b);
	env_destroy(e);
}

/* A larger attr than we know is kept whole; a smaller one has zeros after it. */
static void test_attr_sizes(void **state)
{
	struct env *e = env_create();
	uint8_t large[192] = {}, small[PERF_ATTR_SIZE_VER0] = {};

	large[150] = 42;
	env_add_event(e, large, sizeof(large), "large", NULL, 0);
	env_add_event(e, small, sizeof(small), "small", NULL, 0);
	assert_int_equal(e->events.data[0].attr_bytes, 192);
	assert_int_equal(((const uint8_t *)e->events.data[0].attr_raw)[150], 42);
	assert_int_equal(e->events.data[1].attr.sample_regs_user, 0);
	env_destroy(e);
}

static void collect(void *ctx, const char *name, const char *value)
{
	strbuf_addf(ctx, "%s=%s;", name, value);
}

static void test_attr_fields(void **state)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = 128, .sample_freq = 99, .freq = 1, .precise_ip = 2, .sigtrap = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_IDENTIFIER | 1ull << 40, .clockid = -1,
	};
	_cleanup_strbuf_ struct strbuf b = {};

	attr_each_field(&attr, NULL, collect, &b);
	assert_string_equal(strbuf_str(&b),
			    "type=1;size=128;{ sample_period, sample_freq }=99;sample_type=IP|IDENTIFIER|0x10000000000;"
			    "freq=1;precise_ip=2;sigtrap=1;clockid=-1;");
}

/* As perf 7.2 prints them. */
static void test_attr_names(void **state)
{
	const struct {
		struct perf_event_attr attr;
		struct attr_names names;
		const char *text;
	} cases[] = {
		{ { .type = 0, .config = 0x400000000 }, { .pmu = "cpu" },
		  "type=0 (PERF_TYPE_HARDWARE);config=0x400000000 (cpu/PERF_COUNT_HW_CPU_CYCLES/);" },
		{ { .type = 0, .config = 0x700000000 }, {},
		  "type=0 (PERF_TYPE_HARDWARE);config=0x700000000 (PERF_COUNT_HW_CPU_CYCLES);" },
		{ { .type = 1, .config = 0 }, {}, "type=1 (PERF_TYPE_SOFTWARE);config=0 (PERF_COUNT_SW_CPU_CLOCK);" },
		{ { .type = 2, .config = 0x174 }, { .tracepoint = "sched:sched_switch" },
		  "type=2 (PERF_TYPE_TRACEPOINT);config=0x174 (sched:sched_switch);" },
		{ { .type = 3, .config = 0x10000 }, {},
		  "type=3 (PERF_TYPE_HW_CACHE);config=0x10000 (PERF_COUNT_HW_CACHE_RESULT_MISS | PERF_COUNT_HW_CACHE_OP_READ | "
		  "PERF_COUNT_HW_CACHE_L1D);" },
		{ { .type = 5 }, {}, "type=5 (PERF_TYPE_BREAKPOINT);config=0;" },
		{ { .type = 8, .config = 3 }, { .pmu = "uprobe" }, "type=8 (uprobe);config=0x3;" },
		{ { .type = 9 }, { .pmu = "msr", .alias = { "tsc/", 3 } }, "type=9 (msr);config=0 (tsc);" },
		{ { .type = 4, .config = 0x1a }, { .pmu = "cpu" }, "type=4 (cpu);config=0x1a;" },
		{ { .type = 4, .config = 0x1a }, {}, "type=4 (PERF_TYPE_RAW);config=0x1a;" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_strbuf_ struct strbuf b = {};
		attr_each_field(&cases[i].attr, &cases[i].names, collect, &b);
		assert_string_equal(strbuf_str(&b), cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_event_of_sample), cmocka_unit_test(test_one_time),
		cmocka_unit_test(test_attr_sizes),
		cmocka_unit_test(test_attr_fields), cmocka_unit_test(test_attr_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
