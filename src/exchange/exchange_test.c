#include "base/testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "config.h"
#include "exchange/exchange.h"
#include "exchange/pprof_stream.h"
#include "packing/gzip.h"

/* By hand, from the encoding's specification: one type "cpu" in "ns", a sample of 7 at f (line 3) inlined into g. */
static const uint8_t by_hand[] = {
	0x0a, 4, 0x08, 1, 0x10, 2,                                  /* sample_type { type: 1 unit: 2 } */
	0x12, 6, 0x0a, 1, 9, 0x12, 1, 7,                            /* sample { location: [9] value: [7] } */
	0x22, 18, 0x08, 9, 0x18, 0x80, 0x20,                        /* location { id: 9 address: 0x1000 */
	0x22, 4, 0x08, 1, 0x10, 3, 0x22, 5, 0x08, 2, 0x10, 0x80, 1, /*   line {1, 3} line {2, 128} } */
	0x2a, 4, 0x08, 1, 0x10, 3,                                  /* function { id: 1 name: 3 } */
	0x2a, 4, 0x08, 2, 0x10, 4,                                  /* function { id: 2 name: 4 } */
	0x32, 0, 0x32, 3, 'c', 'p', 'u', 0x32, 2, 'n', 's', 0x32, 1, 'f', 0x32, 1, 'g',
};

static const char *function_name(const struct profile *p, stack_id stack)
{
	const struct profile_frame *f = &p->frames.data[p->stacks.data[stack].frame];
	return profile_str(p, p->functions.data[f->function].name);
}

static void check_by_hand(const struct profile *p)
{
	assert_int_equal(p->rows.len, 1);
	assert_int_equal(p->rows.data[0].value, 7);
	stack_id inner = p->rows.data[0].stack, outer = p->stacks.data[inner].caller;
	assert_string_equal(function_name(p, inner), "f");
	assert_string_equal(function_name(p, outer), "g");
	const struct profile_frame *f = &p->frames.data[p->stacks.data[inner].frame];
	const struct profile_frame *g = &p->frames.data[p->stacks.data[outer].frame];
	assert_int_equal(f->flags, FRAME_INLINED);
	assert_int_equal(f->line, 3);
	assert_int_equal(g->flags, 0);
	assert_int_equal(g->line, 128);
	assert_int_equal(g->addr, 0x1000);
	assert_int_equal(p->stacks.data[outer].caller, PROFILE_NONE);
	assert_string_equal(profile_event_name(p, 0), "cpu");
	assert_string_equal(profile_str(p, p->events.data[0].unit), "ns");
}

static void reads_what_was_made_by_hand(void **state)
{
	struct profile *p;
	assert_ok(exchange_read(by_hand, sizeof(by_hand), "by hand", NULL, &p));
	check_by_hand(p);
	profile_destroy(p);
}

#if HAVE_ZLIB
/* 80 MB of empty texts after a valid begin, which pack to 1/1000: refused without being parsed. */
static void a_bomb_is_refused(void **state)
{
	size_t bytes = (size_t)80 << 20, n;
	struct profile *p;
	struct out out;
	uint8_t *plain = xmalloc(bytes);
	memcpy(plain, by_hand, sizeof(by_hand));
	for (size_t i = sizeof(by_hand); i < bytes; i++)
		plain[i] = (i - sizeof(by_hand)) % 2 ? 0 : 0x32;
	out_init_mem(&out);
	assert_ok(gzip_pack(plain, bytes, &out));
	free(plain);
	const char *packed = out_mem(&out, &n);
	assert_fails(exchange_read((const uint8_t *)packed, n, "a bomb", NULL, &p), ERROR_LIMIT);
	assert_ok(out_close(&out));
}

static void writes_what_it_reads(void **state)
{
	struct profile *p, *again;
	struct out out;
	assert_ok(exchange_read(by_hand, sizeof(by_hand), "by hand", NULL, &p));
	out_init_mem(&out);
	assert_ok(pprof_write(p, &out));
	size_t n;
	const char *bytes = out_mem(&out, &n);
	assert_true(gzip_is((const uint8_t *)bytes, n));
	assert_ok(exchange_read((const uint8_t *)bytes, n, "again", NULL, &again));
	check_by_hand(again);
	assert_ok(out_close(&out));
	profile_destroy(p);
	profile_destroy(again);
}
#endif

