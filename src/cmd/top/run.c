#include "cmd/top/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "capture/facts.h"
#include "config.h"
#include "event/open.h"

/*
 * Rows of the last minutes that can be stepped back to: some 35 MB with what the profile has of their stacks, of which it may
 * keep twice as many.
 */
#define REMEMBERED_ROWS 60000
/*
 * Root may lock memory without a bound: rings that hold some seconds, since they are not read while a report is made, and
 * that may take long the first time, when symbols of large programs are loaded.
 */
#define RING_PAGES_MAX  2048u
#define ALL_RINGS_PAGES 16384u

/* ---- opening ---- */

static bool is_system_wide(const struct top_run *t)
{
	const struct target *whom = &t->o->record.capture.target;
	return whom->system_wide || whom->cpus || target_is_none(whom);
}

/* A power of two; 0 where there are so many CPUs that the usual size is enough. */
static uint64_t ring_pages(const struct top_run *t)
{
	sys_cpus cpus = {};
	error_destroy(sys_cpus_online(t->sys, &cpus));
	uint64_t pages = RING_PAGES_MAX;
	while (pages > 512 && pages * cpus.len > ALL_RINGS_PAGES)
		pages /= 2;
	vec_deinit(&cpus);
	return pages > 512 ? pages : 0;
}

static struct strobe_error *settle_options(struct top_run *t)
{
	struct sampling_options *o = &t->o->record;
	struct capture_options *c = &o->capture;
	struct event_default d;
	if (c->period_set && !c->freq_set)
		c->freq_hz = 0;
	if (c->period_set && c->freq_set)
		c->period_set = false;
	if (target_is_none(&c->target))
		c->target.system_wide = true;
	if (!c->mmap_pages && !geteuid())
		c->mmap_pages = ring_pages(t);
	c->exclude_self = !t->o->show_self;
	c->track_apart = true; /* the user may disable events, and those that programs count are disabled */
	c->build_id_mmap = t->o->record_file != NULL;
	/* Programs know no other clock that events have, too. */
	if (!t->o->no_bpf && !t->o->record_file) {
		c->use_clockid = true;
		c->clockid = CLOCK_MONOTONIC;
	}
	t->o->stdio |= t->o->annotate != NULL;
	if (t->o->annotate && t->o->json)
		return error_create(ERROR_USAGE, "--sym-annotate prints text and cannot be combined with --format json");
	if (c->overwrite && t->o->record_file)
		return error_create(ERROR_USAGE, "--record cannot be combined with --overwrite, which drops samples");
	if (!top_delay_is_sane(t->o->delay_s))
		return error_create(ERROR_USAGE, "-d: expected seconds between refreshes, 0.01 to 86400");
	if (o->events.events.len)
		return NULL;
	TRY(event_default(&o->events, t->sys, is_system_wide(t) ? -1 : 0, is_system_wide(t) ? 0 : -1, &d));
	if (d.user_only)
		cmd_say(t->ctx, "not permitted to sample the kernel: profiling user space only (kernel.perf_event_paranoid is above 1; "
				"'echo 1 > /proc/sys/kernel/perf_event_paranoid' as root)");
	return NULL;
}

static struct strobe_error *tee_write(struct record_sink *sink, const void *records, size_t bytes)
{
	struct top_tee *tee = (struct top_tee *)sink;
	if (tee->file)
		TRY(sink_write(tee->file, records, bytes));
	return sink_write(tee->counts, records, bytes);
}

static struct strobe_error *open_capture(struct top_run *t)
{
	const char *const *notes;
	event_set_init(&t->events, t->sys);
	event_set_add_list(&t->events, &t->o->record.events);
	TRY(capture_open(t->sys, &t->o->record.capture, &t->events, 0, &t->capture));
	size_t n = capture_notes(t->capture, &notes);
	for (size_t i = 0; i < n; i++)
		cmd_say(t->ctx, "%s", notes[i]);
	if (t->events.lowered_freq && t->o->record.capture.freq_set)
		cmd_say(t->ctx, "sampling at %llu Hz, the limit of kernel.perf_event_max_sample_rate",
			(unsigned long long)t->events.lowered_freq);
	return NULL;
}

