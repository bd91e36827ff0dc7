/* Tables of entries made by hand, and those of this machine's libraries against readelf. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object/object.h"
#include "unwind/table.h"

/* Bytes in the order under test. */
struct bytes {
	uint8_t at[512];
	size_t n;
	bool big, is_64bit;
};

static void put(struct bytes *b, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		b->at[b->n++] = (uint8_t)(v >> 8 * (b->big ? bytes - 1 - i : i));
}

static void put_text(struct bytes *b, const char *s, size_t n)
{
	memcpy(b->at + b->n, s, n);
	b->n += n;
}

/* Writes the length of what follows `start`, padded with nops. */
static void close_entry(struct bytes *b, size_t start)
{
	while ((b->n - start) % 8 != 4)
		b->at[b->n++] = 0;
	size_t n = b->n;
	b->n = start;
	put(b, n - start - 4, 4);
	b->n = n;
}

#define SECTION_VADDR 0x8000
#define CFI(...) (const char[]){ __VA_ARGS__ }, sizeof((const char[]){ __VA_ARGS__ })

static size_t put_cie(struct bytes *b, bool debug, const char *augmentation, const char *data, size_t data_bytes,
		      const char *program, size_t program_bytes)
{
	size_t start = b->n;
	put(b, 0, 4);
	put(b, debug ? UINT32_MAX : 0, 4);
	put(b, debug ? 4 : 1, 1);
	put_text(b, augmentation, strlen(augmentation) + 1);
	if (debug) {
		put(b, b->is_64bit ? 8 : 4, 1);
		put(b, 0, 1);
	}
	put_text(b, "\x01\x78\x10", 3); /* code 1, data -8, ra 16 */
	put_text(b, data, data_bytes);
	put_text(b, program, program_bytes);
	close_entry(b, start);
	return start;
}

/* pcrel sdata4 in .eh_frame, absolute words in .debug_frame. */
static void put_fde(struct bytes *b, bool debug, size_t cie, uint64_t start, uint64_t bytes, const char *program,
		    size_t program_bytes)
{
	size_t at = b->n;
	unsigned word = b->is_64bit ? 8 : 4;
	put(b, 0, 4);
	put(b, debug ? cie : b->n - cie, 4);
	put(b, debug ? start : start - (SECTION_VADDR + b->n), debug ? word : 4);
	put(b, bytes, debug ? word : 4);
	if (!debug)
		put(b, 0, 1);
	put_text(b, program, program_bytes);
	close_entry(b, at);
}

static struct unwind_table *build(struct bytes *b, bool debug)
{
	struct object_frames f = {
		.bytes = b->at, .n = b->n, .vaddr = SECTION_VADDR, .is_debug_frame = debug,
	};
	struct unwind_source s = {
		.frames = &f, .frames_nr = 1, .is_64bit = b->is_64bit, .from = 0x1000, .to = 0x3000,
		.swap = b->big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__),
	};
	return unwind_table_build(&s);
}

static const struct unwind_save *save_of(const struct unwind_table *t, const struct unwind_rule *r, uint8_t reg)
{
	for (unsigned i = 0; i < r->saves_nr; i++)
		if (t->saves[r->saves + i].reg == reg)
			return &t->saves[r->saves + i];
	return NULL;
}

static void assert_cfa(const struct unwind_table *t, uint64_t at, uint8_t kind, uint8_t reg, int32_t value)
{
	const struct unwind_rule *r = unwind_table_find(t, at);
	assert_int_equal(r->kind, kind);
	assert_int_equal(r->reg, reg);
	assert_int_equal(r->value, value);
}

