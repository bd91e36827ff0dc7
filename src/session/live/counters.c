#include "session/live/counters.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "bpf/count/event_counts.h"
#include "bpf/count/sample_counts.h"
#include "bpf/load/kernel.h"
#include "session/live/pace.h"

/* Each event has tables of its own. */
#define TABLES_BYTES_MAX (32ull << 20)
#define EVENTS_MAX       4

/* How one event is counted. */
struct counter {
	struct live_counters *all;
	uint32_t event;
	struct event_counts *by_thread;
	struct sample_counts *by_stack;
};

struct live_counters {
	struct live_counters_options o;
	struct counter of[EVENTS_MAX];
	uint32_t nr;
	uint64_t turned_ns; /* the last time */
};

/* ---- whether ---- */

static bool is_of_everybody(const struct capture_options *o)
{
	return o->target.system_wide && !o->target.cpus && !o->target.pids && !o->target.tids && !o->target.uid;
}

static uint32_t count_events(const struct event_set *set)
{
	uint32_t n = 0;
	for (size_t i = 0; i < set->events.len; i++)
		n += !set->events.data[i].is_dummy;
	return n;
}

/* An error that says why it is impossible, as far as known without trying, or NULL. */
static const char *find_obstacle(const struct live_counters_options *options)
{
	const struct capture_options *o = options->options;
	const struct event_set *set = capture_events(options->capture);
	if (o->overwrite)
		return "--overwrite";
	if (count_events(set) > EVENTS_MAX)
		return "more than four events";
	if (o->callgraph.mode != CALLGRAPH_NONE && o->callgraph.mode != CALLGRAPH_FP)
		return "call chains do not use frame pointers";
	if (!resolve_live_takes_counts(options->live))
		return "a column or the type of samples requires each sample";
	for (size_t i = 0; i < set->events.len; i++) {
		const struct capture_event *e = &set->events.data[i];
		if (e->sample_read || e->leader != i)
			return "a group of events";
		if (e->format)
			return "a probe without a definition";
		if (e->tracepoint_name && (o->target.cpus || o->target.uid))
			return "a tracepoint of some CPUs or of a user";
	}
	return NULL;
}

/* ---- opening ---- */

static bool open_by_thread(struct counter *c, const struct capture_event *e)
{
	const struct live_counters_options *o = &c->all->o;
	struct event_counts_options options = {
		.sys = o->sys,
		.tracepoint = e->tracepoint_name,
		.without_pid = o->without_pid,
	};
	bool each_counts = e->tracepoint_name && !e->attr.freq && e->attr.sample_period == 1;
	bool all_count = !e->filter && !e->cgroup && !e->attr.exclude_kernel && !e->attr.exclude_user;
	if (!each_counts || !all_count || !is_of_everybody(o->options) || !o->by_labels)
		return false;
	struct strobe_error *err = event_counts_open(&options, &c->by_thread);
	if (err)
		log_debug("cannot count with a raw tracepoint: %s", err->message);
	error_destroy(err);
	return c->by_thread != NULL;
}

static struct strobe_error *open_counter(struct counter *c)
{
	const struct live_counters_options *o = &c->all->o;
	if (open_by_thread(c, &capture_events(o->capture)->events.data[c->event]))
		return NULL;
	struct sample_counts_options options = {
		.sys = o->sys,
		.capture = o->capture,
		.event = c->event,
		.without_pid = o->without_pid,
		.inherit = !o->options->no_inherit,
		.bytes_max = TABLES_BYTES_MAX,
	};
	return sample_counts_open(&options, &c->by_stack);
}

static struct strobe_error *open_all(struct live_counters *all)
{
	const struct event_set *set = capture_events(all->o.capture);
	for (uint32_t i = 0; i < set->events.len; i++) {
		if (set->events.data[i].is_dummy)
			continue;
		struct counter *c = &all->of[all->nr++];
		*c = (struct counter){ .all = all, .event = i };
		TRY(open_counter(c));
	}
	return NULL;
}

