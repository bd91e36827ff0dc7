/* DWARF expressions, evaluated symbolically: a stack entry is a walk from a register or an address. */
#include "values/dwarf_location.h"

#include <string.h>

#include "values/expression.h"

#define STACK_MAX  16
#define PIECES_MAX 256
#define STEPS_MAX  1000

struct compiler {
	const struct dwarf_die *die;
	const struct dwarf_frame_facts *facts;
	struct cursor c;
	struct location at[STACK_MAX];
	unsigned n;
	struct location result; /* of DW_OP_reg*, DW_OP_implicit_value, DW_OP_stack_value: not in memory */
	bool has_result;
	enum location_lack lack;
	bool in_frame_base;
};

static bool fail(struct compiler *m, enum location_lack why)
{
	if (!m->lack)
		m->lack = why;
	return false;
}

static bool push(struct compiler *m, struct location l)
{
	if (m->n == STACK_MAX)
		return fail(m, LOCATION_DAMAGED);
	l.kind = LOCATION_IS_VALUE;
	m->at[m->n++] = l;
	return true;
}

static bool push_constant(struct compiler *m, uint64_t v)
{
	return push(m, (struct location){ .base = LOCATION_OF_CONSTANT, .start = v });
}

static bool push_address(struct compiler *m, uint64_t v)
{
	return push(m, (struct location){ .base = LOCATION_OF_ADDRESS, .start = v });
}

static bool push_register(struct compiler *m, uint64_t reg, int64_t offset)
{
	if (reg > UINT8_MAX)
		return fail(m, LOCATION_DAMAGED);
	return push(m, (struct location){ .base = LOCATION_OF_REGISTER, .reg = (uint8_t)reg, .offsets = { offset } });
}

static struct location *top(struct compiler *m)
{
	return m->n ? &m->at[m->n - 1] : NULL;
}

static bool is_constant(const struct location *l)
{
	return l->base == LOCATION_OF_CONSTANT && !l->derefs && !l->low_bytes;
}

/* Its number; offsets of a constant are added immediately. */
static uint64_t number(const struct location *l)
{
	return l->start + (uint64_t)l->offsets[0];
}

static bool add(struct compiler *m, int64_t by)
{
	struct location *l = top(m);
	if (!l)
		return fail(m, LOCATION_DAMAGED);
	/* A sum with partially known bytes is known in these bytes. */
	l->offsets[l->derefs] += by;
	return true;
}

static bool deref(struct compiler *m, unsigned bytes)
{
	struct location *l = top(m);
	if (!l)
		return fail(m, LOCATION_DAMAGED);
	if (l->derefs == LOCATION_DEREFS_MAX || l->low_bytes || !bytes || bytes > m->die->address_bytes)
		return fail(m, LOCATION_COMPUTED);
	l->derefs++;
	l->low_bytes = bytes == m->die->address_bytes ? 0 : (uint8_t)bytes;
	return true;
}

/* Only that many low bytes of it are valid from here on. */
static bool narrow(struct compiler *m, unsigned bytes)
{
	struct location *l = top(m);
	if (!l)
		return fail(m, LOCATION_DAMAGED);
	if (bytes < 8 && (!l->low_bytes || bytes < l->low_bytes))
		l->low_bytes = (uint8_t)bytes;
	return true;
}

/* ---- arithmetic ---- */

/* The number of low bytes that a mask of whole bytes keeps. */
static unsigned mask_bytes(uint64_t mask)
{
	for (unsigned bytes = 1; bytes < 8; bytes *= 2)
		if (mask == (1ull << bytes * 8) - 1)
			return bytes;
	return 0;
}

static bool both_constant(struct compiler *m, uint8_t op, uint64_t a, uint64_t b)
{
	uint64_t v;
	if (!expression_binary(op, a, b, m->die->address_bytes, &v))
		return fail(m, LOCATION_DAMAGED);
	m->n -= 2;
	return push_constant(m, v);
}

