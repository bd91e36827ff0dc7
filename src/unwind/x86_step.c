#include "unwind/x86_step.h"

#include <string.h>

#define INSN_BYTES_MAX 15

/* What follows an opcode; also of vectors, whose maps are those of 0F, 0F 38 and 0F 3A. */
enum {
	M = 1,     /* ModRM */
	I1 = 2,    /* a byte */
	IZ = 4,    /* two bytes with a 66 prefix, else four */
	I2 = 8,    /* two bytes */
	J4 = 16,   /* four bytes */
	BAD = 32,
	MI1 = M | I1,
	MIZ = M | IZ,
};

static const uint8_t one_byte[256] = {
#define ALU M, M, M, M, I1, IZ, BAD, BAD
	ALU, ALU, ALU, ALU, ALU, ALU, ALU, ALU,
#undef ALU
	[0x60] = BAD, BAD, BAD, M, [0x68] = IZ, MIZ, I1, MI1,
	[0x70] = I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1,
	[0x80] = MI1, MIZ, BAD, MI1, M, M, M, M, M, M, M, M, M, M, M, M,
	[0x9a] = BAD, [0xa8] = I1, IZ,
	[0xb0] = I1, I1, I1, I1, I1, I1, I1, I1, IZ, IZ, IZ, IZ, IZ, IZ, IZ, IZ,
	[0xc0] = MI1, MI1, I2, 0, BAD, BAD, MI1, MIZ, I2 | I1, 0, I2, 0, 0, I1, BAD, 0,
	[0xd0] = M, M, M, M, BAD, BAD, BAD, 0, M, M, M, M, M, M, M, M,
	[0xe0] = I1, I1, I1, I1, I1, I1, I1, I1, J4, J4, BAD, I1, [0xf6] = M, M, [0xfe] = M, M,
};

static uint8_t form_of_0f(uint8_t op)
{
	if (op == 0x04 || op == 0x0a || op == 0x0c || (op >= 0x24 && op <= 0x27) || op == 0x36 || op == 0x39 || (op >= 0x3b && op <= 0x3f))
		return BAD;
	if ((op >= 0x05 && op <= 0x09) || op == 0x0b || op == 0x0e || (op >= 0x30 && op <= 0x37) || op == 0x77 ||
	    (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) || (op >= 0xc8 && op <= 0xcf))
		return 0;
	if ((op & 0xf0) == 0x80)
		return J4;
	if ((op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) || op == 0x0f)
		return MI1;
	return M;
}

enum map { MAP_ONE_BYTE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_FP16, MAP_XOP8, MAP_XOP9, MAP_XOP10 };

struct insn {
	const uint8_t *code;
	size_t n, at;
	enum map map;
	uint8_t op, rex, form;      /* rex: bits B, X, R, W */
	uint8_t mod, reg, rm, base; /* reg, rm, base: with their REX bits; base: X86_NO_REG without one, or with an index */
	uint8_t other;              /* vvvv of vectors */
	bool is_16bit, is_vector, has_rep, has_rex, has_modrm, is_short_address;
	bool is_ia32; /* the processor runs 32-bit code */
	int32_t disp;
	int64_t imm;
};

static bool take(struct insn *x, unsigned bytes, int64_t *ret)
{
	if (x->at + bytes > x->n)
		return false;
	uint64_t v = 0; /* little-endian code, also where we are not */
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)x->code[x->at + i] << 8 * i;
	x->at += bytes;
	unsigned shift = 64 - 8 * bytes;
	*ret = (int64_t)(v << shift) >> shift;
	return true;
}

static bool take_byte(struct insn *x, uint8_t *ret)
{
	if (x->at >= x->n)
		return false;
	*ret = x->code[x->at++];
	return true;
}

/* Prefixes; *ret_op: what follows them. */
static bool take_prefixes(struct insn *x, uint8_t *ret_op)
{
	while (take_byte(x, ret_op)) {
		switch (*ret_op) {
		case 0x66:
			x->is_16bit = true;
			break;
		case 0x67:
			x->is_short_address = true;
			break;
		case 0xf2:
		case 0xf3:
			x->has_rep = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0xf0:
			break;
		default:
			if (x->is_ia32 || (*ret_op & 0xf0) != 0x40)
				return true;
			x->rex = *ret_op & 15;
			x->has_rex = true;
			return take_byte(x, ret_op);
		}
	}
	return false;
}

