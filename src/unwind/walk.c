#include "unwind/walk.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/mem.h"
#include "values/expression.h"
#include "unwind/call_site.h"

#define CACHE_SLOTS 4096 /* a power of two */
/* Farther from the stack pointer than the size of any stack: memory there means damage, not a truncated stack. */
#define STACK_REACH ((uint64_t)1 << 30)
/* More than a signal frame with all registers: an interrupted frame further up used another stack. */
#define SIGNAL_FRAME_BYTES_MAX (64u << 10)
/* Each may lead back to a stack that is further down. */
#define SIGNAL_FRAMES_MAX 32

enum site {
	SITE_CODE,      /* mapped; possibly without a rule */
	SITE_SIGRETURN, /* the return address of signal handlers, in code without tables for it */
	SITE_NOWHERE,   /* nothing is mapped there */
};

/* Cached properties of an address, since the same ones are looked up repeatedly. */
struct cached {
	uint64_t ip;
	uint32_t space;
	uint8_t site;
	bool is_code;  /* of a file */
	bool is_data;  /* unmapped or not executable: not a return address */
	bool is_entry; /* ip is before the first byte of a function, which is not a return address */
	const struct unwind_table *table;
	const struct unwind_rule *rule; /* NULL: an empty slot */
};

/* Indexes of sampled registers by DWARF number, for one mask, which all samples of an event share. */
struct reg_places {
	const struct arch *arch; /* NULL: none yet */
	uint64_t mask, known;
	uint8_t nr, pc;
	struct {
		uint8_t reg, at;
	} regs[UNWIND_REGS];
};

struct unwinder {
	struct machine *machine;
	struct unwind_tables *tables;
	struct cached *cache;
	struct reg_places places;
	const struct mapped_file *lacks;
};

struct walk {
	struct unwinder *u;
	const struct unwind_input *in;
	uint64_t regs[UNWIND_REGS]; /* by DWARF number */
	uint64_t known;
	uint64_t pc, sp, base;      /* base: sp of the innermost frame */
	unsigned word;              /* bytes of an address */
	bool exact;                 /* pc is exact, and not a return address */
	bool innermost;             /* still at the sample's own registers, or those of an interrupted frame */
	bool is_guess;              /* the frame before was found by code analysis: a call must precede its return address */
	bool is_outermost;          /* otherwise it was the outermost */
	bool is_entered;            /* the frame before was not made by a call: the word above it may not be code */
	bool is_switched;           /* a signal handler ran on an alternate stack, and this is the other one */
	unsigned signals;
	struct unwind_result out;
};

static const struct unwind_rule no_rule;

struct unwinder *unwinder_create(struct machine *machine, struct unwind_tables *tables)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));
	u->machine = machine;
	u->tables = tables;
	u->cache = xcalloc(CACHE_SLOTS, sizeof(*u->cache));
	return u;
}

void unwinder_destroy(struct unwinder *u)
{
	if (!u)
		return;
	free(u->cache);
	free(u);
}

void unwinder_reset(struct unwinder *u)
{
	memset(u->cache, 0, CACHE_SLOTS * sizeof(*u->cache));
}

const struct mapped_file *unwinder_lacks(const struct unwinder *u)
{
	return u->lacks;
}

const struct arch *unwind_arch(const struct arch *recorded, uint64_t abi)
{
	if (abi != PERF_SAMPLE_REGS_ABI_32 || !recorded)
		return recorded;
	return recorded->compat ? recorded->compat : recorded;
}

/* False: the table of its file is not made yet, and the walk must not wait. */
static bool learn(struct walk *w, struct cached *c, uint64_t ip)
{
	const struct map *map = machine_space_map(w->u->machine, w->in->space, PERF_RECORD_MISC_USER, ip);
	*c = (struct cached){ .ip = ip, .space = w->in->space, .site = map ? SITE_CODE : SITE_NOWHERE, .rule = &no_rule };
	c->is_data = !map || map->is_data || (map->prot && !(map->prot & PROT_EXEC));
	if (!map || (map->file->kind != MAPPED_FILE && map->file->kind != MAPPED_VDSO))
		return true;
	if (w->in->no_wait && !unwind_tables_is_tried(w->u->tables, map->file)) {
		c->rule = NULL;
		w->u->lacks = map->file;
		return false;
	}
	const struct unwind_file *f = unwind_tables_find(w->u->tables, map->file);
	uint64_t offset = ip - map->start + map->pgoff, vaddr;
	if (!f->object || !object_vaddr_of_offset(f->object, offset, &vaddr))
		return true;
	c->is_code = true;
	if (f->table) {
		c->table = f->table;
		c->rule = unwind_table_find(f->table, vaddr);
	}
	/*
	 * arm64's vdso has a rule for its trampoline that only leads to the frame pointer's frame, and so passes over the
	 * function that was interrupted.
	 */
	if ((c->rule->kind == UNWIND_CFA_NONE || w->in->arch == &arch_aarch64) &&
	    is_sigreturn(w->in->arch, f->object, vaddr + (w->exact ? 0 : 1)))
		c->site = SITE_SIGRETURN;
	if (!w->exact)
		c->is_entry = c->site == SITE_SIGRETURN || c->rule->flags & UNWIND_SIGNAL ||
			      !call_ends_at(w->in->arch, f->object, vaddr + 1);
	return true;
}

