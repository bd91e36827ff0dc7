/* Words as read back by /bin/sh. */
#include "base/testing.h"

#include <stdio.h>
#include <string.h>

#include "remote/shell.h"

static void words(void **state)
{
	_cleanup_strbuf_ struct strbuf line = {};
	shell_add_words(&line, (const char *const[]){ "strobe", "-e", "a b", "", "it's", "--x=/y", NULL });
	assert_string_equal(strbuf_str(&line), "strobe -e 'a b' '' 'it'\\''s' '--x=/y'");
}

static void read_back(void **state)
{
	static const char *const all[] = { "printf", "%s|", "$HOME", "`id`", "a\nb", "'", "\\", "\"", "*", "~", "-", ";", "!x", "ü", NULL };
	_cleanup_strbuf_ struct strbuf line = {};
	char text[256] = "";
	shell_add_words(&line, all);
	FILE *sh = popen(strbuf_str(&line), "r");
	assert_non_null(sh);
	text[fread(text, 1, sizeof(text) - 1, sh)] = 0;
	assert_int_equal(pclose(sh), 0);
	assert_string_equal(text, "$HOME|`id`|a\nb|'|\\|\"|*|~|-|;|!x|ü|");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(read_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
