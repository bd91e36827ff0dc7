/*
 * Rows of two profiles that are joined, or are not: each case was worked out by hand. Where a case says so, the text of the cells
 * says the opposite.
 */
#include "view/view_testing.h"

#include <stdlib.h>

#include "base/mem.h"
#include "profile/hist_join.h"

/* A function in a file, or without a name an address in it. */
struct code {
	const char *name, *path, *build_id;
	uint64_t start;
	uint64_t value;
};

static const uint32_t first_event[] = { 0 };

static frame_id code_frame(struct profile *p, const struct code *c)
{
	const char *slash = strrchr(c->path, '/');
	struct profile_mapping m = {
		.name = strtab_add(&p->strings, slash ? slash + 1 : c->path),
		.path = strtab_add(&p->strings, c->path),
		.build_id = strtab_add(&p->strings, c->build_id ? c->build_id : ""),
		.space = *c->path == '[' ? SPACE_KERNEL : SPACE_USER,
	};
	mapping_id mapping = profile_mapping(p, &m);
	struct profile_function fn = { .mapping = mapping, .name = strtab_add(&p->strings, c->name ? c->name : ""), .start = c->start,
				       .size = 0x10 };
	struct profile_frame f = { .mapping = mapping, .addr = c->start + 4, .ip = 0x7f0000000000 + c->start + p->strings.strings.len,
				   .function = c->name ? profile_function(p, &fn) : PROFILE_NONE, .space = (uint8_t)m.space };
	return profile_frame(p, &f);
}

/* Strings get other ids than in a profile without them. */
static struct profile *code_profile(const struct code *code, size_t n, unsigned other_strings)
{
	struct profile *p = profile_create();
	for (unsigned i = 0; i < other_strings; i++) {
		char name[32];
		snprintf(name, sizeof(name), "other %u", i);
		strtab_add(&p->strings, name);
	}
	profile_event(p, "cycles", "");
	for (size_t i = 0; i < n; i++)
		profile_add(p, profile_stack(p, PROFILE_NONE, code_frame(p, &code[i])), profile_labels(p, NULL), 0, 1, code[i].value, 0);
	return p;
}

/* A side of a join; rows in the order of their values, the greatest first. */
struct side {
	struct profile *profile;
	struct hist_key keys[2], by;
	struct hist *hist;
};

static void group(struct side *s, struct profile *p, const enum column_id *ids, uint32_t n)
{
	s->profile = p;
	for (uint32_t i = 0; i < n; i++) {
		s->keys[i] = (struct hist_key){ .column = &columns[ids[i]] };
		hist_key_bind(&s->keys[i], p);
	}
	s->by = (struct hist_key){ .column = &columns[COLUMN_OVERHEAD] };
	hist_key_bind(&s->by, p);
	s->hist = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = s->keys, .keys_nr = n });
	hist_sort(s->hist, &s->by, 1, 0);
}

static void ungroup(struct side *s)
{
	hist_destroy(s->hist);
	profile_destroy(s->profile);
}

/* expected: for each row of p, 1 + the base's, 0: none. Takes both profiles, and the base away before the match. */
static void assert_join(struct profile *base, struct profile *p, const enum column_id *ids, uint32_t ids_nr, const uint32_t *expected,
			uint32_t n)
{
	struct side a = {}, b = {};
	group(&a, base, ids, ids_nr);
	struct hist_join *j = hist_join_create(a.hist);
	ungroup(&a);
	group(&b, p, ids, ids_nr);
	uint32_t *of_entry = xcalloc(b.hist->entries.len + 1, sizeof(*of_entry));
	hist_join_match(j, b.hist, of_entry);
	assert_int_equal(b.hist->order_nr, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(of_entry[b.hist->order[i]], expected[i]);
	free(of_entry);
	hist_join_destroy(j);
	ungroup(&b);
}

#define ASSERT_JOIN(base, p, ids, ...)                                                                                 \
	assert_join(base, p, ids, sizeof(ids) / sizeof((ids)[0]), (const uint32_t[]){ __VA_ARGS__ },                   \
		    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))
#define CODE(code, others) code_profile(code, sizeof(code) / sizeof((code)[0]), others)

static const enum column_id by_symbol[] = { COLUMN_SYMBOL }, by_dso[] = { COLUMN_DSO }, by_both[] = { COLUMN_DSO, COLUMN_SYMBOL };

static void names_are_equal_as_text(void **state)
{
	static const struct code base[] = { { "a", "/bin/x", NULL, 0x100, 9 }, { "b", "/bin/x", NULL, 0x200, 5 } };
	static const struct code now[] = { { "b", "/bin/x", NULL, 0x200, 8 }, { "c", "/bin/x", NULL, 0x300, 7 },
					   { "a", "/bin/x", NULL, 0x100, 6 } };
	ASSERT_JOIN(CODE(base, 0), CODE(now, 7), by_both, 2, 0, 1);
	ASSERT_JOIN(CODE(base, 7), CODE(now, 0), by_symbol, 2, 0, 1);
}