/* NULL: unwinder_lacks(). */
static inline const struct cached *look_up(struct walk *w)
{
	uint64_t ip = w->pc - !w->exact;
	struct cached *c = &w->u->cache[hash_mum(ip, 0x9e3779b97f4a7c15ull ^ w->in->space) & (CACHE_SLOTS - 1)];
	if (__builtin_expect(c->ip != ip || c->space != w->in->space || !c->rule, 0) && !learn(w, c, ip))
		return NULL;
	return c;
}

static inline bool read_bytes(const struct walk *w, uint64_t at, unsigned bytes, uint64_t *ret)
{
	uint64_t offset = at - w->base;
	if (offset > w->in->stack_bytes || w->in->stack_bytes - offset < bytes)
		return false;
	uint64_t v = 0;
	memcpy(&v, w->in->stack + offset, bytes);
	if (__builtin_expect(w->in->swap, 0))
		v = __builtin_bswap64(v);
	if (__builtin_expect(w->in->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__), 0))
		v >>= 64 - 8 * bytes; /* its first byte is the highest one */
	*ret = v;
	return true;
}

static inline bool read_word(const struct walk *w, uint64_t at, uint64_t *ret)
{
	if (__builtin_expect(w->word == 8, 1) && !w->in->swap) {
		uint64_t offset = at - w->base;
		if (w->in->stack_bytes < 8 || offset > w->in->stack_bytes - 8)
			return false;
		memcpy(ret, w->in->stack + offset, 8);
		return true;
	}
	return read_bytes(w, at, w->word, ret);
}

static bool read_for_expr(void *ctx, uint64_t at, unsigned bytes, uint64_t *ret)
{
	return read_bytes(ctx, at, bytes, ret);
}

static bool end(struct walk *w, enum unwind_end why)
{
	w->out.end = why;
	return false;
}

/* Necessary memory is missing: truncated, if it would be after the end of the copy. */
static bool end_unread(struct walk *w, uint64_t at)
{
	uint64_t offset = at - w->base;
	if (w->is_switched)
		return end(w, UNWIND_END_OTHER_STACK);
	if (offset < w->in->stack_bytes || offset > STACK_REACH || w->in->stack_is_whole)
		return end(w, UNWIND_END_LOST);
	w->out.needed = offset + w->word;
	return end(w, UNWIND_END_CUT);
}

static bool run_expr(struct walk *w, const struct unwind_table *t, int32_t number, const uint64_t *initial, uint64_t *ret)
{
	struct expression_context x = {
		.regs = w->regs, .known = w->known, .address_bytes = (uint8_t)w->word, .swap = t->swap,
		.read = read_for_expr, .ctx = w,
	};
	return expression_run(&x, t->exprs[number].bytes, t->exprs[number].n, initial, ret);
}

static inline bool knows(const struct walk *w, unsigned reg)
{
	return w->known >> reg & 1;
}

static inline uint64_t address(const struct walk *w, uint64_t v)
{
	return w->word == 4 ? (uint32_t)v : v;
}

/* False ends the walk. */
static inline bool find_cfa(struct walk *w, const struct cached *at, uint64_t *ret)
{
	const struct unwind_rule *r = at->rule;
	uint64_t from = 0;
	if (r->kind == UNWIND_CFA_REG || r->kind == UNWIND_CFA_DEREF) {
		if (!knows(w, r->reg))
			return end(w, UNWIND_END_LOST);
		from = *ret = address(w, w->regs[r->reg] + (uint64_t)(int64_t)r->value);
	}
	switch (r->kind) {
	case UNWIND_CFA_REG:
		return true;
	case UNWIND_CFA_DEREF:
		if (!read_word(w, from, ret))
			return end_unread(w, from);
		*ret = address(w, *ret + (uint64_t)(int64_t)r->addend);
		return true;
	case UNWIND_CFA_PLT:
		*ret = w->sp + w->word + ((w->pc & 15) >= (uint32_t)r->value ? w->word : 0);
		return true;
	case UNWIND_CFA_GO: /* no copy has it */
	case UNWIND_CFA_GO_SYSTEM:
		return end(w, UNWIND_END_OTHER_STACK);
	default:
		return run_expr(w, at->table, r->value, NULL, ret) || end(w, UNWIND_END_LOST);
	}
}

