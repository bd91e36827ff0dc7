#include "bpf/load/asm.h"

#define NO_LABEL 0xff

static void emit(struct bpf_asm *a, struct bpf_insn insn, uint8_t label)
{
	vec_push(&a->code, insn);
	vec_push(&a->label_of_jump, label);
}

void bpf_asm_deinit(struct bpf_asm *a)
{
	vec_deinit(&a->code);
	vec_deinit(&a->label_of_jump);
}

void bpf_label(struct bpf_asm *a, unsigned label)
{
	a->label_at[label] = (uint32_t)a->code.len + 1;
}

#define INSN(op, dst, src, off_, imm_)                                                                        \
	((struct bpf_insn){ .code = (uint8_t)(op), .dst_reg = (dst) & 0xf, .src_reg = (src) & 0xf, .off = (int16_t)(off_), \
			    .imm = (imm_) })

void bpf_ldx(struct bpf_asm *a, unsigned size, unsigned dst, unsigned src, int offset)
{
	emit(a, INSN(BPF_LDX | BPF_MEM | size, dst, src, offset, 0), NO_LABEL);
}

void bpf_stx(struct bpf_asm *a, unsigned size, unsigned dst, int offset, unsigned src)
{
	emit(a, INSN(BPF_STX | BPF_MEM | size, dst, src, offset, 0), NO_LABEL);
}

void bpf_atomic(struct bpf_asm *a, unsigned op, unsigned dst, int offset, unsigned src)
{
	emit(a, INSN(BPF_STX | BPF_ATOMIC | BPF_DW, dst, src, offset, (int32_t)op), NO_LABEL);
}

void bpf_mov(struct bpf_asm *a, unsigned dst, unsigned src)
{
	emit(a, INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0), NO_LABEL);
}

void bpf_mov_imm(struct bpf_asm *a, unsigned dst, int32_t value)
{
	emit(a, INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value), NO_LABEL);
}

void bpf_alu_imm(struct bpf_asm *a, unsigned op, unsigned dst, int32_t value)
{
	emit(a, INSN(BPF_ALU64 | op | BPF_K, dst, 0, 0, value), NO_LABEL);
}

void bpf_alu(struct bpf_asm *a, unsigned op, unsigned dst, unsigned src)
{
	emit(a, INSN(BPF_ALU64 | op | BPF_X, dst, src, 0, 0), NO_LABEL);
}

void bpf_jump(struct bpf_asm *a, unsigned label)
{
	emit(a, INSN(BPF_JMP | BPF_JA, 0, 0, 0, 0), (uint8_t)label);
}

void bpf_jump_imm(struct bpf_asm *a, unsigned op, unsigned dst, int32_t value, unsigned label)
{
	emit(a, INSN(BPF_JMP | op | BPF_K, dst, 0, 0, value), (uint8_t)label);
}

void bpf_jump_reg(struct bpf_asm *a, unsigned op, unsigned dst, unsigned src, unsigned label)
{
	emit(a, INSN(BPF_JMP | op | BPF_X, dst, src, 0, 0), (uint8_t)label);
}

/* The one instruction of two slots: the second holds the upper half of the constant. */
static void load_wide(struct bpf_asm *a, unsigned dst, unsigned kind, int32_t low, int32_t high)
{
	emit(a, INSN(BPF_LD | BPF_IMM | BPF_DW, dst, kind, 0, low), NO_LABEL);
	emit(a, INSN(0, 0, 0, 0, high), NO_LABEL);
}

void bpf_load_map(struct bpf_asm *a, unsigned dst, int map_fd)
{
	load_wide(a, dst, BPF_PSEUDO_MAP_FD, map_fd, 0);
}

void bpf_load_map_value(struct bpf_asm *a, unsigned dst, int map_fd, uint32_t offset)
{
	load_wide(a, dst, BPF_PSEUDO_MAP_VALUE, map_fd, (int32_t)offset);
}

void bpf_call(struct bpf_asm *a, unsigned helper)
{
	emit(a, INSN(BPF_JMP | BPF_CALL, 0, 0, 0, (int32_t)helper), NO_LABEL);
}

void bpf_exit(struct bpf_asm *a)
{
	emit(a, INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0), NO_LABEL);
}

struct strobe_error *bpf_asm_finish(struct bpf_asm *a)
{
	for (size_t i = 0; i < a->code.len; i++) {
		uint8_t label = a->label_of_jump.data[i];
		if (label == NO_LABEL)
			continue;
		if (label >= BPF_ASM_LABELS || !a->label_at[label])
			return error_create(ERROR_OTHER, "BPF program: instruction %zu jumps to label %u, which is nowhere", i, label);
		/* Counted from behind the jump. */
		a->code.data[i].off = (int16_t)((int64_t)a->label_at[label] - 1 - (int64_t)i - 1);
	}
	return NULL;
}
