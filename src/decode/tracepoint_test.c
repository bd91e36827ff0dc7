/*
 * Formats and print formats. Expected texts are what the kernel's own trace file shows for such values (C semantics and
 * printk-formats.rst), worked out by hand.
 */
#include "decode/tracepoint.h"
#include "decode/value_names.h"

#include <setjmp.h>
#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"

/* A tracepoint with these fields and this print format; not swapped: samples are little-endian. */
static struct tracepoints *made(bool swapped, const char *fields, const char *print_fmt)
{
	_cleanup_strbuf_ struct strbuf text = {};
	struct tracepoints *t = tracepoints_create(swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__), 8);
	strbuf_addf(&text,
		    "name: thing\nID: 7\nformat:\n"
		    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n%s\nprint fmt: %s\n",
		    fields, print_fmt);
	struct strobe_error *err = tracepoints_add(t, "test", strbuf_str(&text), text.len);
	if (err)
		fail_msg("%s", err->message);
	return t;
}

static const char *symbol(void *ctx, uint64_t addr, uint64_t *ret_offset)
{
	(void)ctx;
	*ret_offset = addr - 0x1000;
	return addr >= 0x1000 && addr < 0x2000 ? "do_thing" : NULL;
}

static void check(struct tracepoints *t, const void *raw, uint32_t bytes, const char *expected)
{
	const struct trace_names names = { .symbol = symbol };
	struct out out;
	size_t n;
	out_init_mem(&out);
	trace_text(&out, t, tracepoints_by_id(t, 7), raw, bytes, &names);
	out_ch(&out, 0);
	assert_string_equal(out_mem(&out, &n), expected);
	assert_null(out_close(&out));
	tracepoints_destroy(t);
}

/* Raw data with one value at offset 8. */
static void check_u64(const char *field, uint64_t value, const char *print_fmt, const char *expected)
{
	uint8_t raw[16] = { 7 };
	value = htole64(value);
	memcpy(raw + 8, &value, 8);
	check(made(false, field, print_fmt), raw, sizeof(raw), expected);
}

#define U64_V "\tfield:u64 v;\toffset:8;\tsize:8;\tsigned:0;\n"
#define S32_V "\tfield:int v;\toffset:8;\tsize:4;\tsigned:1;\n"
#define U32_V "\tfield:u32 v;\toffset:8;\tsize:4;\tsigned:0;\n"

static void test_numbers(void **state)
{
	(void)state;
	check_u64(S32_V, (uint32_t)-5, "\"a=%d b=%u c=%x\", REC->v, REC->v, REC->v", "a=-5 b=4294967291 c=fffffffb");
	check_u64(S32_V, (uint32_t)-5, "\"%ld %lx\", (long)REC->v, (unsigned long)REC->v", "-5 fffffffffffffffb");
	check_u64(U64_V, UINT64_MAX, "\"%llu %lld %d %hhu\", REC->v, REC->v, REC->v, REC->v", "18446744073709551615 -1 -1 255");
	check_u64(U64_V, 0x2a, "\"[%5llx] [%-5llx] [%05llx] [%#llx] [%o]\", REC->v, REC->v, REC->v, REC->v, REC->v",
		  "[   2a] [2a   ] [0002a] [0x2a] [52]");
	check_u64(U64_V, 'x', "\"%c%%|%5d|%-5d|%+d|%.4d|%*d\", REC->v, 3, 3, 3, 3, 4, 3", "x%|    3|3    |+3|0003|   3");
	check_u64(U64_V, 0x1234567890ull, "\"%u\", (u32)REC->v", "878082192");
	check_u64(U64_V, 0x1ff, "\"%d %d\", (char)REC->v, (u8)REC->v", "-1 255");
}

