#include "unwind/bare_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/idset.h"
#include "base/mem.h"
#include "unwind/go_code.h"
#include "unwind/x86_step.h"

/* Of ELF files: the System V ABI, chapter 4. */
enum {
	SECTION_PROGBITS = 1, SECTION_SYMTAB = 2, SECTION_DYNSYM = 11,
	SECTION_ALLOC = 2, SECTION_CODE = 4,
	SECTIONS_RESERVED = 0xff00,
	SYMBOL_NOTYPE = 0, SYMBOL_FUNC = 2, SYMBOL_IFUNC = 10, SYMBOL_GLOBAL = 1,
	TYPE_RELOCATABLE = 1,
};

#define NONE    UINT32_MAX
#define UNKNOWN UINT16_MAX
/* Objects with more code without tables are not analysed: their frame pointers are followed. */
#define CODE_BYTES_MAX ((size_t)8 << 20)
/* Maximum length of padding between two functions. */
#define RANGE_BYTES_MIN 16
#define DEPTH_MAX	(1 << 24)
#define INFERRED_STEPS	500
#define HELPER_INSNS_MAX 300
#define STUB_BYTES	16
#define STUB_PUSHED	11 /* from this byte of a .plt stub on, its index is on the stack */
/* Which functions keep for their callers: rbx, rbp, r12 to r15; ebx, ebp, esi, edi. */
static const struct abi {
	int32_t word; /* bytes of an address */
	uint16_t kept;
} abi_64bit = { 8, 1u << X86_RBX | 1u << X86_RBP | 0xf000u },
  abi_32bit = { 4, 1u << X86_RBX | 1u << X86_RBP | 1u << X86_RSI | 1u << X86_RDI };

/* The state of a frame at an instruction. */
struct state {
	bool has_depth, has_base, has_slot, is_32bit;
	int32_t depth;            /* CFA - the stack pointer */
	int32_t base;             /* the stack pointer when it was aligned - the stack pointer */
	int32_t slot, slot_value; /* CFA - slot_value lies at slot from the aligned one */
	uint16_t held, saved;     /* registers, by bit */
	uint16_t intact, unused_too; /* registers with their values at the function's first instruction */
	int32_t held_at[BARE_REGS];  /* CFA - what the register holds */
	int32_t saved_at[BARE_REGS]; /* from the CFA: where that value lies */
};

static const struct abi *abi_of(const struct state *st)
{
	return st->is_32bit ? &abi_32bit : &abi_64bit;
}

struct insn {
	uint32_t offset;
	uint32_t target; /* index of an instruction; NONE */
	uint32_t state;  /* NONE: not reached */
	uint32_t owner;  /* the function from which it was first reached */
	int32_t value;
	uint16_t written, lost; /* lost: by a call */
	uint16_t changed;       /* registers changed registers changed by the helper that begins here; UNKNOWN */
	uint8_t bytes, flow, effect, reg;
	bool is_padding, is_start, is_branched_to, leaves; /* leaves: it has a target, which is elsewhere */
};

struct way {
	uint32_t at, state;
};

struct scan {
	struct bare_code *to;
	const struct abi *abi;
	const uint8_t *code;
	size_t bytes;
	uint64_t vaddr;
	VEC(struct insn) insns;
	VEC(struct state) states;
	VEC(bool) is_bad;    /* by function */
	VEC(uint32_t) begins; /* its first instruction */
	VEC(uint32_t) switches; /* its state at an indirect jump, with a frame; NONE */
	VEC(struct way) ways; /* still to be followed */
	struct idset index;
};

void bare_code_deinit(struct bare_code *b)
{
	vec_deinit(&b->rows);
	vec_deinit(&b->functions);
	vec_deinit(&b->starts);
}

/* ---- instructions ---- */

static bool is_after(const struct insn *i)
{
	return i->flow == X86_JUMP || i->flow == X86_RETURN || i->flow == X86_STOP;
}

