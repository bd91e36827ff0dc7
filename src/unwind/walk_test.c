/* Walks of this very process, whose stack is known: libgcc's unwinder, through backtrace(3), is the second source. */
#include "base/testing.h"

#include <execinfo.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/mem.h"
#include "machine/record_builder.h"
#include "unwind/walk.h"

#if defined(__x86_64__)

#define FRAMES_MAX 1024
#define STACK_MAX  (256 << 10)

struct process {
	struct record_builder records;
	struct machine *machine;
	struct env env;
	struct unwind_tables *tables;
	struct unwinder *unwinder;
	uint32_t space;
	VEC(struct object *) objects;
	uint64_t stack_end;
};

static struct unwind_objects objects_of(void *ctx, const struct mapped_file *file)
{
	struct process *p = ctx;
	struct unwind_objects ret = {};
	if (file->kind != MAPPED_FILE)
		return ret;
	error_destroy(object_open(file->path, &ret.object));
	if (ret.object)
		vec_push(&p->objects, ret.object);
	return ret;
}

static void add_map(struct process *p, uint64_t start, uint64_t end, uint64_t pgoff, const char *path)
{
	struct record_builder *b = &p->records;
	build_start(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	build_u32s(b, (uint32_t)getpid(), (uint32_t)getpid());
	build_u64(b, start);
	build_u64(b, end - start);
	build_u64(b, pgoff);
	build_u64(b, 0); /* device */
	build_u64(b, 0); /* inode */
	build_u64(b, 0);
	build_u32s(b, 5, 2);
	build_string(b, path);
	machine_apply(p->machine, build_end(b), 0);
}

static void process_init(struct process *p)
{
	char *line = NULL;
	size_t cap = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	assert_non_null(f);
	*p = (struct process){};
	p->machine = machine_create(&p->env);
	while (getline(&line, &cap, f) > 0) {
		uint64_t start, end, pgoff;
		char perms[5];
		int path = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &start, &end, perms, &pgoff, &path) < 4)
			continue;
		line[strcspn(line, "\n")] = 0;
		if (!strcmp(line + path, "[stack]"))
			p->stack_end = end;
		if (perms[2] == 'x')
			add_map(p, start, end, pgoff, line[path] ? line + path : "//anon");
	}
	free(line);
	fclose(f);
	machine_seal(p->machine);
	p->space = machine_view(p->machine, (uint32_t)getpid(), (uint32_t)getpid(), 1).space;
	p->tables = unwind_tables_create(objects_of, p);
	p->unwinder = unwinder_create(p->machine, p->tables);
}

static void process_deinit(struct process *p)
{
	unwinder_destroy(p->unwinder);
	unwind_tables_destroy(p->tables);
	machine_destroy(p->machine);
	for (size_t i = 0; i < p->objects.len; i++)
		object_close(p->objects.data[i]);
	vec_deinit(&p->objects);
	vec_deinit(&p->records.bytes);
}

/* What a sample would have brought, and what libgcc says of the same moment. */
struct snapshot {
	uint64_t regs[24];
	uint8_t *stack;
	uint64_t stack_bytes;
	void *truth[FRAMES_MAX];
	int truth_nr;
};

static struct snapshot shot;
static uint64_t stack_end;
static volatile int sink;

static const uint64_t regs_mask = 0xff01ff; /* AX to IP, R8 to R15, without flags and segments */

/* The stack is copied by hand: a sanitizer's memcpy would refuse to read between variables. */
__attribute__((noinline, no_sanitize("address", "undefined"))) static void copy_stack(uint64_t sp)
{
	volatile const uint8_t *from = (const uint8_t *)sp;
	uint64_t n = stack_end - sp < STACK_MAX ? stack_end - sp : STACK_MAX;
	for (uint64_t i = 0; i < n; i++)
		shot.stack[i] = from[i];
	shot.stack_bytes = n;
}

__attribute__((noinline)) static void take_snapshot(void)
{
	ucontext_t uc;
	getcontext(&uc);
	const greg_t *g = uc.uc_mcontext.gregs;
	const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
			      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		shot.regs[i] = (uint64_t)g[order[i]];
	copy_stack(shot.regs[7]);
	shot.truth_nr = backtrace(shot.truth, FRAMES_MAX);
}

static struct unwind_result walk(struct process *p, uint64_t stack_bytes, uint32_t max, uint64_t *ret)
{
	struct unwind_input in = {
		.arch = &arch_x86_64, .space = p->space, .regs_mask = regs_mask, .regs = shot.regs, .stack = shot.stack,
		.stack_bytes = stack_bytes, .max = max,
	};
	return unwind_walk(p->unwinder, &in, ret);
}

/* The first address differs: backtrace() was called a little later. */
static void assert_truth(struct process *p)
{
	uint64_t got[FRAMES_MAX];
	struct unwind_result r = walk(p, shot.stack_bytes, FRAMES_MAX, got);
	assert_int_equal(r.end, UNWIND_END_WHOLE);
	/* A sanitizer's own backtrace() is among the expected frames, too. */
	uint32_t more = (uint32_t)shot.truth_nr - r.nr;
	assert_in_range(more, 0, 1);
	for (uint32_t i = 1; i < r.nr; i++)
		assert_int_equal(got[i], (uint64_t)(uintptr_t)shot.truth[i + more]);
	assert_true(r.top <= stack_end && r.top > shot.regs[7]);
}

