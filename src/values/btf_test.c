/* Hand-made BTF, and locations of arguments by the conventions of x86-64 and arm64. */
#include "base/testing.h"

#include <linux/btf.h>

#include "base/arena.h"
#include "values/btf.h"
#include "values/call_convention.h"

struct made {
	struct strbuf types, strings, file;
};

static uint32_t name(struct made *m, const char *text)
{
	uint32_t at = (uint32_t)m->strings.len;
	strbuf_add(&m->strings, text, strlen(text) + 1);
	return at;
}

static void put(struct made *m, uint32_t word)
{
	strbuf_add(&m->types, &word, sizeof(word));
}

static void put_type(struct made *m, uint32_t name_at, unsigned kind, unsigned n, bool flag, uint32_t size)
{
	put(m, name_at);
	put(m, kind << 24 | n | (flag ? 1u << 31 : 0));
	put(m, size);
}

static void finish(struct made *m)
{
	struct btf_header h = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h), .type_len = (uint32_t)m->types.len,
				.str_off = (uint32_t)m->types.len, .str_len = (uint32_t)m->strings.len };
	strbuf_add(&m->file, &h, sizeof(h));
	strbuf_add(&m->file, m->types.data, m->types.len);
	strbuf_add(&m->file, m->strings.data, m->strings.len);
}

static void discard(struct made *m)
{
	strbuf_deinit(&m->types);
	strbuf_deinit(&m->strings);
	strbuf_deinit(&m->file);
}

/*
 * 1 int, 2 char, 3 char *, 4 struct s { int a; int b : 3; struct { char *name; }; }, 5 the anonymous struct, 6 enum e, 7 the
 * prototype int (struct s *, char *, …), 8 the function f, 9 struct s *, 10 const struct s
 */
static struct made make_kernel(void)
{
	struct made m = {};
	strbuf_addch(&m.strings, 0);
	put_type(&m, name(&m, "int"), BTF_KIND_INT, 0, false, 4);
	put(&m, BTF_INT_SIGNED << 24 | 32);
	put_type(&m, name(&m, "char"), BTF_KIND_INT, 0, false, 1);
	put(&m, BTF_INT_SIGNED << 24 | 8);
	put_type(&m, 0, BTF_KIND_PTR, 0, false, 2);
	put_type(&m, name(&m, "s"), BTF_KIND_STRUCT, 3, true, 16);
	put(&m, name(&m, "a")), put(&m, 1), put(&m, 0);
	put(&m, name(&m, "b")), put(&m, 1), put(&m, 3u << 24 | 32);
	put(&m, 0), put(&m, 5), put(&m, 64);
	put_type(&m, 0, BTF_KIND_STRUCT, 1, false, 8);
	put(&m, name(&m, "name")), put(&m, 3), put(&m, 0);
	put_type(&m, name(&m, "e"), BTF_KIND_ENUM, 2, true, 4);
	put(&m, name(&m, "LOW")), put(&m, (uint32_t)-2);
	put(&m, name(&m, "HIGH")), put(&m, 7);
	put_type(&m, 0, BTF_KIND_FUNC_PROTO, 3, false, 1);
	put(&m, name(&m, "where")), put(&m, 9);
	put(&m, name(&m, "what")), put(&m, 3);
	put(&m, 0), put(&m, 0);
	put_type(&m, name(&m, "f"), BTF_KIND_FUNC, 1, false, 7);
	put_type(&m, 0, BTF_KIND_PTR, 0, false, 10);
	put_type(&m, 0, BTF_KIND_CONST, 0, false, 4);
	finish(&m);
	return m;
}

