#include "session/live/live.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bpf/task_filter.h"
#include "event/open.h"
#include "machine/machine.h"
#include "record/wait_layout.h"
#include "report/query.h"
#include "session/live/pace.h"

/*
 * The maximum number of rows of past slices: some 35 MB with their stacks in the profile, which may have twice as many.
 */
#define REMEMBERED_ROWS 60000
/* With waits: samples have the same period for running and waiting. */
#define WALL_FREQ_HZ	1000
#define WALL_QUANTUM_NS 1000000

/* ---- opening ---- */

static uint64_t ring_pages(const struct sys *sys)
{
	sys_cpus cpus = {};
	error_destroy(sys_cpus_online(sys, &cpus));
	uint64_t pages = pace_ring_pages(cpus.len);
	vec_deinit(&cpus);
	return pages;
}

static void complete_options(const struct live_options *o)
{
	struct capture_options *c = o->capture;
	if (target_is_none(&c->target))
		c->target.system_wide = true;
	/* Root may lock memory without a bound. */
	if (!c->mmap_pages && !geteuid())
		c->mmap_pages = ring_pages(o->sys);
	c->exclude_self = !o->show_self;
	c->track_apart = true; /* the user may disable events, and events counted by programs are disabled */
	c->build_id_mmap = o->is_recorded;
	if (o->with_waits && !c->freq_set && !c->period_set)
		c->freq_hz = WALL_FREQ_HZ;
	/* Programs have no other clock in common with events. */
	if (!o->use_rings && !o->is_recorded && !o->with_waits) {
		c->use_clockid = true;
		c->clockid = CLOCK_MONOTONIC;
	}
}

static struct strobe_error *choose_events(const struct live_options *o)
{
	const struct target *target = &o->capture->target;
	bool is_wide = target->system_wide || target->cpus;
	struct event_default d;
	if (o->events->events.len)
		return NULL;
	if (o->with_waits) /* waits are the rest of the time */
		return event_parse(o->events, o->sys, "cpu-clock");
	TRY(event_default(o->events, o->sys, is_wide ? -1 : 0, is_wide ? 0 : -1, &d));
	if (d.user_only)
		session_say(o->host, "not permitted to sample the kernel: profiling user space only "
				     "(kernel.perf_event_paranoid is above 1; "
				     "'echo 1 > /proc/sys/kernel/perf_event_paranoid' as root)");
	return NULL;
}

static void say_notes(const struct live_session *l)
{
	const char *const *notes;
	size_t n = capture_notes(l->capture, &notes);
	for (size_t i = 0; i < n; i++)
		session_say(l->o.host, "%s", notes[i]);
	if (l->events.lowered_freq && l->o.capture->freq_set)
		session_say(l->o.host, "sampling at %llu Hz, the limit of kernel.perf_event_max_sample_rate",
			    (unsigned long long)l->events.lowered_freq);
}

/* ---- whole stacks ---- */

/* Falls back to frame pointers from eh. */
static void use_frame_pointers(struct live_session *l, struct strobe_error *why)
{
	if (l->o.verbose)
		session_say(l->o.host, "call chains by frame pointers: %s", why->message);
	error_destroy(why);
	l->o.capture->callgraph.mode = CALLGRAPH_FP;
	walked_stacks_close(take_ptr(l->stacks));
	capture_close(take_ptr(l->capture));
}

/* Adds names of scripts, which the profile has from now on. */
static void take_script(void *ctx, const void *table, size_t bytes)
{
	struct live_session *l = ctx;
	env_append_section(live_env(l), ENV_SECTION_SCRIPTS, table, bytes);
}

static struct strobe_error *choose_stacks(struct live_session *l)
{
	struct callgraph_options *c = &l->o.capture->callgraph;
	struct walked_stacks_options o = { .sys = l->o.sys, .events = &l->events, .capture = l->o.capture, .followed_map = -1,
					   .take_script = take_script, .script_ctx = l };
	if (c->mode != CALLGRAPH_EH && c->mode != CALLGRAPH_DEFAULT)
		return NULL;
	if (!walked_stacks_is_of_any(&l->events)) {
		c->mode = CALLGRAPH_FP;
		return NULL;
	}
	struct strobe_error *err = walked_stacks_open(&o, &l->stacks);
	if (err && c->mode == CALLGRAPH_EH)
		return error_prefix(err, "--call-graph eh");
	if (err) {
		use_frame_pointers(l, err);
		return NULL;
	}
	c->mode = CALLGRAPH_EH;
	l->o.capture->sample_identifier = true;
	return NULL;
}

