#include "bpf/count/event_counts.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "bpf/load/kernel.h"

#define COUNTS_MAX 65536
#define SIDES      2

struct count_key {
	uint32_t tid, pid;
	uint32_t cpu, unused;
};

struct event_counts {
	int side_fd;   /* one number: the side that programs add to, or SIDES: none */
	int lost_fd;   /* one number, which programs write alone */
	int link;
	int counts_fd[SIDES];
	uint32_t side; /* that is counted into while enabled */
	bool enabled;
};

enum label { OUT, OTHER_SIDE, NEW_ON_SIDE };

#define TASK BPF_REG_6 /* a register that calls keep */

/* Where things stand on the program's stack. */
#define KEY      (-(int)sizeof(struct count_key))
#define KEY_AT(field) (KEY + (int)offsetof(struct count_key, field))
#define ONE      (KEY - 8)

static void stack_address(struct bpf_asm *a, unsigned reg, int at)
{
	bpf_mov(a, reg, BPF_REG_10);
	bpf_alu_imm(a, BPF_ADD, reg, at);
}

/* *value += 1. The key has the CPU, so nobody else adds to it; the losses of two CPUs may meet, and are then told as one. */
static void add_one(struct bpf_asm *a, unsigned value)
{
	bpf_ldx(a, BPF_DW, BPF_REG_2, value, 0);
	bpf_alu_imm(a, BPF_ADD, BPF_REG_2, 1);
	bpf_stx(a, BPF_DW, value, 0, BPF_REG_2);
}

static void count_on(struct bpf_asm *a, const struct event_counts *c, unsigned side)
{
	bpf_load_map(a, BPF_REG_1, c->counts_fd[side]);
	stack_address(a, BPF_REG_2, KEY);
	bpf_call(a, BPF_FUNC_map_lookup_elem);
	bpf_jump_imm(a, BPF_JEQ, BPF_REG_0, 0, NEW_ON_SIDE + side);
	add_one(a, BPF_REG_0);
	bpf_jump(a, OUT);
	bpf_label(a, NEW_ON_SIDE + side);
	bpf_mov_imm(a, BPF_REG_1, 1);
	bpf_stx(a, BPF_DW, BPF_REG_10, ONE, BPF_REG_1);
	bpf_load_map(a, BPF_REG_1, c->counts_fd[side]);
	stack_address(a, BPF_REG_2, KEY);
	stack_address(a, BPF_REG_3, ONE);
	bpf_mov_imm(a, BPF_REG_4, BPF_ANY);
	bpf_call(a, BPF_FUNC_map_update_elem);
	bpf_jump_imm(a, BPF_JEQ, BPF_REG_0, 0, OUT);
	bpf_load_map_value(a, BPF_REG_1, c->lost_fd, 0);
	add_one(a, BPF_REG_1);
	bpf_jump(a, OUT);
}

static void write_program(struct bpf_asm *a, const struct event_counts *c, uint32_t without_pid)
{
	bpf_call(a, BPF_FUNC_get_current_pid_tgid);
	bpf_mov(a, TASK, BPF_REG_0);
	if (without_pid) {
		bpf_alu_imm(a, BPF_RSH, BPF_REG_0, 32);
		bpf_jump_imm(a, BPF_JEQ, BPF_REG_0, (int32_t)without_pid, OUT);
	}
	bpf_stx(a, BPF_W, BPF_REG_10, KEY_AT(tid), TASK);
	bpf_alu_imm(a, BPF_RSH, TASK, 32);
	bpf_stx(a, BPF_W, BPF_REG_10, KEY_AT(pid), TASK);
	bpf_call(a, BPF_FUNC_get_smp_processor_id);
	bpf_stx(a, BPF_W, BPF_REG_10, KEY_AT(cpu), BPF_REG_0);
	bpf_mov_imm(a, BPF_REG_0, 0);
	bpf_stx(a, BPF_W, BPF_REG_10, KEY_AT(unused), BPF_REG_0);
	bpf_load_map_value(a, BPF_REG_1, c->side_fd, 0);
	bpf_ldx(a, BPF_W, BPF_REG_1, BPF_REG_1, 0);
	bpf_jump_imm(a, BPF_JGE, BPF_REG_1, SIDES, OUT);
	bpf_jump_imm(a, BPF_JNE, BPF_REG_1, 0, OTHER_SIDE);
	count_on(a, c, 0);
	bpf_label(a, OTHER_SIDE);
	count_on(a, c, 1);
	bpf_label(a, OUT);
	bpf_mov_imm(a, BPF_REG_0, 0);
	bpf_exit(a);
}

