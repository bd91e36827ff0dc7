#include "bpf/task_filter.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "bpf/followed_shared.h"
#include "bpf/load/kernel.h"
#include "bpf/load/kernel_btf.h"
#include "sys/leave_behind.h"
#include "sys/perf_abi.h"

/* PID_MAX_LIMIT of 64-bit kernels: a bound on what the kernel is believed. */
#define IDS_MAX (4u << 20)
/* Recordings that others may follow at once, and for how long; several grace periods. */
#define SHORT_NS  100000000u
#define LINGER_MS 60
#define WORD    ((int)sizeof(uint64_t))

struct task_filter {
	struct task_filter_options options;
	struct followed_tasks tasks;
	int map_fd, program_fd;
	int links[2];
	uint64_t *words; /* of the map */
	size_t bytes;
	uint32_t pid_offset, flags_offset, exit_offset;
	uint64_t made_ns;
};

enum label { OUT, KEEP, CLEAR };

/* Registers that calls keep. */
#define CTX  BPF_REG_6
#define TASK BPF_REG_6
#define ID   BPF_REG_7
#define BITS BPF_REG_8 /* address of the word that has the bit of ID */
#define WAS  BPF_REG_9

/* ID of the current task. */
static void load_current(struct bpf_asm *a, const struct task_filter *f)
{
	bpf_call(a, BPF_FUNC_get_current_pid_tgid);
	bpf_mov(a, ID, BPF_REG_0);
	if (f->options.by_thread)
		bpf_alu_imm(a, BPF_LSH, ID, 32);
	bpf_alu_imm(a, BPF_RSH, ID, 32);
}

/* BITS = address of the word of ID, r1 = its bit's number; to OUT where ID has none. */
static void find_bit(struct bpf_asm *a, const struct task_filter *f)
{
	bpf_jump_imm(a, BPF_JGE, ID, (int32_t)f->tasks.nr, OUT);
	bpf_mov(a, BPF_REG_1, ID);
	bpf_alu_imm(a, BPF_RSH, BPF_REG_1, 6);
	bpf_alu_imm(a, BPF_LSH, BPF_REG_1, 3);
	bpf_load_map_value(a, BITS, f->map_fd, FOLLOWED_BITS * WORD);
	bpf_alu(a, BPF_ADD, BITS, BPF_REG_1);
	bpf_mov(a, BPF_REG_1, ID);
	bpf_alu_imm(a, BPF_AND, BPF_REG_1, 63);
}

/* dst = the bit of ID; to OUT where there is none. */
static void load_bit(struct bpf_asm *a, const struct task_filter *f, unsigned dst)
{
	find_bit(a, f);
	bpf_ldx(a, BPF_DW, dst, BITS, 0);
	bpf_alu(a, BPF_RSH, dst, BPF_REG_1);
	bpf_alu_imm(a, BPF_AND, dst, 1);
}

/* The number of 32 bits at task + offset, to stack -8; to OUT where it cannot be read. */
static void read_number(struct bpf_asm *a, unsigned task, uint32_t offset)
{
	bpf_mov(a, BPF_REG_3, task);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_3, (int32_t)offset);
	bpf_mov(a, BPF_REG_1, BPF_REG_10);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_1, -8);
	bpf_mov_imm(a, BPF_REG_2, 4);
	bpf_call(a, BPF_FUNC_probe_read_kernel);
	bpf_jump_imm(a, BPF_JNE, BPF_REG_0, 0, OUT);
}

static void return_value(struct bpf_asm *a, unsigned label, int value)
{
	bpf_label(a, label);
	bpf_mov_imm(a, BPF_REG_0, value);
	bpf_exit(a);
}