/* The rest of a VEX, EVEX or XOP prefix, and the opcode. */
static bool take_vector(struct insn *x, uint8_t first)
{
	uint8_t a, b = 0, c = 0;
	static const uint8_t vex_maps[] = { [1] = MAP_0F, [2] = MAP_0F38, [3] = MAP_0F3A };
	if (!take_byte(x, &a) || (first != 0xc5 && !take_byte(x, &b)) || (first == 0x62 && !take_byte(x, &c)))
		return false;
	unsigned map = first == 0xc5 ? 1 : first == 0x62 ? a & 7 : a & 31;
	uint8_t last = first == 0xc5 ? a : b;
	x->rex = (uint8_t)((~a >> 7 & 1) << 2 | (first == 0xc5 ? 0 : (~a >> 5 & 1) | (~a >> 6 & 1) << 1 | (b >> 7) << 3));
	x->other = ~last >> 3 & 15;
	x->is_vector = true;
	x->has_rep = (last & 3) >= 2;
	x->is_16bit = false;
	if (!take_byte(x, &x->op))
		return false;
	if (first == 0x8f) {
		static const uint8_t forms[] = { MI1, M, M | J4 };
		x->map = map >= 8 && map <= 10 ? MAP_XOP8 + map - 8 : MAP_XOP8;
		x->form = map >= 8 && map <= 10 ? forms[map - 8] : BAD;
		return true;
	}
	x->map = map >= 1 && map <= 3 ? vex_maps[map] : MAP_FP16;
	x->form = x->map == MAP_0F ? form_of_0f(x->op) & (M | I1) : x->map == MAP_0F3A ? MI1 : M;
	return x->map != MAP_FP16 || (first == 0x62 && (map == 5 || map == 6));
}

static bool take_opcode(struct insn *x)
{
	uint8_t op;
	if (!take_prefixes(x, &op))
		return false;
	bool is_xop = op == 0x8f && x->at < x->n && (x->code[x->at] & 31) >= 8;
	bool is_vector = op == 0xc4 || op == 0xc5 || op == 0x62 || is_xop;
	if (is_vector && x->is_ia32 && !is_xop && (x->at >= x->n || x->code[x->at] < 0xc0))
		return false; /* les, lds, bound: compilers and people have no use for them */
	if (is_vector)
		return take_vector(x, op);
	x->op = op;
	x->form = one_byte[op];
	if (op != 0x0f)
		return true;
	if (!take_byte(x, &x->op))
		return false;
	x->map = MAP_0F;
	x->form = form_of_0f(x->op);
	if (x->op != 0x38 && x->op != 0x3a)
		return true;
	x->map = x->op == 0x38 ? MAP_0F38 : MAP_0F3A;
	x->form = x->op == 0x38 ? M : MI1;
	return take_byte(x, &x->op);
}

static bool take_operand(struct insn *x)
{
	uint8_t modrm, sib = 0;
	int64_t disp = 0;
	if (!take_byte(x, &modrm) || (x->is_ia32 && x->is_short_address))
		return false;
	x->has_modrm = true;
	x->mod = modrm >> 6;
	x->reg = (modrm >> 3 & 7) | (x->rex & 4) << 1;
	x->rm = (modrm & 7) | (x->rex & 1) << 3;
	x->base = X86_NO_REG;
	if (x->mod == 3)
		return true;
	unsigned low = modrm & 7, bytes = x->mod == 1 ? 1 : x->mod == 2 ? 4 : 0;
	if (low == 4) {
		if (!take_byte(x, &sib))
			return false;
		bool has_index = (sib >> 3 & 7) != 4 || x->rex & 2;
		low = sib & 7;
		x->rm = (uint8_t)(low | (x->rex & 1) << 3);
		x->base = has_index ? X86_NO_REG : x->rm;
	} else {
		x->base = x->rm;
	}
	if (!x->mod && low == 5) {
		bytes = 4;
		x->base = X86_NO_REG;
	}
	if (bytes && !take(x, bytes, &disp))
		return false;
	x->disp = (int32_t)disp;
	return true;
}

static bool take_immediates(struct insn *x)
{
	bool is_one = x->map == MAP_ONE_BYTE;
	uint8_t group = x->reg & 7;
	if (is_one && (x->op == 0xf6 || x->op == 0xf7) && group < 2)
		x->form |= x->op == 0xf6 ? I1 : IZ;
	if (is_one && x->op >= 0xa0 && x->op <= 0xa3)
		return take(x, x->is_short_address || x->is_ia32 ? 4 : 8, &x->imm);
	if (is_one && x->op >= 0xb8 && x->op <= 0xbf && x->rex & 8)
		return take(x, 8, &x->imm);
	if (x->form & I2 && !take(x, 2, &x->imm))
		return false;
	if (x->form & I1 && !take(x, 1, &x->imm))
		return false;
	if (x->form & IZ && !take(x, x->is_16bit && !(x->rex & 8) ? 2 : 4, &x->imm))
		return false;
	return !(x->form & J4) || take(x, 4, &x->imm);
}

