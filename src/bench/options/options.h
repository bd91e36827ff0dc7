/*
 * The options of bench and its benchmarks: one row per benchmark; benchmarks may share a table of options.
 *
 *	#define ROW(words, summary, table) ... bench_options_##table ...
 *	BENCH_OPTIONS(ROW)
 */
#pragma once
#include "bench/bench.h"
#include "cli/options.h"

struct bench_options {
	struct bench_settings settings;
	const char *format;
	bool has_repeat, has_loops;
};

#define BENCH_OPTIONS(row)                                                                                              \
	row("sched messaging", "Groups of tasks that write to each other", messaging)                                   \
	row("sched pipe", "Two tasks that write to each other in turn", pipe)                                          \
	row("sched seccomp-notify", "System calls that another thread answers", seccomp_notify)                         \
	row("syscall basic", "getppid(2)", syscall)                                                                     \
	row("syscall getpgid", "getpgid(2)", syscall)                                                                   \
	row("syscall fork", "fork(2), _exit(2) and waitpid(2)", syscall)                                                \
	row("syscall execve", "fork(2), execve(2) and waitpid(2)", syscall)                                             \
	row("mem memcpy", "Functions that copy memory", mem)                                                            \
	row("mem memset", "Functions that set memory", mem)                                                             \
	row("mem find_bit", "Set bits of maps of bits", find_bit)                                                       \
	row("mem mmap", "Memory that is mapped, written to and unmapped", mmap)                                         \
	row("numa mem", "Processes and threads that work on memory of nodes", numa_mem)                                 \
	row("futex hash", "Waits for a value that the futex does not have", futex_hash)                                           \
	row("futex wake", "All threads that wait are woken", futex_wake)                                                \
	row("futex wake-parallel", "All threads that wait are woken by several", futex_wake_parallel)                   \
	row("futex requeue", "All threads that wait are moved to another futex", futex_requeue)                         \
	row("futex lock-pi", "Locks with priority inheritance", futex_lock_pi)                                          \
	row("epoll wait", "Threads that wait for files to which another writes", epoll_wait)                            \
	row("epoll ctl", "Files that are added, changed and deleted", epoll_ctl)                                        \
	row("internals synthesize", "Records of tasks that run before a recording", synthesize)                         \
	row("internals kallsyms-parse", "Symbols of the kernel, read from text", iterations)                            \
	row("internals inject-build-id", "A recording that is copied with build IDs", inject)                           \
	row("internals evlist-open-close", "Events that are opened, enabled, disabled and closed", open_close)          \
	row("internals pmu-scan", "PMUs with their formats and events, read from sysfs", iterations)                    \
	row("breakpoint thread", "Threads that start and end in a process with breakpoints", breakpoint_thread)         \
	row("breakpoint enable", "A breakpoint that is disabled and enabled", breakpoint_enable)                                   \
	row("uprobe baseline", "usleep(3) alone", uprobe) \
	row("uprobe empty", "usleep(3) with a BPF program that does nothing", uprobe) \
	row("uprobe trace_printk", "usleep(3) with a BPF program that prints", uprobe) \
	row("uprobe empty_ret", "The return of usleep(3) with a BPF program that does nothing", uprobe) \
	row("uprobe trace_printk_ret", "The return of usleep(3) with a BPF program that prints", uprobe)

/* Some are declared more than once: tables are shared. */
#define BENCH_OPTIONS_DECLARE(words, summary, table) extern const struct option bench_options_##table[];
BENCH_OPTIONS(BENCH_OPTIONS_DECLARE)
#undef BENCH_OPTIONS_DECLARE
