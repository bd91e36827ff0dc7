/* The header for other programs: lines written by hand, what they must become, and what must be refused. */
#include "base/testing.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dump/json_lines.h"
#include "dump/jsonl.h"

static struct strobe_jsonl_record record;
static char line[1 << 16];

/* ' stands for ", so that lines can be read here. */
static size_t put_line(const char *text)
{
	size_t n = strlen(text);
	assert_true(n < sizeof(line));
	for (size_t i = 0; i <= n; i++)
		line[i] = text[i] == '\'' ? '"' : text[i];
	return n;
}

static const char *parse(const char *text)
{
	size_t n = put_line(text);
	return strobe_jsonl_parse(line, n, &record);
}

static void test_sample(void **state)
{
	(void)state;
	assert_null(parse("{'record':'sample','event':'cycles','comm':'a b','pid':-1,'tid':7,'cpu':0,'time':18446744073709551615,"
			  "'period':3,'addr':'0xffffffffff600000','ip':'0x1160','sym':'main','symoff':0,'dso':'/x','file':'x.c',"
			  "'line':9,'callchain':[{'ip':'0x1160','sym':'in','inlined':true},{'ip':'0x2'}]}"));
	assert_string_equal(record.type, "sample");
	assert_string_equal(record.event, "cycles");
	assert_string_equal(record.comm, "a b");
	assert_int_equal(record.pid, -1);
	assert_int_equal(record.tid, 7);
	assert_true(record.time == UINT64_MAX);
	assert_true(record.addr == 0xffffffffff600000);
	assert_int_equal(record.has, STROBE_JSONL_PID | STROBE_JSONL_TID | STROBE_JSONL_CPU | STROBE_JSONL_TIME | STROBE_JSONL_PERIOD |
			 STROBE_JSONL_ADDR | STROBE_JSONL_IP);
	assert_int_equal(record.leaf.ip, 0x1160);
	assert_string_equal(record.leaf.sym, "main");
	assert_int_equal(record.leaf.has, STROBE_JSONL_IP | STROBE_JSONL_SYMOFF);
	assert_int_equal(record.leaf.line, 9);
	assert_int_equal(record.frames_nr, 2);
	assert_true(record.frames[0].inlined);
	assert_null(record.frames[1].sym);
	assert_null(record.trace);
	assert_int_equal(record.lost, 0);
}

static void test_lists(void **state)
{
	(void)state;
	assert_null(parse(" { 'record' : 'sample' , 'fields' : {'a':-2,'b':[1,'x',[4],2],'c':'0xff','d':{'e':[1]},'f':true,"
			  "'g':null}, 'iregs':{'AX':'0x10'}, 'memory':{'op':'LOAD'}, 'later':{'x':[{}]}, 'insn':'90' } "));
	const struct strobe_jsonl_field *f = record.fields.items;
	assert_int_equal(record.fields.nr, 5);
	assert_true(f[0].is_negative && (int64_t)f[0].number == -2);
	assert_int_equal(f[1].numbers_nr, 3);
	assert_int_equal(f[1].numbers[2], 2);
	assert_int_equal(f[2].number, 255);
	assert_string_equal(f[2].text, "0xff");
	assert_string_equal(f[3].name, "f");
	assert_int_equal(f[3].number, 1);
	assert_false(f[4].is_number);
	assert_int_equal(record.iregs.items[0].number, 16);
	assert_string_equal(record.memory.items[0].text, "LOAD");
	assert_int_equal(record.others.nr, 1);
	assert_string_equal(record.others.items[0].text, "90");
}

static void test_branches(void **state)
{
	(void)state;
	assert_null(parse("{'record':'sample','brstack':[{'from':{'ip':'0x1','sym':'f'},'to':{'ip':'0x2'},'predicted':false,"
			  "'in_tx':true,'abort':false,'cycles':12,'type':'CALL'},{'predicted':null},{'predicted':true}]}"));
	const struct strobe_jsonl_branch *b = record.branches;
	assert_int_equal(record.branches_nr, 3);
	assert_string_equal(b->from.sym, "f");
	assert_int_equal(b->to.ip, 2);
	assert_true(b->mispredicted && !b->predicted && b->in_tx && !b->abort);
	assert_int_equal(b->cycles, 12);
	assert_string_equal(b->type, "CALL");
	assert_false(b[1].predicted || b[1].mispredicted);
	assert_true(b[2].predicted);
}