/* ---- waits ---- */

static struct strobe_error *make_filter(struct live_session *l)
{
	const struct target *t = &l->o.capture->target;
	struct task_filter_options o = { .sys = l->o.sys, .by_thread = t->tids && !t->pids };
	if (t->system_wide || t->cpus)
		return NULL;
	return task_filter_create(&o, &l->filter);
}

/* Stacks of waits are walked by a program, whatever the method for samples. */
static struct strobe_error *open_waits(struct live_session *l)
{
	struct callgraph_options *c = &l->o.capture->callgraph;
	if (c->mode == CALLGRAPH_DEFAULT)
		c->mode = CALLGRAPH_EH;
	c->native = true;
	TRY(make_filter(l));
	struct walked_stacks_options o = {
		.sys = l->o.sys,
		.events = &l->events,
		.capture = l->o.capture,
		.no_samples = c->mode != CALLGRAPH_EH,
		.waits = { .on = true, .split = true, .quantum_ns = WALL_QUANTUM_NS,
			   .frames_max = c->mode == CALLGRAPH_NONE ? 1 : c->max_stack },
		.followed = l->filter ? task_filter_tasks(l->filter) : NULL,
		.followed_map = l->filter ? task_filter_map(l->filter) : -1,
	};
	walked_stacks_add_wait_event(&l->events, WAIT_EVENT);
	l->o.capture->sample_identifier = true;
	return walked_stacks_open(&o, &l->stacks);
}

/* Samples need no filter: their events are those of the tasks. */
static bool needs_no_filter(const struct capture_event *e)
{
	return e != NULL;
}

/* ---- events ---- */

static struct strobe_error *open_events(struct live_session *l)
{
	event_set_init(&l->events, l->o.sys);
	event_set_add_list(&l->events, l->o.events);
	const struct probe_samples_options probes = { .sys = l->o.sys, .events = &l->events, .capture = l->o.capture };
	probe_samples_close(take_ptr(l->probes));
	struct strobe_error *err = probe_samples_open(&probes, &l->probes);
	if (!err)
		err = l->o.with_waits ? error_prefix(open_waits(l), "--wall") : choose_stacks(l);
	if (err) { /* no capture has taken them */
		event_set_deinit(&l->events);
		return err;
	}
	TRY(capture_open(l->o.sys, l->o.capture, &l->events, 0, &l->capture));
	if (l->probes)
		TRY(probe_samples_attach(l->probes, l->capture));
	if (!l->stacks)
		return NULL;
	if (l->filter)
		TRY(task_filter_attach(l->filter, l->capture, needs_no_filter));
	TRY(error_prefix(walked_stacks_attach(l->stacks, l->capture), l->o.with_waits ? "--wall" : "--call-graph eh"));
	if (l->o.verbose)
		session_say(l->o.host, "call chains by call frame information (eh)");
	return NULL;
}

struct strobe_error *live_open(struct live_session *l, const struct live_options *options)
{
	*l = (struct live_session){ .o = *options };
	complete_options(options);
	TRY(choose_events(options));
	bool is_default = options->capture->callgraph.mode == CALLGRAPH_DEFAULT && !options->with_waits;
	l->o.use_rings |= options->with_waits;
	struct strobe_error *err = open_events(l);
	if (err && is_default && options->capture->callgraph.mode == CALLGRAPH_EH) {
		use_frame_pointers(l, err);
		err = open_events(l);
	}
	if (!err)
		say_notes(l);
	return err;
}

void live_close(struct live_session *l)
{
	if (l->has_output) {
		record_output_discard(&l->output);
		record_output_deinit(&l->output);
	}
	live_counters_close(l->counters);
	resolve_live_destroy(l->resolve);
	walked_stacks_close(l->stacks);
	probe_samples_close(l->probes);
	task_filter_destroy_later(l->filter);
	if (l->history.profile)
		history_deinit(&l->history);
	if (l->capture)
		capture_close_later(l->capture);
	capture_close(l->capture);
	*l = (struct live_session){};
}

