/*
 * Chooses whether to record tasks by CPU (bpf/task_filter.h), so that short tasks get their share of samples.
 */
#include "base/log.h"
#include "recording/priv.h"

void recorder_choose_filter(struct recorder *r)
{
	struct capture_options *c = &r->o.capture;
	const struct target *t = &c->target;
	c->followed = NULL;
	if (t->system_wide || t->cpus || (target_is_none(t) && !r->o.argv))
		return;
	const char *obstacle = followed_obstacle(&r->events, c);
	if (obstacle)
		log_info("events are opened per task, so short-lived tasks are undersampled: %s", obstacle);
	if (obstacle && !r->o.waits && !probe_samples_has_any(&r->events))
		return;
	struct task_filter_options o = {
		.sys = r->sys,
		.by_thread = t->tids && !t->pids,
		.has_leader = r->o.argv && target_is_none(t),
		.no_children = c->no_inherit,
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

struct strobe_error *recorder_choose_probes(struct recorder *r)
{
	const struct probe_samples_options o = { .sys = r->sys, .events = &r->events, .capture = &r->o.capture, .filter = r->filter };
	return probe_samples_open(&o, &r->probes);
}

static bool has_program(const struct capture_event *e)
{
	return true;
}

static bool is_walked_or_probe(const struct capture_event *e)
{
	return stack_unwinder_is_walked(e) || probe_samples_is_of(e);
}

struct strobe_error *recorder_attach_filter(struct recorder *r)
{
	bool (*others)(const struct capture_event *e) = r->o.capture.callgraph.mode == CALLGRAPH_EH ? is_walked_or_probe :
												   probe_samples_is_of;
	/* The filter is only for waits or probes: events are opened on tasks. */
	if (r->filter && !r->o.capture.followed)
		others = has_program;
	if (r->filter)
		TRY(task_filter_attach(r->filter, r->capture, others));
	return r->probes ? probe_samples_attach(r->probes, r->capture) : NULL;
}

void recorder_release_filter(struct recorder *r)
{
	task_filter_destroy_later(r->filter);
	r->filter = NULL;
	r->o.capture.followed = NULL;
}