__attribute__((noinline)) static int deep(int n)
{
	volatile char *room = __builtin_alloca((size_t)(n % 7) * 16 + 16);
	room[0] = (char)n;
	if (!n)
		take_snapshot();
	else
		sink ^= deep(n - 1);
	return room[0];
}

__attribute__((noinline)) static int realigned(int n)
{
	volatile __attribute__((aligned(64))) char room[64];
	volatile char *more = __builtin_alloca((size_t)n + 1);
	more[n] = 1;
	room[0] = (char)n;
	return deep(3) + room[0] + more[n];
}

static int compare(const void *a, const void *b)
{
	if (!shot.truth_nr)
		sink ^= realigned(5);
	return *(const int *)a - *(const int *)b;
}

static void handler(int sig)
{
	sink ^= deep(5) + sig;
}

static void test_recursion(void **state)
{
	struct process *p = *state;
	sink ^= deep(700);
	assert_true(shot.truth_nr > 700);
	assert_truth(p);
}

static void test_through_libc_and_realigned(void **state)
{
	struct process *p = *state;
	int n[] = { 3, 2, 1 };
	shot.truth_nr = 0;
	qsort(n, 3, sizeof(*n), compare);
	assert_truth(p);
}

static void test_signal_frame(void **state)
{
	struct process *p = *state;
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	assert_truth(p);
}

static void test_cut_dump(void **state)
{
	struct process *p = *state;
	uint64_t got[FRAMES_MAX], whole[FRAMES_MAX];
	sink ^= deep(300);
	struct unwind_result all = walk(p, shot.stack_bytes, FRAMES_MAX, whole);
	for (uint64_t bytes = 0; bytes < 6000; bytes += 72) {
		struct unwind_result r = walk(p, bytes, FRAMES_MAX, got);
		assert_int_equal(r.end, UNWIND_END_CUT);
		assert_true(r.needed > bytes && r.needed <= shot.stack_bytes);
		assert_true(r.nr < all.nr);
		assert_memory_equal(got, whole, r.nr * sizeof(*got));
	}
	struct unwind_result enough = walk(p, all.top - all.sp, FRAMES_MAX, got);
	assert_int_equal(enough.end, UNWIND_END_WHOLE);
	assert_int_equal(walk(p, shot.stack_bytes, 10, got).end, UNWIND_END_LIMIT);
	assert_int_equal(walk(p, shot.stack_bytes, 10, got).nr, 10);
}

/* The caller of code that has no table is found by its frame pointer; where the stack leads back, the walk ends. */
static void test_made_stacks(void **state)
{
	struct process *p = *state;
	uint64_t got[FRAMES_MAX], saved[24];
	uint64_t jit = 0x10000, code = (uint64_t)(uintptr_t)test_cut_dump;
	uint64_t *stack = (uint64_t *)shot.stack;
	memcpy(saved, shot.regs, sizeof(saved));
	shot.regs[7] = 0x7000;
	shot.regs[6] = 0x7010;
	shot.regs[8] = jit;
	stack[2] = 0x7040;
	stack[3] = jit + 0x20;
	stack[8] = 0;
	stack[9] = jit + 0x40;
	struct unwind_result r = walk(p, 4096, FRAMES_MAX, got);
	assert_int_equal(r.end, UNWIND_END_WHOLE);
	assert_int_equal(r.nr, 3);
	assert_int_equal(got[1], jit + 0x20);
	assert_int_equal(got[2], jit + 0x40);
	stack[2] = 0x7008; /* leads back */
	r = walk(p, 4096, FRAMES_MAX, got);
	assert_int_equal(r.end, UNWIND_END_NO_TABLE);
	assert_int_equal(r.nr, 2);
	shot.regs[8] = code;
	memset(shot.stack, 0, 4096);
	r = walk(p, 4096, FRAMES_MAX, got);
	assert_int_equal(r.end, UNWIND_END_WHOLE); /* at the function's first byte the return address, 0, is on top */
	assert_int_equal(r.nr, 1);
	memcpy(shot.regs, saved, sizeof(saved));
}

static int setup(void **state)
{
	static struct process p;
	process_init(&p);
	add_map(&p, 0x10000, 0x11000, 0x10000, "//anon");
	machine_seal(p.machine);
	p.space = machine_view(p.machine, (uint32_t)getpid(), (uint32_t)getpid(), 1).space;
	shot.stack = xmalloc(STACK_MAX);
	stack_end = p.stack_end;
	*state = &p;
	return 0;
}

static int teardown(void **state)
{
	process_deinit(*state);
	free(shot.stack);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recursion),	   cmocka_unit_test(test_through_libc_and_realigned),
		cmocka_unit_test(test_signal_frame),	   cmocka_unit_test(test_cut_dump),
		cmocka_unit_test(test_made_stacks),
	};
	return cmocka_run_group_tests_name("unwind-walk", tests, setup, teardown);
}
#else
int main(void)
{
	return cmocka_run_group_tests_name("unwind-walk", (const struct CMUnitTest[]){}, NULL, NULL);
}
#endif
