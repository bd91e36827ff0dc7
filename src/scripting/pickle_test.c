/* Batches by hand against the opcodes that pickletools documents. */
#include "base/testing.h"

#include <string.h>

#include "scripting/handlers.h"
#include "scripting/pickle.h"

#define HEAD "\x80\x05\x95"

/* The content of the list of a batch, without head and end. */
static void assert_items(struct pickle *p, const char *items, size_t n)
{
	size_t bytes;
	uint64_t frame;
	const char *batch = pickle_batch(p, &bytes);
	assert_int_equal(bytes, n + 15);
	memcpy(&frame, batch + 3, sizeof(frame));
	assert_memory_equal(batch, HEAD, 3);
	assert_int_equal(frame, n + 4);
	assert_memory_equal(batch + 11, "](", 2);
	assert_memory_equal(batch + 13, items, n);
	assert_memory_equal(batch + 13 + n, "e.", 2);
	pickle_next(p);
}

#define ASSERT_ITEMS(p, items) assert_items(p, items, sizeof(items) - 1)

static void numbers_are_as_short_as_they_can_be(void **state)
{
	struct pickle p;
	(void)state;
	pickle_init(&p);
	pickle_u64(&p, 255);
	pickle_u64(&p, 256);
	pickle_u64(&p, INT32_MAX);
	ASSERT_ITEMS(&p, "K\xffM\x00\x01J\xff\xff\xff\x7f");
	pickle_u64(&p, 0x80000000u);
	pickle_u64(&p, UINT64_MAX);
	ASSERT_ITEMS(&p, "\x8a\x05\x00\x00\x00\x80\x00\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00");
	pickle_i64(&p, -1);
	pickle_i64(&p, INT64_MIN);
	pickle_bool(&p, true);
	pickle_none(&p);
	ASSERT_ITEMS(&p, "J\xff\xff\xff\xff\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80\x88N");
	pickle_deinit(&p);
}

static void names_are_sent_once(void **state)
{
	static const char name[] = "comm", other[] = "comm";
	struct pickle p;
	(void)state;
	pickle_init(&p);
	pickle_global(&p, "module", "attribute");
	pickle_name(&p, name);
	ASSERT_ITEMS(&p, "cmodule\nattribute\n\x94" "0\x8c\x04" "comm\x94");
	p.has_new_strings = false;
	pickle_name(&p, name);
	assert_false(p.has_new_strings);
	pickle_name(&p, other);
	assert_true(p.has_new_strings);
	ASSERT_ITEMS(&p, "h\x01\x8c\x04" "comm\x94");
	pickle_deinit(&p);
}

static void bytes_that_are_not_text_are_escaped(void **state)
{
	struct pickle p;
	(void)state;
	pickle_init(&p);
	pickle_text(&p, "\xc3\xa4\xff", 3);
	pickle_bytes(&p, "\0\xff", 2);
	pickle_bytearray(&p, "x", 1);
	ASSERT_ITEMS(&p, "\x8c\x05\xc3\xa4\xed\xb3\xbf" "C\x02\x00\xff\x96\x01\x00\x00\x00\x00\x00\x00\x00x");
	pickle_deinit(&p);
}

static void containers_nest(void **state)
{
	struct pickle p;
	size_t n;
	(void)state;
	pickle_init(&p);
	assert_null(pickle_batch(&p, &n));
	assert_int_equal(n, 0);
	pickle_begin_dict(&p);
	pickle_u64(&p, 1);
	pickle_begin_tuple(&p);
	pickle_begin_list(&p);
	pickle_end_list(&p);
	pickle_end_tuple(&p);
	pickle_end_dict(&p);
	ASSERT_ITEMS(&p, "}(K\x01(](etu");
	pickle_deinit(&p);
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
	script_handlers_add(&h, "", 0);
	assert_true(h.complete);
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