/* ---- registers that are written ---- */

#define BIT(reg) (uint16_t)(1u << ((reg) & 15))

/* Operands of a byte: without a REX prefix 4 to 7 are ah to bh. */
static bool is_of_bytes(const struct insn *x)
{
	uint8_t op = x->op;
	if (x->map == MAP_0F)
		return (op & 0xf0) == 0x90 || op == 0xb0 || op == 0xc0;
	if (x->map != MAP_ONE_BYTE || op & 8)
		return x->map == MAP_ONE_BYTE && (op < 0x40 ? !(op & 1) : op == 0x88 || op == 0x8a || op == 0xfe);
	return op < 0x40 ? !(op & 1) : op == 0x80 || op == 0x84 || op == 0x86 || op == 0xc0 || op == 0xc6 || op == 0xd0 || op == 0xd2 ||
	       op == 0xf6 || (op >= 0xb0 && op <= 0xb7);
}

static uint16_t bit_of(const struct insn *x, unsigned reg)
{
	bool is_high = !x->is_vector && !x->has_rex && reg >= 4 && reg < 8 && is_of_bytes(x);
	return BIT(is_high ? reg - 4 : reg);
}

static uint16_t rm_bit(const struct insn *x)
{
	return x->has_modrm && x->mod == 3 ? bit_of(x, x->rm) : 0;
}

static uint16_t reg_bit(const struct insn *x)
{
	return bit_of(x, x->reg);
}

static uint16_t written_of_one(const struct insn *x)
{
	uint8_t op = x->op, low = op & 7, group = x->reg & 7;
	uint8_t opreg = low | (x->rex & 1) << 3;
	if ((op & 0xf0) == 0x40)
		return BIT(low); /* inc, dec */
	if (op < 0x40)
		return op >= 0x38 ? 0 : low < 2 ? rm_bit(x) : low < 4 ? reg_bit(x) : BIT(X86_RAX);
	if (op >= 0x90 && op < 0x98)
		return BIT(opreg) | BIT(X86_RAX);
	if (op >= 0xb0 && op < 0xc0)
		return bit_of(x, opreg);
	if ((op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf))
		return BIT(X86_RAX) | BIT(X86_RCX) | BIT(X86_RSI) | BIT(X86_RDI);
	switch (op) {
	case 0x63: case 0x69: case 0x6b: case 0x8a: case 0x8b: case 0x8d:
		return reg_bit(x);
	case 0x80: case 0x81: case 0x83:
		return group == 7 ? 0 : rm_bit(x);
	case 0x86: case 0x87:
		return rm_bit(x) | reg_bit(x);
	case 0x88: case 0x89: case 0x8c: case 0x8f: case 0xc0: case 0xc1: case 0xc6: case 0xc7: case 0xd0: case 0xd1: case 0xd2: case 0xd3:
		return rm_bit(x);
	case 0x98: case 0xa0: case 0xa1: case 0xd7: case 0xe4: case 0xe5: case 0xec: case 0xed: case 0xdf:
		return BIT(X86_RAX);
	case 0x99:
		return BIT(X86_RDX);
	case 0xe0: case 0xe1: case 0xe2: case 0xe3:
		return BIT(X86_RCX);
	case 0xf6: case 0xf7:
		return group < 2 ? 0 : group < 4 ? rm_bit(x) : BIT(X86_RAX) | BIT(X86_RDX);
	case 0xfe: case 0xff:
		return group < 2 ? rm_bit(x) : 0;
	default:
		return 0;
	}
}

