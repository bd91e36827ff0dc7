/*
 * top: a tracepoint whose events only threads tell apart (-s comm) is counted in the kernel and read at each refresh, and not sampled
 * event by event.
 */
#include "base/log.h"
#include "cmd/top/run.h"

/* The one event, whose samples would each count one; else NULL. */
static const struct capture_event *only_event(const struct top_run *t)
{
	const struct event_set *set = capture_events(t->capture);
	const struct capture_event *e = set->events.data;
	for (size_t i = 1; i < set->events.len; i++)
		if (!set->events.data[i].is_dummy)
			return NULL;
	bool each_counts = e->tracepoint_name && !e->attr.freq && e->attr.sample_period == 1;
	bool all_count = !e->filter && !e->cgroup && !e->attr.exclude_kernel && !e->attr.exclude_user;
	return each_counts && all_count ? e : NULL;
}

static bool is_of_everybody(const struct capture_options *o)
{
	return o->target.system_wide && !o->target.cpus && !o->target.pids && !o->target.tids && !o->target.uid && !o->overwrite;
}

/* Samples are told apart by their threads alone. */
static bool is_by_thread(const struct report_run *r)
{
	bool is = !r->has_chains && !r->tells_addresses && !r->o->dsos && !r->o->symbols;
	for (uint32_t i = 0; i < r->keys_nr; i++)
		is &= r->keys[i].column->from == COLUMN_FROM_LABELS;
	return is;
}

void top_open_counts(struct top_run *t)
{
	const struct capture_options *o = &t->o->record.capture;
	const struct capture_event *e = only_event(t);
	/* A recording wants the samples themselves. */
	if (!e || !is_of_everybody(o) || t->has_output || !is_by_thread(&t->report) || !resolve_live_takes_counts(t->live))
		return;
	struct event_counts_options options = {
		.sys = t->sys,
		.tracepoint = e->tracepoint_name,
		.without_pid = t->o->show_self ? 0 : (uint32_t)getpid(),
	};
	struct strobe_error *err = event_counts_open(&options, &t->counts);
	if (err)
		log_debug("samples and no counts: %s", err->message);
	error_destroy(err);
}

static void take(void *ctx, const struct event_count *e)
{
	struct top_run *t = ctx;
	resolve_live_add(t->live, &(struct resolve_live_counted){
		.event = 0,
		.pid = e->pid,
		.tid = e->tid,
		.cpu = e->cpu,
		.count = e->count,
	});
}

struct strobe_error *top_turn_counts(struct top_run *t)
{
	return t->counts ? event_counts_turn(t->counts) : NULL;
}

void top_read_counts(struct top_run *t)
{
	if (t->counts)
		event_counts_read(t->counts, take, t);
}

uint64_t top_uncounted(const struct top_run *t)
{
	return t->counts ? event_counts_lost(t->counts) : 0;
}

struct strobe_error *top_enable(struct top_run *t, bool on)
{
	if (t->counts)
		return event_counts_enable(t->counts, on);
	if (on)
		capture_enable(t->capture);
	else
		capture_disable(t->capture);
	return NULL;
}
