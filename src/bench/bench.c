#include "bench/bench.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "bench/priv.h"

static const struct bench sched[] = {
	{ .name = "messaging", .summary = "Benchmark for scheduling and IPC", .run = bench_messaging },
	{ .name = "pipe", .summary = "Benchmark for pipe() between two processes", .run = bench_pipe },
	{ .name = "seccomp-notify", .summary = "Benchmark for seccomp user notify", .run = bench_seccomp_notify },
	{},
};
static const struct bench syscalls[] = {
	{ .name = "basic", .summary = "Benchmark for basic getppid(2) calls", .run = bench_getppid },
	{ .name = "getpgid", .summary = "Benchmark for getpgid(2) calls", .run = bench_getpgid },
	{ .name = "fork", .summary = "Benchmark for fork(2) calls", .run = bench_fork },
	{ .name = "execve", .summary = "Benchmark for execve(2) calls", .run = bench_execve },
	{},
};
static const struct bench mem[] = {
	{ .name = "memcpy", .summary = "Benchmark for memcpy() functions", .run = bench_memcpy },
	{ .name = "memset", .summary = "Benchmark for memset() functions", .run = bench_memset },
	{ .name = "find_bit", .summary = "Benchmark for find_bit() functions", .run = bench_find_bit },
	{ .name = "mmap", .summary = "Benchmark for mmap() mappings", .run = bench_mmap },
	{},
};
static const struct bench numa[] = {
	{ .name = "mem", .summary = "Benchmark for NUMA workloads", .run = bench_numa_mem },
	{},
};
static const struct bench futexes[] = {
	{ .name = "hash", .summary = "Benchmark for futex hash table", .run = bench_futex_hash },
	{ .name = "wake", .summary = "Benchmark for futex wake calls", .repeats_itself = true, .run = bench_futex_wake },
	{ .name = "wake-parallel", .summary = "Benchmark for parallel futex wake calls", .repeats_itself = true,
	  .run = bench_futex_wake_parallel },
	{ .name = "requeue", .summary = "Benchmark for futex requeue calls", .repeats_itself = true, .run = bench_futex_requeue },
	{ .name = "lock-pi", .summary = "Benchmark for futex lock_pi calls", .run = bench_futex_lock_pi },
	{},
};
static const struct bench epoll[] = {
	{ .name = "wait", .summary = "Benchmark epoll concurrent epoll_waits", .run = bench_epoll_wait },
	{ .name = "ctl", .summary = "Benchmark epoll concurrent epoll_ctls", .run = bench_epoll_ctl },
	{},
};
static const struct bench internals[] = {
	{ .name = "synthesize", .summary = "Benchmark perf event synthesis", .run = bench_synthesize },
	{ .name = "kallsyms-parse", .summary = "Benchmark kallsyms parsing", .run = bench_kallsyms_parse },
	{ .name = "inject-build-id", .summary = "Benchmark build-id injection", .run = bench_inject_build_id },
	{ .name = "evlist-open-close", .summary = "Benchmark evlist open and close", .run = bench_open_close },
	{ .name = "pmu-scan", .summary = "Benchmark sysfs PMU info scanning", .run = bench_pmu_scan },
	{},
};
static const struct bench breakpoints[] = {
	{ .name = "thread", .summary = "Benchmark thread start/finish with breakpoints", .repeats_itself = true,
	  .run = bench_breakpoint_thread },
	{ .name = "enable", .summary = "Benchmark breakpoint enable/disable", .repeats_itself = true, .run = bench_breakpoint_enable },
	{},
};
static const struct bench uprobes[] = {
	{ .name = "baseline", .summary = "Baseline libc usleep(1000) call", .run = bench_uprobe_baseline },
	{ .name = "empty", .summary = "Attach empty BPF prog to uprobe on usleep, system wide", .run = bench_uprobe_empty },
	{ .name = "trace_printk", .summary = "Attach trace_printk BPF prog to uprobe on usleep syswide",
	  .run = bench_uprobe_trace_printk },
	{ .name = "empty_ret", .summary = "Attach empty BPF prog to uretprobe on usleep, system wide", .run = bench_uprobe_empty_ret },
	{ .name = "trace_printk_ret", .summary = "Attach trace_printk BPF prog to uretprobe on usleep syswide",
	  .run = bench_uprobe_trace_printk_ret },
	{},
};