static void test_expressions(void **state)
{
	(void)state;
	check_u64(U32_V, 0x00800011, "\"%d,%d\", ((unsigned int) ((REC->v) >> 20)), ((unsigned int) ((REC->v) & ((1U << 20) - 1)))",
		  "8,17");
	check_u64(U64_V, 10, "\"%d %d %d %d %d\", 2 + 3 * 4, (2 + 3) * 4, 7 / 2, -7 / 2, 7 % 4", "14 20 3 -3 3");
	check_u64(U64_V, 10, "\"%d %d %d\", REC->v > 9 && REC->v < 11, !REC->v || 0, REC->v == 10 ? 5 : 6", "1 0 5");
	/* An int compared with an unsigned int is unsigned; compared with a wider signed type it keeps its sign. */
	check_u64(S32_V, (uint32_t)-1, "\"%d %d %d\", REC->v < 9U, REC->v < 9, REC->v < 9L", "0 1 1");
	check_u64(U64_V, -9ull, "\"%d\", REC->v >= -9ULL", "1");
	check_u64(U64_V, 3, "\"%d %d %lu %lu\", sizeof(int), sizeof(u64), sizeof(REC->v), sizeof(struct foo *)", "4 8 8 8");
	check_u64(U64_V, 0, "\"%d %d\", REC->v / 0, 5 % REC->v", "0 0");
	check_u64(U64_V, 1, "\"%llx %llx %x\", REC->v << 63, ~REC->v, ~0", "8000000000000000 fffffffffffffffe ffffffff");
	check_u64(U64_V, 5, "\"%s\" \" and %s\", REC->v ? \"yes\" : \"no\", !REC->v ? \"yes\" : \"n\" \"o\"", "yes and no");
	check_u64(U64_V, 1500000000, "\"%llu.%09llu\", __print_ns_to_secs(REC->v), __print_ns_without_secs(REC->v)", "1.500000000");
}

static void test_names(void **state)
{
	static const char flags[] = "\"%s\", __print_flags(REC->v, \"|\", { 1, \"A\" }, { 0x2, \"B\" }, { (1UL << 2), \"C\" })";
	static const char symbols[] = "\"<%s>\", __print_symbolic(REC->v, { 0, \"zero\" }, { 1 << 4, \"sixteen\" }, { -1, \"all\" })";
	(void)state;
	check_u64(U32_V, 5, flags, "A|C");
	check_u64(U32_V, 0x16, flags, "B|C|0x10");
	check_u64(U32_V, 0, flags, "");
	check_u64(U32_V, 0, "\"%s\", __print_flags(REC->v, \"\", { 0, \"NONE\" }, { 1, \"A\" })", "NONE");
	check_u64(U32_V, 16, symbols, "<sixteen>");
	check_u64(S32_V, (uint32_t)-1, symbols, "<all>");
	check_u64(U32_V, 9, symbols, "<0x9>");
	/* An enumerator that the kernel left as a name matches nothing, and the rest is still there. */
	check_u64(U32_V, 0, "\"%s\", __print_symbolic(REC->v, { SOME_ENUM, \"some\" }, { 0, \"none\" })", "none");
	check_u64(U32_V, 1, "\"%-6s|\", __print_symbolic(REC->v, { 1, \"one\" }, { -1, ((void *)0) })", "one   |");
	check_u64(U64_V, 0x1010, "\"%pS %ps %pS\", (void *)REC->v, REC->v, 0x99", "do_thing+0x10 do_thing 0x99");
	check_u64(U64_V, 0xabc, "\"%p\", REC->v", "0xabc");
}

static void test_arrays(void **state)
{
	(void)state;
	uint8_t raw[32] = { 7 };
	static const char fields[] = "\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
				     "\tfield:__u8 addr[16];\toffset:16;\tsize:16;\tsigned:0;\n";
	memcpy(raw + 8, "ls\0junk", 8);
	for (int i = 0; i < 16; i++)
		raw[16 + i] = (uint8_t)(i * 17);
	check(made(false, fields,
		   "\"%s [%5s] [%.1s] %pI4 %pi4 %pM %x\", REC->comm, REC->comm, REC->comm, REC->addr, REC->addr, REC->addr, "
		   "REC->addr[1]"),
	      raw, sizeof(raw), "ls [   ls] [l] 0.17.34.51 000.017.034.051 00:11:22:33:44:55 11");
	check(made(false, fields, "\"%pI6 %pI6c %pU\", REC->addr, REC->addr, REC->addr"), raw, sizeof(raw),
	      "0011:2233:4455:6677:8899:aabb:ccdd:eeff 11:2233:4455:6677:8899:aabb:ccdd:eeff 00112233-4455-6677-8899-aabbccddeeff");
	check(made(false, fields,
		   "\"%s %s %s\", __print_hex(REC->addr, 3), __print_hex_str(REC->addr, 3), __print_array(REC->addr, 2, 2)"),
	      raw, sizeof(raw), "00 11 22 001122 {0x1100,0x3322}");
	/* struct sockaddr_in: family 2, port 80, 10.0.0.1 */
	static const uint8_t socket[8] = { 2, 0, 0, 80, 10, 0, 0, 1 };
	memcpy(raw + 16, socket, sizeof(socket));
	check(made(false, fields, "\"%pISpc|%pIS\", REC->addr, REC->addr"), raw, sizeof(raw), "10.0.0.1:80|10.0.0.1");
}

