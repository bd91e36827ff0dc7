/* The bytes of a trace, by the CTF 1.8 specification; tests/oracle/data-ctf.py compares with babeltrace2. */
#include "dump/conversion/ctf.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/testing.h"

struct place {
	char top[64], trace[96];
};

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	if (!p)
		return -1;
	snprintf(p->top, sizeof(p->top), "/tmp/strobe-ctf-XXXXXX");
	if (!mkdtemp(p->top))
		return -1;
	snprintf(p->trace, sizeof(p->trace), "%s/trace", p->top);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;
	struct ctf_trace *t;
	error_destroy(ctf_create(p->trace, true, &t) ?: (ctf_destroy(t), NULL)); /* takes the trace away */
	rmdir(p->trace);
	int status = rmdir(p->top);
	free(p);
	return status;
}

static struct strbuf content(const struct place *p, const char *name)
{
	char path[160];
	struct strbuf b = {};
	snprintf(path, sizeof(path), "%s/%s", p->trace, name);
	assert_ok(file_read(path, &b, 0));
	return b;
}

static void assert_has(const struct strbuf *b, const char *text)
{
	if (!strstr(strbuf_str(b), text))
		fail_msg("no %s in:\n%s", text, strbuf_str(b));
}

static uint64_t word(const struct strbuf *b, size_t at, unsigned bytes)
{
	uint64_t v = 0;
	assert_true(at + bytes <= b->len);
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)(uint8_t)b->data[at + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : bytes - 1 - i)] << 8 * i;
	return v;
}

static void test_bytes(void **state)
{
	struct place *p = *state;
	struct ctf_trace *t;
	assert_ok(ctf_create(p->trace, false, &t));
	uint32_t class = ctf_class_begin(t, "an event");
	ctf_class_field(t, &(struct ctf_field){ "n", CTF_SIGNED, .bytes = 2 });
	ctf_class_field(t, &(struct ctf_field){ "s", CTF_STRING });
	ctf_class_end(t);
	struct out *out = ctf_event(t, 3, 1000, class);
	ctf_put_number(out, (uint64_t)-2, 2);
	ctf_put_string(out, "ab", 2);
	out = ctf_event(t, 3, 900, class); /* late: gets the time of the one before */
	ctf_put_number(out, 7, 2);
	ctf_put_string(out, "", 0);
	ctf_lost(t, 3, 5);
	assert_ok(ctf_finish(t, &(struct ctf_facts){ .host = "here", .clock_offset_ns = -1 }));
	ctf_destroy(t);

	/* magic 4, uuid 16, stream 4; begin, end, content, packet, lost 8 each, cpu 4; then 4 + 8 + 2 + 3, and 4 + 8 + 2 + 1 */
	_cleanup_strbuf_ struct strbuf b = content(p, "perf_stream_3");
	assert_int_equal(b.len, 68 + 17 + 15);
	assert_int_equal(word(&b, 0, 4), 0xc1fc1fc1);
	assert_int_equal(word(&b, 20, 4), 0);
	assert_int_equal(word(&b, 24, 8), 1000);
	assert_int_equal(word(&b, 32, 8), 1000);
	assert_int_equal(word(&b, 40, 8), 8 * b.len);
	assert_int_equal(word(&b, 48, 8), 8 * b.len);
	assert_int_equal(word(&b, 56, 8), 5);
	assert_int_equal(word(&b, 64, 4), 3);
	assert_int_equal(word(&b, 68, 4), 0);
	assert_int_equal(word(&b, 72, 8), 1000);
	assert_int_equal(word(&b, 80, 2), 0xfffe);
	assert_memory_equal(b.data + 82, "ab", 3);
	assert_int_equal(word(&b, 89, 8), 1000);
	_cleanup_strbuf_ struct strbuf m = content(p, "metadata");
	assert_int_equal(strncmp(strbuf_str(&m), "/* CTF 1.8", 10), 0);
	assert_has(&m, "host = \"here\";");
	assert_has(&m, "offset_s = -1;\n\toffset = 999999999;");
}

