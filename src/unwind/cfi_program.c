/*
 * Runs the program of a function once, and stores the result as rows.
 */
#include <string.h>

#include "base/hash.h"
#include "unwind/cfi_priv.h"

/* Deeper than any compiler nests; a deeper program is damaged. */
#define REMEMBERED_MAX 16
/* Limits against hostile files; real ones have some thousands. */
#define RULES_MAX (1u << 20)
#define SAVES_MAX (1u << 23)
#define EXPRS_MAX (1u << 20)

enum {
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_MIPS_ADVANCE_LOC8 = 0x1d,
	CFA_NEGATE_RA_STATE = 0x2d, /* arm64: from here on the return address is signed, or no more */
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

enum { OP_DEREF = 0x06, OP_BREG0 = 0x70, OP_BREG31 = 0x8f };

struct run {
	struct cfi_builder *b;
	const struct cfi_section *section;
	const struct cfi_cie *cie;
	struct cursor c;
	struct cfi_state state;
	uint64_t at, start, end; /* vaddrs */
	bool changed;            /* since the last row */
	bool is_past;            /* the rest is not of this function */
	uint32_t remembered;
	/* Whole states: few programs remember any. */
	struct cfi_state *stack;
};

struct rule_key {
	const struct cfi_state *state;
	uint8_t flags, ra;
};

static inline uint64_t save_word(const struct unwind_save *s)
{
	uint64_t word;
	_Static_assert(sizeof(*s) == sizeof(word), "a save is one word");
	memcpy(&word, s, sizeof(word));
	return word;
}

static inline uint64_t save_hash(const struct unwind_save *s)
{
	return hash_mum(save_word(s) ^ 0xa0761d6478bd642full, 0xe7037ed1a0b428dbull);
}

static inline bool rule_eq(const void *table, uint32_t id, const void *key)
{
	const struct cfi_builder *b = table;
	const struct rule_key *k = key;
	const struct cfi_state *st = k->state;
	const struct unwind_rule *r = &b->rules.data[id];
	if (r->value != st->cfa_value || r->kind != st->cfa_kind || r->reg != st->cfa_reg || r->flags != k->flags ||
	    r->ra != k->ra || r->addend != st->cfa_addend)
		return false;
	const struct unwind_save *saves = r->saves_nr ? b->saves.data + r->saves : NULL;
	uint64_t left = st->known;
	for (unsigned i = 0; i < r->saves_nr; i++, left &= left - 1)
		if (!(left >> saves[i].reg & 1) || save_word(&saves[i]) != save_word(&st->regs[saves[i].reg]))
			return false;
	return !left;
}

static uint32_t add_rule(struct cfi_builder *b, const struct rule_key *k, uint64_t hash)
{
	const struct cfi_state *st = k->state;
	uint32_t id = (uint32_t)b->rules.len, n = (uint32_t)__builtin_popcountll(st->known);
	if (id >= RULES_MAX || b->saves.len + n > SAVES_MAX)
		return 0;
	struct unwind_rule rule = {
		.saves = (uint32_t)b->saves.len,
		.value = st->cfa_value,
		.saves_nr = (uint8_t)n,
		.kind = st->cfa_kind,
		.reg = st->cfa_reg,
		.flags = k->flags,
		.ra = k->ra,
		.addend = st->cfa_addend,
	};
	for (uint64_t left = st->known; left; left &= left - 1)
		vec_push(&b->saves, st->regs[__builtin_ctzll(left)]);
	vec_push(&b->rules, rule);
	idset_insert(&b->index, hash, id);
	return id;
}

/* 0 (no rule): too many. */
static uint32_t intern_rule(struct cfi_builder *b, const struct cfi_state *st, uint8_t ra, uint8_t flags)
{
	struct rule_key k = { .state = st, .flags = flags, .ra = ra };
	if (st->cfa_kind == UNWIND_CFA_NONE)
		return 0;
	if (st->known >> ra & 1 && st->regs[ra].kind == UNWIND_SAVE_UNDEFINED)
		k.flags |= UNWIND_END;
	uint64_t cfa = (uint64_t)(uint32_t)st->cfa_value << 32 | (uint32_t)st->cfa_kind << 24 | (uint32_t)st->cfa_reg << 16 |
		       (uint32_t)k.flags << 8 | k.ra;
	uint64_t hash = hash_mum(cfa ^ 0x8ebc6af09c88c6e3ull, st->hash ^ (uint32_t)st->cfa_addend ^ 0x589965cc75374cc3ull);
	uint32_t id = idset_find(&b->index, hash, rule_eq, b, &k);
	return id != IDSET_NONE ? id : add_rule(b, &k, hash);
}

uint32_t cfi_intern(struct cfi_builder *b, struct cfi_state *st, uint8_t ra, uint8_t flags)
{
	st->hash = 0;
	for (uint64_t left = st->known; left; left &= left - 1)
		st->hash ^= save_hash(&st->regs[__builtin_ctzll(left)]);
	return intern_rule(b, st, ra, flags);
}

void cfi_add_row(struct cfi_builder *b, uint64_t vaddr, uint32_t rule)
{
	uint32_t offset = (uint32_t)(vaddr - b->base);
	if (b->rows.len && vec_last(&b->rows).offset == offset)
		b->rows.len--;
	if (b->rows.len && vec_last(&b->rows).rule == rule)
		return;
	vec_push(&b->rows, ((struct cfi_row){ offset, rule }));
}

static void end_row(struct run *r)
{
	if (!r->changed)
		return;
	cfi_add_row(r->b, r->at, intern_rule(r->b, &r->state, r->cie->ra, r->cie->is_signal ? UNWIND_SIGNAL : 0));
	r->changed = false;
}

/* False: the rest is after the function, or before existing rows. */
static bool advance_to(struct run *r, uint64_t at)
{
	if (at < r->at)
		return false;
	if (at > r->at)
		end_row(r);
	r->is_past = at >= r->end;
	if (r->is_past)
		return false;
	r->at = at;
	return true;
}

static bool advance(struct run *r, uint64_t units)
{
	uint64_t bytes;
	if (__builtin_mul_overflow(units, r->cie->code_align, &bytes) || bytes > r->end - r->at)
		bytes = r->end - r->at;
	return advance_to(r, r->at + bytes);
}

static bool fits(int64_t v)
{
	return v >= INT32_MIN && v <= INT32_MAX;
}

static void take_reg(struct cfi_state *st, unsigned reg)
{
	if (!(st->known >> reg & 1))
		return;
	st->hash ^= save_hash(&st->regs[reg]);
	st->known &= ~(1ull << reg);
}

static void put_reg(struct cfi_state *st, struct unwind_save s)
{
	take_reg(st, s.reg);
	st->regs[s.reg] = s;
	st->hash ^= save_hash(&s);
	st->known |= 1ull << s.reg;
}

/* Registers beyond those that are followed may be saved anywhere: nothing depends on them. */
static bool set_reg(struct run *r, uint64_t reg, uint8_t kind, uint8_t base, int64_t value)
{
	if (!fits(value))
		return false;
	r->changed = true;
	if (reg >= UNWIND_REGS)
		return true;
	put_reg(&r->state, (struct unwind_save){ .reg = (uint8_t)reg, .kind = kind, .base = base, .value = (int32_t)value });
	return true;
}

static bool set_scaled(struct run *r, uint64_t reg, uint8_t kind, int64_t factor)
{
	int64_t value;
	return !__builtin_mul_overflow(factor, r->cie->data_align, &value) && set_reg(r, reg, kind, 0, value);
}

static void forget_reg(struct run *r, uint64_t reg)
{
	r->changed = true;
	if (reg < UNWIND_REGS)
		take_reg(&r->state, (unsigned)reg);
}

/* Restores the rule of the CIE. */
static void restore_reg(struct run *r, uint64_t reg)
{
	const struct cfi_state *from = &r->b->initial;
	forget_reg(r, reg);
	if (reg < UNWIND_REGS && r->b->cie == r->cie && from->known >> reg & 1)
		put_reg(&r->state, from->regs[reg]);
}

static bool set_cfa(struct run *r, uint64_t reg, int64_t value)
{
	if (reg >= UNWIND_REGS || !fits(value))
		return false;
	r->state.cfa_kind = UNWIND_CFA_REG;
	r->state.cfa_reg = (uint8_t)reg;
	r->state.cfa_value = (int32_t)value;
	r->changed = true;
	return true;
}

static bool set_cfa_scaled(struct run *r, uint64_t reg, int64_t factor)
{
	int64_t value;
	return !__builtin_mul_overflow(factor, r->cie->data_align, &value) && set_cfa(r, reg, value);
}

static bool add_expr(struct run *r, struct cursor e, int64_t *ret)
{
	if (r->b->exprs.len >= EXPRS_MAX || cursor_left(&e) > UINT32_MAX)
		return false;
	/* Functions that share an expression mostly follow one another. */
	const struct unwind_expr *last = r->b->exprs.len ? &vec_last(&r->b->exprs) : NULL;
	*ret = (int64_t)r->b->exprs.len;
	if (last && last->n == cursor_left(&e) && !memcmp(last->bytes, e.at, last->n))
		(*ret)--;
	else
		vec_push(&r->b->exprs, ((struct unwind_expr){ e.at, (uint32_t)cursor_left(&e) }));
	return true;
}

/* "register + offset" alone. */
static bool is_breg(struct cursor *e, uint8_t *ret_reg, int64_t *ret_offset)
{
	uint8_t op = cursor_u8(e);
	if (op < OP_BREG0 || op > OP_BREG31)
		return false;
	*ret_reg = (uint8_t)(op - OP_BREG0);
	*ret_offset = cursor_sleb(e);
	return !e->bad && fits(*ret_offset);
}

/* sp + 8 + (((pc & 15) >= N) << 3): what linkers write for .plt. N is 11, or 10 where stubs begin with endbr64. */
static bool is_plt(struct cursor e, int64_t *ret)
{
	static const uint8_t head[] = { 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a }, tail[] = { 0x2a, 0x33, 0x24, 0x22 };
	if (cursor_left(&e) != sizeof(head) + 1 + sizeof(tail) || memcmp(e.at, head, sizeof(head)) ||
	    memcmp(e.at + sizeof(head) + 1, tail, sizeof(tail)))
		return false;
	*ret = e.at[sizeof(head)] - 0x30;
	return *ret >= 0 && *ret < 16;
}

static bool set_cfa_expr(struct run *r)
{
	uint64_t n = cursor_uleb(&r->c);
	struct cursor e = cursor_sub(&r->c, (size_t)n), rest = e;
	uint8_t reg = 0;
	int64_t value = 0;
	if (r->c.bad)
		return false;
	r->changed = true;
	if (is_breg(&rest, &reg, &value) && !cursor_left(&rest)) {
		r->state.cfa_kind = UNWIND_CFA_REG;
	} else if (!rest.bad && cursor_left(&rest) == 1 && *rest.at == OP_DEREF) {
		r->state.cfa_kind = UNWIND_CFA_DEREF;
	} else if (is_plt(e, &value)) {
		r->state.cfa_kind = UNWIND_CFA_PLT;
		reg = 7;
	} else {
		reg = 0;
		r->state.cfa_kind = UNWIND_CFA_EXPR;
		if (!add_expr(r, e, &value))
			return false;
	}
	r->state.cfa_reg = reg;
	r->state.cfa_value = (int32_t)value;
	return true;
}

static bool set_reg_expr(struct run *r, bool is_value)
{
	uint64_t reg = cursor_uleb(&r->c), n = cursor_uleb(&r->c);
	struct cursor e = cursor_sub(&r->c, (size_t)n), rest = e;
	uint8_t base;
	int64_t value;
	if (r->c.bad)
		return false;
	if (!is_value && is_breg(&rest, &base, &value) && !cursor_left(&rest))
		return set_reg(r, reg, UNWIND_SAVE_AT, base, value);
	return add_expr(r, e, &value) && set_reg(r, reg, is_value ? UNWIND_SAVE_VALUE_EXPR : UNWIND_SAVE_EXPR, 0, value);
}

static void copy_state(struct cfi_state *to, const struct cfi_state *from)
{
	memcpy(to, from, offsetof(struct cfi_state, regs));
	for (uint64_t left = from->known; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		to->regs[i] = from->regs[i];
	}
}

static bool restore_state(struct run *r)
{
	if (!r->remembered)
		return false;
	copy_state(&r->state, &r->stack[--r->remembered]);
	r->changed = true;
	return true;
}

static bool remember_state(struct run *r)
{
	if (r->remembered == REMEMBERED_MAX)
		return false;
	copy_state(&r->stack[r->remembered++], &r->state);
	return true;
}

static inline uint64_t uleb(struct cursor *c)
{
	if (__builtin_expect(c->at < c->end && *c->at < 0x80, 1))
		return *c->at++;
	return cursor_uleb(c);
}

static bool set_loc(struct run *r)
{
	uint64_t to;
	return cfi_pointer(r->section, &r->c, r->cie->encoding, r->start, &to) && advance_to(r, to);
}

/* False ends the program: it is damaged, or the rest is outside of the function. */
/* Instructions for the CFA; false: another instruction. */
static bool step_cfa(struct run *r, uint8_t op)
{
	struct cursor *c = &r->c;
	bool by_reg = r->state.cfa_kind == UNWIND_CFA_REG;
	uint64_t reg;
	switch (op) {
	case CFA_DEF_CFA:
		reg = uleb(c);
		return set_cfa(r, reg, (int64_t)uleb(c));
	case CFA_DEF_CFA_SF:
		reg = uleb(c);
		return set_cfa_scaled(r, reg, cursor_sleb(c));
	case CFA_DEF_CFA_REGISTER:
		return by_reg && set_cfa(r, uleb(c), r->state.cfa_value);
	case CFA_DEF_CFA_OFFSET:
		return by_reg && set_cfa(r, r->state.cfa_reg, (int64_t)uleb(c));
	case CFA_DEF_CFA_OFFSET_SF:
		return by_reg && set_cfa_scaled(r, r->state.cfa_reg, cursor_sleb(c));
	case CFA_DEF_CFA_EXPRESSION:
		return set_cfa_expr(r);
	default:
		return false;
	}
}

/* Where a register of the caller is. */
static bool step_register(struct run *r, uint8_t op)
{
	struct cursor *c = &r->c;
	uint64_t reg, from;
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		reg = uleb(c);
		return set_scaled(r, reg, UNWIND_SAVE_OFFSET, (int64_t)uleb(c));
	case CFA_OFFSET_EXTENDED_SF:
		reg = uleb(c);
		return set_scaled(r, reg, UNWIND_SAVE_OFFSET, cursor_sleb(c));
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		reg = uleb(c);
		return set_scaled(r, reg, UNWIND_SAVE_OFFSET, -(int64_t)(uleb(c) & INT64_MAX));
	case CFA_VAL_OFFSET:
		reg = uleb(c);
		return set_scaled(r, reg, UNWIND_SAVE_CFA, (int64_t)uleb(c));
	case CFA_VAL_OFFSET_SF:
		reg = uleb(c);
		return set_scaled(r, reg, UNWIND_SAVE_CFA, cursor_sleb(c));
	case CFA_RESTORE_EXTENDED:
		restore_reg(r, uleb(c));
		return true;
	case CFA_UNDEFINED:
		return set_reg(r, uleb(c), UNWIND_SAVE_UNDEFINED, 0, 0);
	case CFA_SAME_VALUE:
		forget_reg(r, uleb(c));
		return true;
	case CFA_REGISTER:
		reg = uleb(c);
		from = uleb(c);
		return from < UNWIND_REGS && set_reg(r, reg, UNWIND_SAVE_REG, (uint8_t)from, 0);
	case CFA_EXPRESSION:
		return set_reg_expr(r, false);
	case CFA_VAL_EXPRESSION:
		return set_reg_expr(r, true);
	default:
		return step_cfa(r, op);
	}
}