/* The value of a register of the caller; false: unavailable. *ret_at: the memory that is needed, or 0. */
static inline bool find_saved(struct walk *w, const struct cached *c, const struct unwind_save *s, uint64_t cfa, uint64_t *ret,
			      uint64_t *ret_at)
{
	switch (s->kind) {
	case UNWIND_SAVE_OFFSET:
		*ret_at = address(w, cfa + (uint64_t)(int64_t)s->value);
		return read_word(w, *ret_at, ret);
	case UNWIND_SAVE_CFA:
		*ret = address(w, cfa + (uint64_t)(int64_t)s->value);
		return true;
	case UNWIND_SAVE_REG:
		*ret = w->regs[s->base];
		return knows(w, s->base);
	case UNWIND_SAVE_AT:
		if (!knows(w, s->base))
			return false;
		*ret_at = address(w, w->regs[s->base] + (uint64_t)(int64_t)s->value);
		return read_word(w, *ret_at, ret);
	case UNWIND_SAVE_EXPR:
		return run_expr(w, c->table, s->value, &cfa, ret_at) && read_word(w, *ret_at, ret);
	case UNWIND_SAVE_VALUE_EXPR:
		return run_expr(w, c->table, s->value, &cfa, ret);
	default:
		return false;
	}
}

static void set_reg(struct walk *w, unsigned reg, uint64_t v)
{
	w->regs[reg] = v;
	w->known |= 1ull << reg;
}

/* The caller's frame is known. */
static bool enter(struct walk *w, uint64_t pc, uint64_t sp, bool interrupted)
{
	w->pc = interrupted ? pc : pc & w->in->arch->code_bits;
	w->exact = w->innermost = interrupted;
	w->is_switched |= interrupted && sp - w->sp > SIGNAL_FRAME_BYTES_MAX;
	w->sp = sp;
	w->regs[w->in->arch->dwarf_sp] = sp;
	w->known |= 1ull << w->in->arch->dwarf_sp;
	if (w->in->arch->dwarf_regs[w->in->arch->dwarf_ra] == ARCH_DWARF_NONE)
		set_reg(w, w->in->arch->dwarf_ra, w->pc); /* expressions of x86 mean the pc by it */
	if (sp > w->out.top && sp - w->base <= STACK_REACH && !w->is_switched)
		w->out.top = sp;
	return w->pc ? true : end(w, UNWIND_END_WHOLE);
}

static bool by_rule(struct walk *w, const struct cached *c)
{
	const struct unwind_rule *r = c->rule;
	const struct unwind_save *saves = c->table->saves + r->saves;
	uint64_t values[UNWIND_REGS], cfa = 0, lost = 0, at = 0, ra_at = 0;
	bool has_ra = false, signal = r->flags & UNWIND_SIGNAL;
	if (r->flags & UNWIND_END)
		return end(w, UNWIND_END_WHOLE);
	if (!find_cfa(w, c, &cfa))
		return false;
	for (unsigned i = 0; i < r->saves_nr; i++) {
		at = 0;
		bool found = find_saved(w, c, &saves[i], cfa, &values[i], &at);
		if (!found && w->innermost && at && at < w->sp && knows(w, saves[i].reg)) {
			/* Below the stack pointer: already popped, which compilers do not describe before a return. */
			values[i] = w->regs[saves[i].reg];
		} else if (!found) {
			lost |= 1ull << saves[i].reg;
		}
		if (saves[i].reg == r->ra) {
			has_ra = true;
			ra_at = at;
		}
	}
	if (lost >> r->ra & 1)
		return ra_at ? end_unread(w, ra_at) : end(w, UNWIND_END_LOST);
	for (unsigned i = 0; i < r->saves_nr; i++)
		w->regs[saves[i].reg] = values[i];
	uint64_t saved = 0;
	for (unsigned i = 0; i < r->saves_nr; i++)
		saved |= 1ull << saves[i].reg;
	w->known = (w->known | saved) & ~lost;
	if ((!has_ra && !w->innermost) || !knows(w, r->ra))
		return end(w, UNWIND_END_LOST);
	uint64_t sp = saved >> w->in->arch->dwarf_sp & 1 ? w->regs[w->in->arch->dwarf_sp] : cfa;
	/* A leaf that keeps its return address in a register may have no frame at all. */
	if (signal ? ++w->signals > SIGNAL_FRAMES_MAX : sp < w->sp || (sp == w->sp && !w->innermost))
		return end(w, UNWIND_END_LOOP);
	return enter(w, w->regs[r->ra], sp, signal);
}

