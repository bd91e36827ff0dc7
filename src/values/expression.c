#include "values/expression.h"

#define STACK_MAX 32
#define STEPS_MAX 1000 /* expressions can branch backwards */

struct machine_stack {
	const struct expression_context *x;
	struct cursor c;
	uint64_t at[STACK_MAX];
	unsigned n;
};

static bool push(struct machine_stack *m, uint64_t v)
{
	if (m->n == STACK_MAX)
		return false;
	m->at[m->n++] = m->x->address_bytes == 4 ? (uint32_t)v : v;
	return true;
}

static bool push_reg(struct machine_stack *m, uint64_t reg)
{
	int64_t offset = cursor_sleb(&m->c);
	return reg < EXPRESSION_REGS && m->x->known >> reg & 1 && push(m, m->x->regs[reg] + (uint64_t)offset);
}

static bool push_nth(struct machine_stack *m, unsigned back)
{
	return back < m->n && push(m, m->at[m->n - 1 - back]);
}

static bool deref(struct machine_stack *m, unsigned bytes)
{
	return m->n && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) &&
	       m->x->read(m->x->ctx, m->at[m->n - 1], bytes, &m->at[m->n - 1]);
}

static bool rotate(struct machine_stack *m)
{
	if (m->n < 3)
		return false;
	uint64_t top = m->at[m->n - 1];
	m->at[m->n - 1] = m->at[m->n - 2];
	m->at[m->n - 2] = m->at[m->n - 3];
	m->at[m->n - 3] = top;
	return true;
}

static bool swap(struct machine_stack *m)
{
	if (m->n < 2)
		return false;
	uint64_t top = m->at[m->n - 1];
	m->at[m->n - 1] = m->at[m->n - 2];
	m->at[m->n - 2] = top;
	return true;
}

/* Numbers are signed in comparisons, division and shifts. */
static int64_t signed_of(uint64_t v, unsigned address_bytes)
{
	return address_bytes == 4 ? (int32_t)v : (int64_t)v;
}

static bool unary(struct machine_stack *m, uint8_t op)
{
	if (!m->n)
		return false;
	uint64_t v = m->at[--m->n];
	if (op == EXPRESSION_NEG || (op == EXPRESSION_ABS && signed_of(v, m->x->address_bytes) < 0))
		v = -v;
	else if (op == EXPRESSION_NOT)
		v = ~v;
	else if (op == EXPRESSION_PLUS_UCONST)
		v += cursor_uleb(&m->c);
	return push(m, v);
}

bool expression_is_binary(uint8_t op)
{
	switch (op) {
	case EXPRESSION_ABS: case EXPRESSION_NEG: case EXPRESSION_NOT: case EXPRESSION_PLUS_UCONST: case EXPRESSION_BRA: return false;
	default: return op > EXPRESSION_ABS && op <= EXPRESSION_NE;
	}
}

static bool compare(uint8_t op, int64_t a, int64_t b, uint64_t *ret)
{
	switch (op) {
	case EXPRESSION_EQ: *ret = a == b; return true;
	case EXPRESSION_GE: *ret = a >= b; return true;
	case EXPRESSION_GT: *ret = a > b; return true;
	case EXPRESSION_LE: *ret = a <= b; return true;
	case EXPRESSION_LT: *ret = a < b; return true;
	case EXPRESSION_NE: *ret = a != b; return true;
	default: return false;
	}
}

bool expression_binary(uint8_t op, uint64_t a, uint64_t b, unsigned address_bytes, uint64_t *ret)
{
	int64_t sa = signed_of(a, address_bytes), sb = signed_of(b, address_bytes);
	switch (op) {
	case EXPRESSION_AND: *ret = a & b; return true;
	case EXPRESSION_DIV:
		*ret = sb == -1 ? -a : sb ? (uint64_t)(sa / sb) : 0;
		return sb;
	case EXPRESSION_MINUS: *ret = a - b; return true;
	case EXPRESSION_MOD:
		*ret = b ? a % b : 0;
		return b;
	case EXPRESSION_MUL: *ret = a * b; return true;
	case EXPRESSION_OR: *ret = a | b; return true;
	case EXPRESSION_PLUS: *ret = a + b; return true;
	case EXPRESSION_SHL: *ret = b < 64 ? a << b : 0; return true;
	case EXPRESSION_SHR: *ret = b < 64 ? a >> b : 0; return true;
	case EXPRESSION_SHRA: *ret = (uint64_t)(sa >> (b < 63 ? b : 63)); return true;
	case EXPRESSION_XOR: *ret = a ^ b; return true;
	default: return compare(op, sa, sb, ret);
	}
}