/* What is not packed into its first byte with an operand. */
static bool step_extended(struct run *r, uint8_t op)
{
	struct cursor *c = &r->c;
	switch (op) {
	case 0: /* padding */
		return true;
	case CFA_SET_LOC:
		return set_loc(r);
	case CFA_ADVANCE_LOC1:
		return advance(r, cursor_u8(c));
	case CFA_ADVANCE_LOC2:
		return advance(r, cursor_u16(c));
	case CFA_ADVANCE_LOC4:
		return advance(r, cursor_u32(c));
	case CFA_MIPS_ADVANCE_LOC8:
		return advance(r, cursor_u64(c));
	case CFA_REMEMBER_STATE:
		return remember_state(r);
	case CFA_RESTORE_STATE:
		return restore_state(r);
	case CFA_NEGATE_RA_STATE:
		return true;
	case CFA_GNU_ARGS_SIZE:
		(void)uleb(c);
		return true;
	default:
		return step_register(r, op);
	}
}

static bool step(struct run *r)
{
	uint8_t op = cursor_u8(&r->c), low = op & 0x3f;
	switch (op >> 6) {
	case 1:
		return advance(r, low);
	case 2:
		return set_scaled(r, low, UNWIND_SAVE_OFFSET, (int64_t)uleb(&r->c));
	case 3:
		restore_reg(r, low);
		return true;
	default:
		return step_extended(r, op);
	}
}