static uint16_t written_of_0f(const struct insn *x)
{
	uint8_t op = x->op, opreg = (op & 7) | (x->rex & 1) << 3;
	if (op >= 0xc8 && !x->is_vector && op <= 0xcf)
		return BIT(opreg);
	if ((op & 0xf0) == 0x40)
		return reg_bit(x);
	if ((op & 0xf0) == 0x90) /* setcc; of vectors, kmov to a register */
		return !x->is_vector ? rm_bit(x) : op == 0x93 ? reg_bit(x) : 0;
	/* Of scalars alone; others of these are of vectors. */
	if (op == 0x2c || op == 0x2d || op == 0x78 || op == 0x79)
		return x->has_rep ? reg_bit(x) : 0;
	if (op == 0x7e)
		return x->has_rep ? 0 : rm_bit(x);
	switch (op) {
	case 0x01: case 0x05: case 0x31: case 0x32: case 0x33: case 0xa2: case 0xc7:
		return BIT(X86_RAX) | BIT(X86_RCX) | BIT(X86_RDX) | BIT(X86_RBX) | BIT(11) | rm_bit(x);
	case 0x02: case 0x03: case 0x50: case 0xaf: case 0xb6: case 0xb7: case 0xb8: case 0xbc: case 0xbd: case 0xbe: case 0xbf:
	case 0xc5: case 0xd7:
		return reg_bit(x);
	case 0xc0: case 0xc1:
		return reg_bit(x) | rm_bit(x);
	case 0x00: case 0x1e: case 0x20: case 0x21: case 0xa4: case 0xa5: case 0xab: case 0xac: case 0xad: case 0xae: case 0xb3:
	case 0xba: case 0xbb:
		return rm_bit(x);
	case 0xb0: case 0xb1:
		return rm_bit(x) | BIT(X86_RAX);
	default:
		return 0;
	}
}

static uint16_t written_of(const struct insn *x)
{
	switch (x->map) {
	case MAP_ONE_BYTE:
		return written_of_one(x);
	case MAP_0F:
		return written_of_0f(x);
	case MAP_0F38: /* BMI, ADX, MOVBE, CRC32 */
		return x->op >= 0xf0 ? reg_bit(x) | rm_bit(x) | (x->is_vector ? BIT(x->other) : 0) : 0;
	case MAP_0F3A:
		return x->op == 0xf0 ? reg_bit(x) : x->op >= 0x14 && x->op <= 0x17 ? rm_bit(x) :
		       x->op >= 0x60 && x->op <= 0x63 ? BIT(X86_RCX) : 0;
	case MAP_FP16:
		return x->op == 0x2c || x->op == 0x2d || x->op == 0x78 || x->op == 0x79 ? reg_bit(x) : x->op == 0x7e ? rm_bit(x) : 0;
	case MAP_XOP9:
		return x->op < 0x20 ? rm_bit(x) | BIT(x->other) : 0;
	case MAP_XOP10:
		return reg_bit(x) | BIT(x->other);
	default:
		return 0;
	}
}

/* ---- the stack pointer ---- */

static void set(struct x86_step *s, enum x86_effect effect, unsigned reg, int64_t value)
{
	s->effect = (uint8_t)effect;
	s->reg = (uint8_t)reg;
	s->value = (int32_t)value;
}

/* add, or, …, cmp of the stack pointer with a number. */
static void find_arithmetic(const struct insn *x, struct x86_step *s)
{
	switch (x->reg & 7) {
	case 0:
		set(s, X86_ADD, X86_NO_REG, x->imm);
		break;
	case 5:
		set(s, X86_ADD, X86_NO_REG, -x->imm);
		break;
	case 4:
		set(s, x->imm < 0 ? X86_ALIGN : X86_SP_UNKNOWN, X86_NO_REG, 0);
		break;
	default:
		break;
	}
}

static void find_move(const struct insn *x, struct x86_step *s)
{
	bool is_store = x->op == 0x89;
	uint8_t to = is_store ? x->rm : x->reg, from = is_store ? x->reg : x->rm;
	if (x->mod == 3 && to == X86_RSP)
		set(s, X86_SP_FROM, from, 0);
	else if (x->mod == 3 && from == X86_RSP)
		set(s, X86_SP_TO, to, 0);
	else if (x->mod != 3 && x->base == X86_RSP && is_store)
		set(s, X86_STORE, x->reg, x->disp);
	else if (x->mod != 3 && x->base == X86_RSP && to == X86_RSP)
		set(s, X86_SP_LOAD, X86_NO_REG, x->disp);
}

static void find_address(const struct insn *x, struct x86_step *s)
{
	if (x->reg == X86_RSP && x->base == X86_RSP)
		set(s, X86_ADD, X86_NO_REG, x->disp);
	else if (x->reg == X86_RSP && x->base != X86_NO_REG)
		set(s, X86_SP_FROM, x->base, x->disp);
	else if (x->base == X86_RSP)
		set(s, X86_SP_TO, x->reg, x->disp);
}

