/*
 * The target of a recording: CPUs, processes, threads, users; resolved to the CPUs and threads on which events are opened.
 *
 * A target has CPUs or tasks, not both; target_resolve() resolves conflicts like perf, with a message in
 * `notes`. Without either, a workload is the target; without a workload, the whole system. Facts of running processes
 * are read from procfs once, when it is resolved: a thread that ends before its event is open is left out.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vector.h"
#include "sys/cpus.h"
#include "sys/sys.h"

struct target {
	bool system_wide;
	const char *cpus; /* "0-3,7" or NULL */
	const char *pids; /* "12,99": with all their threads */
	const char *tids;
	const char *uid; /* name or number: the processes of that user */
	bool per_thread; /* one ring per thread instead of per CPU */
};

struct thread_entry {
	pid_t pid, tid; /* tid -1: every task of the CPU */
	char comm[16];
};

struct target_map {
	VEC(int) cpus; /* -1: any CPU */
	VEC(struct thread_entry) threads;
	bool system_wide;     /* CPUs are the target, not tasks */
	bool is_workload;     /* the only thread is the child that was forked */
	const char *notes[4]; /* sentences for the user, static */
	unsigned notes_nr;
};

/* workload: the forked child or 0. */
struct strobe_error *target_resolve(const struct sys *sys, const struct target *t, pid_t workload,
				    struct target_map *ret) _must_check_;
void target_map_deinit(struct target_map *m);
/*
 * Whether one of its threads still runs; a zombie does not. If the first thread of a process has ended, others may continue, and one that
 * calls exec takes its ID a moment later.
 */
bool target_map_is_alive(const struct target_map *m, const struct sys *sys);
bool target_is_task_alive(const struct sys *sys, pid_t tid);
/* Whether any of its threads still runs. */
bool target_is_process_alive(const struct sys *sys, pid_t pid);
/* Whether the target is only the workload. */
bool target_is_none(const struct target *t);
