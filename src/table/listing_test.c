/* Code listings: costs, jumps, lines, rows; all expected figures are computed by hand. */
#include "base/testing.h"

#include "table/listing.h"

#define START 0x1000

/*
 * Six instructions of two bytes. f() at line 10 and 12 of a.c; instructions 2 and 3 were inlined from g(), b.c:3, at a.c:11.
 * Instruction 5 jumps back to 1, instruction 0 leaves the function.
 */
static struct listing *make(void)
{
	struct listing *l = listing_create();
	l->symbol = l->raw_name = "f";
	l->section = ".text";
	l->start = START;
	l->end = START + 12;
	listing_event(l, &(struct listing_event){ .name = "a", .unit = "", .total_samples = 20, .total_value = 4000 });
	listing_event(l, &(struct listing_event){ .name = "b", .unit = "", .total_samples = 5, .total_value = 5 });
	uint32_t a = listing_file(l, "/src/a.c"), b = listing_file(l, "/src/b.c");
	assert_int_equal(listing_file(l, "/src/a.c"), a);
	uint32_t caller = listing_place(l, &(struct listing_place){ "f", a, 11, LISTING_NONE });
	const struct listing_place places[6] = {
		{ "f", a, 10, LISTING_NONE }, { "f", a, 12, LISTING_NONE }, { "g", b, 3, caller },
		{ "g", b, 3, caller },	      { "f", a, 12, LISTING_NONE }, { "f", a, 10, LISTING_NONE },
	};
	for (uint32_t i = 0; i < 6; i++) {
		struct listing_insn insn = { .addr = START + 2 * i, .bytes = 2, .text = "nop" };
		insn.place = listing_place(l, &places[i]);
		if (i == 5)
			insn.flow = LISTING_BRANCH, insn.has_target = true, insn.target.addr = START + 2;
		if (i == 0)
			insn.flow = LISTING_JUMP, insn.has_target = true, insn.target.addr = START + 12;
		listing_insn(l, &insn);
	}
	assert_int_equal(l->places.len, 4);
	return l;
}

static void costs_are_counted_where_they_fall(void **state)
{
	struct listing *l = make();
	assert_true(listing_add_value(l, START, 0, 1, 100));
	assert_true(listing_add_value(l, START + 5, 0, 3, 300)); /* the middle of an instruction */
	assert_true(listing_add_value(l, START + 6, 0, 4, 600));
	assert_true(listing_add_value(l, START + 6, 1, 1, 1));
	assert_false(listing_add_value(l, START + 12, 0, 1, 1));
	assert_false(listing_add_value(l, START - 1, 0, 1, 1));
	listing_finish(l);
	assert_int_equal(l->events.data[0].samples, 8);
	assert_int_equal(l->events.data[0].value, 1000);
	assert_int_equal(listing_value(l, 2, 0)->value, 300);
	const struct listing_value *v = listing_value(l, 3, 0);
	assert_float_equal(listing_percent(l, 0, v, LISTING_LOCAL_PERIOD), 60, 1e-9);
	assert_float_equal(listing_percent(l, 0, v, LISTING_GLOBAL_PERIOD), 15, 1e-9);
	assert_float_equal(listing_percent(l, 0, v, LISTING_LOCAL_HITS), 50, 1e-9);
	assert_float_equal(listing_percent(l, 0, v, LISTING_GLOBAL_HITS), 20, 1e-9);
	assert_float_equal(listing_percent(l, 1, listing_value(l, 0, 1), LISTING_LOCAL_PERIOD), 0, 0);
	listing_destroy(l);
}

static void lines_sum_their_instructions(void **state)
{
	struct listing *l = make();
	for (uint64_t i = 0; i < 6; i++)
		listing_add_value(l, START + 2 * i, 0, 1, 1 + i);
	listing_finish(l);
	assert_int_equal(l->lines.len, 3); /* a.c:11 is only a caller's place */
	assert_int_equal(listing_line_value(l, listing_find_line(l, 0, 10), 0)->value, 1 + 6);
	assert_int_equal(listing_line_value(l, listing_find_line(l, 0, 12), 0)->value, 2 + 5);
	assert_int_equal(listing_line_value(l, listing_find_line(l, 1, 3), 0)->value, 3 + 4);
	assert_int_equal(listing_find_line(l, 0, 11), LISTING_NONE);
	listing_destroy(l);
}

static void code_of_no_line_has_its_share_of_the_file(void **state)
{
	struct listing *l = make();
	struct listing_insn insn = { .addr = START + 12, .bytes = 2, .text = "nop" };
	insn.place = listing_place(l, &(struct listing_place){ "f", 0, 0, LISTING_NONE });
	listing_insn(l, &insn);
	l->end += 2;
	assert_true(listing_add_value(l, START + 12, 0, 1, 90));
	listing_finish(l);
	assert_int_equal(l->lines.len, 4);
	assert_int_equal(listing_line_value(l, listing_find_line(l, 0, 0), 0)->value, 90);
	listing_destroy(l);
}

static void jumps_are_connected_within_the_function(void **state)
{
	struct listing *l = make();
	listing_finish(l);
	assert_int_equal(l->insns.data[5].target_insn, 1);
	assert_int_equal(l->insns.data[1].jumps_here, 1);
	assert_int_equal(l->insns.data[0].target_insn, LISTING_NONE);
	listing_destroy(l);
}

static void assert_rows(const struct listing *l, bool with_source, const char *expected)
{
	struct listing_rows rows = {};
	char got[64];
	size_t n = 0;
	listing_rows(l, (struct listing_rows_options){ .with_source = with_source, .context = 2 }, &rows);
	for (size_t i = 0; i < rows.len; i++) {
		assert_true(n + 4 < sizeof(got));
		got[n++] = "SyFspi"[rows.data[i].kind];
		if (rows.data[i].kind == LISTING_ROW_SOURCE || rows.data[i].kind == LISTING_ROW_PLACE)
			got[n++] = (char)('a' - 1 + rows.data[i].line);
	}
	got[n] = 0;
	assert_string_equal(got, expected);
	vec_deinit(&rows);
}

static void rows_stand_in_the_order_of_a_listing(void **state)
{
	struct listing *l = make();
	listing_finish(l);
	assert_rows(l, false, "SyFiiFiiFii");
	/* without text: each change of place is named; line 10 is the tenth letter, j */
	assert_rows(l, true, "SyFpjipliFpciiFplipji");
	/* with the text of a.c: two lines of context before the first; a repeated line without context */
	struct lines *text = &l->files.data[0].text;
	for (unsigned i = 0; i < 12; i++)
		vec_push(&text->starts, 0);
	assert_rows(l, true, "SyFshsisjisksliFpciiFslisji");
	listing_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_are_counted_where_they_fall),
		cmocka_unit_test(lines_sum_their_instructions),
		cmocka_unit_test(code_of_no_line_has_its_share_of_the_file),
		cmocka_unit_test(jumps_are_connected_within_the_function),
		cmocka_unit_test(rows_stand_in_the_order_of_a_listing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