static bool binary(struct compiler *m, uint8_t op)
{
	if (m->n < 2)
		return fail(m, LOCATION_DAMAGED);
	struct location *a = &m->at[m->n - 2], *b = &m->at[m->n - 1], swapped;
	if (is_constant(a) && is_constant(b))
		return both_constant(m, op, number(a), number(b));
	bool commutes = op == EXPRESSION_PLUS || op == EXPRESSION_AND;
	if (is_constant(a) && commutes) {
		swapped = *a;
		*a = *b;
		*b = swapped;
	}
	if (!is_constant(b))
		return fail(m, LOCATION_COMPUTED);
	uint64_t by = number(b);
	m->n--;
	if (op == EXPRESSION_PLUS || op == EXPRESSION_MINUS)
		return add(m, op == EXPRESSION_PLUS ? (int64_t)by : (int64_t)-by);
	if (op == EXPRESSION_AND && mask_bytes(by))
		return narrow(m, mask_bytes(by));
	return fail(m, LOCATION_COMPUTED);
}

static bool shuffle(struct compiler *m, uint8_t op)
{
	unsigned needs = op == EXPRESSION_ROT ? 3 : op == EXPRESSION_SWAP ? 2 : 1;
	if (m->n < needs)
		return fail(m, LOCATION_DAMAGED);
	struct location last = m->at[m->n - 1];
	switch (op) {
	case EXPRESSION_DROP: m->n--; return true;
	case EXPRESSION_DUP: return push(m, last);
	default: break;
	}
	memmove(&m->at[m->n - needs + 1], &m->at[m->n - needs], (needs - 1) * sizeof(last));
	m->at[m->n - needs] = last;
	return true;
}

static bool copy_nth(struct compiler *m, unsigned back)
{
	return back < m->n ? push(m, m->at[m->n - 1 - back]) : fail(m, LOCATION_DAMAGED);
}

/* ---- the frame, and the entry of the function ---- */

static bool push_cfa(struct compiler *m)
{
	struct location l = { .base = LOCATION_OF_REGISTER };
	bool is_deref = false;
	if (!m->facts->cfa || !m->facts->cfa(m->facts->ctx, m->facts->addr, &l.reg, &l.offsets[0], &is_deref))
		return fail(m, LOCATION_COMPUTED);
	return push(m, l) && (!is_deref || deref(m, m->die->address_bytes));
}

static bool run(struct compiler *m);

/* A frame base in a register means the contents of that register. */
static bool push_frame(struct compiler *m, int64_t offset)
{
	const struct dwarf_die *fn = m->facts->function;
	struct compiler of = { .die = fn, .facts = m->facts, .in_frame_base = true };
	struct dwarf_value v = fn ? dwarf_die_value(fn, DW_AT_frame_base) : (struct dwarf_value){};
	const uint8_t *bytes;
	size_t n;
	if (m->in_frame_base || !fn || !dwarf_expression_at(fn, &v, m->facts->addr, &bytes, &n))
		return fail(m, LOCATION_COMPUTED);
	of.c = cursor_make(bytes, n, m->c.swap);
	if (!run(&of))
		return fail(m, of.lack);
	if (of.has_result && of.result.kind == LOCATION_IN_REGISTER)
		return push_register(m, of.result.reg, offset);
	return of.n && !of.has_result ? push(m, of.at[of.n - 1]) && add(m, offset) : fail(m, LOCATION_COMPUTED);
}

/* At the function's entry a register still has its entry value. */
static bool push_entry_value(struct compiler *m)
{
	uint64_t n = cursor_uleb(&m->c);
	struct cursor in = cursor_sub(&m->c, n <= cursor_left(&m->c) ? (size_t)n : SIZE_MAX);
	uint8_t op = cursor_u8(&in);
	if (!m->facts->at_entry)
		return fail(m, LOCATION_AT_ENTRY);
	if (op >= EXPRESSION_REG0 && op <= EXPRESSION_REG31)
		return push_register(m, op - (unsigned)EXPRESSION_REG0, 0);
	return op == EXPRESSION_REGX ? push_register(m, cursor_uleb(&in), 0) : fail(m, LOCATION_COMPUTED);
}