struct strobe_error *live_counters_open(const struct live_counters_options *o, struct live_counters **ret)
{
	const char *obstacle = find_obstacle(o);
	if (obstacle)
		return error_create(ERROR_UNSUPPORTED, "%s", obstacle);
	struct live_counters *c = xcalloc(1, sizeof(*c));
	c->o = *o;
	c->turned_ns = sys_clock_ns(o->sys, CLOCK_MONOTONIC);
	struct strobe_error *err = open_all(c);
	if (err)
		live_counters_close(take_ptr(c));
	*ret = c;
	return err;
}

void live_counters_close(struct live_counters *c)
{
	for (uint32_t i = 0; c && i < c->nr; i++) {
		event_counts_close(c->of[i].by_thread);
		sample_counts_close(c->of[i].by_stack);
	}
	free(c);
}

/* ---- counting ---- */

static void take_thread(void *ctx, const struct event_count *e)
{
	struct counter *c = ctx;
	resolve_live_add(c->all->o.live, &(struct resolve_live_counted){
		.event = c->event,
		.pid = e->pid,
		.tid = e->tid,
		.cpu = e->cpu,
		.misc = PERF_RECORD_MISC_KERNEL,
		.count = e->count,
		.period = e->count,
	});
}

static void take_stack(void *ctx, const struct sample_count *s)
{
	struct counter *c = ctx;
	resolve_live_add(c->all->o.live, &(struct resolve_live_counted){
		.event = c->event,
		.pid = s->pid,
		.tid = s->tid,
		.cpu = s->cpu,
		.misc = (s->is_user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL) | (s->is_exact ? PERF_RECORD_MISC_EXACT_IP : 0),
		.ip = s->ip,
		.count = s->count,
		.period = s->period,
		.time_ns = s->first_ns,
		.chain = s->chain,
		.chain_nr = s->chain_nr,
	});
}

void live_counters_turn(struct live_counters *all)
{
	for (uint32_t i = 0; i < all->nr; i++) {
		const struct counter *c = &all->of[i];
		if (c->by_thread)
			event_counts_turn(c->by_thread);
		else
			sample_counts_turn(c->by_stack);
	}
	all->turned_ns = sys_clock_ns(all->o.sys, CLOCK_MONOTONIC);
	bpf_wait_for_programs();
}

void live_counters_read(struct live_counters *all)
{
	for (uint32_t i = 0; i < all->nr; i++) {
		struct counter *c = &all->of[i];
		if (c->by_thread)
			event_counts_read(c->by_thread, take_thread, c);
		else
			sample_counts_read(c->by_stack, take_stack, c);
	}
	resolve_live_added(all->o.live);
}

uint64_t live_counters_room_ns(const struct live_counters *all)
{
	double most = 0;
	for (uint32_t i = 0; i < all->nr; i++) {
		double fill = all->of[i].by_stack ? sample_counts_fill(all->of[i].by_stack) : 0;
		most = fill > most ? fill : most;
	}
	return pace_room_ns(most, most ? sys_clock_ns(all->o.sys, CLOCK_MONOTONIC) - all->turned_ns : 0);
}

uint64_t live_counters_lost(const struct live_counters *all)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < all->nr; i++) {
		const struct counter *c = &all->of[i];
		n += c->by_thread ? event_counts_lost(c->by_thread) : sample_counts_lost(c->by_stack);
	}
	return n;
}

/* Tracepoints are counted by programs, and must not be sampled, too. */
static void enable_event(const struct counter *c, bool on)
{
	const struct capture_event *e = &capture_events(c->all->o.capture)->events.data[c->event];
	if (!e->tracepoint_name)
		capture_set_enabled(c->all->o.capture, e->name, on);
}

void live_counters_enable(const struct live_counters *all, bool on)
{
	for (uint32_t i = 0; i < all->nr; i++) {
		const struct counter *c = &all->of[i];
		if (c->by_thread)
			event_counts_enable(c->by_thread, on);
		else
			sample_counts_enable(c->by_stack, on);
		enable_event(c, on);
	}
}