/* A sample is taken: 0 drops it. */
static void write_filter(struct bpf_asm *a, const struct task_filter *f)
{
	load_current(a, f);
	load_bit(a, f, WAS);
	bpf_jump_imm(a, BPF_JEQ, WAS, 0, OUT);
	bpf_call(a, BPF_FUNC_get_current_task);
	bpf_mov(a, TASK, BPF_REG_0);
	/* It may have been waited for, and lost its ID; events of tasks end before this, too. */
	read_number(a, TASK, f->exit_offset);
	bpf_ldx(a, BPF_W, BPF_REG_1, BPF_REG_10, -8);
	bpf_jump_imm(a, BPF_JNE, BPF_REG_1, 0, OUT);
	if (f->options.has_leader) {
		bpf_load_map_value(a, BPF_REG_1, f->map_fd, FOLLOWED_COMMAND * WORD);
		bpf_ldx(a, BPF_DW, ID, BPF_REG_1, 0);
		bpf_jump_imm(a, BPF_JEQ, ID, 0, KEEP);
		bpf_call(a, BPF_FUNC_get_current_pid_tgid);
		bpf_alu_imm(a, BPF_LSH, BPF_REG_0, 32);
		bpf_alu_imm(a, BPF_RSH, BPF_REG_0, 32);
		bpf_jump_reg(a, BPF_JNE, BPF_REG_0, ID, KEEP);
		read_number(a, TASK, f->flags_offset);
		bpf_ldx(a, BPF_W, BPF_REG_1, BPF_REG_10, -8);
		bpf_alu_imm(a, BPF_AND, BPF_REG_1, FOLLOWED_NO_EXEC);
		bpf_jump_imm(a, BPF_JNE, BPF_REG_1, 0, OUT);
		bpf_mov_imm(a, BPF_REG_2, 0);
		bpf_load_map_value(a, BPF_REG_1, f->map_fd, FOLLOWED_COMMAND * WORD);
		bpf_stx(a, BPF_DW, BPF_REG_1, 0, BPF_REG_2);
	}
	return_value(a, KEEP, 1);
	return_value(a, OUT, 0);
}

/* *BITS gets or loses the bit whose number is in r1, as WAS says; a word that has it already is not written. */
static void copy_bit(struct bpf_asm *a)
{
	bpf_mov_imm(a, BPF_REG_2, 1);
	bpf_alu(a, BPF_LSH, BPF_REG_2, BPF_REG_1);
	bpf_ldx(a, BPF_DW, BPF_REG_3, BITS, 0);
	bpf_alu(a, BPF_AND, BPF_REG_3, BPF_REG_2);
	bpf_jump_imm(a, BPF_JEQ, WAS, 0, CLEAR);
	bpf_jump_imm(a, BPF_JNE, BPF_REG_3, 0, OUT);
	bpf_atomic(a, BPF_OR, BITS, 0, BPF_REG_2);
	bpf_jump(a, OUT);
	bpf_label(a, CLEAR);
	bpf_jump_imm(a, BPF_JEQ, BPF_REG_3, 0, OUT);
	bpf_alu_imm(a, BPF_XOR, BPF_REG_2, -1);
	bpf_atomic(a, BPF_AND, BITS, 0, BPF_REG_2);
}

/*
 * task_newtask(task, clone flags): the current task starts another, which is followed where its parent is. So the bit of
 * an ID that is used again is right from its first moment on, and none need be cleared when a task ends.
 */
static void write_newtask(struct bpf_asm *a, const struct task_filter *f)
{
	bpf_mov(a, CTX, BPF_REG_1);
	if (!f->options.by_thread) { /* a thread has its process's bit */
		bpf_ldx(a, BPF_DW, BPF_REG_1, CTX, 8);
		bpf_alu_imm(a, BPF_AND, BPF_REG_1, CLONE_THREAD);
		bpf_jump_imm(a, BPF_JNE, BPF_REG_1, 0, OUT);
	}
	load_current(a, f);
	load_bit(a, f, WAS);
	bpf_ldx(a, BPF_DW, BPF_REG_3, CTX, 0);
	read_number(a, BPF_REG_3, f->pid_offset);
	bpf_ldx(a, BPF_W, ID, BPF_REG_10, -8);
	find_bit(a, f);
	copy_bit(a);
	return_value(a, OUT, 0);
}

/* sched_process_exec(task, old thread ID, binary): a thread that calls exec takes the ID of its process. */
static void write_exec(struct bpf_asm *a, const struct task_filter *f)
{
	bpf_mov(a, CTX, BPF_REG_1);
	bpf_ldx(a, BPF_DW, ID, CTX, 8);
	bpf_alu_imm(a, BPF_LSH, ID, 32);
	bpf_alu_imm(a, BPF_RSH, ID, 32);
	load_bit(a, f, WAS);
	load_current(a, f);
	find_bit(a, f);
	copy_bit(a);
	return_value(a, OUT, 0);
}

static struct strobe_error *find_offsets(struct task_filter *f)
{
	static const char *const names[] = { "pid", "flags", "exit_state" };
	uint32_t *const offsets[] = { &f->pid_offset, &f->flags_offset, &f->exit_offset };
	return kernel_btf_offsets(f->options.sys, "task_struct", names, offsets, 3);
}

