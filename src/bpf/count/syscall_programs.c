#include "bpf/count/syscall_programs.h"

#include <stddef.h>

/* What pt_regs of x86 holds: the number of the call; part of the ABI of ptrace(2). */
#define ORIG_AX_OFFSET 120
/* TS_COMPAT in thread_info.status: a call of a 32-bit program. Such calls have numbers of their own. */
#define TS_COMPAT 2

enum label { OUT, COUNT, FOLLOWED, KNOWN, NATIVE };

/* Registers that calls keep. */
#define CTX  BPF_REG_6
#define NR   BPF_REG_7
#define TASK BPF_REG_8

static void load_state(struct bpf_asm *a, const struct syscall_programs *p, unsigned reg, size_t field)
{
	bpf_load_map_value(a, reg, p->state_fd, (uint32_t)field);
	bpf_ldx(a, BPF_W, reg, reg, 0);
}

/* Goes to `yes` where the current task, in TASK, is one of those that are followed; falls through where not. */
static void test_followed(struct bpf_asm *a, const struct syscall_programs *p, unsigned yes)
{
	if (p->has_leader) {
		load_state(a, p, BPF_REG_2, offsetof(struct syscall_state, leader));
		bpf_ldx(a, BPF_W, BPF_REG_1, TASK, (int)(p->threads_of_leader ? p->tgid_offset : p->pid_offset));
		bpf_jump_reg(a, BPF_JEQ, BPF_REG_1, BPF_REG_2, yes);
	}
	bpf_ldx(a, BPF_W, BPF_REG_1, TASK, (int)p->pid_offset);
	bpf_stx(a, BPF_W, BPF_REG_10, -4, BPF_REG_1);
	bpf_load_map(a, BPF_REG_1, p->tasks_fd);
	bpf_mov(a, BPF_REG_2, BPF_REG_10);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_2, -4);
	bpf_call(a, BPF_FUNC_map_lookup_elem);
	bpf_jump_imm(a, BPF_JNE, BPF_REG_0, 0, yes);
}

static void return_zero(struct bpf_asm *a)
{
	bpf_label(a, OUT);
	bpf_mov_imm(a, BPF_REG_0, 0);
	bpf_exit(a);
}

/* raw_syscalls: sys_enter(regs, number), sys_exit(regs, result). */
void syscall_program_count(struct bpf_asm *a, const struct syscall_programs *p, bool at_exit)
{
	bpf_mov(a, CTX, BPF_REG_1);
	load_state(a, p, BPF_REG_1, offsetof(struct syscall_state, enabled));
	bpf_jump_imm(a, BPF_JEQ, BPF_REG_1, 0, OUT);
	if (at_exit) {
		bpf_ldx(a, BPF_DW, BPF_REG_3, CTX, 0);
		bpf_alu_imm(a, BPF_ADD, BPF_REG_3, ORIG_AX_OFFSET);
		bpf_mov(a, BPF_REG_1, BPF_REG_10);
		bpf_alu_imm(a, BPF_ADD, BPF_REG_1, -16);
		bpf_mov_imm(a, BPF_REG_2, 8);
		bpf_call(a, BPF_FUNC_probe_read_kernel);
		bpf_jump_imm(a, BPF_JNE, BPF_REG_0, 0, OUT);
		bpf_ldx(a, BPF_DW, NR, BPF_REG_10, -16);
	} else {
		bpf_ldx(a, BPF_DW, NR, CTX, 8);
	}
	bpf_jump_imm(a, BPF_JLT, NR, SYSCALL_OTHERS, KNOWN);
	bpf_mov_imm(a, NR, SYSCALL_OTHERS);
	bpf_label(a, KNOWN);
	bpf_call(a, BPF_FUNC_get_current_task_btf);
	bpf_mov(a, TASK, BPF_REG_0);
	bpf_ldx(a, BPF_W, BPF_REG_1, TASK, (int)p->status_offset);
	bpf_alu_imm(a, BPF_AND, BPF_REG_1, TS_COMPAT);
	bpf_jump_imm(a, BPF_JEQ, BPF_REG_1, 0, NATIVE);
	bpf_mov_imm(a, NR, SYSCALL_OTHERS);
	bpf_label(a, NATIVE);
	if (!p->everyone) {
		test_followed(a, p, COUNT);
		bpf_jump(a, OUT);
	}
	bpf_label(a, COUNT);
	bpf_call(a, BPF_FUNC_get_smp_processor_id);
	bpf_jump_imm(a, BPF_JGE, BPF_REG_0, (int32_t)p->cpus, OUT);
	bpf_alu_imm(a, BPF_LSH, BPF_REG_0, SYSCALL_NUMBERS_SHIFT);
	bpf_alu(a, BPF_ADD, BPF_REG_0, NR);
	bpf_alu_imm(a, BPF_LSH, BPF_REG_0, 3);
	bpf_load_map_value(a, BPF_REG_1, at_exit ? p->exit_fd : p->enter_fd, 0);
	bpf_alu(a, BPF_ADD, BPF_REG_1, BPF_REG_0);
	bpf_ldx(a, BPF_DW, BPF_REG_2, BPF_REG_1, 0);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_2, 1);
	bpf_stx(a, BPF_DW, BPF_REG_1, 0, BPF_REG_2);
	return_zero(a);
}