/* Packets end by themselves; a file has them one after the other. */
static void test_packets(void **state)
{
	struct place *p = *state;
	struct ctf_trace *t;
	static char text[1000];
	memset(text, 'x', sizeof(text));
	assert_ok(ctf_create(p->trace, false, &t));
	uint32_t class = ctf_class_begin(t, "e");
	ctf_class_field(t, &(struct ctf_field){ "s", CTF_STRING });
	ctf_class_end(t);
	for (uint64_t i = 0; i < 1000; i++)
		ctf_put_string(ctf_event(t, 0, i, class), text, sizeof(text));
	assert_ok(ctf_finish(t, &(struct ctf_facts){}));
	ctf_destroy(t);
	_cleanup_strbuf_ struct strbuf b = content(p, "perf_stream_0");
	size_t at = 0;
	uint64_t next = 0;
	unsigned packets = 0;
	for (; at < b.len; at += word(&b, at + 48, 8) / 8, packets++) {
		assert_int_equal(word(&b, at, 4), 0xc1fc1fc1);
		assert_int_equal(word(&b, at + 24, 8), next);
		next = word(&b, at + 32, 8) + 1;
	}
	assert_int_equal(at, b.len);
	assert_int_equal(next, 1000);
	assert_true(packets > 2);
}

static void test_names(void **state)
{
	struct place *p = *state;
	struct ctf_trace *t;
	static const char *const names[] = { "event", "_x", "9lives", "a b;}", "plain", "plain", "plain", "uint32_t", "" };
	assert_ok(ctf_create(p->trace, false, &t));
	ctf_class_begin(t, "x\"; };\\\n\x1b[31m\xff\xc3\xa4");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ctf_class_field(t, &(struct ctf_field){ names[i], CTF_UNSIGNED, .bytes = 8 });
	ctf_class_field(t, &(struct ctf_field){ "seq", CTF_HEX, .bytes = 4, .shape = CTF_SEQUENCE });
	ctf_class_field(t, &(struct ctf_field){ "arr", CTF_SIGNED, .bytes = 1, .shape = CTF_ARRAY, .count = 3 });
	ctf_class_end(t);
	assert_ok(ctf_finish(t, &(struct ctf_facts){}));
	ctf_destroy(t);
	_cleanup_strbuf_ struct strbuf m = content(p, "metadata");
	static const char *const lines[] = {
		"name = \"x\\\"; };\\\\\\\\x0a\\\\x1b[31m\\\\xff\xc3\xa4\";\n", "uint64_t _event;", "uint64_t __x;", "uint64_t _9lives;",
		"uint64_t a_b__;", "uint64_t plain;", "uint64_t plain_dupl_0;", "uint64_t plain_dupl_1;", "uint64_t _uint32_t;",
		"uint64_t _;", "uint32_t seq_size;\n\t\thex32_t seq[seq_size];", "int8_t arr[3];",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_has(&m, lines[i]);
}

static void test_strings(void **state)
{
	struct out out;
	size_t n;
	(void)state;
	out_init_mem(&out);
	ctf_put_string(&out, "a\tb\xff\xe2\x80\xae\xc3\xa4", 9);
	const char *bytes = out_mem(&out, &n);
	static const char expected[] = "a\\x09b\\xff\\xe2\\x80\\xae\xc3\xa4";
	assert_int_equal(n, sizeof(expected));
	assert_memory_equal(bytes, expected, n);
	assert_ok(out_close(&out));
}

static void test_directories(void **state)
{
	struct place *p = *state;
	struct ctf_trace *t;
	assert_ok(ctf_create(p->trace, false, &t));
	ctf_event(t, 0, 1, 0);
	ctf_destroy(t); /* not finished */
	assert_int_equal(access(p->trace, F_OK), -1);
	assert_ok(ctf_create(p->trace, false, &t));
	ctf_event(t, 9, 1, 0);
	assert_ok(ctf_finish(t, &(struct ctf_facts){}));
	ctf_destroy(t);
	assert_fails(ctf_create(p->trace, false, &t), ERROR_USAGE);
	assert_ok(ctf_create(p->trace, true, &t));
	assert_ok(ctf_finish(t, &(struct ctf_facts){}));
	ctf_destroy(t);
	char old[160];
	snprintf(old, sizeof(old), "%s/perf_stream_9", p->trace);
	assert_int_equal(access(old, F_OK), -1);
	/* A CPU that no machine has does not make files without end, nor does a time that readers do not know end the reading. */
	assert_ok(ctf_create(p->trace, true, &t));
	ctf_event(t, UINT32_MAX, UINT64_MAX, 0);
	assert_ok(ctf_finish(t, &(struct ctf_facts){}));
	ctf_destroy(t);
	_cleanup_strbuf_ struct strbuf b = content(p, "perf_stream_0");
	assert_int_equal(b.len, 68 + 12);
	assert_true(word(&b, 72, 8) == UINT64_C(1) << 62);
	assert_fails(ctf_create("/dev/null/x", false, &t), ERROR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_packets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
		cmocka_unit_test(test_strings),
		cmocka_unit_test_setup_teardown(test_directories, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
