/*
 * What the kernel itself takes for the parts of starting trace and record --call-graph eh: programs of two instructions attached
 * to the tracepoints of `trace`, its ring, a ring of a CPU, and true(1) itself. No tracer that has them can start sooner.
 *
 *	bench_bpf_start [ROUNDS]
 *
 * As root. One line for each part: minimum and median of the rounds in milliseconds, 0.1 s between them; then the tracepoints without
 * that pause: one that is attached again waits until the kernel is through with whoever detached any before (a grace period). Not
 * installed.
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MAX 1000
#define PAUSE_US   100000
#define RING_BYTES (8u << 20)

static const char *const tracepoints[] = { "sys_enter", "sys_exit", "sched_switch", "sched_process_fork", "sched_process_exec",
					   "sched_process_exit", "task_rename", "signal_deliver" };
#define TRACEPOINTS (int)(sizeof(tracepoints) / sizeof(*tracepoints))

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	int fd = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
	if (fd < 0) {
		perror("bpf");
		exit(1);
	}
	return fd;
}

/* r0 = 0; exit */
static int load(void)
{
	static const struct bpf_insn code[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .insns = (uintptr_t)code, .insn_cnt = 2,
				.license = (uintptr_t)"GPL" };
	return bpf(BPF_PROG_LOAD, &attr);
}

static void attach_and_detach(int nr)
{
	int links[TRACEPOINTS], program = load();
	for (int i = 0; i < nr; i++) {
		union bpf_attr attr = { .raw_tracepoint = { .name = (uintptr_t)tracepoints[i], .prog_fd = (uint32_t)program } };
		links[i] = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	}
	for (int i = 0; i < nr; i++)
		close(links[i]);
	close(program);
}

static void make_bpf_ring(int unused)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_RINGBUF, .max_entries = RING_BYTES };
	long page = sysconf(_SC_PAGESIZE);
	int fd = bpf(BPF_MAP_CREATE, &attr);
	void *at = mmap(NULL, RING_BYTES, PROT_READ, MAP_SHARED, fd, page);
	(void)unused;
	if (at != MAP_FAILED)
		munmap(at, RING_BYTES);
	close(fd);
}

static void make_cpu_ring(int unused)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY };
	size_t bytes = RING_BYTES + (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)unused;
	if (at != MAP_FAILED)
		munmap(at, bytes);
	close(fd);
}

static void run_true(int unused)
{
	(void)unused;
	pid_t pid = vfork();
	if (!pid) {
		execlp("true", "true", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void measure(const char *title, void (*fn)(int n), int n, int rounds, unsigned pause_us)
{
	double ms[ROUNDS_MAX];
	for (int i = 0; i < rounds; i++) {
		usleep(pause_us);
		double start = now_ms();
		fn(n);
		ms[i] = now_ms() - start;
	}
	qsort(ms, (size_t)rounds, sizeof(*ms), by_value);
	printf("%-58s %6.2f / %6.2f\n", title, ms[0], ms[rounds / 2]);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 30;
	rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
	measure("true", run_true, 0, rounds, PAUSE_US);
	measure("a program on one tracepoint, attached and detached", attach_and_detach, 1, rounds, PAUSE_US);
	measure("on the eight of trace", attach_and_detach, TRACEPOINTS, rounds, PAUSE_US);
	measure("a BPF ring of 8 MB, made and mapped", make_bpf_ring, 0, rounds, PAUSE_US);
	measure("a ring of a CPU of 8 MB, opened and mapped", make_cpu_ring, 0, rounds, PAUSE_US);
	measure("a program on one tracepoint, without a pause", attach_and_detach, 1, rounds, 0);
	return 0;
}