/* Both are "[.] copy", and as text any was joined with the base's last one. */
static void files_of_one_name_are_different(void **state)
{
	static const struct code base[] = { { "copy", "/a/libx.so", NULL, 0x100, 9 }, { "copy", "/b/libx.so", NULL, 0x200, 5 } };
	static const struct code now[] = { { "copy", "/b/libx.so", NULL, 0x200, 8 }, { "copy", "/a/libx.so", NULL, 0x100, 7 } };
	static const struct code other[] = { { "copy", "/c/libx.so", NULL, 0x100, 9 } };
	ASSERT_JOIN(CODE(base, 0), CODE(now, 0), by_both, 2, 1);
	ASSERT_JOIN(CODE(base, 0), CODE(now, 3), by_symbol, 2, 1);
	ASSERT_JOIN(CODE(base, 0), CODE(other, 0), by_both, 0);
	ASSERT_JOIN(CODE(base, 0), CODE(other, 0), by_dso, 0);
	/* One row by DSO is of both files. */
	ASSERT_JOIN(CODE(base, 0), CODE(now, 0), by_dso, 1);
}

static void a_file_is_known_by_its_build_id_too(void **state)
{
	static const struct code base[] = { { "f", "/a/libx.so", "01", 0x100, 9 } }, moved[] = { { "f", "/b/libx.so", "01", 0x100, 9 } };
	static const struct code other[] = { { "f", "/b/libx.so", "02", 0x100, 9 } };
	ASSERT_JOIN(CODE(base, 0), CODE(moved, 0), by_both, 1);
	ASSERT_JOIN(CODE(base, 0), CODE(moved, 0), by_dso, 1);
	ASSERT_JOIN(CODE(base, 0), CODE(other, 0), by_both, 1);
}

/* Two builds in two directories: the name is enough, unless another file has a better claim to it. */
static void a_file_that_moved_is_known_by_its_name(void **state)
{
	static const struct code base[] = { { "f", "/old/app", "01", 0x100, 9 } }, moved[] = { { "f", "/new/app", "02", 0x180, 9 } };
	static const struct code both[] = { { "f", "/new/app", "02", 0x180, 9 }, { "f", "/old/app", "03", 0x170, 8 } };
	static const struct code renamed[] = { { "f", "/new/app2", "02", 0x180, 9 } };
	ASSERT_JOIN(CODE(base, 0), CODE(moved, 0), by_both, 1);
	ASSERT_JOIN(CODE(base, 0), CODE(moved, 0), by_dso, 1);
	ASSERT_JOIN(CODE(base, 0), CODE(both, 0), by_both, 0, 1);
	ASSERT_JOIN(CODE(base, 0), CODE(renamed, 0), by_both, 0);
}

/* A function is elsewhere in another build, and in another run of the kernel. */
static void another_build_has_the_same_functions(void **state)
{
	static const struct code base[] = { { "f", "/bin/x", "01", 0x100, 9 }, { "k", "[kernel.kallsyms]", "03", 0x1000, 5 } };
	static const struct code now[] = { { "k", "[kernel.kallsyms]", "03", 0x5000, 9 }, { "f", "/bin/x", "02", 0x700, 5 } };
	ASSERT_JOIN(CODE(base, 0), CODE(now, 0), by_both, 2, 1);
}

/* Two functions of one name, as two source files may have: text joined each with the last of the base. */
static void functions_of_one_name_are_different(void **state)
{
	static const struct code base[] = { { "init", "/bin/x", "01", 0x100, 9 }, { "init", "/bin/x", "01", 0x200, 5 } };
	static const struct code swapped[] = { { "init", "/bin/x", "01", 0x200, 8 }, { "init", "/bin/x", "01", 0x100, 7 } };
	static const struct code third[] = { { "init", "/bin/x", "01", 0x300, 8 }, { "init", "/bin/x", "01", 0x100, 7 } };
	/* In another build one of them starts where the other did. */
	static const struct code rebuilt[] = { { "init", "/bin/x", "02", 0x200, 8 }, { "init", "/bin/x", "02", 0x300, 7 } };
	ASSERT_JOIN(CODE(base, 0), CODE(swapped, 0), by_symbol, 2, 1);
	ASSERT_JOIN(CODE(base, 0), CODE(third, 0), by_symbol, 0, 1);
	ASSERT_JOIN(CODE(base, 0), CODE(rebuilt, 0), by_symbol, 0, 0);
}

