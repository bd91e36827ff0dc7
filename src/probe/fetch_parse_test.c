/* Fetch arguments written down here, and what they mean by the kernel's kprobetrace.rst; a format as tracefs (Linux 6.18) has it. */
#include "base/testing.h"

#include <stdio.h>

#include "probe/fetch_parse.h"

struct state {
	struct arena arena;
	struct fetch_place place;
	struct fetch_plan plan;
	struct fetch_format format;
};

static bool symbol(void *ctx, const char *name, uint64_t *ret)
{
	*ret = 0xffffffff81000000;
	return !strcmp(name, "jiffies");
}

static struct state begin(const struct arch *arch, bool is_kernel, bool is_return)
{
	struct state s = { .place = { .arch = arch, .is_kernel = is_kernel, .is_return = is_return, .is_entry = true, .offset = 0x1149,
				      .symbol = symbol } };
	arena_init(&s.arena);
	fetch_plan_begin(&s.plan, &s.place);
	return s;
}

static const struct fetch_plan_arg *add(struct state *s, const char *text)
{
	assert_ok(fetch_plan_add(&s->plan, &s->format, text, &s->place, &s->arena));
	return &s->plan.arg[s->plan.args_nr - 1];
}

static void assert_refused(struct state *s, const char *text, const char *why)
{
	struct strobe_error *err = fetch_plan_add(&s->plan, &s->format, text, &s->place, &s->arena);
	assert_non_null(err);
	if (!strstr(err->message, why))
		fail_msg("'%s' is refused for another reason: %s", text, err->message);
	error_destroy(err);
}

static void registers_have_their_numbers(void **state)
{
	struct state s = begin(&arch_x86_64, false, false);
	assert_int_equal(add(&s, "%di")->reg, 5);
	assert_int_equal(add(&s, "n=%r15:s32")->reg, 23);
	assert_string_equal(s.format.fields[0].name, "arg1");
	assert_string_equal(s.format.fields[0].type, "u64");
	assert_string_equal(s.format.fields[0].print, "0x%Lx");
	assert_string_equal(s.format.fields[1].name, "n");
	assert_string_equal(s.format.fields[1].type, "s32");
	assert_refused(&s, "%xmm0", "no such register");
	assert_refused(&s, "%ds", "no such register");
	arena_deinit(&s.arena);
	s = begin(&arch_aarch64, false, false);
	assert_int_equal(add(&s, "%x30")->reg, 30);
	assert_int_equal(add(&s, "%sp")->reg, 31);
	arena_deinit(&s.arena);
}

static void reads_go_from_the_innermost_on(void **state)
{
	struct state s = begin(&arch_x86_64, false, false);
	const struct fetch_plan_arg *a = add(&s, "p=+8(-16(%bp)):x32");
	assert_int_equal(a->derefs, 2);
	assert_int_equal(a->offset[0], -16);
	assert_int_equal(a->offset[1], 8);
	assert_int_equal(a->users, 3);
	assert_int_equal(a->bytes, 4);
	assert_true(s.plan.touches);
	assert_refused(&s, "+8(%di", "expected OFFSET");
	assert_refused(&s, "+8()", "expected %REGISTER");
	assert_refused(&s, "+(%di)", "an offset");
	assert_refused(&s, "+1(+1(+1(+1(+1(+1(+1(+1(+1(%di)))))))))", "too many");
	arena_deinit(&s.arena);
	s = begin(&arch_x86_64, true, false);
	a = add(&s, "name=+0(+u8(%si)):string");
	assert_int_equal(a->users, 1); /* the pointer is the program's, what it points to the kernel's */
	assert_int_equal(a->what, FETCH_PLAN_STRING);
	a = add(&s, "n2=+0(+u8(%si)):ustring");
	assert_int_equal(a->users, 3);
	arena_deinit(&s.arena);
}

static void arguments_are_where_the_convention_has_them(void **state)
{
	static const int x86[] = { 5, 4, 3, 2, 16, 17 };
	struct state s = begin(&arch_x86_64, false, false);
	for (int i = 0; i < 6; i++) {
		char text[16];
		snprintf(text, sizeof(text), "$arg%d", i + 1);
		assert_int_equal(add(&s, text)->reg, x86[i]);
	}
	const struct fetch_plan_arg *a = add(&s, "$arg8");
	assert_int_equal(a->reg, 7);
	assert_int_equal(a->derefs, 1);
	assert_int_equal(a->offset[0], 16); /* after the return address and the seventh */
	assert_int_equal(add(&s, "+4($arg8):u8")->offset[1], 4);
	s.place.is_entry = false;
	assert_refused(&s, "$arg1", "at the entry");
	arena_deinit(&s.arena);
	s = begin(&arch_i386, false, false);
	a = add(&s, "$arg1");
	assert_int_equal(a->offset[0], 4);
	assert_int_equal(a->bytes, 4); /* a word of the program */
	assert_int_equal(s.plan.word_bytes, 4);
	a = add(&s, "text=+0($arg2):string");
	assert_int_equal(a->derefs, 2);
	assert_int_equal(a->offset[0], 8);
	assert_refused(&s, "$arg3:string", "a string is what a pointer points to");
	assert_refused(&s, "$stack3:string", "a string is what a pointer points to");
	assert_int_equal(add(&s, "wide=$arg4:s64")->bytes, 8);
	arena_deinit(&s.arena);
}