static struct strobe_error *make_maps(struct event_counts *c, const struct event_counts_options *o)
{
	struct bpf_map_shape side = { BPF_MAP_TYPE_ARRAY, 4, sizeof(uint32_t), 1, 0 };
	struct bpf_map_shape lost = { BPF_MAP_TYPE_ARRAY, 4, sizeof(uint64_t), 1, 0 };
	struct bpf_map_shape counts = { BPF_MAP_TYPE_HASH, sizeof(struct count_key), sizeof(uint64_t), COUNTS_MAX, 0 };
	TRY(bpf_map_make(o->sys, "top_side", side, &c->side_fd));
	TRY(bpf_map_make(o->sys, "top_lost", lost, &c->lost_fd));
	for (unsigned i = 0; i < SIDES; i++)
		TRY(bpf_map_make(o->sys, "top_counts", counts, &c->counts_fd[i]));
	return NULL;
}

static struct strobe_error *write_side(struct event_counts *c)
{
	uint32_t zero = 0, side = c->enabled ? c->side : SIDES;
	return bpf_map_set(c->side_fd, &zero, &side);
}

static struct strobe_error *open_all(struct event_counts *c, const struct event_counts_options *o)
{
	struct bpf_asm program = {};
	TRY(bpf_check_pid_namespace(o->sys));
	TRY(make_maps(c, o));
	TRY(write_side(c));
	write_program(&program, c, o->without_pid);
	struct strobe_error *err = bpf_asm_attach(o->sys, o->tracepoint, &program, &c->link);
	bpf_asm_deinit(&program);
	return err;
}

struct strobe_error *event_counts_open(const struct event_counts_options *o, struct event_counts **ret)
{
	struct event_counts *c = xcalloc(1, sizeof(*c));
	c->side_fd = c->lost_fd = c->link = -1;
	for (unsigned i = 0; i < SIDES; i++)
		c->counts_fd[i] = -1;
	struct strobe_error *err = open_all(c, o);
	if (err) {
		event_counts_close(c);
		return err;
	}
	*ret = c;
	return NULL;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void event_counts_close(struct event_counts *c)
{
	if (!c)
		return;
	close_fd(c->link);
	close_fd(c->side_fd);
	close_fd(c->lost_fd);
	for (unsigned i = 0; i < SIDES; i++)
		close_fd(c->counts_fd[i]);
	free(c);
}

struct strobe_error *event_counts_enable(struct event_counts *c, bool on)
{
	c->enabled = on;
	return write_side(c);
}

/* Hands out the counts of a side and empties it. Keys are taken from the front, as they go. */
static void empty(struct event_counts *c, unsigned side, void (*fn)(void *ctx, const struct event_count *e), void *ctx)
{
	struct count_key key;
	while (bpf_map_next(c->counts_fd[side], NULL, &key)) {
		struct event_count e = { .pid = key.pid, .tid = key.tid, .cpu = key.cpu };
		bool found = bpf_map_get(c->counts_fd[side], &key, &e.count);
		bpf_map_unset(c->counts_fd[side], &key);
		if (found)
			fn(ctx, &e);
	}
}

struct strobe_error *event_counts_turn(struct event_counts *c)
{
	c->side = !c->side;
	return write_side(c);
}

void event_counts_read(struct event_counts *c, void (*fn)(void *ctx, const struct event_count *e), void *ctx)
{
	empty(c, !c->side, fn, ctx);
}

uint64_t event_counts_lost(const struct event_counts *c)
{
	uint32_t zero = 0;
	uint64_t lost = 0;
	return bpf_map_get(c->lost_fd, &zero, &lost) ? lost : 0;
}