static void test_dynamic(void **state)
{
	(void)state;
	uint8_t raw[40] = { 7 };
	static const char fields[] = "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
				     "\tfield:__rel_loc u32[] list;\toffset:12;\tsize:4;\tsigned:0;\n";
	uint32_t name = htole32(16 | 6u << 16), list = htole32((24 - 16) | 8u << 16),
		 values[2] = { htole32(0x11), htole32(0x80000003) };
	memcpy(raw + 8, &name, 4);
	memcpy(raw + 12, &list, 4);
	memcpy(raw + 16, "hello", 6);
	memcpy(raw + 24, values, 8);
	check(made(false, fields,
		   "\"%s %d %x %s %s\", __get_str(name), __get_rel_dynamic_array_len(list), "
		   "((u32 *)__get_rel_dynamic_array(list))[1], "
		   "__print_array(__get_rel_dynamic_array(list), __get_rel_dynamic_array_len(list) / 4, 4), "
		   "__get_str(name)[0] ? \"full\" : \"empty\""),
	      raw, sizeof(raw), "hello 8 80000003 {0x11,0x80000003} full");
	check(made(false, fields, "\"%s %*pbl\", __get_rel_bitmask(list), 64, __get_rel_bitmask(list)"), raw, sizeof(raw),
	      "80000003,00000011 0,4,32-33,63");
	/* The position is wrong: cut to the sample. */
	name = htole32(30 | 4096u << 16);
	memcpy(raw + 8, &name, 4);
	memcpy(raw + 30, "abcdefghij", 10);
	check(made(false, fields, "\"%s\", __get_str(name)"), raw, sizeof(raw), "abcdefghij");
	name = htole32(5000);
	memcpy(raw + 8, &name, 4);
	check(made(false, fields, "\"<%s>\", __get_str(name)"), raw, sizeof(raw), "<>");
}

static void test_bits(void **state)
{
	(void)state;
	uint8_t raw[24] = { 7 };
	uint64_t mask = htole64(0xf000000000000035ull);
	memcpy(raw + 8, &mask, 8);
	check(made(false, "\tfield:unsigned long mask[1];\toffset:8;\tsize:8;\tsigned:0;\n",
		   "\"%*pbl %*pb\", 64, REC->mask, 64, REC->mask"),
	      raw, sizeof(raw), "0,2,4-5,60-63 f0000000,00000035");
}

static void test_byte_order(void **state)
{
	(void)state;
	uint8_t raw[16] = { 0 };
	static const uint8_t big[4] = { 0xff, 0xff, 0xff, 0xfe };
	memcpy(raw + 8, big, 4);
	check(made(true, S32_V, "\"%d\", REC->v"), raw, sizeof(raw), "-2");
}

static void test_short_samples(void **state)
{
	(void)state;
	static const uint8_t raw[10] = { 7 };
	check(made(false, S32_V, "\"%d %x\", REC->v, REC->v"), raw, sizeof(raw), "0 0");
	check(made(false, "\tfield:char s[16];\toffset:8;\tsize:16;\tsigned:0;\n", "\"<%s>\", REC->s"), raw, sizeof(raw), "<>");
}

static void test_hostile_text(void **state)
{
	(void)state;
	uint8_t raw[24] = { 7 };
	memcpy(raw + 8, "\033[31mred\a", 9);
	check(made(false, "\tfield:char s[16];\toffset:8;\tsize:16;\tsigned:0;\n", "\"%s\", REC->s"), raw, sizeof(raw),
	      "\\x1b[31mred\\x07");
}

