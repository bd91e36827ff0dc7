/*
 * The table of columns is complete: each row has what its kind of column requires. Expectations are the contract in
 * columns.h, and cells written out by hand.
 */
#include "view/view_testing.h"

#include "profile/hist.h"

static void each_column_is_complete(void **state)
{
	for (size_t i = 0; i < COLUMNS_NR; i++) {
		const struct column *c = &columns[i];
		assert_int_equal(c->id, i);
		if (c->from == COLUMN_FROM_VALUES) {
			assert_non_null(c->sum);
			assert_null(c->cells);
			continue;
		}
		assert_null(c->sum);
		assert_non_null(c->cells);
		assert_true(c->cells->text || c->cells->format);
		if (c->from == COLUMN_FROM_FRAME)
			assert_non_null(c->cells->frame_words);
		if (c->from == COLUMN_FROM_LABELS && c->set != COLUMN_SET_FIELDS)
			assert_true(*c->labels);
		/* One way to compare, not two. */
		assert_true((c->cells->name != NULL) + (c->cells->compare != NULL) + c->cells->by_number <= 1);
	}
}

static void lines_need_addresses(void **state)
{
	/* not the other way round */
	assert_true(column_needs(&columns[COLUMN_SRCLINE], COLUMN_NEEDS_LINES));
	assert_true(column_needs(&columns[COLUMN_SRCLINE], COLUMN_NEEDS_ADDRESSES));
	assert_true(column_needs(&columns[COLUMN_ADDR], COLUMN_NEEDS_ADDRESSES));
	assert_false(column_needs(&columns[COLUMN_ADDR], COLUMN_NEEDS_LINES));
	assert_true(column_needs(&columns[COLUMN_PARALLELISM], COLUMN_NEEDS_SWITCHES));
	assert_false(column_needs(&columns[COLUMN_SYMBOL], COLUMN_NEEDS_STACKS));
}

static void sums_read_their_own_field(void **state)
{
	struct hist_stat s = { .period = 1, .samples = 2, .children = 3, .latency = 4, .latency_children = 5,
			       .sys = 6, .user = 7, .guest_sys = 8, .guest_user = 9 };
	assert_int_equal(hist_value(&s, &columns[COLUMN_OVERHEAD]), 1);
	assert_int_equal(hist_value(&s, &columns[COLUMN_PERIOD]), 1);
	assert_int_equal(hist_value(&s, &columns[COLUMN_CI]), 1);
	assert_int_equal(hist_value(&s, &columns[COLUMN_SAMPLE]), 2);
	assert_int_equal(hist_value(&s, &columns[COLUMN_OVERHEAD_CHILDREN]), 3);
	assert_int_equal(hist_value(&s, &columns[COLUMN_LATENCY]), 4);
	assert_int_equal(hist_value(&s, &columns[COLUMN_LATENCY_CHILDREN]), 5);
	assert_int_equal(hist_value(&s, &columns[COLUMN_OVERHEAD_SYS]), 6);
	assert_int_equal(hist_value(&s, &columns[COLUMN_OVERHEAD_US]), 7);
	assert_int_equal(hist_value(&s, &columns[COLUMN_OVERHEAD_GUEST_SYS]), 8);
	assert_int_equal(hist_value(&s, &columns[COLUMN_OVERHEAD_GUEST_US]), 9);
}

/* A profile of one row, whose one label has this value. */
static struct profile *one_row(const char *label, enum column_type type, uint64_t value)
{
	struct profile *p = profile_create();
	profile_event(p, "cycles", "");
	profile_column(p, label, type);
	profile_add(p, profile_stack(p, PROFILE_NONE, test_frame(p, "main", 4)), profile_labels(p, &value), 0, 3, 10, 0);
	return p;
}

static void assert_cell(enum column_id id, enum column_type type, uint64_t value, unsigned width, const char *expected, bool is_number)
{
	static const uint32_t first_event[] = { 0 };
	struct profile *p = one_row(columns[id].labels, type, value);
	struct hist_key k = { .column = &columns[id] };
	assert_true(hist_key_bind(&k, p));
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = &k, .keys_nr = 1 });
	assert_int_equal(h->entries.len, 1);
	struct strbuf b = {};
	column_format(h, &k, &h->entries.data[0], width, &b);
	assert_string_equal(strbuf_str(&b), expected);
	assert_int_equal(column_is_number(h, &k), is_number);
	strbuf_deinit(&b);
	hist_destroy(h);
	profile_destroy(p);
}