/* Decodes up to the next known function start: an instruction that extends beyond it is invalid. */
static size_t next_start(const struct scan *s, uint64_t at)
{
	size_t i = vec_search(&s->to->starts, start, *start <= at);
	uint64_t next = i < s->to->starts.len ? s->to->starts.data[i] - s->vaddr : s->bytes;
	return next < s->bytes ? (size_t)next : s->bytes;
}

static void decode_all(struct scan *s)
{
	size_t at = 0, limit = 0;
	struct x86_step step;
	while (at < s->bytes) {
		if (at >= limit)
			limit = next_start(s, s->vaddr + at);
		/* Zeros would be a useless addition: they are padding. */
		bool is_zeros = limit - at >= 2 && !s->code[at] && !s->code[at + 1];
		bool is_known = !is_zeros && x86_step_decode(s->code + at, limit - at, s->vaddr + at, s->to->is_32bit, &step);
		if (!is_known) { /* data: functions begin at multiples of 16 */
			size_t n = 16 - (s->vaddr + at) % 16;
			step = (struct x86_step){ .flow = X86_STOP, .is_padding = true };
			step.bytes = (uint8_t)(n < limit - at ? n : limit - at);
		}
		struct insn i = {
			.offset = (uint32_t)at, .target = NONE, .state = NONE, .value = step.value,
			.written = step.written, .changed = UNKNOWN, .bytes = step.bytes, .flow = step.flow,
			.effect = step.effect, .reg = step.reg, .is_padding = step.is_padding,
		};
		if (step.target) {
			i.leaves = step.target - s->vaddr >= s->bytes;
			i.target = i.leaves ? NONE : (uint32_t)(step.target - s->vaddr);
		}
		vec_push(&s->insns, i);
		at += step.bytes;
	}
}

static uint32_t index_at(const struct scan *s, uint64_t offset)
{
	size_t i = vec_search(&s->insns, insn, insn->offset < offset);
	return i < s->insns.len && s->insns.data[i].offset == offset ? (uint32_t)i : NONE;
}

/* Converts targets to indexes; those inside of an instruction are invalid. */
static void connect(struct scan *s)
{
	for (size_t i = 0; i < s->insns.len; i++) {
		struct insn *from = &s->insns.data[i];
		if (from->target == NONE)
			continue;
		from->target = index_at(s, from->target);
		from->leaves |= from->target == NONE;
		if (from->target == NONE)
			continue;
		struct insn *to = &s->insns.data[from->target];
		to->is_start |= from->flow == X86_CALL && from->target != i + 1;
		to->is_branched_to |= from->flow == X86_BRANCH || (from->flow == X86_JUMP && from->target > i);
	}
	for (size_t i = vec_search(&s->to->starts, start, *start < s->vaddr);
	     i < s->to->starts.len && s->to->starts.data[i] - s->vaddr < s->bytes; i++) {
		uint32_t at = index_at(s, s->to->starts.data[i] - s->vaddr);
		if (at != NONE)
			s->insns.data[at].is_start = true;
	}
}

/*
 * Registers that a function of the same code may change: helpers of hand-written code have their own conventions, and may preserve
 * call-clobbered registers. All, if it is not simple.
 */
static uint16_t find_changed(const struct scan *s, uint32_t at)
{
	uint16_t changed = 0;
	for (uint32_t n = 0; at < s->insns.len && n < HELPER_INSNS_MAX; n++, at++) {
		const struct insn *i = &s->insns.data[at];
		changed |= i->written | (i->effect == X86_POP || i->effect == X86_SP_TO ? (uint16_t)(1u << (i->reg & 15)) : 0);
		if (i->flow == X86_RETURN)
			return changed;
		bool is_loop = i->target != NONE && i->target <= at;
		if (i->flow != X86_NEXT && !(i->flow == X86_BRANCH && is_loop))
			break;
	}
	return (uint16_t)~s->abi->kept;
}