static bool convert(struct compiler *m)
{
	uint64_t offset = cursor_uleb(&m->c), bytes, encoding;
	struct dwarf_die type;
	if (!offset)
		return true; /* restores the width of addresses */
	if (!dwarf_die_in_unit(m->die, offset, &type) || !dwarf_die_number(&type, DW_AT_byte_size, &bytes) ||
	    !dwarf_die_number(&type, DW_AT_encoding, &encoding))
		return fail(m, LOCATION_DAMAGED);
	if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float || bytes > 8)
		return fail(m, LOCATION_COMPUTED);
	return narrow(m, (unsigned)bytes);
}

/* ---- one operation ---- */

static bool in_register(struct compiler *m, uint64_t reg)
{
	if (reg > UINT8_MAX)
		return fail(m, LOCATION_DAMAGED);
	m->result = (struct location){ .kind = LOCATION_IN_REGISTER, .reg = (uint8_t)reg };
	m->has_result = true;
	return true;
}

static bool implicit_value(struct compiler *m)
{
	uint64_t n = cursor_uleb(&m->c);
	const uint8_t *bytes = n <= cursor_left(&m->c) ? cursor_bytes(&m->c, (size_t)n) : NULL;
	if (!bytes)
		return fail(m, LOCATION_DAMAGED);
	m->result = (struct location){ .kind = LOCATION_IS_BYTES, .bytes = bytes, .bytes_nr = (uint32_t)n };
	m->has_result = true;
	return true;
}

/* A value that was read from memory is located there. */
static bool stack_value(struct compiler *m)
{
	struct location *l = top(m);
	if (!l)
		return fail(m, LOCATION_DAMAGED);
	m->result = *l;
	if (!l->offsets[l->derefs] && l->derefs && l->base != LOCATION_OF_CONSTANT) {
		m->result.kind = LOCATION_IN_MEMORY;
		m->result.derefs--;
	} else if (l->base == LOCATION_OF_REGISTER && !l->derefs && !l->offsets[0]) {
		m->result.kind = LOCATION_IN_REGISTER;
	}
	m->has_result = true;
	return true;
}

static bool push_indexed(struct compiler *m, bool is_address)
{
	struct dwarf_value v = { .class = DWARF_ADDRESS_INDEX, .u = cursor_uleb(&m->c) };
	uint64_t number;
	if (!dwarf_die_address(m->die, &v, &number))
		return fail(m, LOCATION_DAMAGED);
	return is_address ? push_address(m, number) : push_constant(m, number);
}

static bool step_gnu(struct compiler *m, uint8_t op)
{
	switch (op) {
	case EXPRESSION_ENTRY_VALUE: case EXPRESSION_GNU_ENTRY_VALUE: return push_entry_value(m);
	case EXPRESSION_CONVERT: case EXPRESSION_GNU_CONVERT: return convert(m);
	case EXPRESSION_ADDRX: case EXPRESSION_GNU_ADDR_INDEX: return push_indexed(m, true);
	case EXPRESSION_CONSTX: case EXPRESSION_GNU_CONST_INDEX: return push_indexed(m, false);
	case EXPRESSION_FORM_TLS_ADDRESS: case EXPRESSION_GNU_PUSH_TLS_ADDRESS: return fail(m, LOCATION_THREAD_LOCAL);
	case EXPRESSION_IMPLICIT_POINTER: case EXPRESSION_GNU_IMPLICIT_POINTER: return fail(m, LOCATION_OF_NO_OBJECT);
	case EXPRESSION_GNU_UNINIT: return true;
	default: return fail(m, LOCATION_COMPUTED);
	}
}