static void test_unprintable_formats(void **state)
{
	(void)state;
	uint8_t raw[40] = { 7 };
	static const char fields[] = "\tfield:int v;\toffset:8;\tsize:4;\tsigned:1;\n"
				     "\tfield:unsigned long w;\toffset:16;\tsize:8;\tsigned:0;\n"
				     "\tfield:const char * p;\toffset:24;\tsize:8;\tsigned:0;\n"
				     "\tfield:char s[4];\toffset:32;\tsize:4;\tsigned:0;\n";
	static const char expected[] = "[FAILED TO PARSE] v=-3 w=0x10 p=0xab s=ok";
	uint32_t v = htole32((uint32_t)-3);
	memcpy(raw + 8, &v, 4);
	raw[16] = 0x10;
	raw[24] = 0xab;
	memcpy(raw + 32, "ok", 2);
	static const char *const broken[] = {
		"\"%d\", ({ int x = REC->v; x; })", "\"%d\", unknown_function(REC->v)", "\"%d\", REC->missing", "\"%d\"",
		"\"%d\", REC->v, REC->v",	    "\"%d\", REC->v +",			"\"%d\", (REC->v",  "\"%y\", REC->v",
		"REC->v",			    "\"unterminated",			"\"%d\", REC->s->t", "\"%d\", REC->s + 1",
	};
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++)
		check(made(false, fields, broken[i]), raw, sizeof(raw), expected);
	_cleanup_strbuf_ struct strbuf deep = {};
	strbuf_addstr(&deep, "\"%d\", ");
	for (int i = 0; i < 100000; i++)
		strbuf_addch(&deep, '(');
	check(made(false, fields, strbuf_str(&deep)), raw, sizeof(raw), expected);
	strbuf_reset(&deep);
	strbuf_addstr(&deep, "\"%d\", REC->v");
	for (int i = 0; i < 100000; i++)
		strbuf_addstr(&deep, "+REC->v");
	check(made(false, fields, strbuf_str(&deep)), raw, sizeof(raw), expected);
}

static void refused(const char *text)
{
	struct tracepoints *t = tracepoints_create(false, 8);
	struct strobe_error *err = tracepoints_add(t, "test", text, strlen(text));
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_FORMAT);
	error_destroy(err);
	assert_int_equal(tracepoints_count(t), 0);
	tracepoints_destroy(t);
}

static void test_bad_formats(void **state)
{
	(void)state;
	refused("");
	refused("name: x\n");
	refused("ID: 5\n");
	refused("name: x\nID: 99999999999\n");
	refused("name: x\nID: 5\nformat:\n\tfield:int v; offset:1\n");
	refused("name: x\nID: 5\nformat:\n\tfield:int v;\toffset:4294967299;\tsize:4;\tsigned:1;\n");
	refused("name: x\nID: 5\nformat:\n\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n");
	refused("name: x\nID: 5\nformat:\n\tfield:__data_loc char[] s;\toffset:8;\tsize:8;\tsigned:1;\n");
	refused("name: x\nID: 5\nformat:\n\tfield:__data_loc char[][3] s;\toffset:8;\tsize:8;\tsigned:1;\n");
}

/* As Linux 6.18 writes the format of the probe argument "w:string[2]", and its sample. */
static void test_array_of_strings(void **state)
{
	(void)state;
	uint8_t raw[40] = { 7 };
	static const char fields[] = "\tfield:__data_loc char[][2] w;\toffset:8;\tsize:8;\tsigned:1;\n";
	uint32_t words[2] = { htole32(16 | 4u << 16), htole32(20 | 6u << 16) };
	memcpy(raw + 8, words, sizeof(words));
	memcpy(raw + 16, "one", 4);
	memcpy(raw + 20, "three", 6);
	check(made(false, fields, "\"w={\\\"%s\\\",\\\"%s\\\"}\", __get_str(w[0]), __get_str(w[1])"), raw, sizeof(raw),
	      "w={\"one\",\"three\"}");
	check(made(false, fields, "\"%s\", __get_str(w[2])"), raw, sizeof(raw), "[FAILED TO PARSE] w={one,three}");
}

