/* Hand-written batches against the opcodes that pickletools documents. */
#include "base/testing.h"

#include <endian.h>
#include <string.h>

#include "scripting/handlers.h"
#include "scripting/pickle.h"

#define HEAD "\x80\x05\x95"

/* The content of a batch's list, without head and end. */
static void assert_items(struct value_stream *p, const char *items, size_t n)
{
	size_t bytes;
	uint64_t frame;
	const char *batch = value_batch(p, &bytes);
	assert_int_equal(bytes, n + 15);
	memcpy(&frame, batch + 3, sizeof(frame));
	assert_memory_equal(batch, HEAD, 3);
	assert_int_equal(le64toh(frame), n + 4);
	assert_memory_equal(batch + 11, "](", 2);
	assert_memory_equal(batch + 13, items, n);
	assert_memory_equal(batch + 13 + n, "e.", 2);
	value_next(p);
}

#define ASSERT_ITEMS(p, items) assert_items(p, items, sizeof(items) - 1)

static void numbers_are_as_short_as_they_can_be(void **state)
{
	(void)state;
	struct value_stream *p = pickle_format.create();
	value_u64(p, 255);
	value_u64(p, 256);
	value_u64(p, INT32_MAX);
	ASSERT_ITEMS(p, "K\xffM\x00\x01J\xff\xff\xff\x7f");
	value_u64(p, 0x80000000u);
	value_u64(p, UINT64_MAX);
	ASSERT_ITEMS(p, "\x8a\x05\x00\x00\x00\x80\x00\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00");
	value_i64(p, -1);
	value_i64(p, INT64_MIN);
	value_bool(p, true);
	value_none(p);
	ASSERT_ITEMS(p, "J\xff\xff\xff\xff\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80\x88N");
	p->format->destroy(p);
}

static void names_are_sent_once(void **state)
{
	static const char name[] = "comm", other[] = "comm";
	(void)state;
	struct value_stream *p = pickle_format.create();
	value_context(p);
	value_name(p, name);
	ASSERT_ITEMS(p, "cperf_trace_context\nperf_script_context\n\x94" "\x8c\x04" "comm\x94");
	p->has_new_strings = false;
	value_name(p, name);
	assert_false(p->has_new_strings);
	value_name(p, other);
	assert_true(p->has_new_strings);
	ASSERT_ITEMS(p, "h\x01\x8c\x04" "comm\x94");
	p->format->destroy(p);
}

static void bytes_that_are_not_text_are_escaped(void **state)
{
	(void)state;
	struct value_stream *p = pickle_format.create();
	value_text(p, "\xc3\xa4\xff", 3);
	value_bytes(p, "\0\xff", 2);
	value_buffer(p, "x", 1);
	ASSERT_ITEMS(p, "\x8c\x05\xc3\xa4\xed\xb3\xbf" "C\x02\x00\xff\x96\x01\x00\x00\x00\x00\x00\x00\x00x");
	p->format->destroy(p);
}

static void containers_nest(void **state)
{
	size_t n;
	(void)state;
	struct value_stream *p = pickle_format.create();
	assert_null(value_batch(p, &n));
	assert_int_equal(n, 0);
	value_begin(p, VALUE_DICT);
	value_u64(p, 1);
	value_begin(p, VALUE_TUPLE);
	value_begin(p, VALUE_LIST);
	value_end(p, VALUE_LIST);
	value_end(p, VALUE_TUPLE);
	value_end(p, VALUE_DICT);
	ASSERT_ITEMS(p, "}(K\x01(](etu");
	p->format->destroy(p);
}

static void handlers_are_lines(void **state)
{
	struct script_handlers h;
	unsigned arguments = 7;
	(void)state;
	script_handlers_init(&h);
	script_handlers_add(&h, "process_event 1", 15);
	script_handlers_add(&h, "no count", 8);
	script_handlers_add(&h, "huge 256", 8);
	assert_true(script_handlers_find(&h, "process_event", &arguments));
	assert_int_equal(arguments, 1);
	assert_false(script_handlers_find(&h, "no", NULL));
	assert_false(script_handlers_find(&h, "huge", NULL));
	assert_false(script_handlers_find(&h, "", NULL));
	assert_false(h.complete);
	assert_int_equal(script_handlers_take(&h, "a 1\nb", 5), 4);
	assert_int_equal(script_handlers_take(&h, "b 2\n\nc 3\n", 9), 5);
	assert_true(h.complete);
	assert_true(script_handlers_find(&h, "b", NULL));
	assert_false(script_handlers_find(&h, "c", NULL));
	script_handlers_deinit(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_short_as_they_can_be),
		cmocka_unit_test(names_are_sent_once),
		cmocka_unit_test(bytes_that_are_not_text_are_escaped),
		cmocka_unit_test(containers_nest),
		cmocka_unit_test(handlers_are_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