static uint16_t changed_by(struct scan *s, uint32_t at)
{
	struct insn *i = &s->insns.data[at];
	if (i->changed == UNKNOWN)
		i->changed = find_changed(s, at) & (uint16_t)~s->abi->kept;
	return i->changed;
}

static void find_lost(struct scan *s)
{
	for (size_t i = 0; i < s->insns.len; i++) {
		struct insn *call = &s->insns.data[i];
		if (call->flow == X86_CALL)
			call->lost = call->target == NONE ? (uint16_t)~s->abi->kept : changed_by(s, call->target);
	}
}

/* ---- states ---- */

static bool state_eq(const void *table, uint32_t id, const void *key)
{
	const struct scan *s = table;
	return !memcmp(&s->states.data[id], key, sizeof(struct state));
}

static uint32_t intern(struct scan *s, const struct state *st)
{
	uint64_t hash = hash_bytes(st, sizeof(*st));
	uint32_t id = idset_find(&s->index, hash, state_eq, s, st);
	if (id != IDSET_NONE)
		return id;
	id = (uint32_t)s->states.len;
	vec_push(&s->states, *st);
	idset_insert(&s->index, hash, id);
	return id;
}

static void forget(uint16_t *set, int32_t *values, uint32_t regs)
{
	for (uint32_t left = *set & regs; left; left &= left - 1)
		values[__builtin_ctz(left)] = 0;
	*set &= (uint16_t)~regs;
}

static void lose_base(struct state *st)
{
	st->has_base = st->has_slot = false;
	st->base = st->slot = st->slot_value = 0;
}

static void lose_sp(struct state *st)
{
	st->has_depth = false;
	st->depth = 0;
	lose_base(st);
}

static void set_depth(struct state *st, int64_t depth)
{
	lose_sp(st);
	st->has_depth = depth >= abi_of(st)->word && depth < DEPTH_MAX;
	st->depth = st->has_depth ? (int32_t)depth : 0;
}

static void move_sp(struct state *st, int32_t by)
{
	int64_t base = (int64_t)st->base - by;
	if (st->has_depth)
		set_depth(st, (int64_t)st->depth - by);
	else if (st->has_base && base >= -DEPTH_MAX && base < DEPTH_MAX)
		st->base = (int32_t)base;
	else
		lose_base(st);
}

/* A register's first value is put at rsp + value. */
static void store(struct state *st, unsigned reg, int32_t value)
{
	uint16_t bit = (uint16_t)(1u << (reg & 15));
	int64_t from_base = (int64_t)value - st->base, from_cfa = (int64_t)value - st->depth;
	if (reg >= BARE_REGS)
		return;
	if (st->has_base && st->held & bit && from_base == (int32_t)from_base) {
		st->has_slot = true;
		st->slot = (int32_t)from_base;
		st->slot_value = st->held_at[reg];
	} else if (st->has_depth && abi_of(st)->kept & bit && st->intact & bit && !(st->saved & bit) && from_cfa < 0 &&
		   from_cfa >= -DEPTH_MAX) {
		st->saved |= bit;
		st->saved_at[reg] = (int32_t)from_cfa;
	}
}

static void pop(struct state *st, unsigned reg)
{
	bool is_known = st->has_depth && reg < BARE_REGS && st->saved >> reg & 1 && st->saved_at[reg] == -st->depth;
	move_sp(st, abi_of(st)->word);
	if (reg >= BARE_REGS)
		return;
	forget(&st->held, st->held_at, 1u << reg);
	st->intact &= (uint16_t)~(1u << reg);
	if (is_known) {
		forget(&st->saved, st->saved_at, 1u << reg);
		st->intact |= (uint16_t)(1u << reg);
	}
}

static void take_sp_from(struct state *st, unsigned reg, int32_t value)
{
	if (reg < BARE_REGS && st->held >> reg & 1)
		set_depth(st, (int64_t)st->held_at[reg] - value);
	else
		lose_sp(st);
}