static bool binary(struct machine_stack *m, uint8_t op)
{
	uint64_t v;
	if (m->n < 2 || !expression_binary(op, m->at[m->n - 2], m->at[m->n - 1], m->x->address_bytes, &v))
		return false;
	m->n -= 2;
	return push(m, v);
}

static bool jump(struct machine_stack *m, bool always)
{
	int16_t by = (int16_t)cursor_u16(&m->c);
	if (!always && !m->n)
		return false;
	if (!always && !m->at[--m->n])
		return true;
	int64_t to = (int64_t)cursor_offset(&m->c) + by;
	return to >= 0 && cursor_seek(&m->c, (size_t)to);
}

bool expression_constant(uint8_t op, struct cursor *c, unsigned address_bytes, uint64_t *ret)
{
	if (op >= EXPRESSION_LIT0 && op <= EXPRESSION_LIT31) {
		*ret = op - (unsigned)EXPRESSION_LIT0;
		return true;
	}
	switch (op) {
	case EXPRESSION_ADDR: *ret = address_bytes == 4 ? cursor_u32(c) : cursor_u64(c); return true;
	case EXPRESSION_CONST1U: *ret = cursor_u8(c); return true;
	case EXPRESSION_CONST1S: *ret = (uint64_t)(int8_t)cursor_u8(c); return true;
	case EXPRESSION_CONST2U: *ret = cursor_u16(c); return true;
	case EXPRESSION_CONST2S: *ret = (uint64_t)(int16_t)cursor_u16(c); return true;
	case EXPRESSION_CONST4U: *ret = cursor_u32(c); return true;
	case EXPRESSION_CONST4S: *ret = (uint64_t)(int32_t)cursor_u32(c); return true;
	case EXPRESSION_CONST8U: case EXPRESSION_CONST8S: *ret = cursor_u64(c); return true;
	case EXPRESSION_CONSTU: *ret = cursor_uleb(c); return true;
	case EXPRESSION_CONSTS: *ret = (uint64_t)cursor_sleb(c); return true;
	default: return false;
	}
}

static bool step(struct machine_stack *m, uint8_t op)
{
	uint64_t v;
	if (op >= EXPRESSION_BREG0 && op <= EXPRESSION_BREG31)
		return push_reg(m, op - (unsigned)EXPRESSION_BREG0);
	if (expression_constant(op, &m->c, m->x->address_bytes, &v))
		return push(m, v);
	switch (op) {
	case EXPRESSION_DEREF:
		return deref(m, m->x->address_bytes);
	case EXPRESSION_DEREF_SIZE:
		return deref(m, cursor_u8(&m->c));
	case EXPRESSION_BREGX:
		return push_reg(m, cursor_uleb(&m->c));
	case EXPRESSION_DUP:
		return push_nth(m, 0);
	case EXPRESSION_OVER:
		return push_nth(m, 1);
	case EXPRESSION_PICK:
		return push_nth(m, cursor_u8(&m->c));
	case EXPRESSION_DROP:
		return m->n && m->n--;
	case EXPRESSION_SWAP:
		return swap(m);
	case EXPRESSION_ROT:
		return rotate(m);
	case EXPRESSION_ABS:
	case EXPRESSION_NEG:
	case EXPRESSION_NOT:
	case EXPRESSION_PLUS_UCONST:
		return unary(m, op);
	case EXPRESSION_BRA:
	case EXPRESSION_SKIP:
		return jump(m, op == EXPRESSION_SKIP);
	case EXPRESSION_NOP:
		return true;
	default:
		return binary(m, op);
	}
}

bool expression_run(const struct expression_context *x, const uint8_t *expression, uint32_t bytes, const uint64_t *initial,
		    uint64_t *ret)
{
	struct machine_stack m = { .x = x, .c = cursor_make(expression, bytes, x->swap) };
	if (initial)
		push(&m, *initial);
	for (unsigned steps = 0; cursor_left(&m.c); steps++)
		if (steps == STEPS_MAX || !step(&m, cursor_u8(&m.c)) || m.c.bad)
			return false;
	if (!m.n)
		return false;
	*ret = m.at[m.n - 1];
	return true;
}

