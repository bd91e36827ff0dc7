/* The parser with all forms of options that perf accepts. */
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"

struct fields {
	bool all, header, header_only, no_inherit, no_modules, show_nr, freq_set;
	unsigned verbose;
	const char *output, *sort, *level;
	uint64_t count, size;
	int64_t delay;
	double limit;
	struct strbuf events;
};

static struct strobe_error *parse_event(void *options, const char *value, bool negated)
{
	struct fields *f = options;
	if (value && !strcmp(value, "bad"))
		return error_create(ERROR_USAGE, "no such event");
	strbuf_addf(&f->events, "%s%s;", negated ? "!" : "", value ? value : "-");
	return NULL;
}

/* Rows of a table that several commands have. */
struct shared {
	bool is_quiet, has_limit;
	const char *directory;
	uint64_t limit;
	struct strbuf *events;
};

static struct strobe_error *parse_shared(void *options, const char *value, bool negated)
{
	struct shared *s = options;
	strbuf_addf(s->events, "%s%s", negated ? "!" : "", value ? value : "-");
	return NULL;
}

#define AT(f) offsetof(struct shared, f)
static const struct option shared_rows[] = {
	{ OPTION_BOOL, 'q', "quiet", AT(is_quiet), .help = "q" },
	{ OPTION_STRING, 0, "symfs", AT(directory), .arg = "directory", .help = "symfs" },
	{ OPTION_U64, 'L', "limit", AT(limit), .arg = "n", .set_offset = AT(has_limit), .help = "L" },
	{ OPTION_CALL, 0, "shared-event", .arg = "event", .parse = parse_shared, .help = "e" },
	OPTIONS_END,
};
#undef AT

struct nesting {
	uint64_t before;
	struct shared shared;
	bool after;
};

#define AT(f) offsetof(struct nesting, f)
static const struct option nesting_table[] = {
	{ OPTION_U64, 'b', "before", AT(before), .help = "b" },
	OPTIONS_OF(shared_rows, AT(shared)),
	{ OPTION_BOOL, 'a', "after", AT(after), .help = "a" },
	OPTIONS_END,
};
static const struct option only_nested[] = { OPTIONS_OF(shared_rows, 0), OPTIONS_END };
#undef AT

#define AT(f) offsetof(struct fields, f)
static const struct option table[] = {
	{ OPTION_GROUP, .help = "Heading" },
	{ OPTION_BOOL, 'a', "all-cpus", AT(all), .help = "all" },
	{ OPTION_BOOL, 'n', "show-nr", AT(show_nr), .help = "n" },
	{ OPTION_BOOL, 0, "header", AT(header), .help = "h" },
	{ OPTION_BOOL, 0, "header-only", AT(header_only), .help = "h" },
	{ OPTION_BOOL, 'i', "no-inherit", AT(no_inherit), .help = "i" },
	{ OPTION_OFF, 'm', "modules", AT(no_modules), .help = "m" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "v" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "o" },
	{ OPTION_STRING, 's', "sort", AT(sort), .arg = "key", .help = "s" },
	{ OPTION_STRING, 'z', "compression-level", AT(level), .arg = "n", .help = "z", .optional_arg = true,
	  .default_arg = "1" },
	{ OPTION_U64, 'F', "freq", AT(count), .arg = "n", .help = "F", .set_offset = AT(freq_set) },
	{ OPTION_U64, 0, "size", AT(size), .help = "size", .optional_arg = true, .default_arg = "7" },
	{ OPTION_I64, 'D', "delay", AT(delay), .arg = "ms", .help = "D" },
	{ OPTION_F64, 0, "percent-limit", AT(limit), .arg = "percent", .help = "limit" },
	{ OPTION_CALL, 'e', "event", .arg = "event", .help = "e", .parse = parse_event },
	{ OPTION_CALL, 'g', NULL, .help = "g", .parse = parse_event },
	{ OPTION_BOOL, 0, "secret", AT(all), .hidden = true },
	OPTIONS_END,
};

static struct fields fields;
static struct options_result result;
static char *words[16];

