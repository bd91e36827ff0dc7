#include "base/cursor.h"
#include "unwind/expr_priv.h"

#define STACK_MAX 32
#define STEPS_MAX 1000 /* expressions can branch backwards */

enum {
	OP_ADDR = 0x03, OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONST1S, OP_CONST2U, OP_CONST2S, OP_CONST4U, OP_CONST4S,
	OP_CONST8U, OP_CONST8S, OP_CONSTU, OP_CONSTS, OP_DUP, OP_DROP, OP_OVER, OP_PICK, OP_SWAP, OP_ROT,
	OP_ABS = 0x19, OP_AND, OP_DIV, OP_MINUS, OP_MOD, OP_MUL, OP_NEG, OP_NOT, OP_OR, OP_PLUS, OP_PLUS_UCONST, OP_SHL,
	OP_SHR, OP_SHRA, OP_XOR, OP_BRA, OP_EQ, OP_GE, OP_GT, OP_LE, OP_LT, OP_NE, OP_SKIP,
	OP_LIT0 = 0x30, OP_LIT31 = 0x4f, OP_BREG0 = 0x70, OP_BREG31 = 0x8f, OP_BREGX = 0x92, OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

struct machine_stack {
	const struct expr_context *x;
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
	return reg < UNWIND_REGS && m->x->known >> reg & 1 && push(m, m->x->regs[reg] + (uint64_t)offset);
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

/* Numbers are signed where that matters. */
static int64_t signed_of(const struct machine_stack *m, uint64_t v)
{
	return m->x->address_bytes == 4 ? (int32_t)v : (int64_t)v;
}

static bool unary(struct machine_stack *m, uint8_t op)
{
	if (!m->n)
		return false;
	uint64_t v = m->at[--m->n];
	if (op == OP_NEG || (op == OP_ABS && signed_of(m, v) < 0))
		v = -v;
	else if (op == OP_NOT)
		v = ~v;
	else if (op == OP_PLUS_UCONST)
		v += cursor_uleb(&m->c);
	return push(m, v);
}

static bool binary(struct machine_stack *m, uint8_t op)
{
	if (m->n < 2)
		return false;
	uint64_t b = m->at[--m->n], a = m->at[--m->n];
	int64_t sb = signed_of(m, b), sa = signed_of(m, a);
	switch (op) {
	case OP_AND:
		return push(m, a & b);
	case OP_DIV:
		return sb && sb != -1 ? push(m, (uint64_t)(sa / sb)) : sb && push(m, -a);
	case OP_MINUS:
		return push(m, a - b);
	case OP_MOD:
		return b && push(m, a % b);
	case OP_MUL:
		return push(m, a * b);
	case OP_OR:
		return push(m, a | b);
	case OP_PLUS:
		return push(m, a + b);
	case OP_SHL:
		return push(m, b < 64 ? a << b : 0);
	case OP_SHR:
		return push(m, b < 64 ? a >> b : 0);
	case OP_SHRA:
		return push(m, (uint64_t)(sa >> (b < 63 ? b : 63)));
	case OP_XOR:
		return push(m, a ^ b);
	case OP_EQ:
		return push(m, sa == sb);
	case OP_GE:
		return push(m, sa >= sb);
	case OP_GT:
		return push(m, sa > sb);
	case OP_LE:
		return push(m, sa <= sb);
	case OP_LT:
		return push(m, sa < sb);
	case OP_NE:
		return push(m, sa != sb);
	default:
		return false;
	}
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

static bool constant(struct machine_stack *m, uint8_t op)
{
	struct cursor *c = &m->c;
	switch (op) {
	case OP_ADDR:
		return push(m, m->x->address_bytes == 4 ? cursor_u32(c) : cursor_u64(c));
	case OP_CONST1U:
		return push(m, cursor_u8(c));
	case OP_CONST1S:
		return push(m, (uint64_t)(int8_t)cursor_u8(c));
	case OP_CONST2U:
		return push(m, cursor_u16(c));
	case OP_CONST2S:
		return push(m, (uint64_t)(int16_t)cursor_u16(c));
	case OP_CONST4U:
		return push(m, cursor_u32(c));
	case OP_CONST4S:
		return push(m, (uint64_t)(int32_t)cursor_u32(c));
	case OP_CONST8U:
	case OP_CONST8S:
		return push(m, cursor_u64(c));
	case OP_CONSTU:
		return push(m, cursor_uleb(c));
	default:
		return push(m, (uint64_t)cursor_sleb(c));
	}
}

static bool step(struct machine_stack *m, uint8_t op)
{
	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push(m, op - (unsigned)OP_LIT0);
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return push_reg(m, op - (unsigned)OP_BREG0);
	if (op == OP_ADDR || (op >= OP_CONST1U && op <= OP_CONSTS))
		return constant(m, op);
	switch (op) {
	case OP_DEREF:
		return deref(m, m->x->address_bytes);
	case OP_DEREF_SIZE:
		return deref(m, cursor_u8(&m->c));
	case OP_BREGX:
		return push_reg(m, cursor_uleb(&m->c));
	case OP_DUP:
		return push_nth(m, 0);
	case OP_OVER:
		return push_nth(m, 1);
	case OP_PICK:
		return push_nth(m, cursor_u8(&m->c));
	case OP_DROP:
		return m->n && m->n--;
	case OP_SWAP:
		return swap(m);
	case OP_ROT:
		return rotate(m);
	case OP_ABS:
	case OP_NEG:
	case OP_NOT:
	case OP_PLUS_UCONST:
		return unary(m, op);
	case OP_BRA:
	case OP_SKIP:
		return jump(m, op == OP_SKIP);
	case OP_NOP:
		return true;
	default:
		return binary(m, op);
	}
}

bool expr_run(const struct expr_context *x, const struct unwind_expr *e, const uint64_t *initial, uint64_t *ret)
{
	struct machine_stack m = { .x = x, .c = cursor_make(e->bytes, e->n, x->swap) };
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