/* ---- over operations ---- */

static bool skip_block(struct cursor *c, uint64_t bytes)
{
	return !c->bad && bytes <= cursor_left(c) && cursor_skip(c, (size_t)bytes);
}

/* Skips the operands of an operation; false: unknown size. */
static bool skip_operands(uint8_t op, struct cursor *c, unsigned address_bytes, unsigned offset_bytes)
{
	uint64_t v;
	bool is_plain = (op >= EXPRESSION_LIT0 && op <= EXPRESSION_REG31) || expression_is_binary(op) || op == EXPRESSION_ABS ||
			op == EXPRESSION_NEG || op == EXPRESSION_NOT || (op >= EXPRESSION_DUP && op <= EXPRESSION_OVER) ||
			op == EXPRESSION_SWAP || op == EXPRESSION_ROT;
	if (is_plain || expression_constant(op, c, address_bytes, &v))
		return true;
	if (op >= EXPRESSION_BREG0 && op <= EXPRESSION_BREG31)
		return cursor_sleb(c), true;
	switch (op) {
	case EXPRESSION_DEREF: case EXPRESSION_NOP: case EXPRESSION_STACK_VALUE: case EXPRESSION_CALL_FRAME_CFA:
	case EXPRESSION_FORM_TLS_ADDRESS: case EXPRESSION_GNU_PUSH_TLS_ADDRESS: case EXPRESSION_GNU_UNINIT:
		return true;
	case EXPRESSION_PICK: case EXPRESSION_DEREF_SIZE: return cursor_skip(c, 1);
	case EXPRESSION_BRA: case EXPRESSION_SKIP: case EXPRESSION_CALL2: return cursor_skip(c, 2);
	case EXPRESSION_CALL4: case EXPRESSION_GNU_PARAMETER_REF: return cursor_skip(c, 4);
	case EXPRESSION_CALL_REF: case EXPRESSION_GNU_VARIABLE_VALUE: return cursor_skip(c, offset_bytes);
	case EXPRESSION_PLUS_UCONST: case EXPRESSION_REGX: case EXPRESSION_FBREG: case EXPRESSION_ADDRX: case EXPRESSION_CONSTX:
	case EXPRESSION_GNU_ADDR_INDEX: case EXPRESSION_GNU_CONST_INDEX: case EXPRESSION_CONVERT: case EXPRESSION_GNU_CONVERT:
	case EXPRESSION_REINTERPRET: case EXPRESSION_GNU_REINTERPRET:
		return cursor_sleb(c), true;
	case EXPRESSION_BREGX: case EXPRESSION_REGVAL_TYPE: case EXPRESSION_GNU_REGVAL_TYPE:
		return cursor_uleb(c), cursor_sleb(c), true;
	case EXPRESSION_DEREF_TYPE: case EXPRESSION_GNU_DEREF_TYPE: return cursor_u8(c), cursor_uleb(c), true;
	case EXPRESSION_IMPLICIT_POINTER: case EXPRESSION_GNU_IMPLICIT_POINTER:
		return cursor_skip(c, offset_bytes) && (cursor_sleb(c), true);
	case EXPRESSION_CONST_TYPE: case EXPRESSION_GNU_CONST_TYPE: return cursor_uleb(c), skip_block(c, cursor_u8(c));
	case EXPRESSION_IMPLICIT_VALUE: case EXPRESSION_ENTRY_VALUE: case EXPRESSION_GNU_ENTRY_VALUE:
		return skip_block(c, cursor_uleb(c));
	default: return false;
	}
}

bool expression_skip_to_piece(struct cursor *c, unsigned address_bytes, unsigned offset_bytes)
{
	while (cursor_left(c) && !c->bad) {
		uint8_t op = *c->at;
		if (op == EXPRESSION_PIECE || op == EXPRESSION_BIT_PIECE)
			return true;
		cursor_u8(c);
		if (!skip_operands(op, c, address_bytes, offset_bytes))
			return false;
	}
	return false;
}
