/* Frames of scripts put into native stacks made by hand; the table that comes of the code that was sent. */
#include "base/testing.h"

#include <stdlib.h>
#include <string.h>

#include "bpf/unwind/scripts_priv.h"

#define MM   0xffff888000001000ull
#define LOOP 0x5000ull /* the evaluation loop, of 0x1000 bytes */
#define IN   (LOOP + 0x20)

static struct scripts *make(void)
{
	struct scripts *s = scripts_new(NULL);
	*u64map_put(&s->by_mm, MM, NULL) = 0;
	vec_push(&s->spaces, ((struct script_space){ .mm = MM, .kind = SCRIPT_PYTHON,
						     .python = { .minor = 11, .text = 48, .text_compact = 72 },
						     .loop = { { LOOP, LOOP + 0x1000 }, { 0x9000, 0x9100 } } }));
	return s;
}

/* Frames by letters: a capital one began a call of the loop; '!' is such a call without a frame. */
static void wait_for(struct script_pending *p, const char *frames)
{
	*p = (struct script_pending){ .tid = 7, .mm = MM };
	for (; *frames; frames++)
		p->frames[p->nr++] = (struct script_frame){ .code = *frames == '!' ? 0 : *frames | 0x20, .stamp = 1,
							    .offset_flags = 4 << 1 | (*frames == '!' || !(*frames & 0x20)) };
}

static char letter_of(const struct scripts *s, uint64_t number)
{
	for (size_t i = 0; i < s->places.len; i++)
		if (s->places.data[i].number == number)
			return (char)s->places.data[i].code;
	return '?';
}

/* Addresses of code become its letter, those of the loop '*', all else '.'. */
static const char *look(struct scripts *s, const uint64_t *ips, size_t nr)
{
	static char text[64];
	for (size_t i = 0; i < nr; i++) {
		bool is_script = ips[i] >= SCRIPT_BASE;
		uint64_t at = ips[i] - SCRIPT_BASE;
		if (is_script)
			assert_int_equal(at % SCRIPT_CODE_BYTES, 5);
		text[i] = is_script ? letter_of(s, at >> SCRIPT_CODE_BITS) :
			  (ips[i] >= LOOP && ips[i] < LOOP + 0x1000) || ips[i] / 0x100 == 0x90 ? '*' : '.';
	}
	text[nr] = 0;
	return text;
}

static void check(const char *native, const char *frames, bool cut, size_t max, const char *expected)
{
	struct scripts *s = make();
	struct script_pending *p = calloc(1, sizeof(*p));
	uint64_t ips[64];
	size_t nr = strlen(native);
	for (size_t i = 0; i < nr; i++)
		ips[i] = native[i] == '*' ? IN : native[i] == '_' ? 0x9010 : 0x100 + i;
	wait_for(p, frames);
	nr = scripts_merge(s, p, 7, ips, nr, max, &cut);
	assert_string_equal(look(s, ips, nr), expected);
	assert_int_equal(p->nr, 0);
	free(p);
	scripts_destroy(s);
}

static void frames_follow_the_call_that_runs_them(void **state)
{
	(void)state;
	check("*..", "abC", false, 64, "*abc..");
	check(".*.*..", "aBcdE", false, 64, ".*ab.*cde..");
	check("_..", "A", false, 64, "*a..");
	/* A call that has no frame yet. */
	check("*.*.", "aB", false, 64, "*.*ab.");
	check("*.*.*.", "a!B!", false, 64, "*a.*b.*.");
	/* A part of the loop that is not known. */
	check("..*.", "AbC", false, 64, ".a.*bc.");
	/* A stack that ends early: calls and frames agree from the inside on. */
	check(".*.", "AB", true, 64, ".*a.");
	check("...", "", false, 64, "...");
	check("*...", "abcD", false, 4, "*abc");
}

static void frames_of_another_thread_are_dropped(void **state)
{
	struct scripts *s = make();
	struct script_pending *p = calloc(1, sizeof(*p));
	uint64_t ips[8] = { IN, 1 };
	bool cut = false;
	(void)state;
	wait_for(p, "A");
	assert_int_equal(scripts_merge(s, p, 8, ips, 2, 8, &cut), 2);
	assert_int_equal(p->nr, 0);
	free(p);
	scripts_destroy(s);
}

/* A str object. Each has a count of references of its own. */
static void put_text(uint8_t *to, const char *text, uint32_t *ret_bytes)
{
	static uint64_t references;
	uint64_t length = strlen(text);
	uint32_t state = 0xe4;
	references++;
	memcpy(to, &references, 8);
	memcpy(to + 16, &length, 8);
	memcpy(to + 32, &state, 4);
	memcpy(to + 48, text, length);
	*ret_bytes = (uint32_t)(48 + length);
}

