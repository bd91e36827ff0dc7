/*
 * Samples of selected tasks from events of whole CPUs: BPF programs follow a command, or running processes, with all tasks that
 * they start, and drop the samples of others.
 *
 *	TRY(task_filter_create(&options, &f));      loads the programs: whether it is possible here
 *	options.followed = task_filter_tasks(f);
 *	TRY(capture_open(..., &c));
 *	TRY(task_filter_attach(f, c, NULL));        before anything counts
 *	...
 *	task_filter_destroy(f);
 *
 * An event on a task is copied for each task that it starts, and each copy begins a period of its own: a task that ends
 * within its first period is never sampled. The clock of a CPU continues from task to task.
 *
 * From Linux 5.17 on, with permission to load BPF programs, in the initial PID namespace. One thread at a time; the tasks may be
 * read by any. Source: bpf(2), perf_event_open(2) (PERF_EVENT_IOC_SET_BPF).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "capture/followed.h"
#include "capture/session.h"

struct task_filter;

struct task_filter_options {
	const struct sys *sys;
	bool by_thread;  /* single threads, with what these start */
	bool has_leader; /* the command: nothing of it is sampled before its exec */
	bool no_children; /* children are not followed */
};

struct strobe_error *task_filter_create(const struct task_filter_options *o, struct task_filter **ret) _must_check_;
/* Borrowed. */
const struct followed_tasks *task_filter_tasks(const struct task_filter *f);
/* The map for another program that filters (bpf/followed_shared.h); borrowed. */
int task_filter_map(const struct task_filter *f);
/* Follows the targets of c. has_program: whether the program of an event filters itself; NULL: none does. */
struct strobe_error *task_filter_attach(struct task_filter *f, struct capture *c,
					bool (*has_program)(const struct capture_event *e)) _must_check_;
/* Follows these tasks and no others from now on. */
void task_filter_follow(struct task_filter *f, const struct target_map *map);
/*
 * At the end of a program instead of task_filter_destroy(): a tracepoint that was closed makes the next program that attaches to it
 * wait for an RCU grace period, 10 ms. After a short recording another may follow at once, so a child holds it for a moment.
 */
void task_filter_destroy_later(struct task_filter *f);
void task_filter_destroy(struct task_filter *f);
