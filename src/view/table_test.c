/*
 * One table of tasks as text, JSON, CSV and HTML: what a scheduler, lock or memory table is made of (a tree, units, marks,
 * series, tallies, sorting) needs no writer of its own. All expectations are written by hand.
 */
#include "base/testing.h"

#include <string.h>

#include "base/json.h"
#include "table/table.h"
#include "view/data/table_data.h"
#include "view/html/table_html.h"
#include "view/text/table_text.h"

enum { TASK, RUNS, WAIT, SHARE, OVER_TIME, WOKEN_BY };

static void add_task(struct table *t, uint32_t depth, const char *name, uint64_t runs, uint64_t wait_ns)
{
	table_child(t, depth);
	table_set_text(t, TASK, name);
	table_set_count(t, RUNS, runs);
	table_set_count(t, WAIT, wait_ns);
}

static void fill(struct table *t)
{
	static const double make[] = { 1, 0, 4 }, sshd[] = { 8, 8, 2 };
	static const struct table_item woken_by[] = { { "timer", 2 }, { "pipe", 1 } };
	table_init(t, "strobe-test", 1);
	table_column(t, (struct table_column){ "task", NULL, TABLE_TEXT, .is_tree = true });
	table_column(t, (struct table_column){ "runs", NULL, TABLE_COUNT });
	table_column(t, (struct table_column){ "wait_ns", "wait", TABLE_COUNT, 3, .unit = "ms", .scale = 1e-6 });
	table_column(t, (struct table_column){ "share", NULL, TABLE_NUMBER, 1, .unit = "%" });
	table_column(t, (struct table_column){ "over_time", "over time", TABLE_SERIES });
	table_column(t, (struct table_column){ "woken_by", NULL, TABLE_ITEMS, .data_only = true, .is_optional = true });
	add_task(t, 0, "make", 12, 3250000);
	table_set_number(t, SHARE, 25);
	table_set_series(t, OVER_TIME, make, 3);
	add_task(t, 1, "as", 3, 500000);
	add_task(t, 1, "cc1", 30, 9000000);
	table_mark(t, WAIT, TABLE_HIGH);
	add_task(t, 0, "sshd", 1, 12000000);
	table_set_series(t, OVER_TIME, sshd, 3);
	table_set_items(t, WOKEN_BY, woken_by, 2);
	table_sort(t, WAIT, true);
}

static void assert_out(struct out *out, const char *expected)
{
	out_ch(out, '\0');
	assert_string_equal(out->buf, expected);
	assert_ok(out_close(out));
}

static void assert_text(const struct table *t, const struct table_style *style, const char *expected)
{
	struct out out;
	out_init_mem(&out);
	table_text(&out, t, style);
	assert_out(&out, expected);
}

static void text_has_units_bars_and_indents(void **state)
{
	static const struct table_style ascii = { .ascii = true }, colour = { .colour = true };
	struct table t;
	fill(&t);
	assert_text(&t, NULL,
		    "  task   runs    wait  share  over time\n"
		    "                 (ms)    (%)\n"
		    "  sshd      1  12.000         ██▂\n"
		    "  make     12   3.250   25.0  ▁ ▄\n"
		    "    cc1    30   9.000\n"
		    "    as      3   0.500\n");
	assert_text(&t, &ascii,
		    "  task   runs    wait  share  over time\n"
		    "                 (ms)    (%)\n"
		    "  sshd      1  12.000         @@:\n"
		    "  make     12   3.250   25.0  . =\n"
		    "    cc1    30   9.000\n"
		    "    as      3   0.500\n");
	assert_text(&t, &colour,
		    "  task   runs    wait  share  over time\n"
		    "                 (ms)    (%)\n"
		    "  sshd      1  12.000         ██▂\n"
		    "  make     12   3.250   25.0  ▁ ▄\n"
		    "    cc1    30   \033[31m9.000\033[m\n"
		    "    as      3   0.500\n");
	table_deinit(&t);
}

/* A layout as perf's --total-cycles has it; cells with a text of their own; lines below a row; nothing can steer a terminal. */
static void layout_and_shown_cells_are_the_fillers(void **state)
{
	struct table t;
	table_init(&t, "strobe-test", 1);
	t.layout = (struct table_layout){ .head = "# ", .row = "  ", .rule = '.', .after_rule = "#", .blank_lines = 1 };
	table_head(&t, "# Samples: %d", 2);
	table_column(&t, (struct table_column){ "cycles", "Sampled Cycles", TABLE_COUNT });
	table_column(&t, (struct table_column){ "range", "Range", TABLE_TEXT, .align = TABLE_ALIGN_RIGHT });
	table_row(&t);
	table_set_count(&t, 0, 1234567);
	table_show(&t, 0, "%.1fM", 1.2);
	table_set_text(&t, 1, "[f+0x1]\033");
	table_row(&t);
	table_set_count(&t, 0, 999);
	table_line(&t, "      below");
	assert_text(&t, NULL,
		    "# Samples: 2\n"
		    "# Sampled Cycles     Range\n"
		    "# ..............  ........\n"
		    "#\n"
		    "            1.2M  [f+0x1]\\x1b\n"
		    "             999\n"
		    "      below\n"
		    "\n");
	table_deinit(&t);
}