static struct strobe_error *parse(bool permute, const char *line)
{
	static char copy[256], name[] = "cmd";
	int argc = 0;
	strbuf_deinit(&fields.events);
	memset(&fields, 0, sizeof(fields));
	strcpy(copy, line);
	words[argc++] = name;
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		words[argc++] = w;
	words[argc] = NULL;
	return options_parse(table, &fields, argc, words, permute, &result);
}

static void good(const char *line)
{
	struct strobe_error *err = parse(false, line);
	if (err)
		fail_msg("%s: %s", line, err->message);
}

static void wrong(const char *line, const char *message)
{
	struct strobe_error *err = parse(false, line);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_USAGE);
	assert_string_equal(err->message, message);
	error_destroy(err);
}

static void test_short(void **state)
{
	(void)state;
	good("-ns comm");
	assert_true(fields.show_nr);
	assert_string_equal(fields.sort, "comm");
	good("-anvvF99 true");
	assert_true(fields.all);
	assert_int_equal(fields.verbose, 2);
	assert_int_equal(fields.count, 99);
	assert_true(fields.freq_set);
	assert_int_equal(result.argc, 1);
	assert_string_equal(result.argv[0], "true");
	good("-vve cycles -a");
	assert_string_equal(strbuf_str(&fields.events), "cycles;");
	assert_true(fields.all);
	good("-e a -e b -g");
	assert_string_equal(strbuf_str(&fields.events), "a;b;-;");
}

static void test_short_sign(void **state)
{
	(void)state;
	good("-s+srcline");
	assert_string_equal(fields.sort, "+srcline");
	good("-D -1");
	assert_int_equal(fields.delay, -1);
}

static void test_optional(void **state)
{
	(void)state;
	good("-z true");
	assert_string_equal(fields.level, "1");
	assert_int_equal(result.argc, 1);
	good("-z9");
	assert_string_equal(fields.level, "9");
	good("--compression-level=3");
	assert_string_equal(fields.level, "3");
	good("--size 5");
	assert_int_equal(fields.size, 7);
	assert_string_equal(result.argv[0], "5");
	good("--size=5");
	assert_int_equal(fields.size, 5);
}

static void test_long(void **state)
{
	(void)state;
	good("--output=x --sort y");
	assert_string_equal(fields.output, "x");
	assert_string_equal(fields.sort, "y");
	good("--out x");
	assert_string_equal(fields.output, "x");
	good("--header");
	assert_true(fields.header && !fields.header_only);
	good("--percent-limit 0.5");
	assert_true(fields.limit == 0.5);
}

static void test_negation(void **state)
{
	(void)state;
	good("--header --no-header");
	assert_false(fields.header);
	good("--no-inherit");
	assert_true(fields.no_inherit);
	good("-i --inherit");
	assert_false(fields.no_inherit);
	good("-o x --no-output");
	assert_null(fields.output);
	good("-vv --no-verbose");
	assert_int_equal(fields.verbose, 0);
	good("--no-modules");
	assert_true(fields.no_modules);
	good("--no-modules -m");
	assert_false(fields.no_modules);
	good("--no-event");
	assert_string_equal(strbuf_str(&fields.events), "!-;");
	good("--header-only --no-header-o");
	assert_false(fields.header_only);
}

static void test_rest(void **state)
{
	(void)state;
	good("-a ls -l");
	assert_int_equal(result.argc, 2);
	assert_string_equal(result.argv[1], "-l");
	good("-a -- -l");
	assert_true(result.had_dashes);
	assert_int_equal(result.argc, 1);
	assert_string_equal(result.argv[0], "-l");
	assert_null(parse(true, "x -a y -- -n"));
	assert_true(fields.all);
	assert_false(fields.show_nr);
	assert_int_equal(result.argc, 3);
	assert_string_equal(result.argv[1], "y");
	assert_string_equal(result.argv[2], "-n");
	good("-");
	assert_int_equal(result.argc, 1);
}

static void test_help(void **state)
{
	(void)state;
	good("-h sort");
	assert_true(result.help && !result.manual);
	assert_string_equal(result.help_keyword, "sort");
	good("-h --sort");
	assert_string_equal(result.help_keyword, "--sort");
	good("--help");
	assert_true(result.help && result.manual);
	good("--list-opts");
	assert_true(result.list_opts);
}