/* The common case: a rule that only needs words of the dump, which are all available. */
static inline bool by_plain_rule(struct walk *w, const struct cached *c)
{
	const struct unwind_rule *r = c->rule;
	const struct unwind_input *in = w->in;
	if (!(r->flags & UNWIND_PLAIN) || w->word != 8 || in->swap || !knows(w, r->reg) || r->saved >> in->arch->dwarf_sp & 1)
		return by_rule(w, c);
	uint64_t cfa = w->regs[r->reg] + (uint64_t)(int64_t)r->value;
	uint64_t first = cfa + (uint64_t)(int64_t)r->lowest - w->base, bytes = (uint64_t)((int64_t)r->highest - r->lowest) + 8;
	if (cfa <= w->sp || first > in->stack_bytes || in->stack_bytes - first < bytes)
		return by_rule(w, c);
	const struct unwind_save *saves = c->table->saves + r->saves;
	for (unsigned i = 0; i < r->saves_nr; i++)
		memcpy(&w->regs[saves[i].reg], in->stack + first + (uint64_t)((int64_t)saves[i].value - r->lowest), 8);
	w->known |= r->saved;
	return enter(w, w->regs[r->ra], cfa, false);
}

/* At program start, a frame pointer of zero marks the outermost frame (psABI, process initialization). */
static bool has_no_frame_pointer(const struct walk *w)
{
	unsigned fp = w->in->arch->dwarf_fp;
	return !w->innermost && fp != ARCH_DWARF_NONE && knows(w, fp) && !w->regs[fp];
}

static bool by_fp(struct walk *w, const struct cached *c)
{
	const struct arch *a = w->in->arch;
	uint64_t fp, pc, next;
	/* A call to an address without code: the caller is at its return address. */
	if (c->site == SITE_NOWHERE && w->innermost && a->lr == ARCH_REG_NONE) {
		if (!read_word(w, w->sp, &pc))
			return end(w, UNWIND_END_NO_TABLE);
		return enter(w, pc, w->sp + w->word, false);
	}
	if (a->dwarf_fp == ARCH_DWARF_NONE || !knows(w, a->dwarf_fp) || c->site == SITE_NOWHERE)
		return end(w, UNWIND_END_NO_TABLE);
	fp = w->regs[a->dwarf_fp];
	if (has_no_frame_pointer(w))
		return end(w, UNWIND_END_WHOLE);
	if (fp < w->sp || fp % w->word)
		return end(w, UNWIND_END_NO_TABLE);
	if (!read_word(w, fp, &next) || !read_word(w, fp + w->word, &pc))
		return end_unread(w, fp + w->word);
	w->regs[a->dwarf_fp] = next;
	return enter(w, pc, fp + 2 * w->word, false);
}

/* The kernel left the registers on the stack when it called the handler: struct sigcontext, by DWARF number. */
static bool by_sigreturn(struct walk *w)
{
	/* ucontext from sp on, its mcontext 40 bytes in: r8 to r15, di si bp bx dx ax cx sp ip. */
	static const uint16_t x86_64[] = { 144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96, 168 };
	uint64_t values[UNWIND_REGS], pc = 0;
	bool is_x86 = w->in->arch == &arch_x86_64;
	unsigned n = is_x86 ? 17 : 32;
	if (++w->signals > SIGNAL_FRAMES_MAX)
		return end(w, UNWIND_END_LOOP);
	for (unsigned i = 0; i < n; i++) {
		/* arm64: siginfo, ucontext, 8 bytes of fault address; then x0 to x30, sp, pc. */
		uint64_t at = w->sp + (is_x86 ? x86_64[i] : 312 + 8 * i);
		if (!read_word(w, at, &values[i]))
			return end_unread(w, at);
	}
	if (!is_x86 && !read_word(w, w->sp + 568, &pc))
		return end_unread(w, w->sp + 568);
	for (unsigned i = 0; i < n; i++)
		set_reg(w, i, values[i]);
	return enter(w, is_x86 ? values[16] : pc, values[w->in->arch->dwarf_sp], true);
}

static inline bool step(struct walk *w, const struct cached *c)
{
	if (c->site == SITE_SIGRETURN)
		return by_sigreturn(w);
	return c->rule->kind != UNWIND_CFA_NONE ? by_plain_rule(w, c) : by_fp(w, c);
}

