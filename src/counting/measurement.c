#include "counting/measurement.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "bpf/count/syscall_counts.h"
#include "bpf/probe/counts.h"
#include "counter/listing.h"

/* From this number on, a message says why they are not counted by a BPF program. */
#define MANY_EVENTS 50

char *target_title(const struct target *t, char *const *argv, int argc)
{
	struct strbuf b = {};
	if (t->system_wide) {
		strbuf_addstr(&b, "'system wide'");
	} else if (t->cpus) {
		strbuf_addf(&b, "'CPU(s) %s'", t->cpus);
	} else if (t->pids || t->tids) {
		strbuf_addf(&b, "%s id '%s'", t->pids ? "process" : "thread", t->pids ? t->pids : t->tids);
	} else {
		for (int i = 0; i < argc; i++)
			strbuf_addf(&b, "%s%s", i ? " " : "'", argv[i]);
		strbuf_addch(&b, '\'');
	}
	return strbuf_take(&b);
}

/* The processes of the system, for counts per thread without a target. */
static struct strobe_error *all_processes(const struct sys *sys, char **ret)
{
	struct strbuf b = {};
	sys_names names = {};
	TRY(sys_list(sys, "/proc", &names));
	for (size_t i = 0; i < names.len; i++)
		if (strspn(names.data[i], "0123456789") == strlen(names.data[i]))
			strbuf_addf(&b, "%s%s", b.len ? "," : "", names.data[i]);
	sys_names_deinit(&names);
	*ret = strbuf_take(&b);
	return NULL;
}

static struct strobe_error *resolve_target(struct measurement *m)
{
	struct counting *c = &m->counting;
	struct target resolved = c->target;
	_cleanup_free_ char *all = NULL;
	if (m->settings.all_threads) {
		TRY(all_processes(c->sys, &all));
		resolved = (struct target){ .pids = all };
	}
	/* The command's process is only known after its fork: this process is a placeholder. */
	struct strobe_error *err = target_resolve(c->sys, &resolved, c->counts_command ? getpid() : 0, &c->map);
	if (err)
		return resolved.cpus ? error_prefix(err, "No supported events found") : err;
	for (unsigned i = 0; i < c->map.notes_nr; i++)
		session_say(m->host, "%s", c->map.notes[i]);
	return NULL;
}

/* Many tracepoints of system calls take long to close: one BPF program counts them all where possible. */
static void take_syscalls(struct measurement *m)
{
	struct counter_set *set = &m->counting.set;
	size_t taken;
	if (m->settings.no_bpf || m->settings.tally.by == COUNTS_BY_THREAD || !syscall_counts_fit(set))
		return;
	struct strobe_error *err = syscall_counts_take(set, m->counting.counts_command, &taken);
	if (err && set->events.len >= MANY_EVENTS)
		session_say(m->host, "these system calls are counted with one event each, not by one BPF program: %s", err->message);
	else if (err)
		log_info("system calls are counted with one event each: %s", err->message);
	else
		log_info("%zu events are counted by one BPF program", taken);
	error_destroy(err);
}

static struct strobe_error *take_probes(struct measurement *m)
{
	struct counting *c = &m->counting;
	struct target t = c->target;
	t.per_thread = m->settings.tally.by == COUNTS_BY_THREAD;
	return probe_counts_take(&c->set, &t);
}

static void fill(struct measurement *m, struct counts *c, const struct tally *t, struct listing_options options)
{
	c->target = m->target;
	options.no_figures = m->metrics->uses.len != 0;
	listing_fill(c, t, options);
	metric_set_show(m->metrics, t, c);
}

struct exposing {
	struct measurement *m;
	struct out *out;
};

static struct strobe_error *expose_readings(void *ctx)
{
	const struct exposing *e = ctx;
	struct measurement *m = e->m;
	struct counts c = { .runs = 1, .elapsed = { .mean_s = m->counting.elapsed_s } };
	tally_clear(&m->exposed);
	tally_add(&m->exposed, TALLY_ALL);
	fill(m, &c, &m->exposed, (struct listing_options){});
	m->settings.expose(e->out, &c);
	counts_deinit(&c);
	return NULL;
}