/* Puts the thread id at stack -4 into the map. */
static void follow(struct bpf_asm *a, const struct syscall_programs *p)
{
	bpf_mov_imm(a, BPF_REG_1, 1);
	bpf_stx(a, BPF_W, BPF_REG_10, -8, BPF_REG_1);
	bpf_load_map(a, BPF_REG_1, p->tasks_fd);
	bpf_mov(a, BPF_REG_2, BPF_REG_10);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_2, -4);
	bpf_mov(a, BPF_REG_3, BPF_REG_10);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_3, -8);
	bpf_mov_imm(a, BPF_REG_4, BPF_ANY);
	bpf_call(a, BPF_FUNC_map_update_elem);
	bpf_jump_imm(a, BPF_JEQ, BPF_REG_0, 0, OUT);
	/* No room: user space will say that the counts lack something. */
	bpf_load_map_value(a, BPF_REG_1, p->state_fd, offsetof(struct syscall_state, dropped));
	bpf_ldx(a, BPF_W, BPF_REG_2, BPF_REG_1, 0);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_2, 1);
	bpf_stx(a, BPF_W, BPF_REG_1, 0, BPF_REG_2);
}

static void unfollow(struct bpf_asm *a, const struct syscall_programs *p)
{
	bpf_load_map(a, BPF_REG_1, p->tasks_fd);
	bpf_mov(a, BPF_REG_2, BPF_REG_10);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_2, -4);
	bpf_call(a, BPF_FUNC_map_delete_elem);
}

/* sched_process_fork(parent, child): the parent is the current task. */
void syscall_program_fork(struct bpf_asm *a, const struct syscall_programs *p)
{
	bpf_mov(a, CTX, BPF_REG_1);
	bpf_call(a, BPF_FUNC_get_current_task_btf);
	bpf_mov(a, TASK, BPF_REG_0);
	test_followed(a, p, FOLLOWED);
	bpf_jump(a, OUT);
	bpf_label(a, FOLLOWED);
	bpf_ldx(a, BPF_DW, BPF_REG_3, CTX, 8);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_3, (int32_t)p->pid_offset);
	bpf_mov(a, BPF_REG_1, BPF_REG_10);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_1, -4);
	bpf_mov_imm(a, BPF_REG_2, 4);
	bpf_call(a, BPF_FUNC_probe_read_kernel);
	bpf_jump_imm(a, BPF_JNE, BPF_REG_0, 0, OUT);
	follow(a, p);
	return_zero(a);
}

/* sched_process_exec(task, old thread id, binary) */
void syscall_program_exec(struct bpf_asm *a, const struct syscall_programs *p, bool enables)
{
	bpf_mov(a, CTX, BPF_REG_1);
	bpf_call(a, BPF_FUNC_get_current_task_btf);
	bpf_mov(a, TASK, BPF_REG_0);
	if (enables) {
		load_state(a, p, BPF_REG_2, offsetof(struct syscall_state, leader));
		bpf_ldx(a, BPF_W, BPF_REG_1, TASK, (int)p->tgid_offset);
		bpf_jump_reg(a, BPF_JNE, BPF_REG_1, BPF_REG_2, COUNT);
		bpf_mov_imm(a, BPF_REG_2, 1);
		bpf_load_map_value(a, BPF_REG_1, p->state_fd, offsetof(struct syscall_state, enabled));
		bpf_stx(a, BPF_W, BPF_REG_1, 0, BPF_REG_2);
		bpf_jump(a, OUT);
		bpf_label(a, COUNT);
	}
	bpf_ldx(a, BPF_DW, BPF_REG_1, CTX, 8);
	bpf_ldx(a, BPF_W, NR, TASK, (int)p->pid_offset);
	bpf_jump_reg(a, BPF_JEQ, BPF_REG_1, NR, OUT);
	bpf_stx(a, BPF_W, BPF_REG_10, -4, BPF_REG_1);
	unfollow(a, p);
	/* It was not there: not one of ours. */
	bpf_jump_imm(a, BPF_JNE, BPF_REG_0, 0, OUT);
	bpf_stx(a, BPF_W, BPF_REG_10, -4, NR);
	follow(a, p);
	return_zero(a);
}

void syscall_program_exit(struct bpf_asm *a, const struct syscall_programs *p)
{
	bpf_call(a, BPF_FUNC_get_current_task_btf);
	bpf_ldx(a, BPF_W, BPF_REG_1, BPF_REG_0, (int)p->pid_offset);
	bpf_stx(a, BPF_W, BPF_REG_10, -4, BPF_REG_1);
	unfollow(a, p);
	return_zero(a);
}
