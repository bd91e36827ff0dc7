/* Options of a command line are assigned to the table that has them, with their values. */
#include "base/testing.h"

#include <string.h>

#include "base/strbuf.h"
#include "cli/option_split.h"

static const struct option own[] = {
	{ OPTION_STRING, 't', "type", .arg = "type", .help = "" },
	{ OPTION_BOOL, 'p', "phys-data", .help = "" },
	{ OPTION_STRING, 0, "default", .arg = "n", .default_arg = "7", .help = "" },
	OPTIONS_END,
};

static const struct option other[] = {
	{ OPTION_BOOL, 'a', "all-cpus", .help = "" },
	{ OPTION_STRING, 'o', "output", .arg = "file", .help = "" },
	{ OPTION_BOOL, 'g', "graph", .help = "" },
	{ OPTION_STRING, 't', "tid", .arg = "tid", .help = "" },
	OPTIONS_END,
};

/* words: separated by blanks; expected: the same, with | between both parts. */
static void expect(const char *words, const char *expected)
{
	char copy[200], *argv[20];
	int argc = 0;
	struct strbuf text = {};
	strcpy(copy, words);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	int first = options_split(own, other, argc, argv);
	for (int i = 0; i < argc; i++)
		strbuf_addf(&text, "%s%s%s", i ? " " : "", i == first ? "| " : "", argv[i]);
	assert_string_equal(strbuf_str(&text), expected);
	strbuf_deinit(&text);
}

static void options_are_sorted(void **state)
{
	(void)state;
	expect("record", "record");
	expect("record -t load -a ls", "record -t load | -a ls");
	expect("record -a -o file -t load ls -t", "record -t load | -a -o file ls -t");
	expect("record -o -t -p ls", "record -p | -o -t ls");
	expect("record -ag -tload --output=x --type=store -p -- -p", "record -tload --type=store -p | -ag --output=x -- -p");
	expect("record --no-phys-data --out x --ty load ls", "record --no-phys-data --ty load | --out x ls");
	expect("record --default -a ls", "record --default | -a ls");
	expect("record --default 3 -a ls", "record --default 3 | -a ls");
}

static void unknown_options_and_help(void **state)
{
	(void)state;
	expect("record -z -p ls", "record -p | -z ls");
	expect("record -pz ls", "record | -pz ls");
	expect("record -h", "record -h");
	expect("record -a --help -o", "record --help | -a -o");
	expect("record -t", "record -t");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_sorted),
		cmocka_unit_test(unknown_options_and_help),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