static void test_strings(void **state)
{
	(void)state;
	assert_null(parse("{'record':'\\u00e9\\ud83d\\ude00','comm':'a\\u0000b\\ud800\\'\\\\\\/\\n\\t','event':''}"));
	assert_string_equal(record.type, "é😀");
	assert_string_equal(record.comm, "a\xef\xbf\xbd" "b\xef\xbf\xbd\"\\/\n\t");
	assert_string_equal(record.event, "");
}

static void test_refused(void **state)
{
	(void)state;
	const char *const lines[] = {
		"", "x", "{", "{}", "[]", "{'record':'x'", "{'record':'x'}}", "{'record':'x'} 1", "{'record':'x}", "{'record':'x\\",
		"{'record':'\\u12'}", "{'record':'\\x'}", "{'record':'a\tb'}", "{'record':'x',}", "{'record':'x' 'pid':1}",
		"{'record':'x','pid':}", "{'record':'x','pid':[1]}", "{'record':'x','callchain':{}}", "{'record':'x','callchain':[1]}",
		"{'record':'x','fields':[]}", "{'record':'x','a':{'b':]}", "{'record':'x','a':tru}", "{'record':'x','a':-}",
		"{'record':null}",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!parse(lines[i]))
			fail_msg("was read: %s", lines[i]);
	assert_string_equal(strobe_jsonl_parse(line, put_line("{'record':'x'}") + 1, &record), "NUL in a line");
}

/* More than the struct has room for is counted; more than 64 levels are refused. */
static void test_limits(void **state)
{
	(void)state;
	size_t n = (size_t)sprintf(line, "{\"record\":\"x\",\"callchain\":[{}");
	for (unsigned i = 0; i < STROBE_JSONL_FRAMES_MAX + 4; i++)
		n += (size_t)sprintf(line + n, ",{\"ip\":\"0x1\"}");
	n += (size_t)sprintf(line + n, "],\"fields\":{\"a\":[0");
	for (unsigned i = 0; i < STROBE_JSONL_NUMBERS_MAX; i++)
		n += (size_t)sprintf(line + n, ",1");
	n += (size_t)sprintf(line + n, "],\"b\":2}}");
	assert_null(strobe_jsonl_parse(line, n, &record));
	assert_int_equal(record.frames_nr, STROBE_JSONL_FRAMES_MAX);
	assert_int_equal(record.lost, 5 + 1);
	assert_int_equal(record.fields.items[1].number, 2);
	for (unsigned depth = 63; depth <= 65; depth++) {
		n = (size_t)sprintf(line, "{\"record\":\"x\",\"a\":{\"b\":");
		memset(line + n, '[', depth);
		memset(line + n + depth, ']', depth);
		n += 2 * (size_t)depth;
		n += (size_t)sprintf(line + n, "}}");
		const char *error = strobe_jsonl_parse(line, n, &record);
		assert_int_equal(error == NULL, depth == 63);
	}
}

static int read_stream(const char *text, size_t n, struct strobe_jsonl_reader *r, unsigned *records)
{
	int ends[2], status;
	*records = 0;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, n), n);
	close(ends[1]);
	strobe_jsonl_open(r, ends[0]);
	while ((status = strobe_jsonl_next(r)) > 0)
		++*records;
	assert_int_equal(strobe_jsonl_next(r), status);
	strobe_jsonl_close(r);
	close(ends[0]);
	return status;
}

#define HEADER "{\"format\":\"strobe-script\",\"version\":1,\"record\":\"header\",\"events\":[]}\n"

static void test_stream(void **state)
{
	(void)state;
	static struct strobe_jsonl_reader r;
	unsigned n;
	const struct {
		const char *text, *error;
		unsigned records;
	} rows[] = {
		{ HEADER, NULL, 1 },
		{ HEADER "{\"record\":\"a\"}\n{\"record\":\"b\"}\n", NULL, 3 },
		{ HEADER "{\"record\":\"a\"}", "the last line is not whole", 1 },
		{ HEADER "\n", "expected an object", 1 },
		{ "", "the stream is empty", 0 },
		{ "{\"record\":\"sample\"}\n", "this is not the stream of strobe script --format jsonl", 0 },
		{ "{\"format\":\"strobe-script\",\"version\":2,\"record\":\"header\"}\n", "the stream is of another version" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(read_stream(rows[i].text, strlen(rows[i].text), &r, &n), rows[i].error ? -1 : 0);
		assert_int_equal(n, rows[i].records);
		if (rows[i].error)
			assert_string_equal(r.error, rows[i].error);
	}
	assert_int_equal(JSON_LINES_VERSION, STROBE_JSONL_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample), cmocka_unit_test(test_lists), cmocka_unit_test(test_branches),
		cmocka_unit_test(test_strings), cmocka_unit_test(test_refused), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_stream),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