static void test_fields(void **state)
{
	(void)state;
	struct tracepoints *t = made(false,
				     "\tfield:unsigned long args[6];\toffset:8;\tsize:48;\tsigned:0;\n"
				     "\tfield:struct file * f;\toffset:56;\tsize:8;\tsigned:0;\n"
				     "\tfield:odd_t four[4];\toffset:64;\tsize:16;\tsigned:0;\n",
				     "\"\"");
	const struct tracepoint *tp = tracepoints_by_name(t, "test", "thing");
	assert_non_null(tp);
	assert_null(tracepoints_by_name(t, "other", "thing"));
	assert_int_equal(tp->common_nr, 2);
	assert_int_equal(tp->fields_nr, 5);
	const struct tracepoint_field *args = tracepoint_field(tp, "args");
	assert_int_equal(args->kind, FIELD_ARRAY);
	assert_int_equal(args->element_bytes, 8);
	assert_string_equal(args->type, "unsigned long");
	assert_true(tracepoint_field(tp, "f")->is_pointer);
	assert_int_equal(tracepoint_field(tp, "four")->element_bytes, 4);
	assert_null(tracepoint_field(tp, "none"));
	tracepoints_destroy(t);
}

/* ---- the section of a recording ---- */

static void add_u32(struct strbuf *b, uint32_t v)
{
	strbuf_add(b, &v, 4);
}

static void add_u64(struct strbuf *b, uint64_t v)
{
	strbuf_add(b, &v, 8);
}

static void add_sized(struct strbuf *b, const char *text)
{
	add_u64(b, strlen(text));
	strbuf_addstr(b, text);
}

static struct strbuf section(void)
{
	static const char format[] = "name: thing\nID: 9\nformat:\n\tfield:void * s;\toffset:8;\tsize:8;\tsigned:0;\n\n"
				     "print fmt: \"%s\", REC->s\n";
	struct strbuf b = {};
	const uint16_t probe = 1;
	strbuf_add(&b, "\x17\x08\x44tracing0.6", 14);
	strbuf_addch(&b, !*(const uint8_t *)&probe);
	strbuf_addch(&b, 8);
	add_u32(&b, 4096);
	strbuf_add(&b, "header_page", 12);
	add_sized(&b, "x");
	strbuf_add(&b, "header_event", 13);
	add_sized(&b, "y");
	add_u32(&b, 0);
	add_u32(&b, 1);
	strbuf_add(&b, "sys", 4);
	add_u32(&b, 1);
	add_sized(&b, format);
	add_u32(&b, 0);
	static const char printk[] = "0xffff1234 : \"a constant\"\nnonsense\n";
	add_u32(&b, sizeof(printk) - 1);
	strbuf_addstr(&b, printk);
	add_u64(&b, 0);
	return b;
}

static void test_section(void **state)
{
	(void)state;
	_cleanup_strbuf_ struct strbuf b = section();
	struct env env = { .tracing_data = b.data, .tracing_data_bytes = b.len };
	struct tracepoints *t;
	assert_null(tracepoints_read(&env, &t));
	const struct tracepoint *tp = tracepoints_by_id(t, 9);
	assert_string_equal(tp->system, "sys");
	uint8_t raw[16] = { 9 };
	uint64_t address = 0xffff1234;
	memcpy(raw + 8, &address, 8);
	struct out out;
	size_t n;
	out_init_mem(&out);
	trace_text(&out, t, tp, raw, sizeof(raw), NULL);
	assert_memory_equal(out_mem(&out, &n), "a constant", 10);
	assert_null(out_close(&out));
	tracepoints_destroy(t);
}

/* The section is cut at every length: each is read without a fault, and reported as truncated unless complete. */
static void test_cut_section(void **state)
{
	(void)state;
	_cleanup_strbuf_ struct strbuf b = section();
	for (size_t n = 0; n < b.len - 8; n++) {
		struct env env = { .tracing_data = b.data, .tracing_data_bytes = n };
		struct tracepoints *t;
		struct strobe_error *err = tracepoints_read(&env, &t);
		assert_non_null(err);
		error_destroy(err);
		tracepoints_destroy(t);
	}
}