static void test_functions_and_types(void **state)
{
	struct made m = make_kernel();
	struct btf_types *b;
	struct btf_function f;
	assert_ok(btf_types_open_memory(m.file.data, m.file.len, NULL, 0, &b));
	assert_false(btf_find_function(b, "s", &f));
	assert_true(btf_find_function(b, "f", &f));
	assert_string_equal(f.returned->name, "int");
	assert_true(f.returned->is_signed);
	assert_true(f.is_variadic);
	assert_int_equal(f.parameters_nr, 2);
	assert_string_equal(f.parameters[0].name, "where");
	struct strbuf text = {};
	assert_true(type_text(f.parameters[0].type, &text));
	assert_string_equal(strbuf_str(&text), "struct s*");
	strbuf_deinit(&text);
	struct type_member member;
	const struct type *s = type_target(f.parameters[0].type);
	assert_true(type_find_member(s, "b", &member));
	assert_int_equal(member.bit_offset, 32);
	assert_int_equal(member.bits, 3);
	assert_true(type_find_member(s, "name", &member)); /* of the anonymous struct */
	assert_int_equal(member.bit_offset, 64);
	assert_int_equal(member.type->kind, TYPE_POINTER);
	assert_false(type_find_member(s, "c", &member));
	const struct type *e = btf_find_type(b, TYPE_ENUM, "e");
	assert_string_equal(type_enumerator_name(e, -2), "LOW");
	assert_string_equal(type_enumerator_name(e, 7), "HIGH");
	assert_null(type_enumerator_name(e, 0));
	btf_types_close(b);
	discard(&m);
}

/* A module's types and names continue the kernel's numbering. */
static void test_a_module(void **state)
{
	struct made kernel = make_kernel(), m = {};
	uint32_t first_string = (uint32_t)kernel.strings.len;
	struct btf_types *b;
	struct btf_function f;
	put_type(&m, 0, BTF_KIND_FUNC_PROTO, 1, false, 0);
	put(&m, first_string + name(&m, "own")), put(&m, 9);
	put_type(&m, first_string + name(&m, "g"), BTF_KIND_FUNC, 0, false, 11);
	finish(&m);
	assert_ok(btf_types_open_memory(kernel.file.data, kernel.file.len, m.file.data, m.file.len, &b));
	assert_true(btf_find_function(b, "g", &f));
	assert_null(f.returned);
	assert_string_equal(f.parameters[0].name, "own");
	assert_string_equal(type_strip(type_target(f.parameters[0].type))->name, "s");
	assert_true(btf_find_function(b, "f", &f));
	btf_types_close(b);
	discard(&kernel);
	discard(&m);
}

static void test_damage(void **state)
{
	struct made m = make_kernel();
	struct btf_types *b;
	struct btf_function f;
	assert_fails(btf_types_open_memory("", 0, NULL, 0, &b), ERROR_FORMAT);
	m.file.data[0] ^= 1;
	assert_fails(btf_types_open_memory(m.file.data, m.file.len, NULL, 0, &b), ERROR_FORMAT);
	m.file.data[0] ^= 1;
	assert_fails(btf_types_open_memory(m.file.data, m.file.len - 1, NULL, 0, &b), ERROR_FORMAT);
	/* Corrupts f so that its prototype is f itself. */
	m.file.data[sizeof(struct btf_header) + m.types.len - 3 * 12 + 8] = 8;
	assert_ok(btf_types_open_memory(m.file.data, m.file.len, NULL, 0, &b));
	assert_false(btf_find_function(b, "f", &f));
	btf_types_close(b);
	discard(&m);
}

/* ---- conventions ---- */

static const struct type number = { .kind = TYPE_INTEGER, .bytes = 8 }, small = { .kind = TYPE_INTEGER, .bytes = 4 },
			 pair = { .kind = TYPE_STRUCT, .bytes = 12 }, large = { .kind = TYPE_STRUCT, .bytes = 24 },
			 real = { .kind = TYPE_FLOAT, .bytes = 8 }, wide = { .kind = TYPE_INTEGER, .bytes = 16 };

static void assert_register(const struct locations *l, size_t piece, unsigned reg)
{
	assert_true(piece < l->nr);
	assert_int_equal(l->pieces[piece].at.kind, LOCATION_IN_REGISTER);
	assert_int_equal(l->pieces[piece].at.reg, reg);
}

static void assert_memory(const struct locations *l, unsigned reg, int64_t offset)
{
	assert_int_equal(l->pieces[0].at.kind, LOCATION_IN_MEMORY);
	assert_int_equal(l->pieces[0].at.reg, reg);
	assert_int_equal(l->pieces[0].at.offsets[0], offset);
}