/* The dummy event of a recording has no samples, and must not be the default of readers. */
static void what_counted_is_shown(void **state)
{
	struct profile *p = profile_create(), *again;
	struct out out;
	size_t n;
	uint32_t cycles = profile_event(p, "cycles", "");
	profile_event(p, "dummy:HG", "");
	profile_add(p, PROFILE_NONE, PROFILE_NONE, cycles, 1, 10, 0);
	out_init_mem(&out);
	assert_ok(pprof_write_raw(p, &out));
	const char *bytes = out_mem(&out, &n);
	assert_ok(exchange_read((const uint8_t *)bytes, n, "again", NULL, &again));
	assert_string_equal(profile_str(again, again->origin.default_event), "cycles");
	assert_ok(out_close(&out));
	profile_destroy(p);
	profile_destroy(again);
}

/* Wherever it is truncated, the result is an error or a profile. */
static void samples_as_they_stand(void **state)
{
	struct exchange_bytes bytes = { .p = by_hand, .n = sizeof(by_hand) };
	struct pprof_stream *s;
	struct callgraph_sample sample;
	assert_ok(pprof_stream_create(&bytes, &s));
	assert_null(pprof_stream_samples(s));
	assert_ok(pprof_stream_sum(s, "cpu"));
	assert_int_equal(pprof_stream_total(s), 7);
	const struct callgraph_samples *samples = pprof_stream_samples(s);
	const struct profile *p = pprof_stream_tables(s);
	for (int round = 0; round < 2; round++) {
		samples->rewind(samples->ctx);
		assert_true(samples->next(samples->ctx, &sample));
		assert_int_equal(sample.nr, 2);
		assert_int_equal(sample.value, 7);
		assert_string_equal(profile_str(p, p->functions.data[p->frames.data[sample.path[0]].function].name), "g");
		assert_int_equal(p->frames.data[sample.path[1]].line, 3);
		assert_false(samples->next(samples->ctx, &sample));
	}
	pprof_stream_destroy(s);
}

static void negative_samples_do_not_stand_alone(void **state)
{
	static const uint8_t negative[] = {
		0x0a, 4, 0x08, 1, 0x10, 2,
		0x12, 12, 0x12, 10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, /* sample { value: [-1] } */
		0x32, 0, 0x32, 3, 'c', 'p', 'u', 0x32, 2, 'n', 's',
	};
	struct exchange_bytes bytes = { .p = negative, .n = sizeof(negative) };
	struct pprof_stream *s;
	assert_ok(pprof_stream_create(&bytes, &s));
	struct strobe_error *err = pprof_stream_sum(s, "cpu");
	assert_true(error_is(err, ERROR_UNSUPPORTED));
	assert_null(pprof_stream_samples(s));
	error_destroy(err);
	pprof_stream_destroy(s);
}

static void cut_short(void **state)
{
	for (size_t n = 0; n < sizeof(by_hand); n++) {
		struct profile *p;
		struct strobe_error *err = exchange_read(by_hand, n, "cut", NULL, &p);
		assert_true(err || p);
		error_destroy(err);
		profile_destroy(p);
	}
}

static void unknown_ids(void **state)
{
	uint8_t bytes[sizeof(by_hand)];
	struct profile *p;
	memcpy(bytes, by_hand, sizeof(bytes));
	bytes[10] = 8; /* the sample's location */
	assert_fails(exchange_read(bytes, sizeof(bytes), "wrong", NULL, &p), ERROR_FORMAT);
	memcpy(bytes, by_hand, sizeof(bytes));
	bytes[24] = 5; /* the line's function */
	assert_fails(exchange_read(bytes, sizeof(bytes), "wrong", NULL, &p), ERROR_FORMAT);
}

/* The second function gets the ID of the first: a reference to it is ambiguous. */
static void ids_twice(void **state)
{
	uint8_t bytes[sizeof(by_hand)];
	struct profile *p;
	memcpy(bytes, by_hand, sizeof(bytes));
	uint8_t *second = memmem(bytes, sizeof(bytes), (uint8_t[]){ 0x2a, 4, 0x08, 2 }, 4);
	second[3] = 1;
	assert_fails(exchange_read(bytes, sizeof(bytes), "by hand", NULL, &p), ERROR_FORMAT);
}

