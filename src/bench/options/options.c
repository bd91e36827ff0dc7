#include "bench/options/options.h"

#define AT(field) offsetof(struct bench_options, field)
/* For bench itself, whose short names conflict with those here. */
#define COMMON                                                                                                              \
	{ OPTION_U64, 0, "repeat", AT(settings.repeat), .arg = "n", .help = "as bench -r", .set_offset = AT(has_repeat) },  \
	{ OPTION_STRING, 0, "format", AT(format), .arg = "default|simple|json|csv", .help = "as bench -f" },                \
	OPTIONS_END
#define LOOPS(name, text) \
	{ OPTION_U64, 'l', name, AT(settings.loops), .arg = "n", .help = text, .set_offset = AT(has_loops) }

static struct strobe_error *parse_bytes(const char *value, uint64_t *ret)
{
	return bench_size(value, ret) ? NULL : error_create(ERROR_USAGE, "invalid size '%s': expected a size such as 4096, 64KB, "
			"1MB or 1GB", value);
}

static struct strobe_error *parse_size(void *options, const char *value, bool negated)
{
	struct bench_options *o = options;
	if (negated)
		return error_create(ERROR_USAGE, "requires a size");
	o->settings.size = value;
	return parse_bytes(value, &o->settings.bytes);
}

static struct strobe_error *parse_chunk(void *options, const char *value, bool negated)
{
	struct bench_options *o = options;
	return negated ? error_create(ERROR_USAGE, "requires a size") : parse_bytes(value, &o->settings.chunk_bytes);
}

static struct strobe_error *parse_page(void *options, const char *value, bool negated)
{
	struct bench_options *o = options;
	uint64_t *bytes = &o->settings.page_bytes;
	if (negated)
		return error_create(ERROR_USAGE, "requires a size");
	TRY(parse_bytes(value, bytes));
	return *bytes == 4 << 10 || *bytes == 2 << 20 || *bytes == 1 << 30 ? NULL :
		error_create(ERROR_USAGE, "invalid page size: expected 4KB, 2MB or 1GB");
}

const struct option bench_options_messaging[] = {
	{ OPTION_BOOL, 'p', "pipe", AT(settings.pipes), .help = "use pipe(2) instead of socketpair(2)" },
	{ OPTION_BOOL, 't', "thread", AT(settings.threads), .help = "threads instead of processes" },
	{ OPTION_U64, 'g', "group", AT(settings.groups), .arg = "n", .help = "number of groups (default: 10)" },
	LOOPS("nr_loops", "number of messages from each sender to each receiver (default: 100)"), COMMON,
};
const struct option bench_options_pipe[] = {
	LOOPS("loop", "number of round trips (default: 1000000)"),
	{ OPTION_BOOL, 'T', "threaded", AT(settings.threads), .help = "threads instead of processes" },
	{ OPTION_BOOL, 'n', "nonblocking", AT(settings.nonblocking), .help = "use non-blocking descriptors and poll(2)" },
	{ OPTION_U64, 's', "write-size", AT(settings.write_bytes), .arg = "n", .help = "size of each message in bytes (default: 4)" },
	{ OPTION_STRING, 'G', "cgroups", AT(settings.cgroups), .arg = "send,recv",
	  .help = "put sender and receiver into these cgroups; with -T, within the current threaded domain" },
	COMMON,
};
const struct option bench_options_syscall[] = {
	LOOPS("loop", "number of calls (default: 10000000; of fork and execve: 10000)"), COMMON,
};
const struct option bench_options_seccomp_notify[] = {
	LOOPS("loop", "number of calls (default: 1000000)"),
	{ OPTION_BOOL, 's', "sync-mode", AT(settings.sync), .help = "wake the other thread on the same CPU (Linux 6.6)" }, COMMON,
};

#define MEM                                                                                                             \
	{ OPTION_CALL, 's', "size", .arg = "1MB", .parse = parse_size,                                                  \
	  .help = "size of the buffers: B, KB, MB, GB and TB (default: 1MB)" },                                         \
	{ OPTION_CALL, 'p', "page", .arg = "4KB", .parse = parse_page,                                                  \
	  .help = "page size of the buffers: 4KB, 2MB or 1GB (default: 4KB)" },                                         \
	{ OPTION_STRING, 'f', "function", AT(settings.function), .arg = "name",                                         \
	  .help = "function to run: all, or help for a list (default: all)" },                                          \
	LOOPS("nr_loops", "number of runs over the buffers (default: 1)"),                                              \
	{ OPTION_BOOL, 'c', "cycles", AT(settings.cycles), .help = "count cycles per byte" }