static struct strobe_error *make_map(struct task_filter *f)
{
	int64_t ids;
	TRY(sys_read_i64(f->options.sys, "/proc/sys/kernel/pid_max", &ids));
	if (ids <= 0 || ids > IDS_MAX)
		ids = IDS_MAX;
	f->tasks.nr = ((uint32_t)ids + 63) / 64 * 64;
	f->bytes = (FOLLOWED_BITS + f->tasks.nr / 64) * sizeof(*f->words);
	struct bpf_map_shape shape = { BPF_MAP_TYPE_ARRAY, 4, (uint32_t)f->bytes, 1, BPF_F_MMAPABLE };
	TRY(bpf_map_make(f->options.sys, "followed", shape, &f->map_fd));
	void *p = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->map_fd, 0);
	if (p == MAP_FAILED)
		return error_errno(errno, "cannot map a BPF map");
	f->words = p;
	f->tasks.bits = f->words + FOLLOWED_BITS;
	f->tasks.by_thread = f->options.by_thread;
	return NULL;
}

typedef void (*program_fn)(struct bpf_asm *a, const struct task_filter *f);

static struct strobe_error *attach(struct task_filter *f, const char *tracepoint, program_fn fn, int *ret_link)
{
	struct bpf_asm a = {};
	fn(&a, f);
	struct strobe_error *err = bpf_asm_attach(f->options.sys, tracepoint, &a, ret_link);
	bpf_asm_deinit(&a);
	return err;
}

static struct strobe_error *load(struct task_filter *f)
{
	const struct sys *sys = f->options.sys;
	struct bpf_asm a = {};
	if (!bpf_kernel_is_at_least(sys, 5, 12))
		return error_create(ERROR_UNSUPPORTED, "tasks are followed by BPF from Linux 5.12 on");
	TRY(bpf_check_pid_namespace(sys));
	TRY(make_map(f));
	TRY(find_offsets(f));
	write_filter(&a, f);
	struct strobe_error *err = bpf_program_load(sys, BPF_PROG_TYPE_PERF_EVENT, &a, "samples", &f->program_fd);
	bpf_asm_deinit(&a);
	if (err)
		return err;
	TRY(attach(f, "task_newtask", write_newtask, &f->links[0]));
	return f->options.by_thread ? attach(f, "sched_process_exec", write_exec, &f->links[1]) : NULL;
}

struct strobe_error *task_filter_create(const struct task_filter_options *o, struct task_filter **ret)
{
	struct task_filter *f = xcalloc(1, sizeof(*f));
	f->options = *o;
	f->made_ns = sys_clock_ns(o->sys, CLOCK_MONOTONIC);
	f->map_fd = f->program_fd = f->links[0] = f->links[1] = -1;
	struct strobe_error *err = load(f);
	if (err) {
		task_filter_destroy(f);
		return err;
	}
	*ret = f;
	return NULL;
}

void task_filter_destroy(struct task_filter *f)
{
	if (!f)
		return;
	int *fds[] = { &f->links[0], &f->links[1], &f->program_fd, &f->map_fd };
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		cleanup_closep(fds[i]);
	if (f->words)
		munmap(f->words, f->bytes);
	free(f);
}

void task_filter_destroy_behind(struct task_filter *f)
{
	if (f && sys_clock_ns(f->options.sys, CLOCK_MONOTONIC) - f->made_ns < SHORT_NS)
		sys_leave_behind((int[]){ f->links[0] }, 1, LINGER_MS);
	task_filter_destroy(f);
}

const struct followed_tasks *task_filter_tasks(const struct task_filter *f)
{
	return &f->tasks;
}

int task_filter_map(const struct task_filter *f)
{
	return f->map_fd;
}

static void follow(struct task_filter *f, const struct target_map *map)
{
	if (f->options.has_leader && map->threads.len)
		f->words[FOLLOWED_COMMAND] = (uint64_t)map->threads.data[0].tid;
	for (size_t i = 0; i < map->threads.len; i++) {
		const struct thread_entry *t = &map->threads.data[i];
		uint32_t id = (uint32_t)(f->options.by_thread ? t->tid : t->pid);
		if (id < f->tasks.nr)
			__atomic_fetch_or(&f->words[FOLLOWED_BITS + id / 64], 1ull << id % 64, __ATOMIC_RELAXED);
	}
}

struct strobe_error *task_filter_attach(struct task_filter *f, struct capture *c,
					bool (*has_program)(const struct capture_event *e))
{
	const struct event_set *set = capture_events(c);
	follow(f, capture_target(c));
	for (size_t i = 0; i < set->events.len; i++) {
		const struct capture_event *e = &set->events.data[i];
		if (perf_attr_is_dummy(&e->attr) || (has_program && has_program(e)))
			continue;
		for (uint32_t slot = 0; slot < e->slots; slot++) {
			if (e->fds[slot] < 0)
				continue;
			int r = sys_ioctl(f->options.sys, e->fds[slot], PERF_EVENT_IOC_SET_BPF, (uintptr_t)f->program_fd);
			if (r < 0)
				return error_errno(-r, "%s: cannot attach the program that keeps the samples of tasks", e->name);
		}
	}
	return NULL;
}