static inline bool is_signal_frame(const struct cached *c)
{
	return c->site == SITE_SIGRETURN || c->rule->flags & UNWIND_SIGNAL;
}

/*
 * Whether the frame before was the outermost. A coroutine's first function returns to code that ends it, or switches to another one:
 * above that frame are data of the coroutine library (glibc's __start_context, and the address of uc_link).
 */
static inline bool is_past_outermost(const struct walk *w, const struct cached *c)
{
	return w->is_entered && !w->exact && !c->is_code;
}

/* One value for each bit of the mask, lowest first. */
static uint8_t place_in(uint64_t mask, int perf)
{
	return (uint8_t)__builtin_popcountll(mask & ((1ull << perf) - 1));
}

static void find_places(struct reg_places *p, const struct arch *a, uint64_t mask)
{
	*p = (struct reg_places){ .arch = a, .mask = mask, .pc = place_in(mask, a->pc) };
	for (unsigned i = 0; i < a->dwarf_regs_nr; i++) {
		uint8_t perf = a->dwarf_regs[i];
		if (perf == ARCH_DWARF_NONE || !(mask >> perf & 1))
			continue;
		p->regs[p->nr].reg = (uint8_t)i;
		p->regs[p->nr++].at = place_in(mask, perf);
		p->known |= 1ull << i;
	}
}

static bool begin(struct walk *w)
{
	const struct unwind_input *in = w->in;
	const struct arch *a = in->arch;
	struct reg_places *p = &w->u->places;
	w->out.end = UNWIND_END_NO_REGS;
	w->u->lacks = NULL;
	if (!a || !a->dwarf_regs || !(in->regs_mask >> a->pc & 1) || !(in->regs_mask >> a->sp & 1))
		return false;
	w->word = a->pointer_bytes;
	if (p->arch != a || p->mask != in->regs_mask)
		find_places(p, a, in->regs_mask);
	for (unsigned i = 0; i < p->nr; i++)
		w->regs[p->regs[i].reg] = in->regs[p->regs[i].at];
	w->known = p->known;
	w->pc = in->regs[p->pc];
	if (a->dwarf_regs[a->dwarf_ra] == ARCH_DWARF_NONE)
		set_reg(w, a->dwarf_ra, w->pc);
	w->sp = w->base = w->out.sp = w->out.top = w->regs[a->dwarf_sp];
	w->exact = w->innermost = !in->is_caller;
	w->is_entered = w->is_switched = w->is_guess = w->is_outermost = false;
	return true;
}

struct unwind_result unwind_walk(struct unwinder *u, const struct unwind_input *in, uint64_t *ret)
{
	struct walk w;
	w.u = u;
	w.in = in;
	w.signals = 0;
	w.out = (struct unwind_result){};
	if (!begin(&w))
		return w.out;
	for (;;) {
		if (w.out.nr == in->max) {
			w.out.end = UNWIND_END_LIMIT;
			return w.out;
		}
		const struct cached *c = look_up(&w);
		if (__builtin_expect(!c, 0)) {
			w.out.end = UNWIND_END_NO_TABLE;
			return w.out;
		}
		if (__builtin_expect(is_past_outermost(&w, c), 0)) {
			w.out.end = UNWIND_END_WHOLE;
			return w.out;
		}
		if (__builtin_expect(w.is_guess && (c->is_data || c->is_entry) && !is_signal_frame(c), 0)) {
			w.out.end = w.is_outermost ? UNWIND_END_WHOLE : UNWIND_END_NO_TABLE;
			return w.out;
		}
		/*
		 * The rule of the frame before gave a word that is not a return address: code that had switched stacks, as Go's
		 * asmcgocall when it calls C.
		 */
		if (__builtin_expect(c->is_data && !w.exact, 0)) {
			w.out.end = UNWIND_END_NO_TABLE;
			return w.out;
		}
		w.is_entered = c->is_entry;
		w.is_guess = c->rule->flags & UNWIND_ANALYSED;
		w.is_outermost = w.is_guess && has_no_frame_pointer(&w);
		ret[w.out.nr++] = w.pc - (in->call_sites && !w.exact && !c->is_entry);
		w.out.last = w.pc;
		if (!step(&w, c))
			return w.out;
	}
}

bool unwind_is_past_outermost(struct unwinder *u, const struct unwind_input *in, uint64_t before, uint64_t pc)
{
	struct walk w = { .u = u, .in = in, .pc = before };
	u->lacks = NULL;
	const struct cached *c = look_up(&w);
	w.is_entered = c && c->is_entry;
	w.pc = pc;
	c = c ? look_up(&w) : NULL;
	return c && is_past_outermost(&w, c);
}