/* A method of PHP, whose offsets are lines. */
static void code_without_a_table_of_lines(void **state)
{
	struct scripts *s = make();
	struct script_pending *p = calloc(1, sizeof(*p));
	struct script_code_message m = { .message = SCRIPT_MESSAGE_CODE, .stamp = 1, .code = 'a', .mm = MM, .kind = SCRIPT_PHP,
					 .first_line = 3, .name_bytes = 2, .file_bytes = 6, .rest_bytes = 3, .name = "of",
					 .file = "/x.php", .rest = "Key" };
	struct sample message = { .raw = &m, .raw_bytes = offsetof(struct script_code_message, rest) + 3 };
	struct strbuf b = {};
	struct script_table t;
	(void)state;
	assert_true(scripts_take(s, &message, p));
	assert_true(scripts_write(s, &b));
	script_table_read(b.data, b.len, false, &t);
	assert_int_equal(t.list.len, 1);
	assert_int_equal(t.list.data[0].name_bytes, 7);
	assert_memory_equal(t.list.data[0].name, "Key::of", 7);
	assert_int_equal(script_line(&t.list.data[0], 12), 12);
	assert_int_equal(script_line(&t.list.data[0], 0), 3);
	script_table_deinit(&t);
	strbuf_deinit(&b);
	free(p);
	scripts_destroy(s);
}

static void code_that_was_sent_is_in_the_table(void **state)
{
	struct scripts *s = make();
	struct script_pending *p = calloc(1, sizeof(*p));
	struct script_code_message m = { .message = SCRIPT_MESSAGE_CODE, .stamp = 1, .code = 'a', .mm = MM, .kind = SCRIPT_PYTHON,
					 .first_line = 3 };
	struct strbuf b = {};
	struct script_table t;
	uint64_t ips[8] = { IN };
	bool cut = false;
	(void)state;
	wait_for(p, "A");
	scripts_merge(s, p, 7, ips, 1, 8, &cut);
	assert_false(scripts_write(s, &b)); /* another CPU has not sent it yet */
	strbuf_reset(&b);
	put_text(m.name, "fib", &m.name_bytes);
	put_text(m.file, "/x.py", &m.file_bytes);
	m.rest_bytes = 900; /* more than there is */
	struct sample message = { .raw = &m, .raw_bytes = offsetof(struct script_code_message, rest) + 10 };
	assert_true(scripts_take(s, &message, p));
	assert_true(scripts_write(s, &b));
	script_table_read(b.data, b.len, false, &t);
	assert_int_equal(t.list.len, 1);
	assert_memory_equal(t.list.data[0].name, "fib", 3);
	assert_int_equal(t.list.data[0].lines_bytes, 10);
	assert_int_equal(t.list.data[0].number, (ips[1] - SCRIPT_BASE) >> SCRIPT_CODE_BITS);
	script_table_deinit(&t);
	strbuf_deinit(&b);
	for (uint32_t n = 0; n < message.raw_bytes; n++) { /* cut anywhere */
		struct sample damaged = { .raw = &m, .raw_bytes = n };
		(void)scripts_take(s, &damaged, p);
	}
	free(p);
	scripts_destroy(s);
}

/* The number that frames of a place have: that of `code` in this process, and with this stamp. */
static uint64_t number_of(struct scripts *s, uint64_t mm, uint64_t code, uint32_t stamp)
{
	struct script_pending *p = calloc(1, sizeof(*p));
	uint64_t ips[8] = { IN };
	bool cut = false;
	*p = (struct script_pending){ .tid = 7, .mm = mm, .nr = 1, .frames = { { code, stamp, 4 << 1 | SCRIPT_FRAME_ENTRY } } };
	assert_int_equal(scripts_merge(s, p, 7, ips, 1, 8, &cut), 2);
	free(p);
	return (ips[1] - SCRIPT_BASE) >> SCRIPT_CODE_BITS;
}

static void send(struct scripts *s, uint64_t mm, uint64_t code, const char *name)
{
	struct script_code_message m = { .message = SCRIPT_MESSAGE_CODE, .stamp = 1, .code = code, .mm = mm, .kind = SCRIPT_PYTHON,
					 .first_line = 3 };
	put_text(m.name, name, &m.name_bytes);
	put_text(m.file, "/x.py", &m.file_bytes);
	assert_true(scripts_take(s, &(struct sample){ .raw = &m, .raw_bytes = offsetof(struct script_code_message, rest) }, NULL));
}