static void folded_lines(void **state)
{
	static const char text[] = "# a comment\n"
				   "main;a b;c 12\n"
				   "main;a b 3\n"
				   "main;sys_[k];x_[i] 4.75\r\n";
	struct profile *p;
	assert_ok(exchange_read((const uint8_t *)text, strlen(text), "text", NULL, &p));
	assert_int_equal(p->rows.len, 3);
	assert_int_equal(p->events.data[0].value, 19);
	assert_string_equal(function_name(p, p->rows.data[0].stack), "c");
	assert_string_equal(function_name(p, p->rows.data[1].stack), "a b");
	assert_int_equal(p->stacks.data[p->rows.data[0].stack].caller, p->rows.data[1].stack);
	const struct profile_stack *x = &p->stacks.data[p->rows.data[2].stack];
	assert_int_equal(p->frames.data[x->frame].flags, FRAME_INLINED);
	assert_int_equal(p->frames.data[p->stacks.data[x->caller].frame].space, SPACE_KERNEL);
	profile_destroy(p);
}

static void bad_lines_are_passed_over(void **state)
{
	static const char some[] = "a;b 1\na;b c\n\na;c 2\n", most[] = "note\na;b 1\na;c 2\n", all[] = "a;b c\na\n";
	const struct exchange_format *folded = exchange_find("folded");
	struct profile *p;
	assert_ok(exchange_read((const uint8_t *)some, sizeof(some) - 1, "text", NULL, &p));
	assert_int_equal(p->rows.len, 2);
	assert_int_equal(p->events.data[0].value, 3);
	assert_int_equal(p->origin.skipped, 1);
	profile_destroy(p);
	assert_ok(exchange_read((const uint8_t *)most, sizeof(most) - 1, "text", NULL, &p));
	assert_int_equal(p->events.data[0].value, 3);
	profile_destroy(p);
	assert_fails(exchange_read((const uint8_t *)all, sizeof(all) - 1, "text", folded, &p), ERROR_FORMAT);
}

/* One sampled block of 4096 bytes at a rate of 524288 stands for 1 / (1 - exp(-1/128)) = 128.5 blocks, and 526338.7 bytes. */
static void a_heap_is_unsampled(void **state)
{
	static const char text[] = "heap profile: 1: 4096 [1: 4096] @ heap_v2/524288\n"
				   "1: 4096 [1: 4096] @ 0x401001 0x402001\n"
				   "\nMAPPED_LIBRARIES:\n"
				   "00400000-00402000 r-xp 00001000 08:01 99 /bin/prog\n"
				   "00402000-00403000 rw-p 00003000 08:01 99 /bin/prog\n";
	struct profile *p;
	assert_ok(exchange_read((const uint8_t *)text, strlen(text), "text", NULL, &p));
	assert_string_equal(profile_event_name(p, 1), "space");
	assert_int_equal(p->events.data[0].value, 128);
	assert_int_equal(p->events.data[1].value, 526338);
	stack_id leaf = p->rows.data[0].stack;
	const struct profile_frame *inner = &p->frames.data[p->stacks.data[leaf].frame];
	const struct profile_frame *outer = &p->frames.data[p->stacks.data[p->stacks.data[leaf].caller].frame];
	assert_int_equal(inner->addr, 0x401000);
	assert_int_equal(outer->addr, 0x402000);
	assert_string_equal(profile_str(p, p->mappings.data[inner->mapping].path), "/bin/prog");
	assert_int_equal(p->mappings.data[inner->mapping].offset, 0x1000);
	assert_int_equal(outer->mapping, PROFILE_NONE); /* no code there */
	profile_destroy(p);
}

/* Words of 8 bytes: a period of 10000 us; 3 times at 0x10 called from 0x20, whose return address is 0x21. */
static void a_cpu_profile_of_gperftools(void **state)
{
	uint64_t words[] = { 0, 3, 0, 10000, 0, 3, 2, 0x10, 0x21, 1, 1, 0x11, 0, 1, 0 }, swapped[15];
	for (size_t i = 0; i < 15; i++)
		swapped[i] = __builtin_bswap64(words[i]);
	for (unsigned round = 0; round < 2; round++) {
		struct profile *p;
		assert_ok(exchange_read((const uint8_t *)(round ? swapped : words), sizeof(words), "words", NULL, &p));
		assert_int_equal(p->rows.len, 4);
		assert_int_equal(p->rows.data[1].value, 30000000);
		stack_id caller = p->stacks.data[p->rows.data[0].stack].caller;
		assert_int_equal(p->frames.data[p->stacks.data[caller].frame].addr, 0x20);
		profile_destroy(p);
	}
	struct profile *p;
	words[6] = 1 << 20; /* a depth beyond the end */
	assert_fails(exchange_read((const uint8_t *)words, sizeof(words), "words", NULL, &p), ERROR_FORMAT);
}

static uint64_t value_at(const struct profile *p, uint32_t event, size_t nth)
{
	for (size_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].event == event && !nth--)
			return p->rows.data[i].value;
	return UINT64_MAX;
}

