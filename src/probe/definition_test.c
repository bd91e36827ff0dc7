#include "base/testing.h"
#include "probe/definition.h"

static struct arena arena;
static struct probe_definition d;

static int set_up(void **state)
{
	arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	arena_deinit(&arena);
	return 0;
}

static void parse(const char *text)
{
	assert_null(probe_definition_parse(text, &arena, &d));
}

static void refuse(const char *text, const char *why)
{
	struct strobe_error *err = probe_definition_parse(text, &arena, &d);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_USAGE);
	if (!strstr(err->message, why))
		fail_msg("'%s': %s", text, err->message);
	error_destroy(err);
	probe_definition_deinit(&d);
}

/* The forms of perf-probe(1), and what each is. */
static void functions(void **state)
{
	parse("tcp_sendmsg");
	assert_string_equal(d.point.function, "tcp_sendmsg");
	assert_null(d.event);
	assert_int_equal(d.arguments.len, 0);
	parse("net:send=tcp_sendmsg+0x10");
	assert_string_equal(d.group, "net");
	assert_string_equal(d.event, "send");
	assert_int_equal(d.point.offset, 16);
	parse("myfunc%return");
	assert_true(d.point.is_return);
	parse("tcp_sendmsg:81");
	assert_int_equal(d.point.line, 81);
	assert_null(d.point.file);
	parse("schedule;update_rq_clock*");
	assert_string_equal(d.point.function, "schedule");
	assert_string_equal(d.point.pattern, "update_rq_clock*");
	parse("main@src/b.c:3");
	assert_string_equal(d.point.file, "src/b.c");
	assert_int_equal(d.point.line, 3);
	parse("free\\@GLIBC_2.2.5");
	assert_string_equal(d.point.function, "free@GLIBC_2.2.5");
	assert_null(d.point.file);
	parse("e=core\\:\\:write");
	assert_string_equal(d.point.function, "core::write");
	parse("core::fmt::write");
	assert_string_equal(d.point.function, "core::fmt::write");
	parse("core::write:3");
	assert_string_equal(d.point.function, "core::write");
	assert_int_equal(d.point.line, 3);
}

static void quoted_names(void **state)
{
	parse("e='a b:c@d':3 n");
	assert_string_equal(d.event, "e");
	assert_string_equal(d.point.function, "a b:c@d");
	assert_int_equal(d.point.line, 3);
	assert_int_equal(d.arguments.len, 1);
	parse("\"operator+\"%return");
	assert_string_equal(d.point.function, "operator+");
	assert_true(d.point.is_return);
	parse("f@'b c.c':4");
	assert_string_equal(d.point.file, "b c.c");
	parse("f;puts(\"a: b\")");
	assert_string_equal(d.point.pattern, "puts(\"a: b\")");
	parse("it's");
	assert_string_equal(d.point.function, "it's");
}

static void other_places(void **state)
{
	parse("b.c:6");
	assert_string_equal(d.point.file, "b.c");
	assert_null(d.point.function);
	assert_int_equal(d.point.line, 6);
	parse("b.c;x=y*");
	assert_string_equal(d.point.pattern, "x=y*");
	parse("e=@b.c:6");
	assert_string_equal(d.point.file, "b.c");
	assert_int_equal(d.point.line, 6);
	parse("0x1149");
	assert_true(d.point.is_address);
	assert_int_equal(d.point.offset, 0x1149);
	parse("%sdt_libc:setjmp");
	assert_string_equal(d.point.marker, "sdt_libc:setjmp");
	parse("sdt_libc:setjmp");
	assert_string_equal(d.point.marker, "sdt_libc:setjmp");
	parse("e=%setjmp");
	assert_string_equal(d.event, "e");
	assert_string_equal(d.point.marker, "setjmp");
}

static void arguments(void **state)
{
	parse(" f  n=%di:s64 +8(%si):string buf=+0(%dx):string@user\t$retval sk->x[1]");
	assert_int_equal(d.arguments.len, 5);
	const struct probe_argument *a = d.arguments.data;
	assert_string_equal(a[0].name, "n");
	assert_string_equal(a[0].value, "%di");
	assert_string_equal(a[0].type, "s64");
	assert_null(a[1].name);
	assert_string_equal(a[1].value, "+8(%si)");
	assert_true(a[2].in_user_memory);
	assert_string_equal(a[2].type, "string");
	assert_false(probe_argument_is_variable(&a[3]));
	assert_true(probe_argument_is_variable(&a[4]));
	_cleanup_strbuf_ struct strbuf text = {};
	probe_argument_text(&a[0], &text);
	strbuf_addch(&text, ' ');
	probe_argument_text(&a[2], &text);
	assert_string_equal(strbuf_str(&text), "n=%di:s64 buf=+u0(%dx):string");
	probe_definition_deinit(&d);
}

static void wrong_words(void **state)
{
	refuse("", "empty");
	refuse(" \t", "empty");
	refuse("a-b=mid", "'a-b' cannot be the name of an event");
	refuse("=mid", "cannot be the name");
	refuse("g-h:a=mid", "'g-h' cannot be the name of a group");
	refuse("1a=mid", "cannot be the name");
	refuse("x=", "begin with a function");
	refuse("mid+mid", "'mid' is not an offset");
	refuse("mid+", "nothing follows the '+'");
	refuse("mid@", "nothing follows the '@'");
	refuse("mid%exit", "only %return");
	refuse("mid%return+4", "%return has no offset");
	refuse("mid:3+4", "only one of");
	refuse("mid:x", "not the number of a line");
	refuse("mid:3:4", "one line");
	refuse("b.c:", "nothing follows");
	refuse("mid@b.c@c.c", "one source file");
	refuse("0xzz", "not an address");
	refuse("%", "name of a marker");
	refuse("f =%di", "cannot be the name of an argument");
	refuse("f a=", "is empty");
	refuse("f %di:", "nothing follows the ':'");
	refuse("%sdt_libc:setjmp %di", "arguments of its own");
}

/* What is taken apart comes out as it was written. */
static void texts(void **state)
{
	static const char *const words[] = { "mid", "mid+4", "mid%return", "mid:3", "@b.c:6", "@b.c;x*", "mid@b.c", "0x1149", "%a:b" };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		_cleanup_strbuf_ struct strbuf text = {};
		parse(words[i]);
		probe_point_text(&d.point, &text);
		assert_string_equal(strbuf_str(&text), words[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(functions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(quoted_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_places, set_up, tear_down),
		cmocka_unit_test_setup_teardown(arguments, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wrong_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(texts, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