static void cells_look_as_their_kind_says(void **state)
{
	assert_cell(COLUMN_CPU, COLUMN_U64, 5, 4, " 005", true);
	assert_cell(COLUMN_SOCKET, COLUMN_I64, 1, 6, "   001", false);
	assert_cell(COLUMN_LOCAL_WEIGHT, COLUMN_U64, 7, 3, "7  ", true);
	assert_cell(COLUMN_WEIGHT, COLUMN_U64, 7, 3, "21 ", true); /* of three samples */
	assert_cell(COLUMN_PARALLELISM, COLUMN_U64, 7, 3, "  7", true);
	assert_cell(COLUMN_CODE_PAGE_SIZE, COLUMN_U64, 4096, 0, "4K", true);
	assert_cell(COLUMN_CODE_PAGE_SIZE, COLUMN_U64, 2 << 20, 0, "2M", true);
	assert_cell(COLUMN_CODE_PAGE_SIZE, COLUMN_U64, 0, 4, "N/A ", true);
	assert_cell(COLUMN_CYCLES, COLUMN_U64, 0, 2, "- ", true);
	assert_cell(COLUMN_CYCLES, COLUMN_U64, 9, 2, "9 ", true);
	assert_cell(COLUMN_TIME, COLUMN_U64, 1234567890, 0, "1.200000", true); /* in steps of 100 ms */
	assert_cell(COLUMN_MISPREDICT, COLUMN_HEX, BRANCH_MISPREDICTED, 2, "Y ", false);
	assert_cell(COLUMN_ABORT, COLUMN_HEX, BRANCH_ABORT, 0, "A", false);
	assert_cell(COLUMN_IN_TX, COLUMN_HEX, BRANCH_ABORT, 0, ".", false);
	assert_cell(COLUMN_LOCKED, COLUMN_HEX, 2ull << 24, 4, "Yes ", false); /* PERF_MEM_LOCK_LOCKED << PERF_MEM_LOCK_SHIFT */
	assert_cell(COLUMN_TLB, COLUMN_HEX, 2ull << 26 | 8ull << 26, 0, "L1 hit", false);
	assert_cell(COLUMN_PHYS_DADDR, COLUMN_HEX, 0x1000, 0, "[.] 0x0000000000001000", false);
}

static void assert_line_cell(struct profile *p, const struct profile_frame *f, const char *expected)
{
	static const uint32_t first_event[] = { 0 };
	profile_event(p, "cycles", "");
	profile_add(p, profile_stack(p, PROFILE_NONE, profile_frame(p, f)), profile_labels(p, NULL), 0, 1, 10, 0);
	struct hist_key k = { .column = &columns[COLUMN_SRCLINE] };
	hist_key_bind(&k, p);
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = &k, .keys_nr = 1 });
	assert_int_equal(h->entries.len, 1);
	struct strbuf b = {};
	column_format(h, &k, &h->entries.data[0], 0, &b);
	assert_string_equal(strbuf_str(&b), expected);
	strbuf_deinit(&b);
	hist_destroy(h);
	profile_destroy(p);
}

static void a_source_line_is_the_best_that_is_known(void **state)
{
	struct profile *p = profile_create();
	struct profile_function fn = { .mapping = PROFILE_NONE, .name = strtab_add(&p->strings, "f"),
				       .file = strtab_add(&p->strings, "/src/a.c"), .start = 0x100 };
	struct profile_frame f = { .mapping = PROFILE_NONE, .addr = 0x123, .ip = 0x123, .line = 7, .space = SPACE_USER };
	f.function = profile_function(p, &fn);
	assert_line_cell(p, &f, "a.c:7");

	p = profile_create();
	fn = (struct profile_function){ .mapping = PROFILE_NONE, .name = strtab_add(&p->strings, "f"), .start = 0x100 };
	f.line = 0;
	f.function = profile_function(p, &fn);
	assert_line_cell(p, &f, "f+35"); /* 0x123 - 0x100 */

	/* Without a symbol: the offset in the file, 0x7f0000001010 - 0x7f0000001000 + 0x2000. */
	p = profile_create();
	struct profile_mapping m = { .name = strtab_add(&p->strings, "lib.so"), .start = 0x7f0000001000, .end = 0x7f0000003000,
				     .offset = 0x2000, .space = SPACE_USER };
	f = (struct profile_frame){ .function = PROFILE_NONE, .addr = 0x5010, .ip = 0x7f0000001010, .space = SPACE_USER };
	f.mapping = profile_mapping(p, &m);
	assert_line_cell(p, &f, "lib.so[2010]");

	f.mapping = PROFILE_NONE;
	assert_line_cell(profile_create(), &f, "??:0");
}

/* A label of a foreign profile may have any type: text is never a number. */
static void text_is_not_a_number(void **state)
{
	struct profile *p = one_row("cpu", COLUMN_STRING, 0);
	struct hist_key k = { .column = &columns[COLUMN_CPU] };
	assert_true(hist_key_bind(&k, p));
	struct hist h = { .profile = p };
	assert_false(column_is_number(&h, &k));
	profile_destroy(p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_column_is_complete),
		cmocka_unit_test(lines_need_addresses),
		cmocka_unit_test(sums_read_their_own_field),
		cmocka_unit_test(cells_look_as_their_kind_says),
		cmocka_unit_test(a_source_line_is_the_best_that_is_known),
		cmocka_unit_test(text_is_not_a_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
