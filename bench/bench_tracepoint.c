/*
 * What the kernel itself takes for a tracepoint's samples: a loop of read(2) and write(2) of 512 bytes, as dd makes it,
 * while raw_syscalls:sys_enter is sampled into a ring of 64 KB that nobody reads. No recorder can be cheaper than this.
 *
 *	bench_tracepoint [CALLS]
 *
 * As root. One line a set of sample fields: nanoseconds a call, the least of five rounds. Not installed.
 */
#include <fcntl.h>
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
	return 0;
}