static void find_effect(const struct insn *x, struct x86_step *s)
{
	uint8_t op = x->op, opreg = (op & 7) | (x->rex & 1) << 3;
	bool is_wide = x->is_ia32 ? !x->is_16bit : x->rex & 8;
	if (x->map != MAP_ONE_BYTE || x->is_vector)
		return;
	if (op >= 0x50 && op < 0x58)
		set(s, X86_PUSH, opreg, 0);
	else if (op >= 0x58 && op < 0x60)
		set(s, opreg == X86_RSP ? X86_SP_UNKNOWN : X86_POP, opreg, 0);
	else if (op == 0x68 || op == 0x6a || op == 0x9c || (op == 0xff && (x->reg & 7) == 6))
		set(s, X86_PUSH, X86_NO_REG, 0);
	else if (op == 0x9d || op == 0x8f)
		set(s, X86_POP, x->mod == 3 && op == 0x8f ? x->rm : X86_NO_REG, 0);
	else if ((op == 0x81 || op == 0x83) && is_wide && x->mod == 3 && x->rm == X86_RSP)
		find_arithmetic(x, s);
	else if ((op == 0x89 || op == 0x8b) && is_wide)
		find_move(x, s);
	else if (op == 0x8d && is_wide)
		find_address(x, s);
	else if (op == 0xc9)
		set(s, X86_LEAVE, X86_NO_REG, 0);
	else if (op == 0xc8)
		set(s, X86_SP_UNKNOWN, X86_NO_REG, 0);
	if (x->is_16bit && (s->effect == X86_PUSH || s->effect == X86_POP))
		set(s, X86_SP_UNKNOWN, X86_NO_REG, 0);
}

/* ---- where control goes ---- */

static void find_flow(const struct insn *x, struct x86_step *s, uint64_t next)
{
	uint8_t op = x->op, group = x->reg & 7;
	if (x->is_vector)
		return;
	if (x->map == MAP_0F) {
		s->flow = (op & 0xf0) == 0x80 ? X86_BRANCH : op == 0x0b || op == 0xb9 || op == 0xff ? X86_STOP : X86_NEXT;
		s->is_padding = op == 0x1f;
	} else if (x->map == MAP_ONE_BYTE) {
		bool is_far = op == 0xff && (group == 3 || group == 5);
		if ((op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3))
			s->flow = X86_BRANCH;
		else if (op == 0xe9 || op == 0xeb || (op == 0xff && group == 4))
			s->flow = X86_JUMP;
		else if (op == 0xe8 || (op == 0xff && group == 2))
			s->flow = X86_CALL;
		else if (op == 0xc3 || op == 0xc2)
			s->flow = X86_RETURN;
		else if (op == 0xcc || op == 0xf4 || op == 0xcb || op == 0xca || op == 0xcf || op == 0xf1 || is_far)
			s->flow = X86_STOP;
		s->is_padding = op == 0xcc || (op == 0x90 && !(x->rex & 1));
	}
	if (x->map == MAP_ONE_BYTE && op == 0x8d && x->mod != 3 && x->base == x->reg && !x->disp)
		s->is_padding = true; /* lea 0(%esi),%esi */
	bool is_direct = s->flow == X86_BRANCH || ((s->flow == X86_JUMP || s->flow == X86_CALL) && op != 0xff);
	s->target = is_direct ? next + (uint64_t)x->imm : 0;
	if (x->is_ia32)
		s->target = (uint32_t)s->target;
	if (s->flow == X86_CALL && s->target == next) { /* how 32-bit code reads its own address */
		s->flow = X86_NEXT;
		s->target = 0;
		set(s, X86_PUSH, X86_NO_REG, 0);
	}
}

bool x86_step_decode(const uint8_t *code, size_t n, uint64_t at, bool is_ia32, struct x86_step *ret)
{
	struct insn x = { .code = code, .n = n < INSN_BYTES_MAX ? n : INSN_BYTES_MAX, .is_ia32 = is_ia32 };
	*ret = (struct x86_step){ .reg = X86_NO_REG };
	if (!take_opcode(&x) || x.form & BAD || (x.form & M && !take_operand(&x)) || !take_immediates(&x))
		return false;
	ret->bytes = (uint8_t)x.at;
	find_effect(&x, ret);
	find_flow(&x, ret, at + x.at);
	ret->written = written_of(&x);
	if (ret->effect == X86_SP_TO || ret->effect == X86_POP)
		ret->written &= (uint16_t)~BIT(ret->reg & 15);
	else if (ret->effect == X86_NONE && ret->written & BIT(X86_RSP))
		ret->effect = X86_SP_UNKNOWN;
	ret->written &= (uint16_t)~BIT(X86_RSP);
	return true;
}
