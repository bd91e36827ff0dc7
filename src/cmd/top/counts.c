/*
 * top: samples are added up in the kernel and read at each refresh, where that says the same as samples would. Tracepoints whose
 * events only threads tell apart (-s comm) are counted by raw tracepoints, which cost least; all else by places and stacks.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "bpf/load/kernel.h"
#include "cmd/top/run.h"

/* Each event has tables of its own. */
#define TABLES_BYTES_MAX (32ull << 20)
#define EVENTS_MAX       4
/* Tables are read before a refresh is due where so much of them is in use. */
#define FULL 0.5
/* They are not looked at more often. */
#define LOOK_NS 2000000ull

/* How one event is counted. */
struct top_counter {
	struct top_run *t;
	uint32_t event;
	struct event_counts *by_thread;
	struct sample_counts *by_stack;
};

struct top_counters {
	struct top_counter of[EVENTS_MAX];
	uint32_t nr;
	uint64_t turned_ns; /* the last time */
};

/* ---- whether ---- */

/* Samples are told apart by their threads alone. */
static bool is_by_thread(const struct report_session *r)
{
	bool is = !r->query.has_chains && !r->by_address && !r->request.filter.dsos && !r->request.filter.symbols;
	for (uint32_t i = 0; i < r->query.keys_nr; i++)
		is &= r->query.keys[i].column->from == COLUMN_FROM_LABELS;
	return is;
}

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

/* What stands in the way as far as it can be seen from what was asked for, or NULL. */
static const char *find_obstacle(const struct top_run *t)
{
	const struct capture_options *o = &t->o->record.capture;
	const struct event_set *set = capture_events(t->capture);
	if (t->o->no_bpf)
		return "--no-bpf";
	if (t->has_output)
		return "--record requires the samples themselves";
	if (o->overwrite)
		return "--overwrite";
	if (count_events(set) > EVENTS_MAX)
		return "more than four events";
	if (o->callgraph.mode != CALLGRAPH_NONE && o->callgraph.mode != CALLGRAPH_FP)
		return "call chains are not by frame pointers";
	if (!resolve_live_takes_counts(t->live))
		return "a column or the type of samples requires each sample";
	for (size_t i = 0; i < set->events.len; i++) {
		const struct capture_event *e = &set->events.data[i];
		if (e->sample_read || e->leader != i)
			return "a group of events";
		if (e->tracepoint_name && (o->target.cpus || o->target.uid))
			return "a tracepoint of some CPUs or of a user";
	}
	return NULL;
}

/* ---- opening ---- */

static bool open_by_thread(struct top_counter *c, const struct capture_event *e)
{
	struct event_counts_options options = {
		.sys = c->t->sys,
		.tracepoint = e->tracepoint_name,
		.without_pid = c->t->o->show_self ? 0 : (uint32_t)getpid(),
	};
	bool each_counts = e->tracepoint_name && !e->attr.freq && e->attr.sample_period == 1;
	bool all_count = !e->filter && !e->cgroup && !e->attr.exclude_kernel && !e->attr.exclude_user;
	if (!each_counts || !all_count || !is_of_everybody(&c->t->o->record.capture) || !is_by_thread(&c->t->report))
		return false;
	struct strobe_error *err = event_counts_open(&options, &c->by_thread);
	if (err)
		log_debug("cannot count by a raw tracepoint: %s", err->message);
	error_destroy(err);
	return c->by_thread != NULL;
}

static struct strobe_error *open_counter(struct top_counter *c)
{
	struct top_run *t = c->t;
	const struct capture_options *o = &t->o->record.capture;
	if (open_by_thread(c, &capture_events(t->capture)->events.data[c->event]))
		return NULL;
	struct sample_counts_options options = {
		.sys = t->sys,
		.capture = t->capture,
		.event = c->event,
		.without_pid = t->o->show_self ? 0 : (uint32_t)getpid(),
		.inherit = !o->no_inherit,
		.bytes_max = TABLES_BYTES_MAX,
	};
	return sample_counts_open(&options, &c->by_stack);
}

