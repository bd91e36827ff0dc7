#include "unwind/go_rows.h"

#include <string.h>

#include "unwind/bare_code.h"
#include "unwind/bare_rows.h"
#include "unwind/call_site.h"

#define DEPTH_MAX (INT32_MAX - 64)
#define NOWHERE	  UINT64_MAX

/* One function. */
struct run {
	struct go_rows *g;
	struct cfi_builder *b;
	const struct arch *arch;
	struct gopclntab_function f;
	uint64_t end;
	uint64_t kept_from; /* from here on its frame has the caller's frame pointer */
	bool has_frame;     /* the first range with one was met */
};

bool go_rows_open(struct go_rows *g, const struct object *o)
{
	const struct arch *a = object_header(o)->arch;
	*g = (struct go_rows){ .object = o };
	if ((a != &arch_x86_64 && a != &arch_i386 && a != &arch_aarch64) || !gopclntab_open(o, &g->table))
		return false;
	g->left = g->table.bytes / 2;
	return g->table.word_bytes == a->pointer_bytes && g->table.functions_nr < UINT32_MAX;
}

void go_rows_list(const struct go_rows *g, uint32_t section, struct cfi_fdes *to)
{
	struct gopclntab_function f;
	for (uint32_t i = 0; i < g->table.functions_nr; i++)
		if (gopclntab_function(&g->table, i, &f))
			vec_push(&to->list, ((struct cfi_fde){ .start = f.start, .end = f.end, .cie = i, .section = section }));
}

/* ---- functions of the run time that are known by name ---- */