/* What the report needs to know of events; its columns; who turns samples into rows. */
static struct strobe_error *open_report(struct top_run *t)
{
	struct report_session *r = &t->report;
	session_open_source(&r->session, cmd_host(t->ctx), capture_source(t->capture), t->o->report.selection.force);
	r->query.default_sort = "dso,symbol";
	r->query.is_live = true;
	r->by_address = t->o->annotate != NULL;
	TRY(report_prepare(r));
	machine_name_kernel(resolver_machine(r->session.resolver), "[kernel]"); /* as the reference's top has it, and not its report */
	t->live = resolve_live_create(r->session.resolver, (struct resolve_live_filter){});
	top_set_filter(t);
	t->tee = (struct top_tee){ .sink.write = tee_write, .counts = resolve_live_sink(t->live) };
	history_init(&t->history, t->o->zero ? HISTORY_LAST : HISTORY_FADE, REMEMBERED_ROWS);
	return NULL;
}

static struct strobe_error *open_output(struct top_run *t)
{
	if (!t->o->record_file)
		return NULL;
	if (!strcmp(t->o->record_file, "-"))
		return error_create(ERROR_USAGE, "--record requires a file name");
	t->has_output = true;
	TRY(record_output_init(&t->output, t->o->record_file, false));
	t->output.options.checkpoints = true;
	TRY(record_output_open(&t->output, capture_env(t->capture), capture_rings(t->capture)));
	t->tee.file = &t->output.writer->sink;
	return writer_event_updates(t->output.writer, capture_env(t->capture));
}

static struct strobe_error *start(struct top_run *t)
{
	TRY(cmd_signals_open(&t->signals, NULL));
	TRY(settle_options(t));
	TRY(open_capture(t));
	TRY(open_report(t));
	TRY(open_output(t));
	TRY(capture_synthesize(t->capture, &t->tee.sink, false));
	if (t->has_output) {
		TRY(writer_round(t->output.writer, capture_env(t->capture)));
		TRY(record_output_commit(&t->output));
	}
	top_open_counts(t); /* before events get filters that are not the user's */
	capture_exclude_thread(t->capture, (pid_t)syscall(SYS_gettid));
	TRY(capture_apply_filters(t->capture));
	top_enable(t, true);
	t->last_ns = top_now_ns(t);
	return NULL;
}

/* ---- counting ---- */

uint64_t top_now_ns(const struct top_run *t)
{
	return sys_clock_ns(t->sys, CLOCK_MONOTONIC);
}

/* Rings are read that often, even where none is near its mark. */
#define DRAINS_PER_REFRESH 4
#define DRAIN_MAX_NS       250000000ull

int top_wait_ms(const struct top_run *t, uint64_t refresh_ns)
{
	uint64_t now = top_now_ns(t), step = top_delay_ns(t) / DRAINS_PER_REFRESH;
	uint64_t left = refresh_ns > now ? refresh_ns - now : 0;
	uint64_t room = top_counts_room_ns(t);
	step = step < DRAIN_MAX_NS ? step : DRAIN_MAX_NS;
	step = step < room ? step : room;
	left = left < step ? left : step;
	return (int)((left + 999999) / 1000000);
}

bool top_delay_is_sane(double seconds)
{
	return seconds >= 0.01 && seconds <= 86400;
}

uint64_t top_delay_ns(const struct top_run *t)
{
	return (uint64_t)(t->o->delay_s * 1e9);
}

void top_set_filter(struct top_run *t)
{
	resolve_live_set_filter(t->live, (struct resolve_live_filter){
		.without_pid = t->o->show_self ? 0 : (uint32_t)getpid(),
		.no_kernel = t->o->hide_kernel,
		.no_user = t->o->hide_user,
	});
}

void top_tell_addresses(struct top_run *t)
{
	if (t->report.by_address)
		return;
	t->report.by_address = true;
	resolver_tell_addresses(t->report.session.resolver);
	/* What was counted until now has no addresses: it would all stand at the first instruction of its function. */
	history_zero(&t->history);
}