static bool step(struct compiler *m, uint8_t op)
{
	if (op >= EXPRESSION_REG0 && op <= EXPRESSION_REG31)
		return in_register(m, op - (unsigned)EXPRESSION_REG0);
	if (op >= EXPRESSION_BREG0 && op <= EXPRESSION_BREG31)
		return push_register(m, op - (unsigned)EXPRESSION_BREG0, cursor_sleb(&m->c));
	uint64_t v;
	if (op != EXPRESSION_ADDR && expression_constant(op, &m->c, m->die->address_bytes, &v))
		return push_constant(m, v);
	switch (op) {
	case EXPRESSION_ADDR: return push_address(m, m->die->address_bytes == 4 ? cursor_u32(&m->c) : cursor_u64(&m->c));
	case EXPRESSION_REGX: return in_register(m, cursor_uleb(&m->c));
	case EXPRESSION_BREGX: v = cursor_uleb(&m->c); return push_register(m, v, cursor_sleb(&m->c));
	case EXPRESSION_FBREG: return push_frame(m, cursor_sleb(&m->c));
	case EXPRESSION_CALL_FRAME_CFA: return push_cfa(m);
	case EXPRESSION_DEREF: return deref(m, m->die->address_bytes);
	case EXPRESSION_DEREF_SIZE: return deref(m, cursor_u8(&m->c));
	case EXPRESSION_PLUS_UCONST: return add(m, (int64_t)cursor_uleb(&m->c));
	case EXPRESSION_DUP: case EXPRESSION_DROP: case EXPRESSION_SWAP: case EXPRESSION_ROT: return shuffle(m, op);
	case EXPRESSION_OVER: return copy_nth(m, 1);
	case EXPRESSION_PICK: return copy_nth(m, cursor_u8(&m->c));
	case EXPRESSION_NOP: return true;
	case EXPRESSION_IMPLICIT_VALUE: return implicit_value(m);
	case EXPRESSION_STACK_VALUE: return stack_value(m);
	default: break;
	}
	if (op >= EXPRESSION_ABS && op <= EXPRESSION_NE && expression_is_binary(op))
		return binary(m, op);
	return step_gnu(m, op);
}

static bool is_piece(uint8_t op)
{
	return op == EXPRESSION_PIECE || op == EXPRESSION_BIT_PIECE;
}

/* Runs up to the next piece or the end. */
static bool run(struct compiler *m)
{
	for (unsigned steps = 0; cursor_left(&m->c) && !is_piece(*m->c.at); steps++) {
		if (steps == STEPS_MAX || !step(m, cursor_u8(&m->c)))
			return fail(m, LOCATION_DAMAGED);
		if (m->c.bad)
			return fail(m, LOCATION_DAMAGED);
	}
	return true;
}

/* Skips what cannot be compiled, up to the size of the next piece. */
static bool skip_to_piece(struct compiler *m)
{
	return expression_skip_to_piece(&m->c, m->die->address_bytes, m->die->offset_bytes);
}

static struct location take_result(struct compiler *m)
{
	struct location l = { .lack = (uint8_t)m->lack };
	if (m->lack)
		return l;
	if (m->has_result)
		return m->result;
	if (!m->n)
		return (struct location){ .lack = LOCATION_NOT_ALIVE };
	l = m->at[m->n - 1];
	l.kind = LOCATION_IN_MEMORY;
	return l.low_bytes ? (struct location){ .lack = LOCATION_COMPUTED } : l;
}

/* Bit offsets within the location are not supported: such a piece has no location. */
static struct location_piece read_piece(struct compiler *m, struct location at, uint64_t bit_offset)
{
	struct location_piece p = { .bit_offset = bit_offset, .at = at };
	bool has_bits = cursor_u8(&m->c) == EXPRESSION_BIT_PIECE;
	p.bits = has_bits ? cursor_uleb(&m->c) : cursor_uleb(&m->c) * 8;
	if (has_bits && cursor_uleb(&m->c))
		p.at = (struct location){ .lack = LOCATION_COMPUTED };
	return p;
}

