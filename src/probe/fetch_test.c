/* Fetch arguments of types and locations that are written down here; the texts are by the kernel's kprobetrace.rst. */
#include "base/testing.h"

#include <inttypes.h>

#include "probe/fetch.h"

/* ---- types: struct node { int a; unsigned b : 4; int c : 5; char name[8]; struct node *next; union { long l; double d; }; } ---- */

static const struct type s32 = { .kind = TYPE_INTEGER, .is_signed = true, .says_bytes = true, .name = "int", .bytes = 4 },
			 u32 = { .kind = TYPE_INTEGER, .says_bytes = true, .name = "unsigned int", .bytes = 4 },
			 s64 = { .kind = TYPE_INTEGER, .is_signed = true, .says_bytes = true, .name = "long", .bytes = 8 },
			 f64 = { .kind = TYPE_FLOAT, .says_bytes = true, .name = "double", .bytes = 8 },
			 character = { .kind = TYPE_CHARACTER, .is_signed = true, .says_bytes = true, .name = "char", .bytes = 1 },
			 name8 = { .kind = TYPE_ARRAY, .count = 8, .target = &character, .has_target = true },
			 numbers = { .kind = TYPE_ARRAY, .count = 100, .target = &s32, .has_target = true },
			 string = { .kind = TYPE_POINTER, .says_bytes = true, .bytes = 8, .target = &character, .has_target = true },
			 plain_pointer = { .kind = TYPE_POINTER, .bytes = 8, .has_target = true };
static const struct type node, node_pointer = { .kind = TYPE_POINTER, .says_bytes = true, .bytes = 8, .target = &node, .has_target = true },
				node_reference = { .kind = TYPE_REFERENCE, .bytes = 8, .target = &node, .has_target = true },
				number_reference = { .kind = TYPE_REFERENCE, .bytes = 8, .target = &s32, .has_target = true };
static const struct type_member either_members[] = { { .name = "l", .type = &s64 }, { .name = "d", .type = &f64 } };
static const struct type either = { .kind = TYPE_UNION, .says_bytes = true, .bytes = 8, .members = either_members, .members_nr = 2,
				    .has_members = true };
static const struct type_member node_members[] = {
	{ .name = "a", .type = &s32 },
	{ .name = "b", .type = &u32, .bit_offset = 32, .bits = 4 },
	{ .name = "c", .type = &s32, .bit_offset = 36, .bits = 5 },
	{ .name = "name", .type = &name8, .bit_offset = 64 },
	{ .name = "next", .type = &node_pointer, .bit_offset = 128 },
	{ .type = &either, .bit_offset = 192 },
};
static const struct type node = { .kind = TYPE_STRUCT, .says_bytes = true, .name = "node", .bytes = 32, .members = node_members,
				  .members_nr = 6, .has_members = true };

/* ---- places: rdi, memory at rbp - 8, static data ---- */

static struct location_piece in_rdi = { .at = { .kind = LOCATION_IN_REGISTER, .reg = 5 } },
			     at_rbp = { .at = { .kind = LOCATION_IN_MEMORY, .reg = 6, .offsets = { -8 } } },
			     in_data = { .at = { .kind = LOCATION_IN_MEMORY, .base = LOCATION_OF_ADDRESS, .start = 0x4010 } },
			     in_xmm0 = { .at = { .kind = LOCATION_IN_REGISTER, .reg = 17 } },
			     is_42 = { .at = { .kind = LOCATION_IS_VALUE, .base = LOCATION_OF_CONSTANT, .start = 42 } },
			     low_half = { .at = { .kind = LOCATION_IN_REGISTER, .reg = 5, .low_bytes = 4 } },
			     is_sum = { .at = { .kind = LOCATION_IS_VALUE, .reg = 5, .offsets = { 8 } } },
			     in_retval = { .at = { .kind = LOCATION_IN_REGISTER, .reg = FETCH_RETVAL } },
			     at_eax = { .at = { .kind = LOCATION_IN_REGISTER, .reg = 0 } },
			     at_esp = { .at = { .kind = LOCATION_IN_MEMORY, .reg = 4, .offsets = { 4 } } };