static void folded_in_two_forms(void **state)
{
	static const char two[] = "a;b 5 7\na;c 4 0\n", again[] = "a;b 5\na;c 1\na;b 2\n";
	struct profile *p;
	assert_true(folded_has_two_values((const uint8_t *)two, sizeof(two) - 1));
	assert_false(folded_has_two_values((const uint8_t *)again, sizeof(again) - 1));
	assert_ok(folded_read_as((const uint8_t *)two, sizeof(two) - 1, (struct folded_form){ .two_values = true }, &p));
	assert_int_equal(p->events.len, 2);
	assert_string_equal(profile_event_name(p, 0), "before");
	assert_int_equal(value_at(p, 0, 0), 5);
	assert_int_equal(value_at(p, 1, 0), 7);
	assert_int_equal(value_at(p, 0, 1), 4);
	profile_destroy(p);
	assert_ok(folded_read_as((const uint8_t *)again, sizeof(again) - 1, (struct folded_form){ .keep_order = true }, &p));
	assert_int_equal(p->rows.len, 3);
	assert_int_equal(value_at(p, 0, 2), 2);
	assert_int_equal(p->rows.data[2].stack, p->rows.data[0].stack);
	profile_destroy(p);
	struct strobe_error *err =
		folded_read_as((const uint8_t *)again, sizeof(again) - 1, (struct folded_form){ .two_values = true }, &p);
	assert_int_equal(err->code, ERROR_FORMAT);
	error_destroy(err);
}

static void text_of_perf_script(void **state)
{
	static const char text[] = "# arch : x86_64\n"
				   "two words 12/13 [002] 12.345678:     250000 cpu-clock:u: \n"
				   "\t          401036 main+0x16 (/bin/prog)\n"
				   "\tffffffff81000130 entry ([kernel.kallsyms])\n"
				   "\t               0 [unknown] ([unknown])\n\n"
				   "            prog    10     0.000002:          5 cycles:            401036 f (/tmp/prog)\n"
				   "p 7 [000] 1.000001: sched:sched_switch: prev_comm=x\n\n"
				   "last 7 [000] 1.000001: 9 cycles: \n401036 main (/bin/prog)\n";
	struct profile *p;
	assert_ok(exchange_read((const uint8_t *)text, sizeof(text) - 1, "text", NULL, &p));
	assert_int_equal(p->rows.len, 4); /* the last needs no empty line after it */
	const struct profile_row *row = &p->rows.data[0];
	assert_int_equal(row->value, 250000);
	assert_int_equal(p->log.data[0].time_ns, 12345678000);
	assert_int_equal(p->log.data[0].cpu, 2);
	const uint64_t *labels = profile_label_values(p, row->labels);
	assert_string_equal(profile_str(p, (str_id)labels[0]), "two words");
	assert_int_equal(labels[1], 12);
	assert_int_equal(labels[2], 13);
	assert_string_equal(function_name(p, row->stack), "main");
	const struct profile_stack *caller = &p->stacks.data[p->stacks.data[row->stack].caller];
	assert_int_equal(p->frames.data[caller->frame].space, SPACE_KERNEL);
	assert_int_equal(p->frames.data[caller->frame].ip, 0xffffffff81000130);
	assert_int_equal(p->frames.data[p->stacks.data[caller->caller].frame].function, PROFILE_NONE);
	assert_string_equal(function_name(p, p->rows.data[1].stack), "f");
	assert_int_equal(p->rows.data[1].value, 5);
	assert_string_equal(profile_event_name(p, 2), "sched:sched_switch");
	assert_true(p->events.data[2].is_tracepoint);
	assert_int_equal(p->rows.data[2].stack, PROFILE_NONE);
	assert_string_equal(function_name(p, p->rows.data[3].stack), "main"); /* nor its frames to be indented */
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_was_made_by_hand),
#if HAVE_ZLIB
		cmocka_unit_test(writes_what_it_reads),
		cmocka_unit_test(a_bomb_is_refused),
#endif
		cmocka_unit_test(what_counted_is_shown),
		cmocka_unit_test(samples_as_they_stand),
		cmocka_unit_test(negative_samples_do_not_stand_alone),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(unknown_ids),
		cmocka_unit_test(ids_twice),
		cmocka_unit_test(folded_lines),
		cmocka_unit_test(bad_lines_are_passed_over),
		cmocka_unit_test(a_heap_is_unsampled),
		cmocka_unit_test(a_cpu_profile_of_gperftools),
		cmocka_unit_test(folded_in_two_forms),
		cmocka_unit_test(text_of_perf_script),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