static void processes_share_code(void **state)
{
	struct scripts *s = make();
	const uint64_t other = MM + 0x1000;
	struct script_space space = s->spaces.data[0];
	struct strbuf b = {};
	struct script_table t;
	(void)state;
	space.mm = other;
	*u64map_put(&s->by_mm, other, NULL) = 1;
	vec_push(&s->spaces, space);
	send(s, MM, 0x10, "fib");
	send(s, other, 0x90, "fib");
	send(s, other, 0xa0, "fob");
	assert_int_equal(s->by_message.used, 2); /* of three messages: that of the other process was not read again */
	uint64_t fib = number_of(s, MM, 0x10, 1);
	assert_int_equal(number_of(s, other, 0x90, 1), fib);
	assert_int_not_equal(number_of(s, other, 0xa0, 1), fib);
	/* The same address, and by then other code: what was recorded before stays as it was. */
	send(s, MM, 0x10, "fob");
	assert_int_equal(number_of(s, MM, 0x10, 1), number_of(s, other, 0xa0, 1));
	/* A frame that comes before its code. */
	uint64_t early = number_of(s, MM, 0xb0, 1);
	send(s, MM, 0xb0, "fib");
	assert_int_equal(number_of(s, MM, 0xb0, 1), early);
	assert_true(scripts_write(s, &b));
	script_table_read(b.data, b.len, false, &t);
	assert_int_equal(t.list.len, 3);
	assert_memory_equal(script_table_find(&t, (uint32_t)early)->name, "fib", 3);
	script_table_deinit(&t);
	strbuf_deinit(&b);
	scripts_destroy(s);
}

/* Frames of V8 say which native frame they belong to, and whether they take its place. */
static void frames_of_v8_take_the_place_of_their_code(void **state)
{
	(void)state;
	struct scripts *s = make();
	struct script_pending *p = calloc(1, sizeof(*p));
	uint64_t ips[16] = { 0x100, 0x101, 0x102, 0x103 };
	bool cut = false;
	s->spaces.data[0].kind = SCRIPT_V8;
	*p = (struct script_pending){ .tid = 7, .mm = MM, .nr = 4 };
	static const struct {
		char code;
		unsigned native, replaces;
	} frames[] = { { 'a', 0, 1 }, { 'b', 0, 1 }, { 'c', 2, 0 }, { 'd', 9, 1 } };
	for (int i = 0; i < 4; i++)
		p->frames[i] = (struct script_frame){ .code = (uint64_t)frames[i].code, .stamp = 1,
						      .offset_flags = (frames[i].native << V8_NATIVE_SHIFT | 4) << 1 | frames[i].replaces };
	size_t nr = scripts_merge(s, p, 7, ips, 4, 16, &cut);
	assert_string_equal(look(s, ips, nr), "ab..c.");
	assert_false(cut);
	free(p);
	scripts_destroy(s);
}

/* Where user space walked on, frames say what they return to; the innermost native one has no frame, and code calls itself. */
static void frames_of_v8_are_placed_by_what_they_return_to(void **state)
{
	(void)state;
	enum { OPEN = V8_NATIVE_OPEN, RETURN = V8_NATIVE_RETURN };
	static const struct {
		uint64_t code;
		unsigned native;
	} frames[] = { { 'a', 0 }, { 'b', OPEN }, { 0x102, RETURN }, { 'c', OPEN }, { 0x102, RETURN }, { 0x105, RETURN },
		       { 'd', OPEN }, { 0x107, RETURN }, { 'e', OPEN }, { 0x999, RETURN }, { 'f', OPEN } };
	uint64_t ips[16] = { 0x100, 0x101, 0x102, 0x102, 0x102, 0x105, 0x106, 0x107, 0x108 };
	struct scripts *s = make();
	struct script_pending *p = calloc(1, sizeof(*p));
	bool cut = false;
	s->spaces.data[0].kind = SCRIPT_V8;
	*p = (struct script_pending){ .tid = 7, .mm = MM, .nr = sizeof(frames) / sizeof(*frames) };
	for (uint32_t i = 0; i < p->nr; i++) {
		unsigned replaces = frames[i].code == 'c';
		p->frames[i] = (struct script_frame){ .code = frames[i].code, .stamp = 1,
						      .offset_flags = (frames[i].native << V8_NATIVE_SHIFT | 4) << 1 | replaces };
	}
	size_t nr = scripts_merge(s, p, 7, ips, 9, 16, &cut);
	assert_string_equal(look(s, ips, nr), ".a..bc...d..");
	assert_false(cut);
	free(p);
	scripts_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_follow_the_call_that_runs_them),
		cmocka_unit_test(frames_of_v8_take_the_place_of_their_code),
		cmocka_unit_test(frames_of_v8_are_placed_by_what_they_return_to),
		cmocka_unit_test(frames_of_another_thread_are_dropped),
		cmocka_unit_test(code_that_was_sent_is_in_the_table),
		cmocka_unit_test(processes_share_code),
		cmocka_unit_test(code_without_a_table_of_lines),
	};
	return cmocka_run_group_tests_name("bpf-unwind-scripts", tests, NULL, NULL);
}