const struct option bench_options_mem[] = {
	MEM, { OPTION_CALL, 'k', "chunk", .arg = "size", .parse = parse_chunk, .help = "size of each call (default: the size)" }, COMMON,
};
const struct option bench_options_mmap[] = {
	MEM,
	{ OPTION_U64, 'r', "randomize", AT(settings.seed), .arg = "seed",
	  .help = "write at random offsets of the pages, with this seed (default: at offset 0)" },
	{ OPTION_U64, 't', "threads", AT(settings.tasks), .arg = "n", .help = "number of threads that map memory (default: 1)" },
	COMMON,
};

static struct strobe_error *refuse_all(void *options, const char *value, bool negated)
{
	return error_create(ERROR_UNSUPPORTED, "perf's series of runs (ten minutes and more) is not supported: specify the sizes of "
			"one run");
}

#define NUMA(field) AT(settings.numa.field)
const struct option bench_options_numa_mem[] = {
	{ OPTION_U64, 'p', "nr_proc", NUMA(processes), .arg = "n", .help = "number of processes (default: 1)" },
	{ OPTION_U64, 't', "nr_threads", NUMA(threads), .arg = "n", .help = "number of threads per process (default: 1)" },
	{ OPTION_F64, 'G', "mb_global", NUMA(global_mb), .arg = "MB", .help = "memory shared by all processes, in MB (default: 1)",
	  .set_offset = NUMA(has_global) },
	{ OPTION_F64, 'P', "mb_proc", NUMA(process_mb), .arg = "MB", .help = "memory shared by the threads of a process, in MB" },
	{ OPTION_F64, 'L', "mb_proc_locked", NUMA(locked_mb), .arg = "MB",
	  .help = "part of this memory that one thread at a time uses, in MB" },
	{ OPTION_F64, 'T', "mb_thread", NUMA(thread_mb), .arg = "MB", .help = "memory of each thread" },
	{ OPTION_U64, 'l', "nr_loops", NUMA(loops), .arg = "n", .help = "maximum number of loops (default: no limit)" },
	{ OPTION_U64, 's', "nr_secs", NUMA(seconds), .arg = "s", .help = "maximum number of seconds (default: 5)" },
	{ OPTION_U64, 'u', "usleep", NUMA(sleep_us), .arg = "us", .help = "time to sleep after each loop (us)" },
	{ OPTION_OFF, 'R', "data_reads", NUMA(no_reads), .help = "read the memory (default)" },
	{ OPTION_OFF, 'W', "data_writes", NUMA(no_writes), .help = "write to the memory (default)" },
	{ OPTION_OFF, 'B', "data_backwards", NUMA(no_backwards), .help = "alternate the direction of loops (default)" },
	{ OPTION_BOOL, 'Z', "data_zero_memset", NUMA(zero_memset), .help = "only set the memory to zero, with memset(3)" },
	{ OPTION_OFF, 'r', "data_rand_walk", NUMA(no_random_walk), .help = "access blocks of 8 KB in random order (default)" },
	{ OPTION_BOOL, 'z', "init_zero", NUMA(init_zero), .help = "set the memory to zero first" },
	{ OPTION_OFF, 'I', "init_random", NUMA(no_init_random), .help = "fill the memory with random numbers first (default)" },
	{ OPTION_BOOL, '0', "init_cpu0", NUMA(init_cpu0), .help = "initialize memory on CPU 0" },
	{ OPTION_U64, 'x', "perturb_secs", NUMA(perturb_s), .arg = "s",
	  .help = "move the first thread to another CPU at this interval (seconds)" },
	{ OPTION_I64, 'H', "thp", NUMA(huge_pages), .arg = "n", .help = "1: use huge pages; -1: do not use them" },
	{ OPTION_STRING, 'C', "cpus", NUMA(cpus), .arg = "list", .help = "CPUs of the first tasks: 0,2-3; CPUxN for N tasks on it (0x4)" },
	{ OPTION_STRING, 'M', "memnodes", NUMA(nodes), .arg = "list", .help = "nodes to allocate the memory of the first tasks on" },
	{ OPTION_BOOL, 'S', "serialize-startup", NUMA(serialize_startup), .help = "start threads one after the other" },
	{ OPTION_CALL, 'a', "all", .parse = refuse_all, .help = "not supported", .hidden = true },
	{ OPTION_BOOL, 'c', "show_convergence", NUMA(show_convergence), .help = "show how many processes run on a single node" },
	{ OPTION_BOOL, 'm', "measure_convergence", NUMA(measure_convergence), .help = "stop after convergence, and show the time it took" },
	{ OPTION_BOOL, 'd', "show_details", NUMA(details), .help = "show each thread" },
	{ OPTION_BOOL, 'q', "quiet", NUMA(quiet), .help = "show only the results" },
	COMMON,
};