/* As perf c2c has it: a line of titles over several columns, all titles on the right, cells of the last column as long as they are. */
static void two_lines_of_titles(void **state)
{
	struct table t;
	table_init(&t, "strobe-test", 1);
	t.layout = (struct table_layout){ .head = "# ", .rule = '.', .after_rule = "#", .has_right_titles = true, .has_blank_ends = true };
	table_column(&t, (struct table_column){ "n", "Num", TABLE_COUNT });
	table_column(&t, (struct table_column){ "hits", "Rmt", TABLE_COUNT, .width = 4, .top = "-- HITM --", .top_columns = 2 });
	table_column(&t, (struct table_column){ "misses", "Lcl", TABLE_COUNT, .width = 4 });
	table_column(&t, (struct table_column){ "name", "Symbol", TABLE_TEXT, .width = 8 });
	table_column(&t, (struct table_column){ "nodes", "Node{cpu list}", TABLE_TEXT, .width = 4, .is_ragged = true });
	table_opening(&t, "first %d", 1);
	table_row(&t);
	table_set_count(&t, 1, 12);
	table_set_text(&t, 3, "main");
	table_set_text(&t, 4, "0 ");
	table_line(&t, "second");
	assert_text(&t, NULL,
		    "#      -- HITM --                \n"
		    "# Num   Rmt   Lcl    Symbol  Node{cpu list}\n"
		    "# ...  ....  ....  ........  ....\n"
		    "#\n"
		    "first 1\n"
		    "         12        main      0 \n"
		    "second\n");
	table_deinit(&t);
}

/* Lines below the table are of text alone; blanks at the ends of lines stay where a layout has them. */
static void feet_and_blanks_at_ends_of_lines(void **state)
{
	struct table t;
	struct out out;
	size_t n;
	table_init(&t, "strobe-test", 1);
	t.layout = (struct table_layout){ .gap = "|", .after_rows = "--", .has_blank_ends = true };
	table_column(&t, (struct table_column){ "a", "A", TABLE_TEXT, .width = 3 });
	table_column(&t, (struct table_column){ "b", "B", TABLE_TEXT, .width = 4 });
	table_row(&t);
	table_set_text(&t, 0, "x");
	table_foot(&t, "TOTAL: %d", 7);
	assert_text(&t, NULL,
		    "  A  |B   \n"
		    "  x  |    \n"
		    "--\n"
		    "TOTAL: 7\n");
	out_init_mem(&out);
	table_csv(&out, &t, ",");
	const char *csv = out_mem(&out, &n);
	assert_null(memmem(csv, n, "TOTAL", 5));
	assert_ok(out_close(&out));
	table_deinit(&t);
}

static void data_has_values_as_they_are(void **state)
{
	struct table t;
	struct json j;
	struct out out;
	fill(&t);
	table_note(&t, "one note");
	out_init_mem(&out);
	json_init(&j, &out, false);
	json_object(&j);
	table_json_members(&j, &t);
	json_end(&j);
	assert_out(&out, "{\"rows\":[{\"task\":\"sshd\",\"runs\":1,\"wait_ns\":12000000,\"share\":null,\"over_time\":[8,8,2],"
			 "\"woken_by\":{\"timer\":2,\"pipe\":1},\"children\":[]},"
			 "{\"task\":\"make\",\"runs\":12,\"wait_ns\":3250000,\"share\":25,\"over_time\":[1,0,4],\"children\":["
			 "{\"task\":\"cc1\",\"runs\":30,\"wait_ns\":9000000,\"share\":null,\"over_time\":null},"
			 "{\"task\":\"as\",\"runs\":3,\"wait_ns\":500000,\"share\":null,\"over_time\":null}]}],"
			 "\"notes\":[\"one note\"]}");
	out_init_mem(&out);
	table_csv(&out, &t, ";");
	assert_out(&out, "depth;task;runs;wait_ns;share;over_time;woken_by\n"
			 "0;sshd;1;12000000;;8 8 2;timer 2 pipe 1\n"
			 "0;make;12;3250000;25;1 0 4;\n"
			 "1;cc1;30;9000000;;;\n"
			 "1;as;3;500000;;;\n");
	table_deinit(&t);
}

