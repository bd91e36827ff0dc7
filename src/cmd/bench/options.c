/* The options of each benchmark. */
#include "cmd/bench/subcommands.h"

#define AT(field) offsetof(struct bench_options, field)
/* Of bench itself, whose short names are not free here. */
#define COMMON                                                                                                              \
	{ OPTION_U64, 0, "repeat", AT(settings.repeat), .arg = "n", .help = "as bench -r", .set_offset = AT(has_repeat) },  \
	{ OPTION_STRING, 0, "format", AT(format), .arg = "default|simple|json|csv", .help = "as bench -f" },                \
	OPTIONS_END
#define LOOPS(name, text) \
	{ OPTION_U64, 'l', name, AT(settings.loops), .arg = "n", .help = text, .set_offset = AT(has_loops) }

static struct strobe_error *parse_bytes(const char *value, uint64_t *ret)
{
	return bench_size(value, ret) ? NULL : error_create(ERROR_USAGE, "invalid size '%s': as in 4096, 64KB, 1MB or 1GB", value);
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
		error_create(ERROR_USAGE, "pages are of 4KB, 2MB or 1GB");
}

static const struct option messaging[] = {
	{ OPTION_BOOL, 'p', "pipe", AT(settings.pipes), .help = "use pipe() instead of socketpair()" },
	{ OPTION_BOOL, 't', "thread", AT(settings.threads), .help = "threads instead of processes" },
	{ OPTION_U64, 'g', "group", AT(settings.groups), .arg = "n", .help = "number of groups (default: 10)" },
	LOOPS("nr_loops", "number of messages from each sender to each receiver (default: 100)"), COMMON,
};
static const struct option pipe_table[] = {
	LOOPS("loop", "number of round trips (default: 1000000)"),
	{ OPTION_BOOL, 'T', "threaded", AT(settings.threads), .help = "threads instead of processes" },
	{ OPTION_BOOL, 'n', "nonblocking", AT(settings.nonblocking), .help = "descriptors that do not block, and poll(2)" },
	{ OPTION_U64, 's', "write-size", AT(settings.write_bytes), .arg = "n", .help = "bytes of each message (default: 4)" },
	{ OPTION_STRING, 'G', "cgroups", AT(settings.cgroups), .arg = "send,recv",
	  .help = "put sender and receiver in these cgroups; with -T in those of the threaded domain that it runs in" },
	COMMON,
};
static const struct option syscall_table[] = {
	LOOPS("loop", "number of calls (default: 10000000; of fork and execve: 10000)"), COMMON,
};
static const struct option mem[] = {
	{ OPTION_CALL, 's', "size", .arg = "1MB", .parse = parse_size,
	  .help = "size of the buffers: B, KB, MB, GB and TB (default: 1MB)" },
	{ OPTION_CALL, 'p', "page", .arg = "4KB", .parse = parse_page, .help = "pages of the buffers: 4KB, 2MB or 1GB (default: 4KB)" },
	{ OPTION_CALL, 'k', "chunk", .arg = "size", .parse = parse_chunk, .help = "bytes of each call (default: the size)" },
	{ OPTION_STRING, 'f', "function", AT(settings.function), .arg = "name",
	  .help = "function to run: all, or help for a list (default: all)" },
	LOOPS("nr_loops", "number of runs over the buffers (default: 1)"),
	{ OPTION_BOOL, 'c', "cycles", AT(settings.cycles), .help = "count cycles a byte" }, COMMON,
};

#define FUTEX                                                                                                           \
	{ OPTION_I64, 'b', "buckets", AT(settings.buckets), .arg = "n", .help = "number of hash buckets (0: the kernel's)", \
	  .set_offset = AT(settings.has_buckets) },                                                                     \
	{ OPTION_BOOL, 'm', "mlockall", AT(settings.lock_memory), .help = "lock all memory" },                          \
	{ OPTION_BOOL, 'S', "shared", AT(settings.shared), .help = "shared futexes instead of private ones" },          \
	{ OPTION_BOOL, 's', "silent", AT(settings.silent), .help = "no line for each thread or round" },                \
	{ OPTION_U64, 't', "threads", AT(settings.tasks), .arg = "n", .help = "number of threads (default: of CPUs)" }
#define RUNTIME                                                                                                         \
	{ OPTION_U64, 'r', "runtime", AT(settings.runtime_s), .arg = "s", .help = "seconds to run (default: 10)" }

static const struct option hash[] = {
	FUTEX, RUNTIME, { OPTION_U64, 'f', "futexes", AT(settings.futexes), .arg = "n",
	  .help = "futexes of each thread (default: 1024)" },
	COMMON,
};
static const struct option wake[] = {
	FUTEX, { OPTION_U64, 'w', "nwakes", AT(settings.wakes), .arg = "n", .help = "threads to wake at once (default: 1)" }, COMMON,
};
static const struct option wake_parallel[] = {
	FUTEX,
	{ OPTION_U64, 'w', "nwakers", AT(settings.wakes), .arg = "n", .help = "threads that wake (default: as many as wait)" },
	COMMON,
};
static const struct option requeue[] = {
	FUTEX,
	{ OPTION_U64, 'q', "nrequeue", AT(settings.requeues), .arg = "n", .help = "threads to move at once (default: 1)" },
	{ OPTION_BOOL, 'B', "broadcast", AT(settings.broadcast), .help = "move all threads at once" },
	{ OPTION_BOOL, 'p', "pi", AT(settings.pi), .help = "with priority inheritance" },
	COMMON,
};
static const struct option lock_pi[] = {
	FUTEX, RUNTIME, { OPTION_BOOL, 'M', "multi", AT(settings.multi), .help = "a futex for each thread" }, COMMON,
};

#define BENCHMARK(words, options_of, text)                                                                              \
	&(const struct cmd){                                                                                            \
		.name = "bench " words,                                                                                 \
		.summary = text,                                                                                        \
		.usage = (const char *const[]){ "bench [<common options>] " words " [<options>]", NULL },               \
		.options = options_of,                                                                                  \
		.options_bytes = sizeof(struct bench_options),                                                          \
		.run = bench_subcommand_run,                                                                            \
	}

const struct cmd *const bench_subcommands[] = {
	BENCHMARK("sched messaging", messaging, "Groups of tasks that write to each other"),
	BENCHMARK("sched pipe", pipe_table, "Two tasks that write to each other by turns"),
	BENCHMARK("syscall basic", syscall_table, "getppid(2)"),
	BENCHMARK("syscall getpgid", syscall_table, "getpgid(2)"),
	BENCHMARK("syscall fork", syscall_table, "fork(2), _exit(2) and waitpid(2)"),
	BENCHMARK("syscall execve", syscall_table, "fork(2), execve(2) and waitpid(2)"),
	BENCHMARK("mem memcpy", mem, "Functions that copy memory"),
	BENCHMARK("mem memset", mem, "Functions that set memory"),
	BENCHMARK("futex hash", hash, "Waits that the futex's value refuses"),
	BENCHMARK("futex wake", wake, "All threads that wait are woken"),
	BENCHMARK("futex wake-parallel", wake_parallel, "All threads that wait are woken by several"),
	BENCHMARK("futex requeue", requeue, "All threads that wait are moved to another futex"),
	BENCHMARK("futex lock-pi", lock_pi, "Locks with priority inheritance"),
	NULL,
};