#define INTERNALS(field) AT(settings.internals.field)
#define ITERATIONS(text) { OPTION_U64, 'i', "iterations", INTERNALS(iterations), .arg = "n", .help = text }
const struct option bench_options_find_bit[] = {
	{ OPTION_U64, 'i', "outer-iterations", INTERNALS(iterations), .arg = "n", .help = "number of measurements (default: 5)" },
	{ OPTION_U64, 'j', "inner-iterations", INTERNALS(inner), .arg = "n", .help = "number of operations in each (default: 100000)" },
	COMMON,
};
const struct option bench_options_iterations[] = {
	ITERATIONS("number of iterations (default: 1; of pmu-scan: 100)"), COMMON,
};
const struct option bench_options_synthesize[] = {
	{ OPTION_BOOL, 's', "st", INTERNALS(single), .help = "one thread, for this process (default)" },
	{ OPTION_BOOL, 't', "mt", INTERNALS(multi), .help = "several threads, for all processes" },
	{ OPTION_U64, 'i', "single-iterations", INTERNALS(single_iterations), .arg = "n",
	  .help = "number of iterations with one thread (default: 10000)" },
	{ OPTION_U64, 'I', "multi-iterations", INTERNALS(multi_iterations), .arg = "n",
	  .help = "number of iterations with several threads (default: 10)" },
	{ OPTION_U64, 'm', "min-threads", INTERNALS(min_threads), .arg = "n", .help = "least number of threads (default: 1)" },
	{ OPTION_U64, 'M', "max-threads", INTERNALS(max_threads), .arg = "n",
	  .help = "largest number of threads (default: number of CPUs)" },
	COMMON,
};
const struct option bench_options_inject[] = {
	ITERATIONS("number of iterations (default: 100)"),
	{ OPTION_U64, 'm', "nr-mmaps", INTERNALS(mappings), .arg = "n", .help = "number of mappings in the recording (default: 100)" },
	{ OPTION_U64, 'n', "nr-samples", INTERNALS(samples), .arg = "n", .help = "number of samples of each mapping (default: 100)" },
	{ OPTION_BOOL, 'v', "verbose", AT(settings.verbose), .help = "show iterations" },
	COMMON,
};
const struct option bench_options_open_close[] = {
	ITERATIONS("number of iterations (default: 100)"),
	{ OPTION_STRING, 'e', "event", INTERNALS(event), .arg = "event", .help = "events to open (default: dummy)" },
	{ OPTION_U64, 'n', "nr-events", INTERNALS(events), .arg = "n", .help = "number of copies of each event (default: 1)" },
	{ OPTION_BOOL, 'a', "all-cpus", INTERNALS(target.system_wide), .help = "open on all CPUs" },
	{ OPTION_STRING, 'C', "cpu", INTERNALS(target.cpus), .arg = "cpu", .help = "open on these CPUs: 0-3,7" },
	{ OPTION_STRING, 'p', "pid", INTERNALS(target.pids), .arg = "pid", .help = "open on these processes" },
	{ OPTION_STRING, 't', "tid", INTERNALS(target.tids), .arg = "tid", .help = "open on these threads" },
	{ OPTION_STRING, 'u', "uid", INTERNALS(target.uid), .arg = "user", .help = "open on the processes of this user" },
	{ OPTION_BOOL, 0, "per-thread", INTERNALS(target.per_thread), .help = "open per thread instead of per CPU" },
	COMMON,
};

#define FUTEX                                                                                                           \
	{ OPTION_I64, 'b', "buckets", AT(settings.buckets), .arg = "n", .help = "number of hash buckets (0: those of the kernel)",   \
	  .set_offset = AT(settings.has_buckets) },                                                                     \
	{ OPTION_BOOL, 'm', "mlockall", AT(settings.lock_memory), .help = "lock all memory" },                          \
	{ OPTION_BOOL, 'S', "shared", AT(settings.shared), .help = "use shared futexes instead of private ones" },      \
	{ OPTION_BOOL, 's', "silent", AT(settings.silent), .help = "do not print each thread or round" },                \
	{ OPTION_U64, 't', "threads", AT(settings.tasks), .arg = "n", .help = "number of threads (default: number of CPUs)" }
#define RUNTIME(text) { OPTION_U64, 'r', "runtime", AT(settings.runtime_s), .arg = "s", .help = text }