static void give_sp_to(struct state *st, unsigned reg, int32_t value)
{
	forget(&st->held, st->held_at, 1u << reg);
	st->intact &= (uint16_t)~(1u << reg);
	int64_t at = (int64_t)st->depth - value;
	if (!st->has_depth || at < -DEPTH_MAX || at > DEPTH_MAX)
		return;
	st->held |= (uint16_t)(1u << reg);
	st->held_at[reg] = (int32_t)at;
}

static void align(struct state *st)
{
	bool was_known = st->has_depth;
	lose_sp(st);
	st->has_base = was_known;
}

static void load_sp(struct state *st, int32_t value)
{
	if (st->has_slot && (int64_t)value - st->base == st->slot)
		set_depth(st, st->slot_value);
	else
		lose_sp(st);
}

static void apply(struct state *st, const struct insn *i)
{
	switch ((enum x86_effect)i->effect) {
	case X86_PUSH:
		move_sp(st, -abi_of(st)->word);
		store(st, i->reg, 0);
		break;
	case X86_POP:
		pop(st, i->reg);
		break;
	case X86_ADD:
		move_sp(st, i->value);
		break;
	case X86_ALIGN:
		align(st);
		break;
	case X86_SP_FROM:
		take_sp_from(st, i->reg, i->value);
		break;
	case X86_SP_LOAD:
		load_sp(st, i->value);
		break;
	case X86_SP_TO:
		give_sp_to(st, i->reg & 15, i->value);
		break;
	case X86_STORE:
		store(st, i->reg, i->value);
		break;
	case X86_LEAVE:
		take_sp_from(st, X86_RBP, 0);
		pop(st, X86_RBP);
		break;
	case X86_SP_UNKNOWN:
		lose_sp(st);
		break;
	case X86_NONE:
		break;
	}
	uint32_t lost = i->flow == X86_CALL ? i->lost : i->written;
	forget(&st->held, st->held_at, lost);
	st->intact &= (uint16_t)~lost;
}

static uint32_t after(struct scan *s, uint32_t state, const struct insn *i)
{
	struct state st = s->states.data[state];
	if (!i->effect && i->flow != X86_CALL && !(i->written & (st.held | st.intact)))
		return state;
	apply(&st, i);
	return intern(s, &st);
}

static uint16_t same_values(uint16_t a, uint16_t b, const int32_t *of_a, const int32_t *of_b)
{
	uint16_t same = a & b;
	for (uint32_t left = same; left; left &= left - 1)
		if (of_a[__builtin_ctz(left)] != of_b[__builtin_ctz(left)])
			same &= (uint16_t)~(1u << __builtin_ctz(left));
	return same;
}

/* The common state of two paths; NONE: they differ. */
static uint32_t meet(struct scan *s, uint32_t a, uint32_t b)
{
	if (a == b)
		return a;
	struct state st = s->states.data[a];
	const struct state *other = &s->states.data[b];
	if (st.has_depth && other->has_depth && st.depth != other->depth)
		return NONE;
	if (!other->has_depth && st.has_depth)
		set_depth(&st, 0);
	if (!other->has_base || st.base != other->base)
		lose_base(&st);
	if (!other->has_slot || st.slot != other->slot || st.slot_value != other->slot_value) {
		st.has_slot = false;
		st.slot = st.slot_value = 0;
	}
	forget(&st.held, st.held_at, (uint16_t)~same_values(st.held, other->held, st.held_at, other->held_at));
	forget(&st.saved, st.saved_at, (uint16_t)~same_values(st.saved, other->saved, st.saved_at, other->saved_at));
	st.intact &= other->intact;
	return intern(s, &st);
}

/* ---- ways through a function ---- */

static void spoil(struct scan *s, uint32_t function)
{
	s->is_bad.data[function] = true;
}

