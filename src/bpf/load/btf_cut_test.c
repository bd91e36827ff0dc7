/* The kernel's types cut down: by BTF made by hand here, read back by the reader that finds offsets. */
#include "base/testing.h"

#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/load/btf_cut.h"
#include "record/btf.h"

/* BTF in the making. */
struct made {
	struct strbuf types, strings;
};

static uint32_t name(struct made *m, const char *s)
{
	uint32_t at = (uint32_t)m->strings.len;
	strbuf_add(&m->strings, s, strlen(s) + 1);
	return *s ? at : 0;
}

static void add(struct made *m, const char *s, unsigned kind, unsigned n, uint32_t size_or_type)
{
	struct btf_type t = { .name_off = name(m, s), .info = kind << 24 | n, .size = size_or_type };
	strbuf_add(&m->types, &t, sizeof(t));
}

static void add_int(struct made *m, const char *s, uint32_t bytes)
{
	uint32_t encoding = bytes * 8;
	add(m, s, BTF_KIND_INT, 0, bytes);
	strbuf_add(&m->types, &encoding, sizeof(encoding));
}

static void add_member(struct made *m, const char *s, uint32_t type, uint32_t offset_bytes)
{
	struct btf_member member = { .name_off = name(m, s), .type = type, .offset = offset_bytes * 8 };
	strbuf_add(&m->types, &member, sizeof(member));
}

static void begin(struct made *m)
{
	*m = (struct made){};
	strbuf_add(&m->strings, "", 1);
}

static void finish(struct made *m, struct btf *ret)
{
	struct strbuf bytes = {};
	struct btf_header h = { .magic = BTF_FILE_MAGIC, .version = 1, .hdr_len = sizeof(h), .type_len = (uint32_t)m->types.len,
				.str_off = (uint32_t)m->types.len, .str_len = (uint32_t)m->strings.len };
	strbuf_add(&bytes, &h, sizeof(h));
	strbuf_add(&bytes, m->types.data, m->types.len);
	strbuf_add(&bytes, m->strings.data, m->strings.len);
	assert_ok(btf_copy(bytes.data, bytes.len, ret));
	strbuf_deinit(&bytes);
	strbuf_deinit(&m->types);
	strbuf_deinit(&m->strings);
}

/*
 *	struct task { long flags; struct { int state, pid; }; const struct info info; struct task *next; char comm[16]; };
 *	struct info { int a, status; };      struct other { int x; };
 */
static void make_kernel(struct btf *ret)
{
	struct made m;
	struct btf_array array = { .type = 3, .index_type = 1, .nelems = 16 };
	begin(&m);
	add_int(&m, "int", 4);				 /* 1 */
	add_int(&m, "long", 8);				 /* 2 */
	add_int(&m, "char", 1);				 /* 3 */
	add(&m, "other", BTF_KIND_STRUCT, 1, 4);	 /* 4 */
	add_member(&m, "x", 1, 0);
	add(&m, "info", BTF_KIND_STRUCT, 2, 8);		 /* 5 */
	add_member(&m, "a", 1, 0);
	add_member(&m, "status", 1, 4);
	add(&m, "", BTF_KIND_CONST, 0, 5);		 /* 6 */
	add(&m, "", BTF_KIND_STRUCT, 2, 8);		 /* 7 */
	add_member(&m, "state", 1, 0);
	add_member(&m, "pid", 1, 4);
	add(&m, "", BTF_KIND_PTR, 0, 10);		 /* 8 */
	add(&m, "", BTF_KIND_ARRAY, 0, 0);		 /* 9 */
	strbuf_add(&m.types, &array, sizeof(array));
	add(&m, "task", BTF_KIND_STRUCT, 5, 48);	 /* 10 */
	add_member(&m, "flags", 2, 0);
	add_member(&m, "", 7, 8);
	add_member(&m, "info", 6, 16);
	add_member(&m, "next", 8, 24);
	add_member(&m, "comm", 9, 32);
	finish(&m, ret);
}

