/*
 * Small BPF programs, written instruction by instruction, for what must run in every build: without clang, libbpf or
 * another library at build time or at run time.
 *
 *	struct bpf_asm a = {};
 *	bpf_ldx(&a, BPF_DW, BPF_REG_7, BPF_REG_1, 8);
 *	bpf_jump_imm(&a, BPF_JGE, BPF_REG_7, 512, OUT);
 *	...
 *	bpf_label(&a, OUT);
 *	bpf_mov_imm(&a, BPF_REG_0, 0);
 *	bpf_exit(&a);
 *	TRY(bpf_asm_finish(&a));
 *
 * Jumps name labels, which are small numbers of the caller's; they are resolved by bpf_asm_finish(). Source:
 * Documentation/bpf/standardization/instruction-set.rst.
 */
#pragma once
#include <linux/bpf.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vector.h"

#define BPF_ASM_LABELS 16

struct bpf_asm {
	VEC(struct bpf_insn) code;
	VEC(uint8_t) label_of_jump;       /* as many as code; 0xff: no jump to a label */
	uint32_t label_at[BPF_ASM_LABELS]; /* 0: not placed; else the index + 1 */
};

void bpf_asm_deinit(struct bpf_asm *a);
void bpf_label(struct bpf_asm *a, unsigned label);
/* dst = *(size *)(src + offset); size is BPF_W or BPF_DW. */
void bpf_ldx(struct bpf_asm *a, unsigned size, unsigned dst, unsigned src, int offset);
/* *(size *)(dst + offset) = src */
void bpf_stx(struct bpf_asm *a, unsigned size, unsigned dst, int offset, unsigned src);
/* 64 bits at dst + offset op= src, atomically; op is BPF_OR, BPF_AND … (Linux 5.12). */
void bpf_atomic(struct bpf_asm *a, unsigned op, unsigned dst, int offset, unsigned src);
void bpf_mov(struct bpf_asm *a, unsigned dst, unsigned src);
void bpf_mov_imm(struct bpf_asm *a, unsigned dst, int32_t value);
/* dst op= value or src on 64 bits; op is BPF_ADD, BPF_LSH, BPF_AND … */
void bpf_alu_imm(struct bpf_asm *a, unsigned op, unsigned dst, int32_t value);
void bpf_alu(struct bpf_asm *a, unsigned op, unsigned dst, unsigned src);
void bpf_jump(struct bpf_asm *a, unsigned label);
/* if (dst op value) goto label, on 64 bits; unsigned comparisons are BPF_JGE and the like. */
void bpf_jump_imm(struct bpf_asm *a, unsigned op, unsigned dst, int32_t value, unsigned label);
void bpf_jump_reg(struct bpf_asm *a, unsigned op, unsigned dst, unsigned src, unsigned label);
/* A map for a helper, and the address of the value of an array map. */
void bpf_load_map(struct bpf_asm *a, unsigned dst, int map_fd);
void bpf_load_map_value(struct bpf_asm *a, unsigned dst, int map_fd, uint32_t offset);
void bpf_call(struct bpf_asm *a, unsigned helper);
void bpf_exit(struct bpf_asm *a);
struct strobe_error *bpf_asm_finish(struct bpf_asm *a) _must_check_;