static void test_wrong(void **state)
{
	(void)state;
	wrong("-F", "switch `F' requires a value");
	assert_ptr_equal(result.at_fault->long_name, "freq");
	wrong("--sort", "option `sort' requires a value");
	wrong("-o -i", "switch `o' requires a file name, and an option follows (write ./ before a name that begins with -)");
	wrong("--output --sort=x",
	      "option `output' requires a file name, and an option follows (write ./ before a name that begins with -)");
	wrong("-F abc", "switch `F' expects a numerical value");
	wrong("--freq=-1", "option `freq' expects a numerical value");
	wrong("--header=3", "option `header' takes no value");
	wrong("--no-output=3", "option `no-output' takes no value");
	wrong("-aZ", "unknown switch `Z'");
	wrong("--heade", "ambiguous option: heade (could be --header or --header-only)");
	wrong("--hedaer", "unknown option `hedaer'; did you mean --header?");
	wrong("--qqqqqqqqq", "unknown option `qqqqqqqqq'");
	wrong("--secre", "unknown option `secre'");
	wrong("-e bad", "-e: no such event");
	wrong("--event bad", "--event: no such event");
	good("--secret");
}

static void test_double_dashes(void **state)
{
	(void)state;
	char w[][24] = { "x", "-header", "-header=false", "--header=T", "-sort=a", "-a", "word", "-header=maybe", "--", "-header" };
	const char *expected[] = {
		"x", "--header", "--no-header", "--header", "--sort=a", "-a", "word", "--header=maybe", "--", "-header",
	};
	char *argv[10];
	struct arena words;
	arena_init(&words);
	for (int i = 0; i < 10; i++)
		argv[i] = w[i];
	options_double_dashes(table, &words, 10, argv);
	for (int i = 0; i < 10; i++)
		assert_string_equal(argv[i], expected[i]);
	arena_deinit(&words);
}

static int group_teardown(void **state)
{
	(void)state;
	strbuf_deinit(&fields.events);
	return 0;
}

static struct strobe_error *parse_nesting(const char *a, const char *b, const char *c, struct nesting *ret)
{
	char *argv[] = { (char[]){ "cmd" }, strdup(a), strdup(b), strdup(c), NULL };
	struct options_result rest;
	struct strobe_error *err = options_parse(nesting_table, ret, 4, argv, false, &rest);
	assert_true(err || !rest.argc);
	for (int i = 1; i < 4; i++)
		free(argv[i]);
	return err;
}

static void test_tables_within(void **state)
{
	static const char *const order[] = { "before", "quiet", "symfs", "limit", "shared-event", "after" };
	struct strbuf events = {};
	struct nesting n = { .shared.events = &events };
	size_t at = 0;
	for (struct option_walk w = option_walk(nesting_table); option_next(&w); at++) {
		assert_string_equal(w.row->long_name, order[at]);
		assert_int_equal(w.base, at && at < 5 ? offsetof(struct nesting, shared) : 0);
	}
	assert_int_equal(at, 6);
	assert_null(parse_nesting("-qab7", "--lim=5", "--shared-event=x", &n));
	assert_true(n.shared.is_quiet && n.shared.has_limit && n.after);
	assert_int_equal(n.before, 7);
	assert_int_equal(n.shared.limit, 5);
	assert_null(parse_nesting("--no-quiet", "--no-limit", "--no-shared-event", &n));
	assert_false(n.shared.is_quiet);
	assert_int_equal(n.shared.limit, 0);
	assert_string_equal(strbuf_str(&events), "x!-");
	struct strobe_error *err = parse_nesting("-a", "-a", "--symfz", &n);
	assert_string_equal(err->message, "unknown option `symfz'; did you mean --symfs?");
	error_destroy(err);
	strbuf_deinit(&events);
	struct option_walk only = option_walk(only_nested);
	assert_true(option_next(&only));
	assert_string_equal(only.row->long_name, "quiet");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short), cmocka_unit_test(test_short_sign), cmocka_unit_test(test_optional),
		cmocka_unit_test(test_long),  cmocka_unit_test(test_negation),	 cmocka_unit_test(test_rest),
		cmocka_unit_test(test_help),  cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_double_dashes), cmocka_unit_test(test_tables_within),
	};
	return cmocka_run_group_tests(tests, NULL, group_teardown);
}