static void check_common(bool debug, bool is_64bit, bool big)
{
	struct bytes b = { .is_64bit = is_64bit, .big = big };
	/* DW_CFA_def_cfa r7 8, offset r16 1 */
	size_t cie = debug ? put_cie(&b, true, "", "", 0, CFI(0x0c, 7, 8, (char)0x90, 1)) :
			     put_cie(&b, false, "zR", "\x01\x1b", 2, CFI(0x0c, 7, 8, (char)0x90, 1));
	/* The later function first. push rbp; mov rsp, rbp; leave: at 0x2000 to 0x2040. */
	put_fde(&b, debug, cie, 0x2000, 0x40,
		CFI(0x41, 0x0e, 16, (char)0x86, 2, 0x43, 0x0d, 6, 0x02, 0x30, 0x0c, 7, 8, (char)0xc6));
	/* remember, advance, restore; the stack pointer undefined return address from 0x1108 on. */
	put_fde(&b, debug, cie, 0x1100, 0x10, CFI(0x44, 0x0a, 0x0e, 32, 0x42, 0x0b, 0x42, 0x07, 16));
	struct unwind_table *t = build(&b, debug);
	assert_non_null(t);
	assert_int_equal(t->functions, 2);
	assert_int_equal(unwind_table_find(t, 0x10ff)->kind, UNWIND_CFA_NONE);
	assert_cfa(t, 0x1100, UNWIND_CFA_REG, 7, 8);
	assert_cfa(t, 0x1103, UNWIND_CFA_REG, 7, 8);
	assert_cfa(t, 0x1104, UNWIND_CFA_REG, 7, 32);
	assert_cfa(t, 0x1106, UNWIND_CFA_REG, 7, 8);
	assert_false(unwind_table_find(t, 0x1107)->flags & UNWIND_END);
	assert_true(unwind_table_find(t, 0x1108)->flags & UNWIND_END);
	assert_int_equal(unwind_table_find(t, 0x1110)->kind, UNWIND_CFA_NONE);
	/* The last byte of padding is what a frame at the function's first one is looked up by. */
	assert_int_equal(unwind_table_find(t, 0x1ffe)->kind, UNWIND_CFA_NONE);
	assert_cfa(t, 0x1fff, UNWIND_CFA_REG, 7, 8);
	assert_cfa(t, 0x2000, UNWIND_CFA_REG, 7, 8);
	assert_null(save_of(t, unwind_table_find(t, 0x2000), 6));
	assert_cfa(t, 0x2001, UNWIND_CFA_REG, 7, 16);
	assert_int_equal(save_of(t, unwind_table_find(t, 0x2001), 6)->value, -16);
	assert_cfa(t, 0x2004, UNWIND_CFA_REG, 6, 16);
	assert_int_equal(save_of(t, unwind_table_find(t, 0x2004), 16)->value, -8);
	assert_cfa(t, 0x2034, UNWIND_CFA_REG, 7, 8);
	assert_null(save_of(t, unwind_table_find(t, 0x2034), 6));
	assert_cfa(t, 0x203f, UNWIND_CFA_REG, 7, 8);
	assert_int_equal(unwind_table_find(t, 0x2040)->kind, UNWIND_CFA_NONE);
	assert_int_equal(unwind_table_find(t, UINT64_MAX)->kind, UNWIND_CFA_NONE);
	assert_int_equal(unwind_table_find(t, 0)->kind, UNWIND_CFA_NONE);
	unwind_table_destroy(t);
}

static void test_both_sections_classes_and_orders(void **state)
{
	for (unsigned i = 0; i < 8; i++)
		check_common(i & 1, i & 2, i & 4);
}

