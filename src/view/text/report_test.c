#include "view/view_testing.h"

#include <stdlib.h>

#include "view/text/text.h"

/* The layout of these texts is what perf 6.1 prints for such figures. */

static const uint32_t first_event[] = { 0 };

struct fixture {
	struct profile *p;
	struct hist_key keys[3], fields[5];
	uint32_t keys_nr, fields_nr;
	struct report_part part;
	struct report report;
	struct report_text options;
};

static struct hist_key bound(const struct profile *p, enum column_id id)
{
	struct hist_key k = { .column = &columns[id] };
	hist_key_bind(&k, p);
	return k;
}

static void open_fixture(struct fixture *f, const struct test_sample *samples, size_t n, bool children)
{
	*f = (struct fixture){ .p = test_profile(samples, n), .keys_nr = 3 };
	f->keys[0] = bound(f->p, COLUMN_COMM);
	f->keys[1] = bound(f->p, COLUMN_DSO);
	f->keys[2] = bound(f->p, COLUMN_SYMBOL);
	if (children)
		f->fields[f->fields_nr++] = bound(f->p, COLUMN_OVERHEAD_CHILDREN);
	f->fields[f->fields_nr++] = bound(f->p, COLUMN_OVERHEAD);
	for (int i = 0; i < 3; i++)
		f->fields[f->fields_nr++] = f->keys[i];
	f->part.hist = hist_create(f->p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = f->keys,
								.keys_nr = 3, .children = children,
								.callers_above = true });
	hist_sort(f->part.hist, f->fields, f->fields_nr, 0);
	f->part.event_name = "cycles";
	f->part.samples = f->part.hist->totals[0].samples;
	f->part.period = f->part.hist->totals[0].period;
	f->part.has_chains = children;
	f->report = (struct report){ .parts = &f->part, .parts_nr = 1, .fields = f->fields, .fields_nr = f->fields_nr,
				     .chains = { .mode = CALLTREE_GRAPH, .min_percent = 0.5, .threads = 1 },
				     .show_chains = children };
}

static void close_fixture(struct fixture *f)
{
	hist_destroy(f->part.hist);
	profile_destroy(f->p);
}

static void assert_text(struct fixture *f, const char *expected)
{
	struct out o;
	size_t n;
	out_init_mem(&o);
	text_report(&o, &f->report, &f->options);
	const char *text = out_mem(&o, &n);
	char *copy = strndup(text, n);
	assert_string_equal(copy, expected);
	free(copy);
	assert_ok(out_close(&o));
}

static const struct test_sample flat[] = { { "x", "hot", 1500 }, { "x", "read@[kernel.kallsyms]", 500 } };

static void a_flat_table(void **state)
{
	struct fixture f;
	open_fixture(&f, flat, 2, false);
	assert_text(&f, "#\n# Total Lost Samples: 0\n#\n"
			"# Samples: 2  of event 'cycles'\n# Event count (approx.): 2000\n#\n"
			"# Overhead  Command  Shared Object      Symbol  \n"
			"# ........  .......  .................  ........\n"
			"#\n"
			"    75.00%  x        prog               [.] hot\n"
			"    25.00%  x        [kernel.kallsyms]  [k] read\n"
			"\n\n");
	f.options.quiet = true;
	f.report.percent_limit = 50;
	assert_text(&f, "    75.00%  x        prog               [.] hot\n\n\n");
	f.report.separator = ";";
	assert_text(&f, " 75.00% ;x      ;prog             ;[.] hot\n\n\n");
	close_fixture(&f);
}

static const struct test_sample tree[] = {
	{ "x", "main>a>b", 10 }, { "x", "main>a>c", 25 }, { "x", "main>a", 5 }, { "x", "main>r>r>b", 60 },
};

#define MAIN "   100.00%     0.00%  x        prog           [.] main\n"
/* the part of the graph that is above both limits */
#define CALLERS                                     \
	"            |\n"                             \
	"            ---main\n"                      \
	"               |          \n"               \
	"               |--60.00%--r\n"              \
	"               |          r\n"              \
	"               |          b\n"              \
	"               |          \n"               \
	"                --40.00%--a\n"              \
	"                          |          \n"

static void a_call_graph(void **state)
{
	struct fixture f;
	open_fixture(&f, tree, 4, true);
	f.options.quiet = true;
	f.report.percent_limit = 80;
	assert_text(&f, MAIN
			CALLERS
			"                          |--25.00%--c\n"
			"                          |          \n"
			"                           --10.00%--b\n"
			"\n"
			"\n\n");
	f.report.chains.mode = CALLTREE_FOLDED;
	assert_text(&f, MAIN
			"60.00% main;r;r;b\n"
			"25.00% main;a;c\n"
			"10.00% main;a;b\n"
			"5.00% main;a\n"
			"\n\n");
	f.report.chains.mode = CALLTREE_FRACTAL;
	f.report.chains.min_percent = 30;
	assert_text(&f, MAIN
			CALLERS
			"                          |--71.43%--c\n"
			"                           --28.57%--[...]\n"
			"\n"
			"\n\n");
	close_fixture(&f);
}

static void levels_of_keys(void **state)
{
	struct fixture f;
	open_fixture(&f, flat, 2, false);
	f.report.hierarchy = true;
	assert_text(&f, "#\n# Total Lost Samples: 0\n#\n"
			"# Samples: 2  of event 'cycles'\n# Event count (approx.): 2000\n#\n"
			"#       Overhead  Command / Shared Object / Symbol\n"
			"# ..............  ................................\n"
			"#\n"
			"   100.00%        x      \n"
			"       75.00%        prog             \n"
			"          75.00%        [.] hot\n"
			"       25.00%        [kernel.kallsyms]\n"
			"          25.00%        [k] read\n"
			"\n\n");
	close_fixture(&f);
}

static void names_cannot_steer_the_terminal(void **state)
{
	static const struct test_sample evil[] = { { "x\033[2J", "f\ng", 1 } };
	struct fixture f;
	open_fixture(&f, evil, 1, false);
	f.options.quiet = true;
	assert_text(&f, "   100.00%  x\\x1b[2J    prog           [.] f\\x0ag\n\n\n");
	close_fixture(&f);
}

/* Wilson's interval as tables have it: 50 of 100 is 40.38 to 59.62; 0 of 10 is 0 to 27.75; 1 of 10 is 1.79 to 40.42. */
static void intervals(void **state)
{
	struct report_interval i = report_interval(50, 100, 100);
	assert_true(i.low > 40.37 && i.low < 40.39 && i.high > 59.61 && i.high < 59.63);
	i = report_interval(0, 10, 10);
	assert_true(i.low == 0 && i.high > 27.74 && i.high < 27.76);
	i = report_interval(1000, 10000, 10);
	assert_true(i.low > 1.78 && i.low < 1.80 && i.high > 40.41 && i.high < 40.43);
	i = report_interval(0, 0, 0);
	assert_true(i.low == 0 && i.high == 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flat_table),	       cmocka_unit_test(a_call_graph),
		cmocka_unit_test(levels_of_keys),      cmocka_unit_test(names_cannot_steer_the_terminal),
		cmocka_unit_test(intervals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