static struct strobe_error *drain(struct top_run *t)
{
	uint64_t bytes;
	TRY(capture_drain(t->capture, 0, &t->tee.sink, true, false, &bytes));
	if (capture_overwrites(t->capture))
		TRY(capture_snapshot(t->capture, &t->tee.sink, &bytes));
	if (t->has_output && bytes)
		TRY(writer_round(t->output.writer, capture_env(t->capture)));
	resolve_live_pass(t->live);
	return NULL;
}

/* What was added up since the last time. */
static struct strobe_error *drain_counts(struct top_run *t)
{
	top_turn_counts(t);
	/* What this pass finds is counted when the next one is over: at once, here. */
	TRY(drain(t));
	TRY(drain(t));
	top_read_counts(t);
	return NULL;
}

struct strobe_error *top_drain(struct top_run *t)
{
	return top_counts_room_ns(t) ? drain(t) : drain_counts(t);
}

static void count_losses(struct top_run *t)
{
	struct data_refresh *f = &t->refresh;
	const struct resolve_stats *s = resolver_stats(t->report.session.resolver);
	struct capture_totals totals = capture_totals(t->capture);
	uint64_t bad = s->bad_samples + s->unknown_id_samples;
	uint64_t lost = totals.lost_events + top_uncounted(t);
	f->lost = lost - f->lost_total;
	f->lost_total = lost;
	f->dropped = bad - f->dropped_total;
	f->dropped_total = bad;
}

/* What was counted goes into the history as it is, or by way of a profile of its own where stacks are to be cut. */
static struct strobe_error *add_slice(struct top_run *t, uint64_t now)
{
	struct report_session *r = &t->report;
	struct strobe_error *err = NULL;
	if (t->o->report.grouping.ignore_callees) {
		struct profile *slice = profile_create(), *cut;
		resolve_live_take(t->live, slice);
		err = report_cut_callees(slice, t->o->report.grouping.ignore_callees, &cut);
		if (!err) {
			profile_destroy(slice);
			slice = cut;
		}
		history_add(&t->history, slice, t->last_ns, now);
	} else {
		resolve_live_take(t->live, history_begin(&t->history));
		history_end(&t->history, t->last_ns, now);
	}
	r->profile = t->history.profile;
	return err;
}

struct strobe_error *top_refresh(struct top_run *t)
{
	struct report_session *r = &t->report;
	TRY(drain_counts(t));
	struct resolve_live_counts counts = resolve_live_counts(t->live);
	uint64_t now = top_now_ns(t);
	struct strobe_error *err = add_slice(t, now);
	t->refresh.number++;
	t->refresh.seconds = (double)(now - t->last_ns) / 1e9;
	t->refresh.samples = counts.samples;
	t->refresh.kernel_samples = counts.kernel;
	t->exact = counts.exact;
	t->refresh.in_kernel = t->counters != NULL;
	t->last_ns = now;
	count_losses(t);
	if (err)
		return err;
	report_elide(&r->query);
	return report_query_bind(&r->query, r->profile);
}

void top_look_around(struct top_run *t)
{
	for (int number; (number = cmd_signals_next(&t->signals));) {
		t->signal = number;
		t->done = true;
	}
	if (capture_tasks_gone(t->capture, 0))
		t->gone = true;
}

/* ---- what is said ---- */

static void add_events(const struct top_run *t, struct strbuf *b)
{
	const struct env *env = capture_env(t->capture);
	bool first = true;
	for (size_t i = 0; i < env->events.len; i++) {
		const struct perf_event_attr *a = &env->events.data[i].attr;
		if (t->events.events.data[i].is_dummy)
			continue;
		strbuf_addstr(b, first ? "[" : ", ");
		if (a->freq)
			strbuf_addf(b, "%lluHz ", (unsigned long long)a->sample_freq);
		else if (a->sample_period != 1)
			strbuf_addf(b, "1/%llu ", (unsigned long long)a->sample_period);
		strbuf_addstr(b, env->events.data[i].name);
		first = false;
	}
	strbuf_addstr(b, "]");
}