/* The object's: struct task { int pid; struct info info; struct task *next; char comm[4]; int missing; }; struct own { int x; }; */
static void make_local(struct btf *ret)
{
	struct made m;
	struct btf_array array = { .type = 2, .index_type = 1, .nelems = 4 };
	begin(&m);
	add_int(&m, "int", 4);			   /* 1 */
	add_int(&m, "char", 1);			   /* 2 */
	add(&m, "info", BTF_KIND_STRUCT, 1, 4);	   /* 3 */
	add_member(&m, "status", 1, 0);
	add(&m, "", BTF_KIND_PTR, 0, 6);	   /* 4 */
	add(&m, "", BTF_KIND_ARRAY, 0, 0);	   /* 5 */
	strbuf_add(&m.types, &array, sizeof(array));
	add(&m, "task", BTF_KIND_STRUCT, 5, 24);   /* 6 */
	add_member(&m, "pid", 1, 0);
	add_member(&m, "info", 3, 4);
	add_member(&m, "next", 4, 8);
	add_member(&m, "comm", 5, 16);
	add_member(&m, "missing", 1, 20);
	add(&m, "own", BTF_KIND_STRUCT, 1, 4);	   /* 7 */
	add_member(&m, "x", 1, 0);
	finish(&m, ret);
}

static void make_cut(struct btf *ret)
{
	struct btf kernel, local;
	struct strbuf bytes = {};
	make_kernel(&kernel);
	make_local(&local);
	btf_cut(&kernel, &local, &bytes);
	assert_ok(btf_copy(bytes.data, bytes.len, ret));
	strbuf_deinit(&bytes);
	btf_deinit(&kernel);
	btf_deinit(&local);
}

static void expect_offset(const struct btf *b, const char *const *names, uint32_t want)
{
	uint32_t at = 0;
	assert_ok(btf_offset(b, "task", names, &at));
	assert_int_equal(at, want);
}

static void test_offsets_are_the_kernels(void **state)
{
	struct btf cut;
	make_cut(&cut);
	expect_offset(&cut, (const char *const[]){ "pid", NULL }, 12);
	expect_offset(&cut, (const char *const[]){ "info", "status", NULL }, 20);
	expect_offset(&cut, (const char *const[]){ "next", NULL }, 24);
	expect_offset(&cut, (const char *const[]){ "comm", NULL }, 32);
	btf_deinit(&cut);
}

/* What only one of both has is left out. */
static void test_no_more_than_asked(void **state)
{
	struct btf cut;
	make_cut(&cut);
	uint32_t at;
	const char *const left_out[][3] = { { "missing" }, { "flags" }, { "info", "a" } };
	for (size_t i = 0; i < 3; i++)
		assert_fails(btf_offset(&cut, "task", left_out[i], &at), ERROR_UNSUPPORTED);
	const char *const structures[] = { "own", "other" }, *const x[] = { "x", NULL };
	for (size_t i = 0; i < 2; i++)
		assert_fails(btf_offset(&cut, structures[i], x, &at), ERROR_UNSUPPORTED);
	btf_deinit(&cut);
}

/* Sizes are the kernel's too: of the structure, and of the array. */
static void test_sizes(void **state)
{
	struct btf cut;
	make_cut(&cut);
	uint32_t bits, type, seen = 0;
	for (uint32_t id = 1; id <= cut.type_at.len; id++) {
		const struct btf_type *t = btf_type_by_id(&cut, id);
		if (strcmp(btf_string(&cut, t->name_off), "task"))
			continue;
		assert_int_equal(t->size, 48);
		assert_true(btf_member(&cut, t, "comm", &bits, &type));
		const struct btf_type *comm = btf_type_by_id(&cut, type);
		assert_int_equal(((const struct btf_array *)(comm + 1))->nelems, 16);
		seen++;
	}
	assert_int_equal(seen, 1);
	btf_deinit(&cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets_are_the_kernels),
		cmocka_unit_test(test_no_more_than_asked),
		cmocka_unit_test(test_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