static bool file_address(void *ctx, uint64_t vaddr, struct strbuf *ret)
{
	(void)ctx;
	strbuf_addf(ret, "@+%#" PRIx64, vaddr);
	return true;
}

static struct strobe_error *fetch(const struct arch *arch, struct location_piece *at, const struct type *type, const char *path_text,
				  const char *cast, bool user, struct strbuf *ret)
{
	struct arena arena;
	struct fetch_path path;
	struct locations locations = { at, 1 };
	arena_init(&arena);
	struct fetch_machine m = { arch, arch->pointer_bytes, true, file_address, NULL };
	struct fetch_value value = { "v", type, &locations };
	struct strobe_error *err = fetch_path_parse(path_text, &arena, &path);
	if (!err)
		err = fetch_text(&path, &value, &m, cast, user, ret);
	fetch_path_deinit(&path);
	arena_deinit(&arena);
	return err;
}

static void check(struct location_piece *at, const struct type *type, const char *path, const char *cast, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = {};
	assert_ok(fetch(&arch_x86_64, at, type, path, cast, false, &text));
	assert_string_equal(strbuf_str(&text), expected);
}

static void refuse(const struct arch *arch, struct location_piece *at, const struct type *type, const char *path, const char *cast,
		   enum error_code code)
{
	_cleanup_strbuf_ struct strbuf text = {};
	assert_fails(fetch(arch, at, type, path, cast, false, &text), code);
}

static void test_places(void **state)
{
	check(&in_rdi, &s32, "v", NULL, "%di:s32");
	check(&in_rdi, &u32, "v", NULL, "%di:x32");
	check(&at_rbp, &s64, "v", NULL, "-8(%bp):s64");
	check(&in_data, &s32, "v", NULL, "@+0x4010:s32");
	check(&is_42, &s32, "v", NULL, "\\42:s32");
	check(&low_half, &s32, "v", NULL, "%di:s32");
	check(&in_retval, &s32, "v", NULL, "$retval:s32");
	check(&in_rdi, &plain_pointer, "v", NULL, "%di"); /* as perf, where the debug information says no size */
	refuse(&arch_x86_64, &in_xmm0, &f64, "v", NULL, ERROR_UNSUPPORTED);
	refuse(&arch_x86_64, &low_half, &s64, "v", NULL, ERROR_NOT_FOUND);
	refuse(&arch_x86_64, &is_sum, &s64, "v", NULL, ERROR_NOT_FOUND);
}

static void test_members(void **state)
{
	check(&in_rdi, &node_pointer, "v->a", NULL, "+0(%di):s32");
	check(&in_rdi, &node_pointer, "v->next->next->name[3]", NULL, "+11(+16(+16(%di))):s8");
	check(&in_rdi, &node_pointer, "v->l", NULL, "+24(%di):s64");
	check(&in_rdi, &node_pointer, "v[2].a", NULL, "+64(%di):s32");
	check(&in_rdi, &node_pointer, "v[-1].a", NULL, "-32(%di):s32");
	check(&at_rbp, &node, "v.next->a", NULL, "+0(+8(%bp)):s32");
	check(&at_rbp, &node_pointer, "v->a", NULL, "+0(-8(%bp)):s32");
	check(&in_data, &node, "v.next->l", NULL, "+24(@+0x4020):s64");
	check(&in_data, &node_pointer, "v->next", NULL, "+16(@+0x4010):x64");
	check(&in_rdi, &node_reference, "v.a", NULL, "+0(%di):s32");
	check(&in_rdi, &number_reference, "v", NULL, "+0(%di):s32");
	refuse(&arch_x86_64, &in_rdi, &node_pointer, "v.a", NULL, ERROR_USAGE);
	refuse(&arch_x86_64, &at_rbp, &node, "v->a", NULL, ERROR_USAGE);
	refuse(&arch_x86_64, &in_rdi, &node_pointer, "v->other", NULL, ERROR_NOT_FOUND);
	refuse(&arch_x86_64, &in_rdi, &s32, "v->a", NULL, ERROR_USAGE);
	refuse(&arch_x86_64, &in_rdi, &node_pointer, "v->name[8]", NULL, ERROR_USAGE);
	refuse(&arch_x86_64, &at_rbp, &node, "v", NULL, ERROR_USAGE);
}