/* f(n, pair, large, n, n, n, pair, n): rdi, rsi:rdx, the stack, rcx, r8, r9, the stack. */
static void test_x86_64(void **state)
{
	const struct type *const types[] = { &small, &pair, &large, &number, &number, &number, &pair, &number };
	struct locations at[8];
	struct arena arena;
	arena_init(&arena);
	call_convention_locate(&arch_x86_64, types, 8, &arena, at);
	assert_register(&at[0], 0, 5);
	assert_register(&at[1], 0, 4);
	assert_register(&at[1], 1, 1);
	assert_int_equal(at[1].pieces[1].bits, 32);
	assert_memory(&at[2], 7, 8); /* above the return address */
	assert_register(&at[3], 0, 2);
	assert_register(&at[4], 0, 8);
	assert_register(&at[5], 0, 9);
	assert_memory(&at[6], 7, 32);
	assert_memory(&at[7], 7, 48);
	arena_deinit(&arena);
}

/* f(n, wide, large, n, n, pair, n): x0, x2:x3, a copy at x4, x5, x6, then only the stack. */
static void test_arm64(void **state)
{
	const struct type *const types[] = { &number, &wide, &large, &number, &number, &pair, &number };
	struct locations at[7];
	struct arena arena;
	arena_init(&arena);
	call_convention_locate(&arch_aarch64, types, 7, &arena, at);
	assert_register(&at[0], 0, 0);
	assert_register(&at[1], 0, 2);
	assert_register(&at[1], 1, 3);
	assert_memory(&at[2], 4, 0);
	assert_register(&at[3], 0, 5);
	assert_register(&at[4], 0, 6);
	assert_memory(&at[5], 31, 0);
	assert_memory(&at[6], 31, 16);
	arena_deinit(&arena);
}

static void test_returned(void **state)
{
	const struct type by_reference = { .kind = TYPE_CLASS, .bytes = 8, .is_by_reference = true, .has_members = true };
	const struct type_member members[] = { { .name = "d", .type = &real } };
	const struct type with_real = { .kind = TYPE_STRUCT, .bytes = 8, .members = members, .members_nr = 1, .has_members = true };
	const struct type plain = { .kind = TYPE_STRUCT, .bytes = 12, .has_members = true };
	const struct type big = { .kind = TYPE_STRUCT, .bytes = 24, .has_members = true };
	const struct {
		const struct arch *arch;
		const struct type *type;
		enum location_kind kind;
	} cases[] = {
		{ &arch_x86_64, &small, LOCATION_IN_REGISTER }, { &arch_x86_64, &plain, LOCATION_IN_REGISTER },
		{ &arch_x86_64, &big, LOCATION_IN_MEMORY },	{ &arch_x86_64, &by_reference, LOCATION_IN_MEMORY },
		{ &arch_x86_64, &real, LOCATION_NONE },		{ &arch_x86_64, &with_real, LOCATION_NONE },
		{ &arch_aarch64, &plain, LOCATION_IN_REGISTER }, { &arch_aarch64, &big, LOCATION_NONE },
		{ &arch_i386, &plain, LOCATION_IN_MEMORY },	{ &arch_i386, &small, LOCATION_IN_REGISTER },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(call_convention_returned(cases[i].arch, cases[i].type, 0).kind, cases[i].kind);
}

static void test_what_is_not_known(void **state)
{
	const struct type *const types[] = { &number, &real, &number };
	struct locations at[3];
	struct arena arena;
	arena_init(&arena);
	call_convention_locate(&arch_x86_64, types, 3, &arena, at);
	assert_register(&at[0], 0, 5);
	assert_int_equal(at[1].pieces[0].at.kind, LOCATION_NONE);
	assert_int_equal(at[2].pieces[0].at.kind, LOCATION_NONE);
	assert_false(call_convention_is_known(&arch_s390x));
	arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_and_types),
		cmocka_unit_test(test_a_module),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_x86_64),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_returned),
		cmocka_unit_test(test_what_is_not_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