static struct strobe_error *open_all(struct top_run *t, struct top_counters *all)
{
	const struct event_set *set = capture_events(t->capture);
	const char *obstacle = find_obstacle(t);
	if (obstacle)
		return error_create(ERROR_UNSUPPORTED, "%s", obstacle);
	for (uint32_t i = 0; i < set->events.len; i++) {
		if (set->events.data[i].is_dummy)
			continue;
		struct top_counter *c = &all->of[all->nr++];
		*c = (struct top_counter){ .t = t, .event = i };
		TRY(open_counter(c));
	}
	return NULL;
}

void top_open_counts(struct top_run *t)
{
	t->counters = xcalloc(1, sizeof(*t->counters));
	t->counters->turned_ns = top_now_ns(t);
	struct strobe_error *err = open_all(t, t->counters);
	if (err)
		top_close_counts(t); /* all events or none: they are read together */
	if (err && t->o->record.verbose)
		cmd_say(t->ctx, "samples are read from ring buffers: %s", err->message);
	else if (!err && t->o->record.verbose)
		cmd_say(t->ctx, "samples are aggregated in the kernel (BPF) and read at each refresh");
	error_destroy(err);
}

void top_close_counts(struct top_run *t)
{
	for (uint32_t i = 0; t->counters && i < t->counters->nr; i++) {
		event_counts_close(t->counters->of[i].by_thread);
		sample_counts_close(t->counters->of[i].by_stack);
	}
	free(t->counters);
	t->counters = NULL;
}

/* ---- counting ---- */

static void take_thread(void *ctx, const struct event_count *e)
{
	struct top_counter *c = ctx;
	resolve_live_add(c->t->live, &(struct resolve_live_counted){
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
	struct top_counter *c = ctx;
	resolve_live_add(c->t->live, &(struct resolve_live_counted){
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

void top_turn_counts(struct top_run *t)
{
	for (uint32_t i = 0; t->counters && i < t->counters->nr; i++) {
		struct top_counter *c = &t->counters->of[i];
		if (c->by_thread)
			event_counts_turn(c->by_thread);
		else
			sample_counts_turn(c->by_stack);
	}
	if (!t->counters)
		return;
	t->counters->turned_ns = top_now_ns(t);
	bpf_wait_for_programs();
}

void top_read_counts(struct top_run *t)
{
	for (uint32_t i = 0; t->counters && i < t->counters->nr; i++) {
		struct top_counter *c = &t->counters->of[i];
		if (c->by_thread)
			event_counts_read(c->by_thread, take_thread, c);
		else
			sample_counts_read(c->by_stack, take_stack, c);
	}
	resolve_live_added(t->live);
}

uint64_t top_counts_room_ns(const struct top_run *t)
{
	double most = 0;
	for (uint32_t i = 0; t->counters && i < t->counters->nr; i++) {
		const struct top_counter *c = &t->counters->of[i];
		double fill = c->by_stack ? sample_counts_fill(c->by_stack) : 0;
		most = fill > most ? fill : most;
	}
	if (most >= FULL)
		return 0;
	double took = most ? (double)(top_now_ns(t) - t->counters->turned_ns) : 0;
	double left = most ? took * (FULL - most) / most : UINT64_MAX;
	return left < LOOK_NS ? LOOK_NS : left < 1e18 ? (uint64_t)left : UINT64_MAX;
}

uint64_t top_uncounted(const struct top_run *t)
{
	uint64_t n = 0;
	for (uint32_t i = 0; t->counters && i < t->counters->nr; i++) {
		const struct top_counter *c = &t->counters->of[i];
		n += c->by_thread ? event_counts_lost(c->by_thread) : sample_counts_lost(c->by_stack);
	}
	return n;
}

/* Events of tracepoints are seen by programs, and would be sampled besides. */
static void enable_event(const struct top_counter *c, bool on)
{
	const struct capture_event *e = &capture_events(c->t->capture)->events.data[c->event];
	if (!e->tracepoint_name)
		capture_set_enabled(c->t->capture, e->name, on);
}

void top_enable(struct top_run *t, bool on)
{
	for (uint32_t i = 0; t->counters && i < t->counters->nr; i++) {
		struct top_counter *c = &t->counters->of[i];
		if (c->by_thread)
			event_counts_enable(c->by_thread, on);
		else
			sample_counts_enable(c->by_stack, on);
		enable_event(c, on);
	}
	if (!t->counters && on)
		capture_enable(t->capture);
	else if (!t->counters)
		capture_disable(t->capture);
}
