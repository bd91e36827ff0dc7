/*
 * Arguments of an exec that were not in memory when the call began. When the new program begins, the kernel has copied them to its
 * stack, and nothing else is left of the old one. For the stream only.
 *
 * From mm_struct.start_stack on lie argc, argv[], NULL, envp[], NULL; above them the strings, those of the environment last; and at
 * env_end the path of the file as it was passed, or, if it is relative to a descriptor, a path in /dev/fd. For a script (#!), and
 * for a file that binfmt_misc knows, the kernel has replaced argv[0] by the path of the interpreter and its arguments: then argv is not
 * taken from there.
 *
 * Source: fs/exec.c, fs/binfmt_elf.c (create_elf_tables), fs/binfmt_script.c.
 */
#pragma once
#include "bpf/trace/trace_file.bpf.h"

INLINE struct mm_struct *memory_of(struct task_struct *task)
{
	struct mm_struct *mm = NULL;
	READ(mm, task->mm);
	return mm;
}

/* Whether a 32-bit program has begun: its address space is small. */
INLINE _Bool is_32bit(struct task_struct *task)
{
	unsigned long size = ~0UL;
	READ(size, memory_of(task)->task_size);
	return size <= 1ULL << 32;
}

/* Whether the file that was executed needs an interpreter. */
INLINE _Bool is_interpreted(const struct linux_binprm *binprm)
{
	const char *filename = NULL, *interp = NULL;
	READ(filename, binprm->filename);
	READ(interp, binprm->interp);
	return filename != interp;
}

#define DEV_FD_BYTES 8 /* "/dev/fd/" */
#define DIGITS	     10

/* The path at ptr as it was passed with a descriptor: what follows "/dev/fd/N/", or nothing. */
GLOBAL __u64 passed_path(__u64 ptr, __u32 fd)
{
	char text[DEV_FD_BYTES + DIGITS + 2] = {};
	__u32 number = 0, i;
	bpf_probe_read_user_str(text, sizeof(text), (void *)ptr);
	if (*(__u64 *)text != 0x2f64662f7665642f) /* "/dev/fd/" */
		return ptr;
	for (i = DEV_FD_BYTES; i < DEV_FD_BYTES + DIGITS; i++) {
		if (text[i] < '0' || text[i] > '9')
			break;
		number = number * 10 + (text[i] - '0');
	}
	return number == fd ? ptr + i + (text[i] == '/') : ptr;
}

/* Replaces the pointers of the exec whose arguments are in s by those to the copies for the new program; 0: there is none. */
GLOBAL int point_at_copies(struct scratch *s, __u32 is_at, __u32 interpreted)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mm_struct *mm = memory_of(task);
	unsigned long stack = 0, env_end = 0;
	__u32 argc = 0, word;
	__u64 *arg;
	if (!s)
		return 0;
	s->compat = is_32bit(task);
	word = pointer_bytes(s);
	READ(stack, mm->start_stack);
	READ(env_end, mm->env_end);
	bpf_probe_read_user(&argc, sizeof(argc), (void *)stack);
	arg = s->arg + (is_at & 1);
	arg[0] = is_at ? passed_path(env_end, s->arg[0]) : env_end;
	arg[1] = interpreted ? 0 : stack + word;
	arg[2] = stack + (argc + 2ULL) * word;
	return 0;
}