/* True at the normal end of the program. */
static bool run_program(struct run *r, const uint8_t *program, size_t n)
{
	r->c = cursor_make(program, n, r->section->swap);
	r->c.start = r->section->frames.bytes;
	while (cursor_left(&r->c))
		if (!step(r) || r->c.bad)
			return false;
	return true;
}

static void run_cie(struct cfi_builder *b, struct run *r)
{
	b->cie = NULL;
	r->state.known = r->state.hash = 0;
	r->state.cfa_kind = UNWIND_CFA_NONE;
	r->state.cfa_addend = 0;
	/* An advance in a CIE is meaningless: permits none. */
	uint64_t end = r->end;
	r->end = r->at;
	if (!run_program(r, r->cie->program, r->cie->program_bytes))
		r->state.cfa_kind = UNWIND_CFA_NONE;
	r->end = end;
	r->remembered = 0;
	r->is_past = false;
	copy_state(&b->initial, &r->state);
	b->cie = r->cie;
}

void cfi_run(struct cfi_builder *b, const struct cfi_section *s, const struct cfi_fde *f, uint64_t end)
{
	struct cfi_state remembered[REMEMBERED_MAX];
	struct run r;
	r.b = b;
	r.section = s;
	r.cie = &s->cies.data[f->cie];
	r.at = r.start = f->start;
	r.end = end;
	r.remembered = 0;
	r.is_past = r.changed = false;
	r.stack = remembered;
	if (b->cie == r.cie)
		copy_state(&r.state, &b->initial);
	else
		run_cie(b, &r);
	r.changed = true;
	if (run_program(&r, f->program, f->program_bytes)) {
		end_row(&r);
		return;
	}
	/* A failed step inside of the function: the rest has no rule. */
	if (!r.is_past)
		cfi_add_row(b, r.at, 0);
}