static struct locations one(struct location at, struct arena *arena)
{
	struct location_piece p = { .at = at };
	return (struct locations){ arena_memdup(arena, &p, sizeof(p)), 1 };
}

static struct locations compile(const struct dwarf_die *d, const struct dwarf_frame_facts *facts, const uint8_t *bytes, size_t n,
				struct arena *arena)
{
	VEC(struct location_piece) pieces = {};
	struct compiler m = { .die = d, .facts = facts, .c = cursor_make(bytes, n, d->swap) };
	uint64_t bit_offset = 0;
	do {
		struct cursor at = m.c;
		m = (struct compiler){ .die = d, .facts = facts, .c = m.c };
		if (!run(&m)) {
			m.c = at;
			if (!skip_to_piece(&m))
				break;
		}
		struct location l = take_result(&m);
		if (!cursor_left(&m.c)) {
			if (!pieces.len)
				return one(l, arena);
			break;
		}
		struct location_piece p = read_piece(&m, l, bit_offset);
		if (m.c.bad || !p.bits || p.bits > UINT32_MAX || pieces.len == PIECES_MAX)
			break;
		vec_push(&pieces, p);
		bit_offset += p.bits;
	} while (cursor_left(&m.c));
	struct locations l = { NULL, pieces.len };
	if (pieces.len)
		l.pieces = arena_memdup(arena, pieces.data, pieces.len * sizeof(*pieces.data));
	vec_deinit(&pieces);
	return l.nr ? l : one((struct location){ .lack = (uint8_t)(m.lack ? m.lack : LOCATION_DAMAGED) }, arena);
}

static struct location constant_of(const struct dwarf_die *d, const struct dwarf_value *v)
{
	if (v->class == DWARF_CONSTANT)
		return (struct location){ .kind = LOCATION_IS_VALUE, .base = LOCATION_OF_CONSTANT, .start = v->u };
	if (v->class == DWARF_BLOCK)
		return (struct location){ .kind = LOCATION_IS_BYTES, .bytes = v->block, .bytes_nr = (uint32_t)v->u };
	const char *text = dwarf_die_text(d, v);
	if (!text)
		return (struct location){ .lack = LOCATION_NOT_ALIVE };
	return (struct location){ .kind = LOCATION_IS_BYTES, .bytes = (const uint8_t *)text, .bytes_nr = (uint32_t)strlen(text) + 1 };
}

struct locations dwarf_locate(const struct dwarf_die *d, const struct dwarf_frame_facts *facts, struct arena *arena)
{
	struct dwarf_die from;
	const uint8_t *bytes;
	size_t n;
	struct dwarf_value v = dwarf_die_inherited(d, DW_AT_const_value, &from);
	if (v.class)
		return one(constant_of(&from, &v), arena);
	v = dwarf_die_inherited(d, DW_AT_location, &from);
	if (!v.class || !dwarf_expression_at(&from, &v, facts->addr, &bytes, &n) || !n)
		return one((struct location){ .lack = LOCATION_NOT_ALIVE }, arena);
	return compile(&from, facts, bytes, n, arena);
}

/* Memory above the canonical frame address was written by the caller. */
bool dwarf_is_in_own_frame(const struct dwarf_die *d, const struct dwarf_die *function)
{
	struct dwarf_die from;
	struct dwarf_value v = dwarf_die_inherited(d, DW_AT_location, &from), base = dwarf_die_value(function, DW_AT_frame_base);
	if (v.class != DWARF_BLOCK || !v.u || *v.block != EXPRESSION_FBREG)
		return false;
	struct cursor c = cursor_make(v.block + 1, (size_t)v.u - 1, false);
	bool is_by_cfa = base.class == DWARF_BLOCK && base.u == 1 && *base.block == EXPRESSION_CALL_FRAME_CFA;
	return !is_by_cfa || cursor_sleb(&c) < 0;
}