static void results_are_known_at_returns(void **state)
{
	struct state s = begin(&arch_x86_64, false, true);
	assert_int_equal(add(&s, "$retval:s32")->reg, 0);
	assert_int_equal(s.plan.arg[0].at, 24);
	assert_refused(&s, "$arg1", "at the entry");
	arena_deinit(&s.arena);
	s = begin(&arch_x86_64, false, false);
	assert_refused(&s, "$retval", "only at returns");
	arena_deinit(&s.arena);
}

static void data_has_addresses(void **state)
{
	struct state s = begin(&arch_x86_64, false, false);
	const struct fetch_plan_arg *a = add(&s, "@+0x4010:u32");
	assert_int_equal(a->base, FETCH_PLAN_CODE);
	assert_int_equal(a->value, 0x4010 - 0x1149);
	assert_int_equal(a->derefs, 1);
	assert_refused(&s, "@jiffies", "for data of a program");
	arena_deinit(&s.arena);
	s = begin(&arch_x86_64, true, false);
	a = add(&s, "@jiffies+8:u64");
	assert_int_equal(a->base, FETCH_PLAN_CONSTANT);
	assert_true(a->value == 0xffffffff81000008);
	assert_refused(&s, "@no_such", "no such symbol");
	arena_deinit(&s.arena);
}

static void bit_fields_are_shifts(void **state)
{
	struct state s = begin(&arch_x86_64, false, false);
	const struct fetch_plan_arg *a = add(&s, "f=+4(%di):b3@5/32");
	assert_int_equal(a->bytes, 4);
	assert_true(((0xabcd12e7ull << a->left) >> a->right) == ((0xabcd12e7 >> 5) & 7));
	assert_refused(&s, "%di:b0@0/32", "bit field");
	assert_refused(&s, "%di:b3@4294967295/32", "bit field");
	assert_refused(&s, "%di:b3@30/32", "bit field");
	arena_deinit(&s.arena);
}

static void wrong_types_are_refused(void **state)
{
	struct state s = begin(&arch_x86_64, false, false);
	assert_refused(&s, "%di:string", "a string is what a pointer points to");
	assert_refused(&s, "%di:u7", "unknown type");
	assert_refused(&s, "%di:", "unknown type");
	assert_refused(&s, "%di:u8[4]", "an array lies in memory");
	assert_refused(&s, "+0(%di):u8[65]", "from 1 to 64");
	assert_refused(&s, "+0(%di):u8[4", "expected ']'");
	assert_refused(&s, "$comm:u32", "$comm is a string");
	assert_refused(&s, "1n=%di", "a name takes");
	add(&s, "n=%di");
	assert_refused(&s, "n=%si", "the name 'n'");
	assert_refused(&s, "", "expected %REGISTER");
	arena_deinit(&s.arena);
}

static void the_format_is_that_of_tracefs(void **state)
{
	struct state s = begin(&arch_x86_64, false, false);
	static const char *const texts[] = { "a=+0(%di):s32", "b=+4(%di):b3@0/32", "n=%si", "s=+0(%dx):string", "u=%si:u8", "c=%si:char",
					     "arr=+0(%di):u8[4]", "sx=%si:x16", "cm=$comm", "st=$stack0", "i=\\5" };
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		add(&s, texts[i]);
	_cleanup_strbuf_ struct strbuf text = {};
	fetch_format_text(&s.plan, &s.format, "one", 2326, &text);
	assert_string_equal(strbuf_str(&text),
		"name: one\nID: 2326\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:s32 a;\toffset:16;\tsize:4;\tsigned:1;\n"
		"\tfield:u32 b;\toffset:20;\tsize:4;\tsigned:0;\n"
		"\tfield:u64 n;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[] s;\toffset:32;\tsize:4;\tsigned:1;\n"
		"\tfield:u8 u;\toffset:36;\tsize:1;\tsigned:0;\n"
		"\tfield:u8 c;\toffset:37;\tsize:1;\tsigned:0;\n"
		"\tfield:u8 arr[4];\toffset:38;\tsize:4;\tsigned:0;\n" /* tracefs leaves the number out */
		"\tfield:u16 sx;\toffset:42;\tsize:2;\tsigned:0;\n"
		"\tfield:__data_loc char[] cm;\toffset:44;\tsize:4;\tsigned:1;\n"
		"\tfield:u64 st;\toffset:48;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 i;\toffset:56;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"(%lx) a=%d b=%u n=0x%Lx s=\\\"%s\\\" u=%u c='%c' arr={%u,%u,%u,%u} sx=0x%x cm=\\\"%s\\\" st=0x%Lx "
		"i=0x%Lx\", REC->__probe_ip, REC->a, REC->b, REC->n, __get_str(s), REC->u, REC->c, REC->arr[0], REC->arr[1], "
		"REC->arr[2], REC->arr[3], REC->sx, __get_str(cm), REC->st, REC->i\n");
	arena_deinit(&s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_have_their_numbers),
		cmocka_unit_test(reads_go_from_the_innermost_on),
		cmocka_unit_test(arguments_are_where_the_convention_has_them),
		cmocka_unit_test(results_are_known_at_returns),
		cmocka_unit_test(data_has_addresses),
		cmocka_unit_test(bit_fields_are_shifts),
		cmocka_unit_test(wrong_types_are_refused),
		cmocka_unit_test(the_format_is_that_of_tracefs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
