#include "view/frame_names.h"

#include "view/view_testing.h"

/* The names of one frame, joined by ';'. */
static void check(const char *frame, struct frame_names_options options, bool is_java, const char *expected)
{
	struct profile *p = profile_create();
	frame_id id = test_frame(p, frame, strlen(frame));
	struct frame_names n;
	struct strbuf b = {};
	frame_names_init(&n, p, options);
	for (int again = 0; again < 2; again++) {
		struct name_span span = frame_names_get(&n, id, is_java);
		strbuf_reset(&b);
		for (uint32_t i = 0; i < span.nr; i++) {
			size_t bytes;
			const char *text = frame_name_text(&n, n.lists.data[span.first + i], &bytes);
			strbuf_addf(&b, "%s%.*s", i ? ";" : "", (int)bytes, text);
		}
		assert_string_equal(strbuf_str(&b), expected);
	}
	strbuf_deinit(&b);
	frame_names_deinit(&n);
	profile_destroy(p);
}

#define FOLDED ((struct frame_names_options){})
#define FULL   ((struct frame_names_options){ .full = true })
#define JIT    "@/tmp/perf-77.map"
#define KERNEL "@[kernel.kallsyms]"

static void names_are_tidied_as_in_folded_files(void **state)
{
	check("main", FOLDED, false, "main");
	check("a;b", FOLDED, false, "a:b");
	check("std::sort(int*, int*)", FOLDED, false, "std::sort");
	check("operator delete(void*)", FOLDED, false, "operator delete");
	check("ns::(anonymous namespace)::f(int)", FOLDED, false, "ns::(anonymous namespace)::f");
	check("net/http.(*Client).Do", FOLDED, false, "net/http.(*Client).Do");
	check("RegExp:[&<>\"']" JIT, FOLDED, false, "RegExp:[&<>]");
	check("\"'", FOLDED, false, "[unknown]");
	check("x\n\033[2J", FOLDED, false, "x\\x0a\\x1b[2J");
}

static void arguments_of_templates_stay(void **state)
{
	check("std::function<int (int, int)>::operator()(int, int) const", FOLDED, false, "std::function<int (int, int)>::operator");
	check("std::_Function_handler<int (int), main::{lambda(int)#1}>::_M_invoke(int&&)", FOLDED, false,
	      "std::_Function_handler<int (int), main::{lambda(int)#1}>::_M_invoke");
	check("operator< <int>(int)", FOLDED, false, "operator< <int>");
	check("operator<<(std::ostream&, int)", FOLDED, false, "operator<<");
	check("f<&T::operator-> >(int)", FOLDED, false, "f<&T::operator-> >");
	check("is<(E)3>(int)", FOLDED, false, "is<(E)3>");
	check("less<(int)", FOLDED, false, "less<");
}

static void no_frame_is_lost_that_begins_with_a_parenthesis(void **state)
{
	check("(anonymous namespace)::compute(int)", FOLDED, false, "(anonymous namespace)::compute");
	check("(odd)", FOLDED, false, "(odd)");
}

static void java_signatures_lose_their_letter(void **state)
{
	check("Lorg/js/MemberBox;.call(Ljava/lang/Object;)V" JIT, FOLDED, true, "org/js/MemberBox:.call");
	check("Lorg/js/MemberBox;.call(Ljava/lang/Object;)V" JIT, FOLDED, false, "Lorg/js/MemberBox:.call");
	check("Launch", FOLDED, true, "Launch");
	/* as stackcollapse-perf.pl has it: where there is a package */
	check("LBusy;::main" JIT, FOLDED, true, "LBusy:::main");
	check("Ljava/lang/Thread" JIT, FOLDED, true, "java/lang/Thread");
}

static void code_without_a_symbol_is_named_after_its_module(void **state)
{
	struct frame_names_options addresses = { .with_addresses = true };
	check("?@/usr/lib/libc.so.6", FOLDED, false, "[libc.so.6]");
	check("?@/usr/lib/libc.so.6 (deleted)", FOLDED, false, "[libc.so.6]");
	check("?" JIT, FOLDED, false, "[perf-77.map]");
	check("?" KERNEL, FOLDED, false, "[[kernel.kallsyms]]");
	check("?" KERNEL, FULL, false, "[kernel.kallsyms]");
	check("?@/usr/lib/libc.so.6", addresses, false, "[libc.so.6 <1000>]");
	check("?@[ext4]", addresses, false, "[[ext4] <7f0000001000>]");
}