const struct option bench_options_futex_hash[] = {
	FUTEX, RUNTIME("seconds to run (default: 10)"),
	{ OPTION_U64, 'f', "futexes", AT(settings.futexes), .arg = "n", .help = "number of futexes per thread (default: 1024)" },
	COMMON,
};
const struct option bench_options_futex_wake[] = {
	FUTEX, { OPTION_U64, 'w', "nwakes", AT(settings.wakes), .arg = "n", .help = "threads to wake at once (default: 1)" }, COMMON,
};
const struct option bench_options_futex_wake_parallel[] = {
	FUTEX,
	{ OPTION_U64, 'w', "nwakers", AT(settings.wakes), .arg = "n",
	  .help = "number of threads that wake others (default: as many as wait)" },
	COMMON,
};
const struct option bench_options_futex_requeue[] = {
	FUTEX,
	{ OPTION_U64, 'q', "nrequeue", AT(settings.requeues), .arg = "n", .help = "number of threads to requeue at once (default: 1)" },
	{ OPTION_BOOL, 'B', "broadcast", AT(settings.broadcast), .help = "requeue all threads at once" },
	{ OPTION_BOOL, 'p', "pi", AT(settings.pi), .help = "use futexes with priority inheritance" },
	COMMON,
};
const struct option bench_options_futex_lock_pi[] = {
	FUTEX, RUNTIME("seconds to run (default: 10)"),
	{ OPTION_BOOL, 'M', "multi", AT(settings.multi), .help = "use one futex per thread" }, COMMON,
};

#define EPOLL                                                                                                           \
	{ OPTION_U64, 'f', "nfds", AT(settings.fds), .arg = "n", .help = "number of files per thread (default: 64)" },        \
	{ OPTION_BOOL, 'n', "noaffinity", AT(settings.no_affinity), .help = "do not bind threads to CPUs" },            \
	{ OPTION_U64, 'N', "nested", AT(settings.nested), .arg = "n",                                                   \
	  .help = "number of nested epoll instances, each watching the next (default: 0, maximum: 4)" },                \
	RUNTIME("seconds to run (default: 8)"),                                                                         \
	{ OPTION_BOOL, 'v', "verbose", AT(settings.verbose), .help = "show details" }

const struct option bench_options_epoll_wait[] = {
	EPOLL,
	{ OPTION_U64, 't', "threads", AT(settings.tasks), .arg = "n",
	  .help = "number of waiting threads (default: number of CPUs less one)" },
	{ OPTION_BOOL, 'B', "nonblocking", AT(settings.nonblocking), .help = "use epoll_wait(2) without waiting" },
	{ OPTION_BOOL, 'E', "edge", AT(settings.edge), .help = "use edge-triggered events instead of level-triggered ones" },
	{ OPTION_BOOL, 'm', "multiq", AT(settings.multi), .help = "use one epoll instance per thread" },
	{ OPTION_BOOL, 'R', "randomize", AT(settings.randomize), .help = "write to the files in random order" },
	{ OPTION_BOOL, 'S', "oneshot", AT(settings.oneshot), .help = "use one-shot events (EPOLLONESHOT), rearmed after each" },
	COMMON,
};
const struct option bench_options_epoll_ctl[] = {
	EPOLL,
	{ OPTION_U64, 't', "threads", AT(settings.tasks), .arg = "n", .help = "number of threads (default: number of CPUs)" },
	{ OPTION_BOOL, 'R', "randomize", AT(settings.randomize), .help = "random operations on random files" },
	COMMON,
};
const struct option bench_options_breakpoint_thread[] = {
	{ OPTION_U64, 'b', "breakpoints", AT(settings.breakpoints), .arg = "n", .help = "number of breakpoints (default: 1)",
	  .set_offset = AT(settings.has_breakpoints) },
	{ OPTION_U64, 'p', "parallelism", AT(settings.parallel), .arg = "n", .help = "number of threads that start others (default: 1)" },
	{ OPTION_U64, 't', "threads", AT(settings.tasks), .arg = "n", .help = "number of threads that each of them starts (default: 1)" },
	COMMON,
};
const struct option bench_options_breakpoint_enable[] = {
	{ OPTION_U64, 'p', "passive", AT(settings.passive), .arg = "n", .help = "number of threads that sleep (default: 0)" },
	{ OPTION_U64, 'a', "active", AT(settings.active), .arg = "n", .help = "number of threads that run (default: 0)" },
	COMMON,
};
const struct option bench_options_uprobe[] = {
	LOOPS("loop", "number of calls (default: 1000)"), COMMON,
};