/* At an exit of a function the stack pointer must have its initial value. */
static void check_left(struct scan *s, uint32_t state, uint32_t function)
{
	const struct state *st = &s->states.data[state];
	if ((!st->has_depth || st->depth != s->abi->word) && !s->to->leaves_anyhow)
		spoil(s, function);
}

/* Many functions end with a call that does not return. */
static bool begins_after(const struct scan *s, uint32_t at)
{
	while (at < s->insns.len && s->insns.data[at].is_padding && !s->insns.data[at].is_start)
		at++;
	return at == s->insns.len || s->insns.data[at].is_start;
}

/* The necessary depth at an instruction, by the end of the path from there; 0: unknown. */
static int64_t inferred_depth(const struct scan *s, uint32_t at)
{
	int64_t moved = 0;
	for (unsigned n = 0; at < s->insns.len && n < INFERRED_STEPS; n++) {
		const struct insn *i = &s->insns.data[at];
		if (i->state != NONE) {
			const struct state *st = &s->states.data[i->state];
			return st->has_depth && st->depth + moved > 0 ? st->depth + moved : 0;
		}
		if (i->effect == X86_PUSH || i->effect == X86_POP || i->effect == X86_ADD)
			moved += i->effect == X86_ADD ? i->value : i->effect == X86_POP ? s->abi->word : -s->abi->word;
		else if (i->effect != X86_NONE && i->effect != X86_SP_TO && i->effect != X86_STORE)
			return 0;
		if (i->flow == X86_RETURN)
			return s->abi->word + moved > 0 ? s->abi->word + moved : 0;
		if (i->flow == X86_STOP || (i->flow == X86_JUMP && i->target == NONE) || (i->flow == X86_CALL && begins_after(s, at + 1)))
			return 0;
		at = i->flow == X86_JUMP ? i->target : at + 1;
	}
	return 0;
}

/*
 * Whether another function follows a call, which then does not return, such as that of __stack_chk_fail(): there is padding, and the
 * depth differs.
 */
static bool ends_before(const struct scan *s, uint32_t at, uint32_t state)
{
	if (begins_after(s, at))
		return true;
	const struct state *st = &s->states.data[state];
	bool has_padding = s->insns.data[at].is_padding;
	while (s->insns.data[at].is_padding && at + 1 < s->insns.len)
		at++;
	if ((!has_padding && (s->vaddr + s->insns.data[at].offset) % 16) || !st->has_depth)
		return false;
	const struct insn *i = &s->insns.data[at];
	bool is_thunk = has_padding && i->flow == X86_JUMP && i->target == NONE && !i->leaves;
	return st->depth != s->abi->word && (is_thunk || inferred_depth(s, at) == s->abi->word);
}

/* The target of a jump within the function, or NONE: another function, at which the stack pointer must have its initial value. */
static uint32_t jump(struct scan *s, const struct insn *i, uint32_t state, uint32_t function)
{
	bool is_inside = i->target != NONE && !s->insns.data[i->target].is_start;
	if (!is_inside && (i->leaves || i->target != NONE))
		check_left(s, state, function);
	else if (!is_inside && s->states.data[state].depth != s->abi->word)
		s->switches.data[function] = state;
	return is_inside ? i->target : NONE;
}

/* The next instruction, or NONE. Other paths are queued. */
static uint32_t go_on(struct scan *s, uint32_t at, uint32_t state, uint32_t function)
{
	const struct insn *i = &s->insns.data[at];
	uint32_t other;
	switch ((enum x86_flow)i->flow) {
	case X86_RETURN:
		check_left(s, state, function);
		return NONE;
	case X86_STOP:
		return NONE;
	case X86_JUMP:
		return jump(s, i, state, function);
	case X86_CALL:
		return ends_before(s, at + 1, state) ? NONE : at + 1;
	case X86_BRANCH:
		other = jump(s, i, state, function);
		if (other != NONE)
			vec_push(&s->ways, ((struct way){ other, state }));
		break;
	case X86_NEXT:
		break;
	}
	if (at + 1 < s->insns.len && !i[1].is_start)
		return at + 1;
	check_left(s, state, function);
	return NONE;
}