const struct bench_collection bench_collections[] = {
	{ "sched", "Scheduler and IPC benchmarks", "Run all scheduler benchmarks", sched },
	{ "syscall", "System call benchmarks", "Run all syscall benchmarks", syscalls },
	{ "mem", "Memory access benchmarks", "Run all memory access benchmarks", mem },
	{ "numa", "NUMA scheduling and MM benchmarks", "Run all NUMA benchmarks", numa },
	{ "futex", "Futex stressing benchmarks", "Run all futex benchmarks", futexes },
	{ "epoll", "Epoll stressing benchmarks", "Run all epoll benchmarks", epoll },
	{ "internals", "Perf-internals benchmarks", NULL, internals },
	{ "breakpoint", "Breakpoint benchmarks", "Run all breakpoint benchmarks", breakpoints },
	{ "uprobe", "uprobe benchmarks", NULL, uprobes },
	{},
};

const struct bench_collection *bench_find_collection(const char *name)
{
	for (const struct bench_collection *c = bench_collections; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

const struct bench *bench_find(const struct bench_collection *c, const char *name)
{
	for (const struct bench *b = c->benches; b->name; b++)
		if (!strcmp(b->name, name))
			return b;
	return NULL;
}

bool bench_size(const char *text, uint64_t *ret)
{
	static const char units[] = "KMGT";
	size_t digits = strspn(text, "0123456789");
	char number[21];
	if (!digits || digits >= sizeof(number))
		return false;
	memcpy(number, text, digits);
	number[digits] = '\0';
	const char *unit = text + digits;
	const char *power = *unit ? strchr(units, toupper((unsigned char)*unit)) : NULL;
	unsigned shift = power ? 10 * (unsigned)(power - units + 1) : 0;
	if (power)
		unit++;
	if (toupper((unsigned char)*unit) == 'B')
		unit++;
	if (*unit || !text_to_u64(number, ret) || !*ret || *ret > UINT64_MAX >> shift)
		return false;
	*ret <<= shift;
	return true;
}

struct strobe_error *bench_run(const struct bench_collection *c, const struct bench *b, const struct bench_settings *s,
			       struct bench_report *r)
{
	uint64_t runs = b->repeats_itself || !s->repeat ? 1 : s->repeat;
	bench_report_begin(r, c->name, b->name);
	for (uint64_t i = 0; i < runs; i++) {
		TRY(b->run(s, r));
		if (out_failed(r->out))
			break;
	}
	if (runs > 1)
		bench_report_spread(r);
	return NULL;
}

/* In a run of all, a benchmark that the system or the user's rights do not allow is skipped with the reason. */
static struct strobe_error *run_one_of_all(const struct bench_collection *c, const struct bench *b, const struct bench_settings *s,
					   struct bench_report *r)
{
	bench_text(r, "# Running %s/%s benchmark...\n", c->name, b->name);
	struct strobe_error *err = bench_run(c, b, s, r);
	if (error_is(err, ERROR_PERMISSION) || error_is(err, ERROR_UNSUPPORTED)) {
		bench_skip(r, err->message);
		error_destroy(err);
		err = NULL;
	}
	bench_text(r, "\n");
	return err;
}

struct strobe_error *bench_run_all(const struct bench_collection *c, const struct bench *b, const struct bench_settings *s,
				   struct bench_report *r)
{
	if (b) {
		bench_text(r, "# Running '%s/%s' benchmark:\n", c->name, b->name);
		return bench_run(c, b, s, r);
	}
	for (const struct bench_collection *each = c ? c : bench_collections; each->name; each++) {
		for (b = each->benches; b->name; b++)
			TRY(run_one_of_all(each, b, s, r));
		if (c)
			break;
	}
	return NULL;
}

void bench_list_collections(struct out *out, const char *program)
{
	out_f(out, "Usage: \n\t%s bench [<common options>] <collection> <benchmark> [<options>]\n\n", program);
	out_str(out, "        # List of all available benchmark collections:\n\n");
	for (const struct bench_collection *c = bench_collections; c->name; c++)
		out_f(out, "%14s: %s\n", c->name, c->summary);
	out_f(out, "%14s: %s\n\n", "all", "All benchmarks");
}

void bench_list(struct out *out, const struct bench_collection *c)
{
	out_f(out, "\n        # List of available benchmarks for collection '%s':\n\n", c->name);
	for (const struct bench *b = c->benches; b->name; b++)
		out_f(out, "%14s: %s\n", b->name, b->summary);
	if (c->all)
		out_f(out, "%14s: %s\n", "all", c->all);
	out_str(out, "\n");
}