static void add_target(const struct top_run *t, struct strbuf *b)
{
	const struct target *whom = &t->o->record.capture.target;
	const struct target_map *map = capture_target(t->capture);
	if (whom->pids)
		strbuf_addf(b, "(target_pid: %s", whom->pids);
	else if (whom->tids)
		strbuf_addf(b, "(target_tid: %s", whom->tids);
	else if (whom->uid)
		strbuf_addf(b, "(uid: %s", whom->uid);
	else
		strbuf_addstr(b, "(all");
	if (whom->cpus)
		strbuf_addf(b, ", CPU%s: %s)", map->cpus.len > 1 ? "s" : "", whom->cpus);
	else if (whom->pids || whom->tids || whom->uid)
		strbuf_addstr(b, ")");
	else
		strbuf_addf(b, ", %zu CPU%s)", map->cpus.len, map->cpus.len > 1 ? "s" : "");
}

static double share(uint64_t of, uint64_t all)
{
	return all ? 100.0 * (double)of / (double)all : 0;
}

void top_head(const struct top_run *t, struct strbuf *b)
{
	const struct data_refresh *f = &t->refresh;
	double rate = f->seconds > 0 ? (double)f->samples / f->seconds : 0;
	strbuf_addf(b, "   PerfTop:%8.0f irqs/sec  kernel:%4.1f%%  exact: %4.1f%% lost: %llu/%llu drop: %llu/%llu ", rate,
		    share(f->kernel_samples, f->samples), share(t->exact, f->samples), (unsigned long long)f->lost,
		    (unsigned long long)f->lost_total, (unsigned long long)f->dropped, (unsigned long long)f->dropped_total);
	add_events(t, b);
	strbuf_addstr(b, ",  ");
	add_target(t, b);
	strbuf_addstr(b, f->in_kernel ? " BPF" : "");
}

void top_limit_rows(struct top_run *t, uint64_t entries)
{
	t->report.query.limits = (struct report_limits){ true, t->o->count_filter, entries };
}

/* ---- all of it ---- */

/* What was seen so far becomes a whole file, whatever ended it. */
static struct strobe_error *finish_output(struct top_run *t)
{
	const char *name;
	uint64_t bytes;
	struct env *env = capture_env(t->capture);
	if (!t->has_output || !t->output.writer)
		return NULL;
	TRY(capture_drain(t->capture, 0, t->tee.file, true, false, &bytes));
	TRY(capture_finish(t->capture, t->tee.file));
	facts_fill_session(env, t->sys, STROBE_VERSION, &t->o->record.capture);
	struct capture_totals totals = capture_totals(t->capture);
	env->first_sample_ns = totals.first_ns;
	env->last_sample_ns = totals.last_ns;
	TRY(record_output_finish(&t->output, env, &name));
	cmd_say(t->ctx, "%llu samples are in %s", (unsigned long long)totals.samples, name);
	return NULL;
}

static void release(struct top_run *t)
{
	if (t->has_output) {
		record_output_discard(&t->output);
		record_output_deinit(&t->output);
	}
	top_close_counts(t);
	resolve_live_destroy(t->live);
	if (t->history.profile)
		history_deinit(&t->history);
	report_session_deinit(&t->report);
	if (t->capture)
		capture_close_behind(t->capture);
	capture_close(t->capture);
}

int top_run(struct cmd_context *ctx, struct top_options *o)
{
	struct top_run t = { .ctx = ctx, .o = o, .sys = sys_live(), .signals = CMD_SIGNALS_NONE };
	o->report.program = ctx->program;
	o->report.verbose = o->record.verbose;
	report_session_init(&t.report, &o->report);
	struct strobe_error *err = start(&t);
	if (!err) {
		struct screen *screen = top_open_screen(&t);
		err = screen ? top_browse(&t, screen) : top_stdio(&t);
		capture_disable(t.capture);
		if (o->dump_symbols)
			top_dump_symbols(&t);
		struct strobe_error *finished = finish_output(&t);
		if (err)
			error_destroy(finished);
		else
			err = finished;
	}
	release(&t);
	if (!err && t.signal && t.signal != SIGINT) /* Ctrl-C is how it ends; anything else was not the user's */
		cmd_signals_raise(&t.signals, t.signal);
	cmd_signals_close(&t.signals);
	if (err && err->code == ERROR_STOPPED) {
		error_destroy(err);
		return CMD_BROKEN_PIPE;
	}
	if (err)
		return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
	return CMD_OK;
}