/* Each process has the file elsewhere: the cells are absolute addresses, and differ. */
static void addresses_are_those_in_the_file(void **state)
{
	static const struct code base[] = { { NULL, "/bin/x", NULL, 0x100, 9 }, { NULL, "/bin/y", NULL, 0x100, 5 } };
	static const struct code now[] = { { NULL, "/bin/y", NULL, 0x100, 9 }, { NULL, "/bin/x", NULL, 0x100, 5 } };
	static const enum column_id by_address[] = { COLUMN_ADDR };
	ASSERT_JOIN(CODE(base, 0), CODE(now, 40), by_address, 2, 1);
}

static void other_keys_have_no_rows_in_common(void **state)
{
	static const struct code code[] = { { "f", "/bin/f", NULL, 0x100, 9 } };
	struct side a = {}, b = {};
	uint32_t of_entry[1] = { 7 };
	group(&a, CODE(code, 0), by_symbol, 1);
	group(&b, CODE(code, 0), by_dso, 1);
	struct hist_join *j = hist_join_create(a.hist);
	hist_join_match(j, b.hist, of_entry);
	assert_int_equal(of_entry[0], 0);
	hist_join_destroy(j);
	ungroup(&a);
	ungroup(&b);
}

/* ---- labels ---- */

/* Samples with one number each, so many of each. */
struct numbered {
	uint64_t number, samples, value;
	const char *comm;
};

static struct profile *numbers(const char *label, const struct numbered *rows, size_t n)
{
	struct profile *p = profile_create();
	profile_column(p, label, COLUMN_U64);
	profile_column(p, "comm", COLUMN_STRING);
	profile_event(p, "cycles", "");
	for (size_t i = 0; i < n; i++) {
		uint64_t labels[] = { rows[i].number, strtab_add(&p->strings, rows[i].comm ? rows[i].comm : "") };
		stack_id stack = profile_stack(p, PROFILE_NONE, test_frame(p, "main", 4));
		profile_add(p, stack, profile_labels(p, labels), 0, rows[i].samples, rows[i].value, 0);
	}
	return p;
}

#define NUMBERS(label, rows) numbers(label, rows, sizeof(rows) / sizeof((rows)[0]))

/* The cell is the weight of all samples: 10 * 2 and 20 * 1 look the same, and 10 * 2 and 10 * 3 do not. */
static void weights_are_those_of_a_sample(void **state)
{
	static const struct numbered base[] = { { 10, 2, 9, NULL }, { 30, 1, 5, NULL } };
	static const struct numbered now[] = { { 20, 1, 9, NULL }, { 10, 3, 8, NULL } };
	static const enum column_id by_weight[] = { COLUMN_WEIGHT };
	ASSERT_JOIN(NUMBERS("weight", base), NUMBERS("weight", now), by_weight, 0, 1);
}

/* Both are "4K". */
static void rounded_numbers_are_different(void **state)
{
	static const struct numbered base[] = { { 4096, 1, 9, NULL } }, now[] = { { 4608, 1, 9, NULL }, { 4096, 1, 8, NULL } };
	static const enum column_id by_size[] = { COLUMN_CODE_PAGE_SIZE };
	ASSERT_JOIN(NUMBERS("code_page_size", base), NUMBERS("code_page_size", now), by_size, 0, 1);
}

/* A number of another recording may be that of another command. */
static void threads_have_a_number_and_a_name(void **state)
{
	static const struct numbered base[] = { { 41, 1, 9, "as" }, { 42, 1, 8, "cc1" } };
	static const struct numbered now[] = { { 42, 1, 9, "cc1" }, { 41, 1, 8, "ld" }, { 43, 1, 7, "as" } };
	static const enum column_id by_tid[] = { COLUMN_TID }, by_comm[] = { COLUMN_COMM };
	ASSERT_JOIN(NUMBERS("tid", base), NUMBERS("tid", now), by_tid, 2, 0, 0);
	ASSERT_JOIN(NUMBERS("tid", base), NUMBERS("tid", now), by_comm, 2, 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_equal_as_text),
		cmocka_unit_test(files_of_one_name_are_different),
		cmocka_unit_test(a_file_is_known_by_its_build_id_too),
		cmocka_unit_test(a_file_that_moved_is_known_by_its_name),
		cmocka_unit_test(another_build_has_the_same_functions),
		cmocka_unit_test(functions_of_one_name_are_different),
		cmocka_unit_test(addresses_are_those_in_the_file),
		cmocka_unit_test(other_keys_have_no_rows_in_common),
		cmocka_unit_test(weights_are_those_of_a_sample),
		cmocka_unit_test(rounded_numbers_are_different),
		cmocka_unit_test(threads_have_a_number_and_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