struct seen {
	size_t nr;
	const struct env_event *last;
};

static void note_event(void *ctx, const struct env_event *e)
{
	struct seen *s = ctx;
	s->nr++;
	s->last = e;
}

/* Two events, then the formats with a third event: each is added once, and formats are read when present. */
static void test_events_of_a_stream(void **state)
{
	(void)state;
	_cleanup_strbuf_ struct strbuf b = section();
	struct env_event events[] = {
		{ .attr = { .type = PERF_TYPE_SOFTWARE, .config = 9 } },
		{ .attr = { .type = PERF_TYPE_TRACEPOINT, .config = 9 } },
		{ .attr = { .type = PERF_TYPE_TRACEPOINT, .config = 4711 } },
	};
	struct env env = { .events = { .data = events, .len = 2 } };
	struct tracepoints *t = NULL;
	struct seen seen = {};
	assert_null(tracepoints_learn_events(&t, &env, seen.nr, note_event, &seen));
	assert_int_equal(seen.nr, 2);
	assert_null(tracepoints_of_event(t, &events[1])); /* not yet */
	env.tracing_data = b.data;
	env.tracing_data_bytes = b.len;
	assert_null(tracepoints_learn_events(&t, &env, seen.nr, note_event, &seen)); /* nothing new */
	env.events.len = 3;
	assert_null(tracepoints_learn_events(&t, &env, seen.nr, note_event, &seen));
	assert_int_equal(seen.nr, 3);
	assert_ptr_equal(seen.last, &events[2]);
	assert_null(tracepoints_of_event(t, &events[0])); /* the number of another kind of event */
	assert_string_equal(tracepoints_of_event(t, &events[1])->system, "sys");
	assert_null(tracepoints_of_event(t, &events[2]));
	tracepoints_destroy(t);
}

static void test_what_is_whole_is_read(void **state)
{
	(void)state;
	_cleanup_strbuf_ struct strbuf b = section();
	struct env env = { .tracing_data = b.data, .tracing_data_bytes = b.len - 20 };
	struct tracepoints *t = tracepoints_read_whole(&env);
	assert_non_null(tracepoints_by_id(t, 9));
	tracepoints_destroy(t);
}

static void add_field(void *ctx, const struct value_names_field *f)
{
	strbuf_addf(ctx, "%s[%s] ", f->name, f->delimiter ? f->delimiter : "values");
}

static void add_value(void *ctx, const struct value_names_field *f, uint64_t value, const char *name)
{
	strbuf_addf(ctx, "%s=%llx:%s ", f->name, (unsigned long long)value, name);
}

static void test_value_names(void **state)
{
	static const char fmt[] = "\"%s %s %d\", (REC->v & 3) ? __print_flags(REC->v & 0xff, \"|\", { 1, \"A\" }, { 1UL << 1, \"B\" }) : "
				  "\"none\", __print_symbolic(REC->w, { 0, \"HI\" }, { -1, \"ANY\" }, { UNKNOWN_NAME, \"X\" }), REC->v";
	_cleanup_strbuf_ struct strbuf text = {};
	struct tracepoints *t = made(false, U64_V "\tfield:u32 w;\toffset:16;\tsize:4;\tsigned:0;\n", fmt);
	(void)state;
	value_names_each(tracepoints_by_id(t, 7), &(struct value_names_callbacks){ add_field, add_value, &text });
	assert_string_equal(strbuf_str(&text), "v[|] v=0:none v=1:A v=2:B w[values] w=0:HI w=ffffffffffffffff:ANY ");
	tracepoints_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	      cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_names),	      cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_dynamic),	      cmocka_unit_test(test_bits),
		cmocka_unit_test(test_array_of_strings),
		cmocka_unit_test(test_byte_order),    cmocka_unit_test(test_short_samples),
		cmocka_unit_test(test_hostile_text),  cmocka_unit_test(test_unprintable_formats),
		cmocka_unit_test(test_bad_formats),   cmocka_unit_test(test_fields),
		cmocka_unit_test(test_section),	      cmocka_unit_test(test_cut_section),
		cmocka_unit_test(test_value_names),   cmocka_unit_test(test_events_of_a_stream),
		cmocka_unit_test(test_what_is_whole_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