static void follow(struct scan *s, uint32_t at, uint32_t state, uint32_t function)
{
	vec_push(&s->ways, ((struct way){ at, state }));
	while (s->ways.len) {
		struct way way = vec_last(&s->ways);
		s->ways.len--;
		while (way.at != NONE) {
			struct insn *i = &s->insns.data[way.at];
			uint32_t known = i->state;
			if (known != NONE)
				way.state = meet(s, known, way.state);
			else
				i->owner = function;
			if (way.state == NONE) {
				spoil(s, function);
				spoil(s, i->owner);
				break;
			}
			if (way.state == known)
				break;
			i->state = way.state;
			way.state = after(s, way.state, i);
			way.at = go_on(s, way.at, way.state, function);
		}
	}
}

static void begin_function(struct scan *s, uint32_t at)
{
	struct state st = { .has_depth = true, .is_32bit = s->to->is_32bit, .depth = s->abi->word, .intact = 0xffff };
	uint32_t function = (uint32_t)s->is_bad.len;
	vec_push(&s->is_bad, false);
	vec_push(&s->begins, at);
	vec_push(&s->switches, NONE);
	follow(s, at, intern(s, &st), function);
}

/* ---- code that no way leads to ---- */

/* The nearest earlier instruction of a known function with that depth. */
static uint32_t like_before(const struct scan *s, uint32_t at, int64_t depth)
{
	for (uint32_t n = 0, i = at; i-- > 0 && n < INFERRED_STEPS; n++) {
		uint32_t state = s->insns.data[i].state;
		if (state != NONE && s->states.data[state].has_depth && s->states.data[state].depth == depth)
			return i;
	}
	return NONE;
}

/* The state of a switch whose case may begin here, and its function. */
static uint32_t switch_before(const struct scan *s, uint32_t at, int64_t depth, uint32_t *ret_function)
{
	uint32_t i = at;
	while (i > 0 && s->insns.data[i - 1].state == NONE)
		if (s->insns.data[--i].is_start)
			return NONE;
	if (!i)
		return NONE;
	*ret_function = s->insns.data[i - 1].owner;
	uint32_t state = s->switches.data[*ret_function];
	return state != NONE && (!depth || depth == s->states.data[state].depth) ? state : NONE;
}

/* A case of a switch, the rest of a function after a call that does not return, or a function. */
static void begin_unreached(struct scan *s, uint32_t at)
{
	const struct insn *i = &s->insns.data[at];
	int64_t depth = inferred_depth(s, at);
	uint32_t function, state = switch_before(s, at, depth, &function);
	if (state != NONE) {
		follow(s, at, state, function);
	} else if (depth == s->abi->word || (!depth && !i->is_branched_to)) {
		begin_function(s, at);
	} else if (depth) {
		uint32_t like = like_before(s, at, depth);
		if (like != NONE)
			follow(s, at, s->insns.data[like].state, s->insns.data[like].owner);
	}
}

static void find_functions(struct scan *s)
{
	for (uint32_t i = 0; i < s->insns.len; i++)
		if (s->insns.data[i].is_start && s->insns.data[i].state == NONE)
			begin_function(s, i);
	for (uint32_t i = 0; i < s->insns.len; i++) {
		const struct insn *insn = &s->insns.data[i];
		bool may_begin = !i || is_after(insn - 1) || insn[-1].state == NONE || insn[-1].flow == X86_CALL;
		if (insn->state == NONE && !insn->is_padding && may_begin)
			begin_unreached(s, i);
	}
}

/* ---- what is known in the end ---- */

