/*
 * The BPF programs that count system calls by number, for a tree of tasks or for all. For this room alone.
 *
 * Counts stand in an array map of one row of SYSCALL_NUMBERS for each CPU, so that no two CPUs write to the same line
 * and no atomic operation is needed: a program runs through on its CPU. The task that is followed first is known by its
 * number; those that it starts are kept in a hash map by their thread ids, as the kernel numbers them at the top.
 */
#pragma once
#include "bpf/load/kernel.h"

#define SYSCALL_NUMBERS       512 /* a power of two, above all that there are */
#define SYSCALL_NUMBERS_SHIFT 9
/* The place for calls of 32-bit and x32 programs, whose numbers mean other calls, and for what has no number. */
#define SYSCALL_OTHERS	      (SYSCALL_NUMBERS - 1)
#define FOLLOWED_TASKS_MAX    65536

/* The value of the state map, shared by programs and user space. */
struct syscall_state {
	uint32_t enabled;
	uint32_t dropped; /* tasks that there was no room to follow */
	uint32_t leader;  /* the command's process; 0: none yet */
};

struct syscall_programs {
	/* Maps. */
	int state_fd, tasks_fd, enter_fd, exit_fd; /* tables of counts: -1 where that side is not counted */
	/* Where things lie. */
	uint32_t status_offset, pid_offset, tgid_offset;
	uint32_t cpus;
	/* Whom to count. */
	bool everyone;
	bool has_leader;        /* the state's leader too, and not those in the map alone */
	bool threads_of_leader; /* all its threads, not just the first (inherit) */
};

void syscall_program_count(struct bpf_asm *a, const struct syscall_programs *p, bool at_exit);
/* A followed task starts another. */
void syscall_program_fork(struct bpf_asm *a, const struct syscall_programs *p);
/* The leader's exec lets counting begin; a thread that execs takes the number of its process. */
void syscall_program_exec(struct bpf_asm *a, const struct syscall_programs *p, bool enables);
void syscall_program_exit(struct bpf_asm *a, const struct syscall_programs *p);