static void code_outside_of_every_module_is_unknown(void **state)
{
	struct frame_names_options addresses = { .with_addresses = true };
	struct profile *p = profile_create();
	struct profile_frame f = { .mapping = PROFILE_NONE, .function = PROFILE_NONE, .addr = 0xabc, .ip = 0xabc };
	frame_id id = profile_frame(p, &f);
	size_t bytes;
	struct frame_names n;
	frame_names_init(&n, p, FOLDED);
	struct name_span span = frame_names_get(&n, id, false);
	assert_string_equal(frame_name_text(&n, n.lists.data[span.first], &bytes), "[unknown]");
	frame_names_deinit(&n);
	frame_names_init(&n, p, addresses);
	span = frame_names_get(&n, id, false);
	assert_string_equal(frame_name_text(&n, n.lists.data[span.first], &bytes), "[unknown <abc>]");
	frame_names_deinit(&n);
	profile_destroy(p);
}

static void marks_say_where_the_code_is_from(void **state)
{
	struct frame_names_options all = { .mark_kernel = true, .mark_jit = true, .mark_inlined = true };
	check("read" KERNEL, all, false, "read_[k]");
	check("ext4_read@[ext4]", all, false, "ext4_read_[k]");
	check("clock@[vdso]", all, false, "clock_[k]"); /* perf knows it by its brackets */
	check("run" JIT, all, false, "run_[j]");
	check("run_[j]" JIT, all, false, "run_[j]");
	check("~fast", all, false, "fast_[i]");
	check("~fast", FOLDED, false, "fast");
	check("main", all, false, "main");
}

static void inlined_java_functions_become_frames(void **state)
{
	struct frame_names_options jit = { .mark_jit = true };
	check("La;.f->Lb;.g->Lc;.h" JIT, FOLDED, true, "La:.f;Lb:.g_[i];Lc:.h_[i]");
	check("Lx/a;.f->Lx/b;.g" JIT, FOLDED, true, "x/a:.f;x/b:.g_[i]");
	check("a->b->" JIT, jit, false, "a_[j];b_[i]");
	check("Ptr<int>::operator->", FOLDED, false, "Ptr<int>::operator->");
}

static void full_names_stay_as_they_are(void **state)
{
	check("std::sort(int*, \"x\")", FULL, false, "std::sort(int*, \"x\")");
	check("main::{lambda(int)#1}::operator()(int)", FULL, false, "main::{lambda(int)#1}::operator()(int)");
	check("a->b" JIT, FULL, false, "a;b");
}

static void full_names_differ_by_module(void **state)
{
	struct profile *p = profile_create();
	const char *frames[] = { "f@/lib/a.so", "f@/lib/b.so", "f@/lib/a.so" };
	name_id ids[3];
	struct frame_names n;
	frame_id f[3];
	for (int i = 0; i < 3; i++)
		f[i] = test_frame(p, frames[i], strlen(frames[i]));
	frame_names_init(&n, p, FULL);
	for (int i = 0; i < 3; i++) {
		struct name_span span = frame_names_get(&n, f[i], false);
		ids[i] = n.lists.data[span.first];
	}
	assert_true(ids[0] != ids[1]);
	assert_true(ids[0] == ids[2]);
	assert_string_equal(strtab_get(&n.strings, n.names.data[ids[1]].module), "b.so");
	frame_names_deinit(&n);
	profile_destroy(p);
}

static void check_process(const char *comm, struct frame_names_options options, const char *expected)
{
	struct profile *p = test_profile((struct test_sample[]){ { comm, "main", 1 } }, 1);
	struct frame_names n;
	size_t bytes;
	frame_names_init(&n, p, options);
	name_id id = frame_names_process(&n, 0);
	assert_true(id != PROFILE_NONE);
	assert_int_equal(frame_names_process(&n, 0), id);
	assert_string_equal(frame_name_text(&n, id, &bytes), expected);
	assert_int_equal(frame_names_is_java(&n, id), strncmp(comm, "java", 4) == 0);
	frame_names_deinit(&n);
	profile_destroy(p);
}

static void processes_have_names_of_one_word(void **state)
{
	check_process("V8 Worker;x", FOLDED, "V8_Worker:x");
	check_process("V8 Worker;x", FULL, "V8 Worker;x");
	check_process("java", (struct frame_names_options){ .with_pid = true }, "java-40");
	check_process("sh", (struct frame_names_options){ .with_tid = true }, "sh-40/41");
	check_process("", FOLDED, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_tidied_as_in_folded_files),
		cmocka_unit_test(arguments_of_templates_stay),
		cmocka_unit_test(no_frame_is_lost_that_begins_with_a_parenthesis),
		cmocka_unit_test(java_signatures_lose_their_letter),
		cmocka_unit_test(code_without_a_symbol_is_named_after_its_module),
		cmocka_unit_test(code_outside_of_every_module_is_unknown),
		cmocka_unit_test(marks_say_where_the_code_is_from),
		cmocka_unit_test(inlined_java_functions_become_frames),
		cmocka_unit_test(full_names_stay_as_they_are),
		cmocka_unit_test(full_names_differ_by_module),
		cmocka_unit_test(processes_have_names_of_one_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
