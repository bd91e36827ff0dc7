/*
 * What the kernel itself takes for a tracepoint's samples: a loop of read(2) and write(2) of 512 bytes, as dd makes it,
 * while raw_syscalls:sys_enter is sampled into a ring of 64 KB that nobody reads. No recorder can be cheaper than this.
 *
 *	bench_tracepoint [CALLS]
 *
 * As root. One line a set of sample fields: nanoseconds a call, the least of five rounds. Then what it takes where BPF adds up in
 * place of samples: by thread, by thread and place of the call, and by thread and stack (bpf_get_stackid, as `top` would have it).
 * Not installed.
 */
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS	   5
#define RING_BYTES 65536
#define USUAL	   (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double ns_a_call(long calls)
{
	static char block[512];
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
	double best = 0;
	for (int round = 0; round < ROUNDS; round++) {
		double start = now_ns();
		for (long i = 0; i < calls / 2; i++)
			if (read(zero, block, sizeof(block)) != sizeof(block) || write(null, block, sizeof(block)) < 0)
				exit(1);
		double took = (now_ns() - start) / (double)calls;
		if (!round || took < best)
			best = took;
	}
	close(zero);
	close(null);
	return best;
}

static void measure(const char *title, uint64_t id, uint64_t period, uint64_t fields, long calls, double bare)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = period,
		.sample_type = fields,
		.write_backward = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *ring = fd < 0 ? MAP_FAILED : mmap(NULL, RING_BYTES + 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED) {
		perror(title);
		exit(1);
	}
	double took = ns_a_call(calls);
	printf("%-28s %6.1f ns  %.2f times\n", title, took, took / bare);
	munmap(ring, RING_BYTES + 4096);
	close(fd);
}

/* ---- added up in the kernel ---- */

#define INSN(c, d, s_, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s_), .off = (o), .imm = (i) })
#define CALL(id)	     INSN(BPF_JMP | BPF_CALL, 0, 0, 0, id)
#define MOVE(d, s_)	     INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s_, 0, 0)
#define SET(d, i)	     INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD(d, i)	     INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define PUT(size, o, s_)     INSN(BPF_STX | BPF_MEM | (size), 10, s_, o, 0)
#define MAP(d, fd)	     INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)
#define END()		     INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int bpf(int command, union bpf_attr *attr)
{
	int fd = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
	if (fd < 0) {
		perror("bpf");
		exit(1);
	}
	return fd;
}

static int make_map(enum bpf_map_type type, unsigned key_bytes, unsigned value_bytes)
{
	union bpf_attr attr = { .map_type = type, .key_size = key_bytes, .value_size = value_bytes, .max_entries = 16384 };
	return bpf(BPF_MAP_CREATE, &attr);
}

/* counts[thread, stack or 0]++; depth: 0 no stack, 1 the innermost frame alone. flags: of bpf_get_stackid(). */
static int load_counter(int counts, unsigned depth, int flags)
{
	int stacks = make_map(BPF_MAP_TYPE_STACK_TRACE, 4, 8 * (depth ? depth : 1));
	struct bpf_insn insns[] = {
		MAP(2, stacks),
		SET(3, flags | BPF_F_FAST_STACK_CMP | BPF_F_REUSE_STACKID),
		depth ? CALL(BPF_FUNC_get_stackid) : SET(0, 0),
		PUT(BPF_W, -8, 0),
		CALL(BPF_FUNC_get_current_pid_tgid),
		PUT(BPF_W, -4, 0),
		MAP(1, counts),
		MOVE(2, 10),
		ADD(2, -8),
		CALL(BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4, 0),
		SET(1, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD),
		SET(0, 0),
		END(),
		SET(1, 1),
		PUT(BPF_DW, -16, 1),
		MAP(1, counts),
		MOVE(2, 10),
		ADD(2, -8),
		MOVE(3, 10),
		ADD(3, -16),
		SET(4, BPF_ANY),
		CALL(BPF_FUNC_map_update_elem),
		SET(0, 0),
		END(),
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACEPOINT,
		.insns = (uintptr_t)insns,
		.insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (uintptr_t)"GPL",
	};
	return bpf(BPF_PROG_LOAD, &attr);
}

/* That there was no stack is cheap, and is not to be taken for one: how many events had none. */
static uint64_t without_stack(int counts)
{
	struct { int32_t stack; uint32_t tid; } key, next;
	uint64_t count, sum = 0;
	union bpf_attr attr = { .map_fd = (uint32_t)counts, .next_key = (uintptr_t)&next };
	while (!syscall(SYS_bpf, BPF_MAP_GET_NEXT_KEY, &attr, sizeof(attr))) {
		key = next;
		union bpf_attr get = { .map_fd = (uint32_t)counts, .key = (uintptr_t)&key, .value = (uintptr_t)&count };
		if (key.stack < 0 && !syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &get, sizeof(get)))
			sum += count;
		attr.key = (uintptr_t)&key;
	}
	return sum;
}

static void measure_counter(const char *title, uint64_t id, unsigned depth, int flags, long calls, double bare)
{
	int counts = make_map(BPF_MAP_TYPE_HASH, 8, 8);
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id, .sample_period = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), program = load_counter(counts, depth, flags);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) < 0) {
		perror(title);
		exit(1);
	}
	double took = ns_a_call(calls);
	printf("%-28s %6.1f ns  %.2f times", title, took, took / bare);
	printf(without_stack(counts) ? ", but %llu had no stack\n" : "\n", (unsigned long long)without_stack(counts));
	close(program);
	close(counts);
	close(fd);
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 400000;
	unsigned long long id;
	FILE *f = fopen("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "r");
	if (calls < 2 || !f || fscanf(f, "%llu", &id) != 1) {
		fputs("bench_tracepoint: needs tracefs, and rights to it\n", stderr);
		return 1;
	}
	fclose(f);
	double bare = ns_a_call(calls);
	printf("%-28s %6.1f ns\n", "bare", bare);
	measure("counted only", id, UINT32_MAX, USUAL, calls, bare);
	measure("sampled, no field", id, 1, 0, calls, bare);
	measure("IP TID TIME CPU RAW", id, 1, USUAL, calls, bare);
	measure("without IP", id, 1, USUAL & ~(uint64_t)PERF_SAMPLE_IP, calls, bare);
	measure("without TID", id, 1, USUAL & ~(uint64_t)PERF_SAMPLE_TID, calls, bare);
	measure("without TIME", id, 1, USUAL & ~(uint64_t)PERF_SAMPLE_TIME, calls, bare);
	measure("without CPU", id, 1, USUAL & ~(uint64_t)PERF_SAMPLE_CPU, calls, bare);
	measure("without RAW", id, 1, USUAL & ~(uint64_t)PERF_SAMPLE_RAW, calls, bare);
	measure("sampled with stacks", id, 1, USUAL | PERF_SAMPLE_CALLCHAIN, calls, bare);
	measure_counter("BPF: by thread", id, 0, 0, calls, bare);
	measure_counter("BPF: and place", id, 1, BPF_F_USER_STACK, calls, bare);
	measure_counter("BPF: and user stack", id, 127, BPF_F_USER_STACK, calls, bare);
	measure_counter("BPF: and kernel stack", id, 127, 0, calls, bare);
	return 0;
}