static bool is_named(const struct run *r, const char *const *names)
{
	static const char prefix[] = "runtime.";
	if (strncmp(r->f.name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	const char *name = r->f.name + sizeof(prefix) - 1;
	size_t n = strcspn(name, ".");
	for (; *names; names++)
		if (strlen(*names) == n && !strncmp(name, *names, n))
			return true;
	return false;
}

/* Stacks begin with them. */
static bool is_first(const struct run *r)
{
	static const char *const first[] = { "goexit", "mstart", "rt0_go", NULL };
	static const char *const by_kernel[] = { "sigtramp", "cgoSigtramp", "sigprofNonGo", NULL };
	return is_named(r, first) || (r->f.flags & GOPCLNTAB_TOP_FRAME && !is_named(r, by_kernel));
}

/* cgocallback prepares both stacks so that either way its depths are right. */
static bool changes_stacks(const struct run *r)
{
	static const char *const both[] = { "cgocallback", "cgocallback_gofunc", NULL };
	static const char *const changing[] = { "gogo", "mcall", "systemstack", "morestack", "asmcgocall", NULL };
	return !is_named(r, both) && (r->f.flags & GOPCLNTAB_SP_WRITE || is_named(r, changing));
}

/* ---- rules ---- */

static void save(struct cfi_state *st, uint8_t reg, uint8_t kind, uint8_t base, int32_t value)
{
	st->regs[reg] = (struct unwind_save){ .reg = reg, .kind = kind, .base = base, .value = value };
	st->known |= 1ull << reg;
}

static uint32_t rule_of(const struct run *r, int32_t depth, bool is_kept)
{
	const struct arch *a = r->arch;
	int32_t word = a->pointer_bytes;
	struct cfi_state st = { .cfa_kind = UNWIND_CFA_REG, .cfa_reg = a->dwarf_sp, .cfa_value = depth };
	if (a->lr == ARCH_REG_NONE) {
		st.cfa_value += word;
		save(&st, a->dwarf_ra, UNWIND_SAVE_OFFSET, 0, -word);
		if (is_kept)
			save(&st, a->dwarf_fp, UNWIND_SAVE_OFFSET, 0, -2 * word);
	} else if (depth) {
		save(&st, a->dwarf_ra, UNWIND_SAVE_OFFSET, 0, -depth);
		save(&st, a->dwarf_fp, UNWIND_SAVE_OFFSET, 0, -depth - word);
	}
	return cfi_intern(r->b, &st, a->dwarf_ra, 0);
}

static uint32_t first_rule(const struct run *r)
{
	struct cfi_state st = { .cfa_kind = UNWIND_CFA_REG, .cfa_reg = r->arch->dwarf_sp, .cfa_value = r->arch->pointer_bytes };
	save(&st, r->arch->dwarf_ra, UNWIND_SAVE_UNDEFINED, 0, 0);
	return cfi_intern(r->b, &st, r->arch->dwarf_ra, 0);
}

/* The frame is not known, and not the outermost: the return address is in a register that there is not. */
static uint32_t lost_rule(const struct run *r)
{
	struct cfi_state st = { .cfa_kind = UNWIND_CFA_REG, .cfa_reg = r->arch->dwarf_sp, .cfa_value = r->arch->pointer_bytes };
	save(&st, r->arch->dwarf_ra, UNWIND_SAVE_REG, UNWIND_REGS - 1, 0);
	return cfi_intern(r->b, &st, r->arch->dwarf_ra, 0);
}

/*
 * x86-64: where a handler returns to; all registers lie in the ucontext, whose mcontext is 40 bytes in: r8 to r15, di si bp bx dx ax cx
 * sp ip.
 */
static uint32_t signal_rule(const struct run *r)
{
	static const uint8_t places[] = { 144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96, 168 };
	const uint8_t sp = r->arch->dwarf_sp;
	struct cfi_state st = { .cfa_kind = UNWIND_CFA_DEREF, .cfa_reg = sp, .cfa_value = places[sp] };
	for (unsigned reg = 0; reg < sizeof(places); reg++)
		if (reg != sp)
			save(&st, (uint8_t)reg, UNWIND_SAVE_AT, sp, places[reg]);
	return cfi_intern(r->b, &st, r->arch->dwarf_ra, UNWIND_SIGNAL);
}

/* ---- where the frame pointer is kept ---- */

/* x86: pushed first, or moved to the top of the frame just made. */
static uint64_t x86_kept_from(const struct run *r, uint64_t at, int32_t depth)
{
	size_t n;
	int32_t to;
	const uint8_t *code = r->arch == &arch_x86_64 && at > r->f.start ? object_bytes_at(r->g->object, at - 1, &n) : NULL;
	if (!code || n < 9)
		return NOWHERE;
	if (depth == 8)
		return code[0] == 0x55 ? at : memcmp(code + 1, "\x48\x89\x2c\x24", 4) ? NOWHERE : at + 4;
	if (!memcmp(code + 1, "\x48\x89\x6c\x24", 4) && code[5] == depth - 8 && depth - 8 < 0x80)
		return at + 5;
	memcpy(&to, code + 5, sizeof(to)); /* Instructions are little-endian, as are the machines that record them. */
	return !memcmp(code + 1, "\x48\x89\xac\x24", 4) && to == depth - 8 ? at + 8 : NOWHERE;
}

static uint32_t word_at(const struct run *r, uint64_t vaddr)
{
	size_t n;
	const uint8_t *code = object_bytes_at(r->g->object, vaddr, &n);
	if (!code || n < 4)
		return 0;
	return (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

/*
 * arm64: the return address was stored where the stack pointer then points, and the frame pointer below that. The instruction before moves
 * the stack pointer and stores it (str x30, [sp, #-depth]!), or moves it to where both were stored: by mov sp, x20, or by sub sp, sp, …
 * after str x30, [sp, x27] or stp x29, x30, [sp, …].
 */
static bool arm64_has_frame(const struct run *r, uint64_t at)
{
	uint32_t before = at - r->f.start >= 4 ? word_at(r, at - 4) : 0, first = at - r->f.start >= 8 ? word_at(r, at - 8) : 0;
	bool has_stored = first == 0xf83b6bfe || (first & 0xffc07fff) == 0xa9007bfd;
	return (before & 0xffe00fff) == 0xf8000ffe || before == 0x9100029f || ((before & 0xff8003ff) == 0xd10003ff && has_stored);
}

/* ---- rows ---- */

static void add_row(struct run *r, uint64_t vaddr, uint32_t rule)
{
	if (vaddr < r->end)
		cfi_add_row(r->b, vaddr, rule);
}

/* False: it has no frame as the compiler makes them. */
static bool add_range(struct run *r, const struct gopclntab_values *v)
{
	if (v->value && !r->has_frame) {
		r->has_frame = true;
		if (r->arch->lr != ARCH_REG_NONE && !arm64_has_frame(r, v->from))
			return false;
		r->kept_from = r->arch->lr == ARCH_REG_NONE ? x86_kept_from(r, v->from, v->value) : NOWHERE;
	}
	bool is_kept = v->value && r->kept_from <= v->from;
	add_row(r, v->from, rule_of(r, v->value, is_kept));
	if (v->value && !is_kept && r->kept_from < v->to)
		add_row(r, r->kept_from, rule_of(r, v->value, true));
	return true;
}

/* arm64: after the instruction that gives the stack pointer the value of another register; the end of the range: there is none. */
static uint64_t arm64_sp_written(const struct run *r, const struct gopclntab_values *v)
{
	uint64_t end = v->to < r->end ? v->to : r->end;
	for (uint64_t at = v->from; at < end; at += 4) {
		uint32_t insn = word_at(r, at);
		if ((insn & 0xbf00001f) == 0x9100001f && (insn >> 5 & 31) != 31)
			return at + 4;
	}
	return end;
}

static bool is_depth(const struct run *r, int32_t value)
{
	return value >= 0 && value < DEPTH_MAX && value % r->arch->pointer_bytes == 0;
}

/* after_write: the rule from where an arm64 function has changed stacks. */
static void run_depths(struct run *r, bool may_write_sp, uint32_t after_write)
{
	struct gopclntab_values v = gopclntab_depths(&r->g->table, &r->f);
	while (v.to < r->end && r->g->left && gopclntab_next(&v)) {
		uint64_t written = may_write_sp ? arm64_sp_written(r, &v) : v.to;
		bool is_right = is_depth(r, v.value) && add_range(r, &v);
		r->g->left--;
		if (is_right && written >= v.to)
			continue;
		add_row(r, is_right ? written : v.from, after_write);
		return;
	}
	add_row(r, v.to, 0);
}

/* By its instructions; unknown: the rule where they have changed the stack. */
static void run_analysed(struct run *r, uint32_t unknown)
{
	struct bare_code own = { .is_32bit = r->arch == &arch_i386, .leaves_anyhow = true };
	size_t n, at = 0;
	const uint8_t *code = object_bytes_at(r->g->object, r->f.start, &n);
	cfi_add_row(r->b, r->f.start, unknown);
	if (!code)
		return;
	vec_push(&own.starts, r->f.start);
	bare_code_analyse(&own, code, n < r->end - r->f.start ? n : (size_t)(r->end - r->f.start), r->f.start);
	bare_rows_add(r->b, &own, &at, r->end, unknown);
	bare_code_deinit(&own);
}

/* No call leads to its first byte: it is looked for by the byte before, which is padding. */
static bool run_signal(struct run *r)
{
	static const char *const names[] = { "sigreturn", "sigreturn__sigaction", NULL };
	size_t n;
	if (r->arch != &arch_x86_64 || !is_named(r, names) || !is_sigreturn(r->arch, r->g->object, r->f.start))
		return false;
	const uint8_t *before = object_bytes_at(r->g->object, r->f.start - 1, &n);
	bool is_padded = before && *before == 0xcc && r->b->rows.len && r->f.start > r->b->base + 1 &&
			 vec_last(&r->b->rows).offset < r->f.start - 1 - r->b->base;
	cfi_add_row(r->b, r->f.start - is_padded, signal_rule(r));
	return true;
}

static void run_changing(struct run *r)
{
	/* What it runs on the thread's stack does not return: it is the first there. */
	static const char *const first_there[] = { "mcall", NULL };
	bool is_first_there = is_named(r, first_there);
	if (r->arch == &arch_aarch64)
		run_depths(r, true, is_first_there ? first_rule(r) : 0);
	else
		run_analysed(r, is_first_there ? first_rule(r) : lost_rule(r));
}

void go_rows_run(struct go_rows *g, struct cfi_builder *b, const struct cfi_fde *f, uint64_t end)
{
	struct run r = { .g = g, .b = b, .arch = object_header(g->object)->arch, .end = end, .kept_from = NOWHERE };
	if (!gopclntab_function(&g->table, f->cie, &r.f) || r.f.start >= end)
		return;
	if (is_first(&r))
		cfi_add_row(b, r.f.start, first_rule(&r));
	else if (run_signal(&r))
		return;
	else if (changes_stacks(&r))
		run_changing(&r);
	else
		run_depths(&r, false, 0);
}