static void test_expressions_become_plain_rows(void **state)
{
	struct bytes b = { .is_64bit = true };
	size_t cie = put_cie(&b, false, "zRS", "\x01\x1b", 2, CFI(0x0c, 7, 8, (char)0x90, 1));
	/* A realigned frame: CFA is what lies at rbp - 8; rbp itself lies at rbp + 0. */
	put_fde(&b, false, cie, 0x1100, 0x10, CFI(0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0));
	/* A PLT, and an expression that is none of these: rsp + 8, twice dereferenced. */
	put_fde(&b, false, cie, 0x1200, 0x10,
		CFI(0x0f, 11, 0x77, 8, (char)0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
	put_fde(&b, false, cie, 0x1300, 0x10, CFI(0x0f, 4, 0x77, 8, 0x06, 0x06));
	struct unwind_table *t = build(&b, false);
	assert_non_null(t);
	assert_cfa(t, 0x1100, UNWIND_CFA_DEREF, 6, -8);
	const struct unwind_rule *r = unwind_table_find(t, 0x1100);
	assert_true(r->flags & UNWIND_SIGNAL);
	assert_int_equal(save_of(t, r, 6)->kind, UNWIND_SAVE_AT);
	assert_int_equal(save_of(t, r, 6)->base, 6);
	assert_int_equal(save_of(t, r, 6)->value, 0);
	assert_cfa(t, 0x120f, UNWIND_CFA_PLT, 7, 11);
	assert_cfa(t, 0x1300, UNWIND_CFA_EXPR, 0, 0);
	assert_int_equal(t->exprs_nr, 1);
	assert_int_equal(t->exprs[0].n, 4);
	unwind_table_destroy(t);
}

static void test_damage_has_no_rule(void **state)
{
	struct bytes b = { .is_64bit = true };
	size_t cie = put_cie(&b, false, "zR", "\x01\x1b", 2, CFI(0x0c, 7, 8, (char)0x90, 1));
	put_fde(&b, false, cie, 0x1100, 0x10, CFI(0x44, 0x3f));             /* an unknown opcode */
	put_fde(&b, false, cie, 0x1200, 0x10, CFI(0x44, 0x0b));             /* restores what was not remembered */
	put_fde(&b, false, cie, 0x1300, 0x10, CFI(0x44, 0x0f, 0x7f, 0x77)); /* an expression beyond the end */
	put_fde(&b, false, cie + 4, 0x1400, 0x10, CFI(0x44));               /* no CIE begins there */
	put_fde(&b, false, cie, 0x9000, 0x10, CFI(0x44));                   /* no code */
	struct unwind_table *t = build(&b, false);
	assert_non_null(t);
	assert_int_equal(t->functions, 3);
	for (uint64_t at = 0x1100; at < 0x1400; at += 0x100) {
		assert_cfa(t, at + 3, UNWIND_CFA_REG, 7, 8);
		assert_int_equal(unwind_table_find(t, at + 4)->kind, UNWIND_CFA_NONE);
	}
	assert_int_equal(unwind_table_find(t, 0x1401)->kind, UNWIND_CFA_NONE);
	unwind_table_destroy(t);
}

/* readelf's columns: registers by name. */
static int dwarf_of(const char *name)
{
	static const char *const names[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
					     "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra" };
	for (int i = 0; i < 17; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

static bool cfa_agrees(const struct unwind_rule *r, char *cell)
{
	if (!strcmp(cell, "exp"))
		return r->kind != UNWIND_CFA_NONE;
	char *sign = strpbrk(cell, "+-");
	if (!sign || r->kind != UNWIND_CFA_REG || r->value != atoi(sign))
		return false;
	*sign = 0;
	return r->reg == dwarf_of(cell);
}

static bool reg_agrees(const struct unwind_table *t, const struct unwind_rule *r, int reg, const char *cell)
{
	const struct unwind_save *s = save_of(t, r, (uint8_t)reg);
	if (*cell == 'c')
		return s && s->kind == UNWIND_SAVE_OFFSET && s->value == atoi(cell + 1);
	if (!strcmp(cell, "exp"))
		return s && (s->kind == UNWIND_SAVE_EXPR || s->kind == UNWIND_SAVE_AT);
	if (!strcmp(cell, "vexp"))
		return s && s->kind == UNWIND_SAVE_VALUE_EXPR;
	if (*cell == 'v')
		return s && s->kind == UNWIND_SAVE_CFA && s->value == atoi(cell + 1);
	/* u: undefined, or nothing said yet. s: the same value. */
	if (!strcmp(cell, "u"))
		return !s || s->kind == UNWIND_SAVE_UNDEFINED;
	if (!strcmp(cell, "s"))
		return !s;
	return s && s->kind == UNWIND_SAVE_REG && *cell == 'r' && s->base == atoi(cell + 1);
}

#define COLUMNS_MAX 24
struct listing {
	const struct unwind_table *t;
	int columns[COLUMNS_MAX];
	unsigned columns_nr, rows, differ;
	bool in_fde;
};

static void check_row(struct listing *l, char *line, const char *path)
{
	char *save = NULL, *cell = strtok_r(line, " \n", &save);
	uint64_t at = strtoull(cell, NULL, 16);
	const struct unwind_rule *r = unwind_table_find(l->t, at);
	cell = strtok_r(NULL, " \n", &save);
	bool ok = cell && cfa_agrees(r, cell);
	for (unsigned i = 0; i < l->columns_nr && ok; i++) {
		cell = strtok_r(NULL, " \n", &save);
		ok = cell && (l->columns[i] < 0 || reg_agrees(l->t, r, l->columns[i], cell));
		if (cell && *cell == 'r' && save[strspn(save, " ")] == '(')
			strtok_r(NULL, " \n", &save); /* "r5 (rdi)" */
	}
	l->rows++;
	if (ok)
		return;
	if (l->differ++ < 5)
		print_error("%s: differs at %llx\n", path, (unsigned long long)at);
}

static void check_line(struct listing *l, char *line, const char *path)
{
	if (strstr(line, " FDE ") || strstr(line, " CIE ")) {
		l->in_fde = strstr(line, " FDE ");
	} else if (strstr(line, "   LOC ")) {
		char *save = NULL;
		strtok_r(line, " \n", &save);
		strtok_r(NULL, " \n", &save);
		l->columns_nr = 0;
		for (char *c; l->columns_nr < COLUMNS_MAX && (c = strtok_r(NULL, " \n", &save));)
			l->columns[l->columns_nr++] = dwarf_of(c);
	} else if (l->in_fde && strspn(line, "0123456789abcdef") == 16) {
		check_row(l, line, path);
	}
}

static bool compare_with_readelf(const char *path)
{
	struct object *o;
	char command[256], *line = NULL;
	size_t cap = 0;
	if (access(path, R_OK))
		return false;
	assert_ok(object_open(path, &o));
	struct listing l = { .t = unwind_table_of(o, NULL) };
	assert_non_null(l.t);
	snprintf(command, sizeof(command), "LC_ALL=C readelf --debug-dump=frames-interp %s 2>/dev/null", path);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0)
		check_line(&l, line, path);
	free(line);
	pclose(f);
	print_message("# %s: %u rows of readelf, %u of ours, %u rules\n", path, l.rows, l.t->rows_nr, l.t->rules_nr);
	assert_int_equal(l.differ, 0);
	unwind_table_destroy((struct unwind_table *)l.t);
	object_close(o);
	return l.rows > 0;
}

static void test_libraries_against_readelf(void **state)
{
	static const char *const paths[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",         "/lib64/ld-linux-x86-64.so.2", "/usr/bin/python3",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/lib/x86_64-linux-gnu/libm.so.6",
	};
	unsigned compared = 0;
	if (arch_native() != &arch_x86_64 || system("readelf --version >/dev/null 2>&1"))
		skip();
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		compared += compare_with_readelf(paths[i]);
	assert_true(compared > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_sections_classes_and_orders),
		cmocka_unit_test(test_expressions_become_plain_rows),
		cmocka_unit_test(test_damage_has_no_rule),
		cmocka_unit_test(test_libraries_against_readelf),
	};
	return cmocka_run_group_tests_name("unwind-table", tests, NULL, NULL);
}
