/* Truth: what the lines of PROBE print on a machine, written by hand. */
#include "remote/binary.h"

#include "base/testing.h"

#include <stdio.h>
#include <string.h>

static bool parse(const char *answer, struct remote_facts *ret)
{
	static char text[256];
	snprintf(text, sizeof(text), "%s", answer);
	return remote_facts_parse(text, ret);
}

static void answers(void **state)
{
	struct remote_facts f;
	assert_true(parse("strobe-facts\nx86_64\nstrobe version 0.2.0\n", &f));
	assert_string_equal(f.machine, "x86_64");
	assert_string_equal(f.version, "strobe version 0.2.0");
	assert_true(parse("strobe-facts\naarch64\n\n", &f)); /* none is installed */
	assert_string_equal(f.machine, "aarch64");
	assert_string_equal(f.version, "");
	assert_true(parse("Welcome!\n\nstrobe-facts\ns390x\n\n", &f)); /* a shell that greets */
	assert_string_equal(f.machine, "s390x");
}

/* The name of the machine becomes a part of a path here. */
static void other_texts(void **state)
{
	static const char *const texts[] = { "", "\n", "strobe-facts", "strobe-facts\n", "strobe-facts\nx86_64", "strobe-facts\nx86_64\n",
					     "strobe-facts\n\nstrobe version 1\n", "strobe-facts\n../../etc/x\n\n", "strobe-facts\nX 1\n\n",
					     "x86_64\nstrobe version 1\n" };
	struct remote_facts f;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(parse(texts[i], &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(other_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
