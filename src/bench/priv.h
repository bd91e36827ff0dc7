/* The benchmarks, one file per kind; their table is in bench.c. Private to this room. */
#pragma once
#include "bench/bench.h"

#define BENCH_PROGRAM "strobe"

#define BENCH_RUN(id) \
	struct strobe_error *bench_##id(const struct bench_settings *s, struct bench_report *r) _must_check_

BENCH_RUN(messaging);
BENCH_RUN(pipe);
BENCH_RUN(seccomp_notify);
BENCH_RUN(getppid);
BENCH_RUN(getpgid);
BENCH_RUN(fork);
BENCH_RUN(execve);
BENCH_RUN(memcpy);
BENCH_RUN(memset);
BENCH_RUN(mmap);
BENCH_RUN(futex_hash);
BENCH_RUN(futex_wake);
BENCH_RUN(futex_wake_parallel);
BENCH_RUN(futex_requeue);
BENCH_RUN(futex_lock_pi);
BENCH_RUN(epoll_wait);
BENCH_RUN(epoll_ctl);
BENCH_RUN(breakpoint_thread);
BENCH_RUN(breakpoint_enable);
BENCH_RUN(uprobe_baseline);
BENCH_RUN(uprobe_empty);
BENCH_RUN(uprobe_trace_printk);
BENCH_RUN(uprobe_empty_ret);
BENCH_RUN(uprobe_trace_printk_ret);
BENCH_RUN(numa_mem);
BENCH_RUN(find_bit);
BENCH_RUN(synthesize);
BENCH_RUN(kallsyms_parse);
BENCH_RUN(inject_build_id);
BENCH_RUN(open_close);
BENCH_RUN(pmu_scan);