struct env *live_env(const struct live_session *l)
{
	return capture_env(l->capture);
}

struct record_source *live_source(struct live_session *l)
{
	return capture_source(l->capture);
}

/* ---- starting ---- */

static struct strobe_error *write_to_both(struct record_sink *sink, const void *records, size_t bytes)
{
	struct live_sink *s = (struct live_sink *)sink;
	if (s->file)
		TRY(sink_write(s->file, records, bytes));
	return sink_write(s->samples, records, bytes);
}

void live_resolve(struct live_session *l, const struct live_request *request)
{
	l->request = *request;
	machine_name_kernel(resolver_machine(request->resolver), "[kernel]"); /* as perf top has it, and not perf report */
	l->resolve = resolve_live_create(request->resolver, (struct resolve_live_filter){});
	l->sink = (struct live_sink){ .sink.write = write_to_both, .samples = resolve_live_sink(l->resolve) };
	history_init(&l->history, HISTORY_FADE, REMEMBERED_ROWS);
	live_apply(l);
}

struct strobe_error *live_synthesize(struct live_session *l)
{
	TRY(capture_synthesize(l->capture, &l->sink.sink, false));
	if (!l->has_output)
		return NULL;
	TRY(writer_round(l->output.writer, live_env(l)));
	return record_output_commit(&l->output);
}

static uint32_t hidden_pid(const struct live_session *l)
{
	return l->o.show_self ? 0 : (uint32_t)getpid();
}

static struct strobe_error *open_counters(struct live_session *l)
{
	struct live_counters_options options = {
		.sys = l->o.sys,
		.capture = l->capture,
		.options = l->o.capture,
		.live = l->resolve,
		.without_pid = hidden_pid(l),
		.by_labels = l->request.by_labels,
	};
	if (l->o.use_rings)
		return error_create(ERROR_UNSUPPORTED, "--no-bpf");
	if (l->has_output)
		return error_create(ERROR_UNSUPPORTED, "--record requires the samples themselves");
	return live_counters_open(&options, &l->counters);
}

/* Samples come through rings where the kernel cannot aggregate them. */
static void choose_counters(struct live_session *l)
{
	struct strobe_error *err = open_counters(l);
	if (err && l->o.verbose)
		session_say(l->o.host, "samples are read from ring buffers: %s", err->message);
	else if (!err && l->o.verbose)
		session_say(l->o.host, "samples are aggregated in the kernel (BPF) and read at each refresh");
	error_destroy(err);
}

/* Only with waits. */
static void enable_waits(struct live_session *l, bool on)
{
	if (l->o.with_waits)
		stack_unwinder_enable_waits(walked_stacks_unwinder(l->stacks), on);
}

struct strobe_error *live_start(struct live_session *l)
{
	choose_counters(l); /* before events get filters that are not the user's */
	capture_exclude_thread(l->capture, (pid_t)syscall(SYS_gettid));
	TRY(capture_apply_filters(l->capture));
	live_enable(l, true);
	l->last_ns = live_now_ns(l);
	return NULL;
}

void live_stop(struct live_session *l)
{
	enable_waits(l, false);
	capture_disable(l->capture);
	_cleanup_free_ char *of_probes = probe_samples_losses(l->probes);
	if (of_probes)
		session_say(l->o.host, "%s", of_probes);
}

/* ---- counting ---- */

uint64_t live_now_ns(const struct live_session *l)
{
	return sys_clock_ns(l->o.sys, CLOCK_MONOTONIC);
}

uint64_t live_interval_ns(const struct live_session *l)
{
	return (uint64_t)(l->o.settings->delay_s * 1e9);
}

int live_poll_fd(const struct live_session *l)
{
	return capture_poll_fd(l->capture, 0);
}

static uint64_t room_ns(const struct live_session *l)
{
	return l->counters ? live_counters_room_ns(l->counters) : UINT64_MAX;
}

int live_wait_ms(const struct live_session *l, uint64_t due_ns)
{
	return pace_wait_ms(live_now_ns(l), due_ns, live_interval_ns(l), room_ns(l));
}

void live_look(struct live_session *l)
{
	if (capture_tasks_gone(l->capture, 0))
		l->has_ended = true;
}