static void pages_escape_what_they_show(void **state)
{
	struct table t;
	struct out out;
	table_init(&t, "strobe-test", 1);
	table_fact(&t, "of", "%s", "a<b>");
	table_column(&t, (struct table_column){ "task", NULL, TABLE_TEXT, .is_tree = true });
	table_column(&t, (struct table_column){ "wait_ns", "wait", TABLE_COUNT, 3, .unit = "ms", .scale = 1e-6 });
	table_column(&t, (struct table_column){ "over_time", "over time", TABLE_SERIES });
	table_row(&t);
	table_set_text(&t, 0, "<script>");
	table_set_count(&t, 1, 1500000);
	table_mark(&t, 1, TABLE_BAD);
	table_set_series(&t, 2, (const double[]){ 1, 2 }, 2);
	table_child(&t, 1);
	table_set_text(&t, 0, "child");
	out_init_mem(&out);
	table_html(&out, &t);
	assert_out(&out, "<p>of: a&lt;b&gt;</p>\n"
			 "<table><thead><tr><th class=\"\">task</th><th class=\"n\">wait <small>ms</small></th>"
			 "<th class=\"\">over time</th></tr></thead>\n<tbody>\n"
			 "<tr><td class=\"t\" style=\"--depth:0\">&lt;script&gt;</td><td class=\"n bad\">1.500</td><td class=\"\">"
			 "<svg width=\"100\" height=\"16\" viewBox=\"0 0 2 16\" preserveAspectRatio=\"none\"><title>1 2</title>"
			 "<rect x=\"0\" y=\"8.00\" width=\"1\" height=\"8.00\"/><rect x=\"1\" y=\"0.00\" width=\"1\" height=\"16.00\"/>"
			 "</svg></td></tr>\n"
			 "<tr><td class=\"t\" style=\"--depth:1\">child</td><td class=\"n\"></td><td class=\"\"></td></tr>\n"
			 "</tbody></table>\n");
	table_deinit(&t);
}

static void a_page_of_a_table_needs_nothing_else(void **state)
{
	static const char begin[] = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>a&lt;b</title>\n<style>\n";
	static const char end[] = "</style></head><body>\n<h1>a&lt;b</h1>\n<table><thead><tr><th class=\"\">task</th></tr></thead>\n"
				  "<tbody>\n</tbody></table>\n</body></html>\n";
	struct table t;
	struct out out;
	size_t n;
	table_init(&t, "strobe-test", 1);
	table_column(&t, (struct table_column){ "task", NULL, TABLE_TEXT });
	out_init_mem(&out);
	table_html_document(&out, &t, "a<b");
	const char *page = out_mem(&out, &n);
	assert_true(n > sizeof(begin) + sizeof(end));
	assert_memory_equal(page, begin, sizeof(begin) - 1);
	assert_memory_equal(page + n - (sizeof(end) - 1), end, sizeof(end) - 1);
	assert_null(memmem(page, n, "http", 4));
	assert_null(memmem(page, n, "url(", 4));
	assert_null(memmem(page, n, "<script", 7));
	assert_ok(out_close(&out));
	table_deinit(&t);
}

/* As perf's tables of calls, which printf pads: a long name moves its own row alone. */
static void fixed_columns_are_not_widened(void **state)
{
	struct table t;
	table_init(&t, "strobe-test", 1);
	t.layout = (struct table_layout){ .row = " ", .gap = " ", .has_no_titles = true, .blank_lines = 2 };
	table_column(&t, (struct table_column){ "call", NULL, TABLE_TEXT, .width = 4, .is_fixed = true });
	table_column(&t, (struct table_column){ "calls", NULL, TABLE_COUNT, .width = 3 });
	table_row(&t);
	table_set_text(&t, 0, "process_vm_readv");
	table_set_count(&t, 1, 7);
	table_row(&t);
	table_set_text(&t, 0, "dup");
	table_set_count(&t, 1, 12);
	table_line(&t, "\t ENOENT: 3\033");
	assert_text(&t, NULL, " process_vm_readv   7\n dup   12\n\t ENOENT: 3\\x1b\n\n\n");
	table_deinit(&t);
}

/* Bars share columns where there are more numbers than room: the greatest of each is shown. */
static void long_series_are_folded(void **state)
{
	struct table t;
	table_init(&t, "strobe-test", 1);
	table_column(&t, (struct table_column){ "s", NULL, TABLE_SERIES, .width = 2 });
	table_row(&t);
	table_set_series(&t, 0, (const double[]){ 1, 8, 4, 0 }, 4);
	assert_text(&t, NULL, "  s\n  █▄\n");
	table_deinit(&t);
}