static void test_types(void **state)
{
	check(&in_rdi, &s32, "v", "x", "%di:x32");
	check(&in_rdi, &s32, "v", "u", "%di:u32");
	check(&in_rdi, &s32, "v", "x64", "%di:x64");
	check(&in_rdi, &string, "v", NULL, "%di:x64");
	check(&in_rdi, &string, "v", "string", "+0(%di):string");
	check(&in_rdi, &node_pointer, "v->name", "string", "+8(%di):string");
	check(&in_rdi, &node_pointer, "v->name", NULL, "+8(%di):s8[8]");
	check(&in_rdi, &node_pointer, "v->b", NULL, "+4(%di):b4@0/32");
	check(&in_rdi, &node_pointer, "v->c", "u", "+4(%di):b5@4/32");
	check(&in_rdi, &plain_pointer, "v", "symbol", "%di:symbol");
	check(&in_rdi, &string, "v", "u8[4]", "+0(%di):u8[4]"); /* the kernel reads arrays from memory alone */
	check(&at_rbp, &string, "v", "u8[4]", "+0(-8(%bp)):u8[4]");
	check(&at_rbp, &numbers, "v", "s32[3]", "-8(%bp):s32[3]");
	refuse(&arch_x86_64, &in_rdi, &s32, "v", "u8[4]", ERROR_UNSUPPORTED);
	refuse(&arch_x86_64, &in_rdi, &node_pointer, "v->c", NULL, ERROR_USAGE); /* signed */
	refuse(&arch_x86_64, &in_rdi, &s32, "v", "string", ERROR_USAGE);
	refuse(&arch_x86_64, &at_rbp, &numbers, "v", NULL, ERROR_USAGE);
	check(&at_rbp, &numbers, "v[99]", NULL, "+388(%bp):s32");
}

/* Only what the expression reads is of the process: the variable's own place is not. */
static void test_user_memory(void **state)
{
	_cleanup_strbuf_ struct strbuf text = {};
	assert_ok(fetch(&arch_x86_64, &at_rbp, &node_pointer, "v->next->a", NULL, true, &text));
	assert_string_equal(strbuf_str(&text), "+u0(+u16(-8(%bp))):s32");
}

/* A 64-bit kernel reads 8 bytes for each pointer: what one of a 32-bit program points to cannot be read. */
static void test_other_machines(void **state)
{
	_cleanup_strbuf_ struct strbuf text = {};
	const struct type pointer = { .kind = TYPE_POINTER, .says_bytes = true, .bytes = 4, .target = &node, .has_target = true };
	assert_ok(fetch(&arch_i386, &at_esp, &s32, "v", NULL, false, &text));
	assert_string_equal(strbuf_str(&text), "+4($stack):s32");
	strbuf_reset(&text);
	assert_ok(fetch(&arch_i386, &at_eax, &pointer, "v->a", NULL, false, &text));
	assert_string_equal(strbuf_str(&text), "+0(%ax):s32");
	refuse(&arch_i386, &at_esp, &pointer, "v->a", NULL, ERROR_UNSUPPORTED);
	strbuf_reset(&text);
	assert_ok(fetch(&arch_aarch64, &in_rdi, &s32, "v", NULL, false, &text));
	assert_string_equal(strbuf_str(&text), "%x5:s32");
}

static void test_what_is_not_an_expression(void **state)
{
	static const char *const texts[] = { "", "->a", "v->", "v.", "v[", "v[]", "v[x]", "v[1", "v+1", "v->a b", "v[99999999999]", "*v" };
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		refuse(&arch_x86_64, &in_rdi, &node_pointer, texts[i], NULL, ERROR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),	      cmocka_unit_test(test_members),
		cmocka_unit_test(test_types),	      cmocka_unit_test(test_user_memory),
		cmocka_unit_test(test_other_machines), cmocka_unit_test(test_what_is_not_an_expression),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