/* waits: for tables that stacks are walked by; else a round may go on. */
static struct strobe_error *drain_rings(struct live_session *l, bool waits)
{
	struct record_sink *sink = l->stacks ? walked_stacks_sink(l->stacks, &l->sink.sink) : &l->sink.sink;
	uint64_t bytes;
	bool is_all;
	TRY(capture_drain(l->capture, 0, sink, true, false, &bytes));
	if (capture_overwrites(l->capture))
		TRY(capture_snapshot(l->capture, &l->sink.sink, &bytes));
	TRY(walked_stacks_settle(l->stacks, waits, &is_all));
	l->is_round_due |= bytes != 0;
	if (!is_all)
		return NULL;
	if (l->has_output && l->is_round_due)
		TRY(writer_round(l->output.writer, live_env(l)));
	l->is_round_due = false;
	resolve_live_pass(l->resolve);
	return NULL;
}

/* Everything up to now. */
static struct strobe_error *drain_all(struct live_session *l)
{
	if (l->counters)
		live_counters_turn(l->counters);
	/* Samples of this pass are counted at the end of the next one: done here at once. */
	TRY(drain_rings(l, true));
	TRY(drain_rings(l, true));
	if (l->counters)
		live_counters_read(l->counters);
	return NULL;
}

struct strobe_error *live_drain(struct live_session *l)
{
	return room_ns(l) ? drain_rings(l, false) : drain_all(l);
}

static void count_losses(struct live_session *l)
{
	struct report_refresh *f = &l->refresh;
	const struct resolve_stats *s = resolver_stats(l->request.resolver);
	uint64_t bad = s->bad_samples + s->unknown_id_samples;
	uint64_t lost = capture_totals(l->capture).lost_events + (l->counters ? live_counters_lost(l->counters) : 0);
	f->lost = lost - f->lost_total;
	f->lost_total = lost;
	f->dropped = bad - f->dropped_total;
	f->dropped_total = bad;
}

/* Counts are added to the history directly, or through a separate profile if stacks are to be cut. */
static struct strobe_error *add_slice(struct live_session *l, uint64_t now_ns)
{
	struct strobe_error *err = NULL;
	if (!l->request.ignore_callees) {
		resolve_live_take(l->resolve, history_begin(&l->history));
		history_end(&l->history, l->last_ns, now_ns);
		return NULL;
	}
	struct profile *slice = profile_create(), *cut;
	resolve_live_take(l->resolve, slice);
	err = report_cut_callees(slice, l->request.ignore_callees, &cut);
	if (!err) {
		profile_destroy(slice);
		slice = cut;
	}
	history_add(&l->history, slice, l->last_ns, now_ns);
	return err;
}

struct strobe_error *live_refresh(struct live_session *l)
{
	TRY(drain_all(l));
	struct resolve_live_counts counts = resolve_live_counts(l->resolve);
	uint64_t now_ns = live_now_ns(l);
	TRY(add_slice(l, now_ns));
	l->refresh.number++;
	l->refresh.seconds = (double)(now_ns - l->last_ns) / 1e9;
	l->refresh.samples = counts.samples;
	l->refresh.kernel_samples = counts.kernel;
	l->refresh.exact_samples = counts.exact;
	l->refresh.in_kernel = l->counters != NULL;
	l->last_ns = now_ns;
	count_losses(l);
	return NULL;
}

struct strobe_error *live_take(struct live_session *l, struct profile *p)
{
	TRY(drain_all(l));
	resolve_live_take(l->resolve, p);
	return NULL;
}

/* ---- changes ---- */

void live_apply(struct live_session *l)
{
	const struct live_settings *s = l->o.settings;
	l->history.mode = s->last_only ? HISTORY_LAST : HISTORY_FADE;
	resolve_live_set_filter(l->resolve, (struct resolve_live_filter){
		.without_pid = hidden_pid(l),
		.no_kernel = s->hide_kernel,
		.no_user = s->hide_user,
	});
}

void live_enable(struct live_session *l, bool on)
{
	enable_waits(l, on);
	if (l->counters)
		live_counters_enable(l->counters, on);
	else if (on)
		capture_enable(l->capture);
	else
		capture_disable(l->capture);
}

void live_separate_addresses(struct live_session *l)
{
	resolver_use_addresses(l->request.resolver);
	history_zero(&l->history);
}