static struct bare_row row_of(const struct state *st)
{
	struct bare_row row = { .cfa = BARE_REG, .reg = X86_RSP, .value = st->depth, .saved = st->saved };
	memcpy(row.saved_at, st->saved_at, sizeof(row.saved_at));
	if (st->has_depth)
		return row;
	uint32_t kept = st->held & abi_of(st)->kept, held = kept ? kept : st->held;
	if (held) {
		row.reg = held >> X86_RBP & 1 ? X86_RBP : (uint8_t)__builtin_ctz(held);
		row.value = st->held_at[row.reg];
	} else if (st->has_slot) {
		row.cfa = BARE_DEREF;
		row.value = st->base + st->slot;
		row.addend = st->slot_value;
	} else {
		return (struct bare_row){};
	}
	return row;
}

static void give_rows(struct scan *s)
{
	struct bare_row before = {};
	uint32_t state = NONE;
	for (size_t i = 0; i <= s->insns.len; i++) {
		const struct insn *insn = i < s->insns.len ? &s->insns.data[i] : NULL;
		uint32_t now = insn && insn->state != NONE && !s->is_bad.data[insn->owner] ? insn->state : NONE;
		if (now == state)
			continue;
		state = now;
		struct bare_row row = now == NONE ? (struct bare_row){} : row_of(&s->states.data[now]);
		row.vaddr = before.vaddr;
		if (!memcmp(&row, &before, sizeof(row)))
			continue;
		row.vaddr = s->vaddr + (insn ? insn->offset : s->bytes);
		vec_push(&s->to->rows, row);
		before = row;
	}
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Each ends at the start of the next, without padding. */
static void give_functions(struct scan *s)
{
	if (s->begins.len)
		qsort(s->begins.data, s->begins.len, sizeof(*s->begins.data), by_value);
	for (size_t i = 0; i < s->begins.len; i++) {
		uint32_t first = s->begins.data[i], last = i + 1 < s->begins.len ? s->begins.data[i + 1] : (uint32_t)s->insns.len;
		while (last > first + 1 && s->insns.data[last - 1].is_padding && s->insns.data[last - 1].state == NONE)
			last--;
		const struct insn *end = &s->insns.data[last - 1];
		uint64_t start = s->vaddr + s->insns.data[first].offset;
		vec_push(&s->to->functions, ((struct unwind_function){ start, s->vaddr + end->offset + end->bytes }));
	}
}

void bare_code_analyse(struct bare_code *b, const uint8_t *code, size_t n, uint64_t vaddr)
{
	struct scan s = { .to = b, .abi = b->is_32bit ? &abi_32bit : &abi_64bit, .code = code, .bytes = n, .vaddr = vaddr };
	decode_all(&s);
	connect(&s);
	find_lost(&s);
	find_functions(&s);
	give_rows(&s);
	give_functions(&s);
	vec_deinit(&s.insns);
	vec_deinit(&s.states);
	vec_deinit(&s.is_bad);
	vec_deinit(&s.begins);
	vec_deinit(&s.switches);
	vec_deinit(&s.ways);
	idset_deinit(&s.index);
}

/* ---- objects ---- */

bool bare_code_is_known(const struct object *o)
{
	const struct object_header *h = object_header(o);
	uint64_t start, end;
	bool is_go = go_code_is_in(o) && !go_code_find(o, &start, &end);
	bool is_x86 = h->is_64bit ? h->arch == &arch_x86_64 : h->arch == &arch_i386;
	return is_x86 && h->type != TYPE_RELOCATABLE && !is_go;
}

static void add_symbols(struct bare_code *b, const struct object *o)
{
	struct object_symtab t;
	for (uint32_t type = SECTION_SYMTAB;; type = SECTION_DYNSYM) {
		size_t n = object_symtab(o, type, &t) ? t.count : 0;
		for (size_t i = 0; i < n; i++) {
			struct object_symbol sym = object_symbol(&t, i);
			unsigned symbol_type = sym.info & 15, binding = sym.info >> 4;
			bool is_function = symbol_type == SYMBOL_FUNC || symbol_type == SYMBOL_IFUNC;
			bool is_label = symbol_type == SYMBOL_NOTYPE && binding == SYMBOL_GLOBAL;
			if ((is_function || is_label) && sym.section && sym.section < SECTIONS_RESERVED)
				vec_push(&b->starts, sym.value);
		}
		if (type == SECTION_DYNSYM)
			break;
	}
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

void bare_code_read_starts(struct bare_code *b, const struct object *o, const struct object *debug)
{
	b->is_32bit = !object_header(o)->is_64bit;
	add_symbols(b, o);
	if (debug)
		add_symbols(b, debug);
	if (b->starts.len)
		qsort(b->starts.data, b->starts.len, sizeof(*b->starts.data), by_address);
}

/* What is analysed of an object. */
struct bare_rest {
	const struct object *object;
	const struct unwind_functions *covered;
	size_t left; /* bytes that may be looked at */
	/* Go's own functions, which have a table (unwind/go_rows.h). Empty: no such code. */
	uint64_t go_start, go_end;
};

/* Code from `from` up to `to`, of one section. */
static void analyse_range(struct bare_code *b, struct bare_rest *rest, uint64_t from, uint64_t to)
{
	size_t n;
	if (to <= from || to - from < RANGE_BYTES_MIN)
		return;
	const uint8_t *code = object_bytes_at(rest->object, from, &n);
	n = n < to - from ? n : (size_t)(to - from);
	if (!code || n > rest->left)
		return;
	rest->left -= n;
	bare_code_analyse(b, code, n, from);
}

static void analyse_but_go(struct bare_code *b, struct bare_rest *rest, uint64_t from, uint64_t to)
{
	if (from >= rest->go_end || to <= rest->go_start) {
		analyse_range(b, rest, from, to);
		return;
	}
	analyse_range(b, rest, from, rest->go_start);
	analyse_range(b, rest, rest->go_end, to);
}

static void analyse_section(struct bare_code *b, struct bare_rest *rest, const struct object_section *section)
{
	const struct unwind_functions *covered = rest->covered;
	uint64_t from = section->addr, end = section->addr + section->bytes;
	size_t i = vec_search(&covered->list, f, f->end <= from);
	for (; i < covered->list.len && covered->list.data[i].start < end; i++) {
		analyse_but_go(b, rest, from, covered->list.data[i].start);
		from = covered->list.data[i].end;
	}
	analyse_but_go(b, rest, from, end);
}

/* Linkers other than GNU's write no call frame information for .plt. The first stub has another frame; it runs at first calls only. */
static void add_stubs(struct bare_code *b, const struct object_section *plt, const struct unwind_functions *covered)
{
	if (plt->bytes <= STUB_BYTES || unwind_function_at(covered, plt->addr + STUB_BYTES))
		return;
	struct bare_row row = { .vaddr = plt->addr + STUB_BYTES, .cfa = BARE_STUB, .reg = X86_RSP, .value = STUB_PUSHED };
	vec_push(&b->rows, row);
	vec_push(&b->rows, ((struct bare_row){ .vaddr = plt->addr + plt->bytes }));
}

void bare_code_analyse_rest(struct bare_code *b, const struct object *o, const struct unwind_functions *covered)
{
	struct bare_rest rest = { .object = o, .covered = covered, .left = CODE_BYTES_MAX };
	size_t n = object_sections_count(o);
	uint64_t done = 0;
	if (!go_code_find(o, &rest.go_start, &rest.go_end))
		rest.go_start = rest.go_end = 0;
	for (size_t i = 0; i < n; i++) {
		const struct object_section *s = object_section(o, i);
		if (s->type != SECTION_PROGBITS || !(s->flags & SECTION_CODE) || !(s->flags & SECTION_ALLOC) || s->addr < done ||
		    s->addr + s->bytes < s->addr)
			continue;
		if (!strcmp(s->name, ".plt"))
			add_stubs(b, s, covered);
		else
			analyse_section(b, &rest, s);
		done = s->addr + s->bytes;
	}
}