static struct strobe_error *expose_now(void *ctx, struct out *out)
{
	struct measurement *m = ctx;
	return counting_peek(&m->counting, expose_readings, &(struct exposing){ m, out });
}

/* After the end, the readings are those of the run. */
static struct strobe_error *expose_last(void *ctx, struct out *out)
{
	return expose_readings(&(struct exposing){ ctx, out });
}

static struct strobe_error *serve_exposition(void *ctx)
{
	struct measurement *m = ctx;
	return exposition_serve(&m->exposition, expose_now, m);
}

static void show(struct measurement *m, struct counts *c, const struct tally *t)
{
	const struct measurement_settings *s = &m->settings;
	c->metrics_only = s->metrics_only;
	c->is_null_run = s->choice.none;
	fill(m, c, t, (struct listing_options){
			      .all_threads = s->all_threads,
			      .with_lacking = s->verbose,
		      });
	m->show(m->ctx, c);
	counts_deinit(c);
}

/* Rows with "<not supported>" do not give a reason: print it once, on a terminal. */
static void hint_at_pmu(const struct measurement *m)
{
	const struct counter_set *set = &m->counting.set;
	unsigned n = 0, supported = 0;
	for (size_t i = 0; i < set->events.len; i++) {
		uint32_t type = set->events.data[i].attr.type;
		bool is_hardware = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
		n += is_hardware;
		supported += is_hardware && set->events.data[i].supported;
	}
	if (n && !supported && m->host && m->host->is_attended)
		session_say(m->host, "no event of the processor can be counted here; 'strobe doctor hardware-counters' shows why");
}

static void say_notes(struct measurement *m)
{
	const struct counter_set *set = &m->counting.set;
	if (!m->notes_shown)
		hint_at_pmu(m);
	for (size_t i = 0; !m->notes_shown && i < set->notes.len; i++)
		session_say(m->host, "%s", set->notes.data[i]);
	m->notes_shown = true;
}

static struct strobe_error *show_interval(void *ctx, double time_s, double length_s)
{
	struct measurement *m = ctx;
	struct counts c = { .is_interval = true, .time_s = time_s, .interval_s = length_s, .runs = 1 };
	say_notes(m);
	if (m->recorder)
		TRY(counts_recorder_add(m->recorder, time_s, false));
	tally_clear(&m->tally);
	tally_add(&m->tally, TALLY_SINCE_BEFORE);
	show(m, &c, &m->tally);
	return NULL;
}

static struct strobe_error *open_outputs(struct measurement *m)
{
	const struct measurement_settings *s = &m->settings;
	struct counting_hooks *hooks = &m->counting.hooks;
	*hooks = (struct counting_hooks){ .interval = show_interval, .ctx = m };
	if (s->exposition) {
		TRY(exposition_open(&m->exposition, s->exposition));
		hooks->request = serve_exposition;
		hooks->request_fd = exposition_fd(&m->exposition);
	}
	struct counts_recorder_settings recording = { .path = s->recording, .by = s->tally.by, .interval_ms = s->counting.interval_ms,
					       .is_scaled = !s->tally.no_scale };
	return s->recording ? counts_recorder_create(&recording, &m->counting.set, &m->recorder) : NULL;
}

struct strobe_error *measurement_prepare(struct measurement *m, struct event_list *events, const struct sys *sys, struct target target,
					 char *const *argv, int argc)
{
	const struct measurement_settings *s = &m->settings;
	struct counting *c = &m->counting;
	*c = (struct counting){ .host = m->host, .sys = sys, .settings = s->counting, .target = target, .argv = argv, .argc = argc,
				.counts_command = target_is_none(&target) };
	m->exposition = EXPOSITION_NONE;
	m->is_prepared = true;
	m->target = target_title(&target, argv, argc);
	TRY(resolve_target(m));
	TRY(events_choose(events, sys, &s->choice, m->metrics));
	counter_init(&c->set, sys, events, &c->map, s->counters);
	TRY(take_probes(m));
	take_syscalls(m);
	TRY(tally_init(&m->tally, &c->set, s->tally));
	TRY(tally_init(&m->whole, &c->set, s->tally));
	TRY(tally_init(&m->exposed, &c->set, s->tally));
	return open_outputs(m);
}

