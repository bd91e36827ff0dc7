/* Files as flamegraph.pl takes and writes them; expected by its documentation. */
#include "view/svg/name_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/testing.h"

static struct lines made(const char *text)
{
	char path[] = "/tmp/strobe-names-XXXXXX";
	struct lines lines;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_ok(lines_read(path, &lines));
	unlink(path);
	return lines;
}

static void test_attributes(void **state)
{
	struct name_attributes a;
	struct lines lines = made("main\thref=http://a/?b&c\ttarget=_blank\tother=x\n"
			     "\n"
			     "schedule_[k]\ttitle=in the kernel\tg_extra=onclick=\"f(1)\" data-x='&lt;'\n"
			     "schedule\tid=a=b\tclass=c\r\n");
	(void)state;
	assert_ok(name_attributes_read(&lines, &a));
	const struct frame_attributes *x = name_attributes_of(&a, "main", NAME_USER);
	assert_non_null(x);
	assert_string_equal(x->href, "http://a/?b&c");
	assert_string_equal(x->target, "_blank");
	assert_null(x->title);
	assert_ptr_equal(name_attributes_of(&a, "main", NAME_KERNEL), x); /* without a mark it is any */
	x = name_attributes_of(&a, "schedule", NAME_KERNEL);
	assert_string_equal(x->title, "in the kernel");
	assert_string_equal(x->g_extra, "onclick=\"f(1)\" data-x='&lt;'");
	x = name_attributes_of(&a, "schedule", NAME_USER);
	assert_string_equal(x->id, "a=b");
	assert_string_equal(x->class, "c");
	assert_null(name_attributes_of(&a, "mai", NAME_USER));
	assert_null(name_attributes_of(&a, "", NAME_USER));
	name_attributes_deinit(&a);
	lines_deinit(&lines);
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"no tab", "a\tnothing", "a\tg_extra=x", "a\tg_extra=x=y", "a\tg_extra=x=\"y", "a\tg_extra=><script>", "a\tg_extra=x=\"<\"",
		"a\tg_extra=x=\"&amp\"", "a\tg_extra=x=\"&nbsp;\"", "a\tg_extra=x=\"1\"y=\"2\"", "a\tg_extra=x=\"1\" x=\"2\"",
		"a\tg_extra=class=\"1\"", "a\ta_extra=href=\"1\"", "a\tg_extra=foo:x=\"1\"", "a\tg_extra=1x=\"1\"", "a\tg_extra=x=\"&#1;\"",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct name_attributes a;
		struct lines lines = made(texts[i]);
		struct strobe_error *err = name_attributes_read(&lines, &a);
		if (!err)
			fail_msg("taken: %s", texts[i]);
		assert_int_equal(err->code, ERROR_FORMAT);
		assert_non_null(strstr(err->message, "line 1"));
		error_destroy(err);
		name_attributes_deinit(&a);
		lines_deinit(&lines);
	}
}

static void test_colours(void **state)
{
	struct name_colours c;
	struct out out;
	size_t n;
	struct lines lines = made("main->rgb(1,2,3)\n"
			     "T::operator->()->rgb(255,0,10)\n"
			     "bad->rgb(256,0,0)\nbad\nbad->rgb(1,2)\n"
			     "twice->rgb(1,1,1)\ntwice->rgb(9,9,9)\n");
	(void)state;
	name_colours_read(&lines, &c);
	assert_int_equal(*name_colours_at(&c, "main", NAME_USER), 0x1010203);
	assert_int_equal(*name_colours_at(&c, "T::operator->()", NAME_USER), 0x1ff000a);
	assert_int_equal(*name_colours_at(&c, "twice", NAME_USER), 0x1090909);
	assert_int_equal(*name_colours_at(&c, "bad", NAME_USER), 0);
	*name_colours_at(&c, "a b", NAME_USER) = 0x1000102;
	out_init_mem(&out);
	name_colours_write(&c, &out);
	const char *text = out_mem(&out, &n);
	static const char expected[] = "T::operator->()->rgb(255,0,10)\na b->rgb(0,1,2)\nmain->rgb(1,2,3)\ntwice->rgb(9,9,9)\n";
	assert_int_equal(n, strlen(expected));
	assert_memory_equal(text, expected, n);
	assert_ok(out_close(&out));
	name_colours_deinit(&c);
	lines_deinit(&lines);
	name_colours_read(&(struct lines){}, &c);
	assert_int_equal(*name_colours_at(&c, "main", NAME_USER), 0);
	name_colours_deinit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_colours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
