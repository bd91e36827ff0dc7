/* Hand-written batches against the output of freeze() of Storable 3.26: perl -MStorable=freeze -e 'print unpack("H*", freeze(...))' */
#include "base/testing.h"

#include <string.h>

#include "scripting/storable.h"

/* The array of a batch with that many items, without its head. */
static void assert_array(struct value_stream *s, uint32_t count, const char *items, size_t n)
{
	size_t bytes;
	uint32_t size, held;
	const char *batch = value_batch(s, &bytes);
	assert_int_equal(bytes, n + 9);
	memcpy(&size, batch, sizeof(size));
	assert_int_equal(size, n + 5);
	assert_int_equal(batch[4], 2);
	memcpy(&held, batch + 5, sizeof(held));
	assert_int_equal(held, count);
	assert_memory_equal(batch + 9, items, n);
	value_next(s);
}

#define ASSERT_ARRAY(s, count, items) assert_array(s, count, items, sizeof(items) - 1)

/* The expected bytes are those of a little-endian machine. */
static void skip_big_endian(void)
{
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		skip();
}

static void numbers_fit_or_are_digits(void **state)
{
	skip_big_endian();
	struct value_stream *s = storable_format.create();
	(void)state;
	value_u64(s, 1);
	value_i64(s, -1);
	value_i64(s, -128);
	value_u64(s, 300);
	ASSERT_ARRAY(s, 4, "\x08\x81\x08\x7f\x08\x00\x06\x2c\x01\x00\x00\x00\x00\x00\x00");
	value_u64(s, UINT64_MAX);
	value_none(s);
	value_bool(s, true);
	ASSERT_ARRAY(s, 3, "\x0a\x14" "18446744073709551615\x05\x08\x81");
	s->format->destroy(s);
}

static void text_is_bytes(void **state)
{
	char text[300];
	struct value_stream *s = storable_format.create();
	size_t n;
	(void)state;
	memset(text, 'x', sizeof(text));
	assert_null(value_batch(s, &n));
	value_text(s, "ab\xff", 3);
	value_name(s, "comm");
	ASSERT_ARRAY(s, 2, "\x0a\x03" "ab\xff\x0a\x04" "comm");
	value_bytes(s, text, sizeof(text));
	value_batch(s, &n);
	assert_int_equal(n, 9 + 5 + 300);
	s->format->destroy(s);
}

static void keys_follow_values(void **state)
{
	static const char made[] = "\x08\x81";
	skip_big_endian();
	struct value_stream *s = storable_format.create();
	(void)state;
	value_begin(s, VALUE_LIST);
	value_u64(s, 7);
	value_end(s, VALUE_LIST);
	value_begin(s, VALUE_DICT);
	value_name(s, "k");
	value_name(s, "v");
	value_name(s, "l");
	value_begin(s, VALUE_TUPLE);
	value_made(s, made, 2);
	value_end(s, VALUE_TUPLE);
	value_end(s, VALUE_DICT);
	ASSERT_ARRAY(s, 2, "\x04\x02\x01\x00\x00\x00\x08\x87" "\x04\x03\x02\x00\x00\x00" "\x0a\x01v\x01\x00\x00\x00k"
		     "\x04\x02\x01\x00\x00\x00\x08\x81\x01\x00\x00\x00l");
	s->format->destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_fit_or_are_digits),
		cmocka_unit_test(text_is_bytes),
		cmocka_unit_test(keys_follow_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