static struct counts_times times_of(const struct stats *s)
{
	double half = stats_half_width(s, 0.95);
	return (struct counts_times){ s->mean, stats_error(s), half < s->mean ? s->mean - half : 0, s->mean + half, s->min, s->max };
}

void measurement_show(struct measurement *m)
{
	bool has_intervals = m->settings.counting.interval_ms != 0;
	struct counts c = {
		.runs = m->elapsed.n,
		.elapsed = times_of(&m->elapsed),
		.has_usage = m->counting.counts_command && m->elapsed.n == 1,
		.user_s = m->user.mean,
		.system_s = m->system.mean,
		.is_summary = has_intervals,
	};
	for (size_t i = 0; i < m->elapsed_each.len; i++)
		vec_push(&c.elapsed_each, m->elapsed_each.data[i]);
	show(m, &c, has_intervals ? &m->whole : &m->tally);
}

/* The sums of the raw numbers of each event. */
static void say_raw(const struct measurement *m)
{
	const struct counter_set *set = &m->counting.set;
	for (size_t i = 0; m->settings.verbose && i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		struct count_reading sum = {};
		for (uint32_t k = 0; k < e->slots_nr; k++) {
			const struct count_reading *r = &set->slots.data[e->first_slot + k].now;
			sum.value += r->value;
			sum.enabled_ns += r->enabled_ns;
			sum.running_ns += r->running_ns;
		}
		if (e->supported)
			session_progress(m->host, "%s: %llu %llu %llu", e->name, (unsigned long long)sum.value,
					 (unsigned long long)sum.enabled_ns, (unsigned long long)sum.running_ns);
		else
			session_progress(m->host, "failed to read counter %s", e->name);
	}
}

void measurement_clear(struct measurement *m)
{
	tally_clear(&m->tally);
	m->elapsed = m->user = m->system = (struct stats){};
	vec_clear(&m->elapsed_each);
}

static struct strobe_error *run_shell(const char *command)
{
	int status = command ? system(command) : 0;
	if (status)
		return error_create(ERROR_OTHER, "'%s' failed (status %d)", command, WIFEXITED(status) ? WEXITSTATUS(status) : status);
	return NULL;
}

/* A recording with intervals ends with the last interval. */
static struct strobe_error *finish_outputs(struct measurement *m)
{
	if (m->settings.exposition)
		TRY(exposition_finish(&m->exposition, expose_last, m));
	if (m->recorder && !m->settings.counting.interval_ms)
		TRY(counts_recorder_add(m->recorder, m->counting.elapsed_s, true));
	return m->recorder ? counts_recorder_finish(m->recorder) : NULL;
}

struct strobe_error *measurement_run(struct measurement *m)
{
	struct counting *c = &m->counting;
	TRY(run_shell(m->settings.pre));
	if (m->settings.sync)
		sync();
	counter_reset(&c->set);
	TRY(counting_run(c));
	say_notes(m);
	say_raw(m);
	TRY(run_shell(m->settings.post));
	TRY(finish_outputs(m));
	stats_add(&m->elapsed, c->elapsed_s);
	stats_add(&m->user, c->user_s);
	stats_add(&m->system, c->system_s);
	vec_push(&m->elapsed_each, c->elapsed_s);
	tally_add(m->settings.counting.interval_ms ? &m->whole : &m->tally, TALLY_ALL);
	return NULL;
}

void measurement_close(struct measurement *m)
{
	if (!m->is_prepared)
		return;
	counting_close(&m->counting);
	counts_recorder_destroy(m->recorder);
	exposition_close(&m->exposition);
	tally_deinit(&m->exposed);
	tally_deinit(&m->tally);
	tally_deinit(&m->whole);
	counter_deinit(&m->counting.set);
	target_map_deinit(&m->counting.map);
	vec_deinit(&m->elapsed_each);
	free(m->target);
}