static void assert_order(const struct table *t, const char *const *names, size_t n)
{
	assert_int_equal(t->rows.len, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(table_cell(t, i, 0)->text, names[i]);
}

static void sorting_keeps_families_together(void **state)
{
	static const char *const by_name[] = { "make", "as", "cc1", "sshd" };
	static const char *const by_share[] = { "make", "as", "cc1", "sshd" }; /* only make has one; the others as they were */
	static const char *const by_runs[] = { "sshd", "make", "as", "cc1" };
	struct table t;
	fill(&t);
	table_sort(&t, TASK, false);
	assert_order(&t, by_name, 4);
	table_sort(&t, SHARE, true);
	assert_order(&t, by_share, 4);
	table_sort(&t, SHARE, false);
	assert_order(&t, by_share, 4);
	table_sort(&t, RUNS, false);
	assert_order(&t, by_runs, 4);
	/* A child cannot be two levels below the row before it. */
	table_child(&t, 7);
	assert_int_equal(t.rows.data[4].depth, 2);
	table_deinit(&t);
}

static void items_are_objects_lists_or_pairs(void **state)
{
	static const struct table_item named[] = { { "a", 1 }, { "b", .text = "x y" } }, list[] = { { .text = "p" }, { .count = 2 } };
	struct table t;
	struct out out;
	table_init(&t, "strobe-test", 1);
	t.has_no_notes = true;
	table_column(&t, (struct table_column){ "object", NULL, TABLE_ITEMS });
	table_column(&t, (struct table_column){ "list", NULL, TABLE_ITEMS, .items = TABLE_ITEMS_LIST });
	table_column(&t, (struct table_column){ "pairs", NULL, TABLE_ITEMS, .items = TABLE_ITEMS_PAIRS, .item_keys = { "n", "v" } });
	table_row(&t);
	table_set_items(&t, 0, named, 2);
	table_set_items(&t, 1, list, 2);
	table_set_items(&t, 2, named, 1);
	assert_text(&t, NULL, "  object      list  pairs\n  a 1, b x y  p, 2  a 1\n");
	out_init_mem(&out);
	table_csv(&out, &t, ",");
	assert_out(&out, "object,list,pairs\na 1 b x y,p 2,a 1\n");
	out_init_mem(&out);
	table_json_rows(&out, &t);
	assert_out(&out, "[\n  {\n    \"object\": {\n      \"a\": 1,\n      \"b\": \"x y\"\n    },\n"
			 "    \"list\": [\n      \"p\",\n      2\n    ],\n"
			 "    \"pairs\": [\n      {\n        \"n\": \"a\",\n        \"v\": 1\n      }\n    ]\n  }\n]\n");
	table_deinit(&t);
}

/* The form of perf lock contention -x: "# output: " and titles, a blank after each separator, -1 of a thread that is not known. */
static void values_are_plain_below_their_titles(void **state)
{
	struct table t;
	struct out out;
	table_init(&t, "strobe-test", 1);
	table_column(&t, (struct table_column){ "waits", "contended", TABLE_COUNT });
	table_column(&t, (struct table_column){ "wait_ns", "total wait", TABLE_COUNT, .scale = 1e-6 });
	table_column(&t, (struct table_column){ "gap", "", TABLE_TEXT, .text_only = true });
	table_column(&t, (struct table_column){ "tid", "tid", TABLE_COUNT });
	table_column(&t, (struct table_column){ "caller", "caller", TABLE_TEXT });
	table_row(&t);
	table_set_count(&t, 0, 2);
	table_set_count(&t, 1, 1500000);
	table_show(&t, 3, "-1");
	table_set_text(&t, 4, "a\"b");
	out_init_mem(&out);
	table_values(&out, &t, "# output: ", ",");
	assert_out(&out, "# output: contended, total wait, tid, caller\n2, 1500000, -1, a\"b\n");
	t.layout.has_no_titles = true;
	out_init_mem(&out);
	table_values(&out, &t, "# output: ", ";");
	assert_out(&out, "2; 1500000; -1; a\"b\n");
	table_deinit(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_units_bars_and_indents),
		cmocka_unit_test(layout_and_shown_cells_are_the_fillers),
		cmocka_unit_test(two_lines_of_titles),
		cmocka_unit_test(feet_and_blanks_at_ends_of_lines),
		cmocka_unit_test(data_has_values_as_they_are),
		cmocka_unit_test(pages_escape_what_they_show),
		cmocka_unit_test(a_page_of_a_table_needs_nothing_else),
		cmocka_unit_test(fixed_columns_are_not_widened),
		cmocka_unit_test(long_series_are_folded),
		cmocka_unit_test(sorting_keeps_families_together),
		cmocka_unit_test(items_are_objects_lists_or_pairs),
		cmocka_unit_test(values_are_plain_below_their_titles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
