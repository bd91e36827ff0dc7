/* -h, completion and man rows of one table. The expectation's layout is that of `perf version -h` and `perf script -h`. */
#include "cli/help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/man_page.h"

static const struct option table[] = {
	{ OPTION_BOOL, 0, "build-options", 0, .help = "display the build options" },
	{ OPTION_STRING, 'k', "vmlinux", 0, .arg = "file", .help = "vmlinux pathname" },
	{ OPTION_STRING, 'C', "cpu", 0, .arg = "cpu", .help = "list of cpus to profile" },
	{ OPTION_STRING, 'c', "comms", 0, .arg = "comm[,comm...]", .help = "only these\nand no others" },
	{ OPTION_STRING, 'z', NULL, 0, .arg = "n", .help = "z", .optional_arg = true },
	{ OPTION_BOOL, 0, "secret", 0, .help = "hidden", .hidden = true },
	OPTIONS_END,
};

static char *text(void (*print)(struct out *o))
{
	struct out o;
	size_t n;
	out_init_mem(&o);
	print(&o);
	const char *p = out_mem(&o, &n);
	char *copy = xstrndup(p, n);
	assert_null(out_close(&o));
	return copy;
}

static void check(void (*print)(struct out *o), const char *expected)
{
	char *s = text(print);
	assert_string_equal(s, expected);
	free(s);
}

static void print_options(struct out *o)
{
	help_options(o, table);
}

static void print_usage(struct out *o)
{
	help_usage(o, "strobe", (const char *const[]){ "x [<options>]", "x -- <command>", NULL });
}

static void print_matching(struct out *o)
{
	assert_true(help_matching(o, table, (const char *const[]){ "VMLINUX" }, 1));
	assert_true(help_matching(o, table, (const char *const[]){ "C" }, 1));
	assert_false(help_matching(o, table, (const char *const[]){ "hidden" }, 1));
	assert_true(help_matching(o, table, (const char *const[]){ "--build-options", "nothing" }, 2));
}

static void print_list(struct out *o)
{
	help_list_opts(o, table);
}

static void print_long(struct out *o)
{
	help_row(o, &(struct option){ OPTION_BOOL, 'l', .help = "123456789 123456789 123456789 123456789 123456789 123456789 "
								"123456789 123456789 123456789 123456789 123456789 123456789 end" });
}

static void print_man(struct out *o)
{
	help_man_options(o, table + 3);
}

static void test_layouts(void **state)
{
	(void)state;
	check(print_options, "    -c, --comms <comm[,comm...]>\n"
			     "                          only these\n"
			     "                          and no others\n"
			     "    -C, --cpu <cpu>       list of cpus to profile\n"
			     "    -k, --vmlinux <file>  vmlinux pathname\n"
			     "    -z[<n>]               z\n"
			     "        --build-options   display the build options\n");
	check(print_usage, " Usage: strobe x [<options>]\n"
			   "    or: strobe x -- <command>\n");
	check(print_matching, "    -k, --vmlinux <file>  vmlinux pathname\n"
			      "    -C, --cpu <cpu>       list of cpus to profile\n"
			      "        --build-options   display the build options\n");
	check(print_list, "--build-options --vmlinux --cpu --comms \n");
	/* Twelve words of nine letters and the blanks between them are 119 columns: the next word is too much. */
	check(print_long, "    -l                    123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 "
			  "123456789 123456789 123456789 123456789\n"
			  "                          end\n");
	check(print_man, ".TP\n\\fB\\-c\\fR, \\fB\\-\\-comms\\fR <comm[,comm...]>\nonly these\n.br\nand no others\n"
			 ".TP\n\\fB\\-z\\fR[<n>]\nz\n");
}

static void print_commands(struct out *o)
{
	out_str(o, ".TP\ncommand\n");
}

static void print_man_page(struct out *o)
{
	static const struct option two[] = { { OPTION_BOOL, 'q', "quiet", 0, .help = "print errors only" }, OPTIONS_END };
	const struct man_page page = { .program = "strobe", .usage = (const char *const[]){ "x [<options>]", "x -- <command>", NULL },
				       .options = two, .version = "1.2", .commands = print_commands };
	const char text[] = ".TH X 1 @VERSION@ strobe\n@SYNOPSIS@\n@COMMANDS@\n see @OPTIONS@\nlast @VERSION@";
	man_page_fill(o, &page, text, strlen(text));
	man_page_fill(o, &page, "@OPTIONS@\n", 10);
}

static void print_man_options(struct out *o)
{
	static const struct option two[] = { { OPTION_BOOL, 'q', "quiet", 0, .help = "print errors only" }, OPTIONS_END };
	out_str(o, ".TH X 1 1.2 strobe\n.nf\n\\fBstrobe\\fR x [<options>]\n\\fBstrobe\\fR x -- <command>\n.fi\n.TP\ncommand\n"
		   " see @OPTIONS@\nlast 1.2\n");
	help_man_options(o, two);
}

static void a_man_page_is_filled_from_tables(void **state)
{
	(void)state;
	char *expected = text(print_man_options);
	check(print_man_page, expected);
	free(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_layouts), cmocka_unit_test(a_man_page_is_filled_from_tables) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
