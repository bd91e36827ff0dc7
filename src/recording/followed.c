/*
 * Whether tasks are recorded by CPU (bpf/task_filter.h), so that short ones are sampled as often as they are due.
 */
#include "base/log.h"
#include "recording/priv.h"

void recorder_choose_filter(struct recorder *r)
{
	struct capture_options *c = &r->o.capture;
	const struct target *t = &c->target;
	c->followed = NULL;
	if (t->system_wide || t->cpus || (target_is_none(t) && !r->workload.pid))
		return;
	const char *obstacle = followed_obstacle(&r->events, c);
	if (obstacle)
		log_info("events are opened per task, so short-lived tasks are undersampled: %s", obstacle);
	if (obstacle && !r->o.waits)
		return;
	struct task_filter_options o = {
		.sys = r->sys,
		.by_thread = t->tids && !t->pids,
		.has_leader = r->workload.pid && target_is_none(t),
	};
	struct strobe_error *err = task_filter_create(&o, &r->filter);
	if (!err) {
		c->followed = obstacle ? NULL : task_filter_tasks(r->filter);
		return;
	}
	log_info("events are opened per task, so short-lived tasks are undersampled: %s", err->message);
	r->lacks_filter = true;
	error_destroy(err);
}

static bool has_program(const struct capture_event *e)
{
	return true;
}

struct strobe_error *recorder_attach_filter(struct recorder *r)
{
	bool (*others)(const struct capture_event *e) = r->o.capture.callgraph.mode == CALLGRAPH_EH ? stack_unwinder_is_walked : NULL;
	/* The filter of waits alone: events are those of tasks. */
	if (r->filter && !r->o.capture.followed)
		others = has_program;
	return r->filter ? task_filter_attach(r->filter, r->capture, others) : NULL;
}

void recorder_release_filter(struct recorder *r)
{
	task_filter_destroy_behind(r->filter);
	r->filter = NULL;
	r->o.capture.followed = NULL;
}
