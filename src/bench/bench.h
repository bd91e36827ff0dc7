/*
 * Benchmarks of the kernel and of libc as `perf bench` has them: a table of collections, each with its benchmarks.
 *
 *	const struct bench *b = bench_find("sched", "pipe");
 *	struct bench_report report;
 *	bench_report_init(&report, &out, BENCH_DEFAULT);
 *	err = bench_run(b, &settings, &report);
 *	...
 *	bench_report_deinit(&report);
 *
 * A benchmark starts threads or processes; none of them is left when bench_run() returns, and processes die with the thread
 * that called it. Text is written to report.out during the run; figures are added to the report, one value per run.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/target.h"
#include "bench/report.h"

/* For numa mem. A number of 0 selects the default; memory is in MB. */
struct bench_numa {
	uint64_t processes, threads, loops, seconds, sleep_us, perturb_s;
	double global_mb, process_mb, locked_mb, thread_mb;
	int64_t huge_pages; /* above 0: MADV_HUGEPAGE, below: MADV_NOHUGEPAGE */
	const char *cpus, *nodes;
	bool has_global;
	bool no_reads, no_writes, no_backwards, no_random_walk, no_init_random, zero_memset, init_zero, init_cpu0, serialize_startup;
	bool show_convergence, measure_convergence, details, quiet;
};

/* For the collection internals, and mem find_bit. A number of 0 selects the default. */
struct bench_internals {
	uint64_t iterations, inner;                     /* inner: operations of each iteration */
	uint64_t single_iterations, multi_iterations, min_threads, max_threads;
	bool single, multi;                             /* synthesize: of this process, of all tasks */
	uint64_t mappings, samples;                     /* inject-build-id: mappings, and samples of each */
	uint64_t events;                                /* evlist-open-close: copies of each event */
	const char *event;                              /* as -e; NULL: a dummy event */
	struct target target;
};

/* For all benchmarks; each reads the fields it needs. A number of 0 selects the benchmark's default. */
struct bench_settings {
	uint64_t repeat; /* runs; for futex wake, wake-parallel, requeue and breakpoint: rounds of one run */
	uint64_t loops;
	bool threads; /* threads instead of processes */
	/* sched messaging */
	uint64_t groups;
	bool pipes; /* pipes instead of sockets */
	/* sched pipe */
	const char *cgroups; /* "SEND,RECV" */
	bool nonblocking; /* for epoll wait, too */
	uint64_t write_bytes;
	/* sched seccomp-notify */
	bool sync;
	/* mem */
	const char *function; /* NULL: all */
	const char *size;     /* "1MB": printed as given */
	uint64_t bytes, chunk_bytes, page_bytes;
	uint64_t seed; /* of random offsets; 0: sequential */
	bool cycles;
	/* futex, epoll, breakpoint, mem mmap: number of threads, and run time */
	uint64_t tasks, runtime_s;
	/* futex */
	uint64_t futexes, wakes, requeues;
	int64_t buckets; /* 0: the kernel's default */
	bool has_buckets, shared, silent, lock_memory, broadcast, pi;
	bool multi; /* a futex, or an epoll instance, for each thread */
	/* epoll */
	uint64_t fds, nested;
	bool edge, oneshot, randomize, no_affinity, verbose;
	/* breakpoint */
	uint64_t breakpoints, parallel, active, passive;
	bool has_breakpoints;
	struct bench_numa numa;
	struct bench_internals internals;
};

struct bench {
	const char *name, *summary;
	bool repeats_itself; /* settings.repeat are rounds of one run */
	/* Adds text and figures to the report. */
	struct strobe_error *(*run)(const struct bench_settings *s, struct bench_report *r) _must_check_;
};

struct bench_collection {
	const char *name, *summary;
	const char *all; /* summary of the "all" row; NULL: perf lists no such row */
	const struct bench *benches; /* ends with an empty row */
};

/* Ends with an empty row. */
extern const struct bench_collection bench_collections[];

const struct bench_collection *bench_find_collection(const char *name);
const struct bench *bench_find(const struct bench_collection *c, const char *name);

/* "4096", "64KB", "1mb": powers of 1024. False if invalid or 0. */
bool bench_size(const char *text, uint64_t *ret);

/* All runs of one benchmark. */
struct strobe_error *bench_run(const struct bench_collection *c, const struct bench *b, const struct bench_settings *s,
			       struct bench_report *r) _must_check_;
/* Runs one benchmark, all of a collection (b is NULL), or all of them (c is NULL, too), each below its title. */
struct strobe_error *bench_run_all(const struct bench_collection *c, const struct bench *b, const struct bench_settings *s,
				   struct bench_report *r) _must_check_;
/* Lists in the format of perf bench. */
void bench_list_collections(struct out *out, const char *program);
void bench_list(struct out *out, const struct bench_collection *c);
