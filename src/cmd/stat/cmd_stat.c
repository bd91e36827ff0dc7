/* strobe stat: counts events while a command runs, for a time, or for tasks that are there. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bpf/count/syscall_counts.h"
#include "cmd/stat/events.h"
#include "cmd/stat/expose.h"
#include "cmd/stat/options.h"
#include "cmd/stat/output.h"
#include "cmd/stat/record.h"
#include "cmd/stat/run.h"
#include "cmd/stat/vs.h"
#include "counter/listing.h"
#include "counter/tally.h"
#include "view/data/counts_prometheus.h"

/* So many that it is worth a word. */
#define MANY_EVENTS 50

struct stat {
	struct stat_session session;
	struct stat_options *o;
	struct stat_output output;
	struct stat_recorder recorder;
	struct metric_set metrics;
	struct tally tally;     /* what is shown next */
	struct stat_expose expose;
	struct out *exposed_to; /* while somebody asks */
	struct tally exposed;   /* of --prometheus */
	struct tally whole;     /* of all intervals, for --summary */
	struct stats elapsed, user, system;
	VEC(double) elapsed_each;
	bool notes_said;
};

/* Every thread of the system, for --per-thread without a target. */
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

static struct strobe_error *check_options(const struct stat_options *o, int argc)
{
	const struct target *t = &o->target;
	bool whole = t->system_wide || t->cpus;
	bool by_cpu = o->by != COUNTS_BY_NOTHING && o->by != COUNTS_BY_THREAD;
	if (o->separator && (o->json || o->json_document))
		return error_create(ERROR_USAGE, "-x and -j exclude each other");
	if (o->all_user && o->all_kernel)
		return error_create(ERROR_USAGE, "--all-user and --all-kernel exclude each other");
	if (by_cpu && !whole && (argc || t->pids || t->tids))
		return error_create(ERROR_USAGE, "counts per CPU, core, cache, die, socket or node require -a or -C");
	if (o->per_thread && !t->pids && !t->tids && !t->system_wide && argc)
		return error_create(ERROR_USAGE, "--per-thread requires existing threads: use -p, -t or -a, or no command");
	if (o->topdown_level && !o->topdown)
		return error_create(ERROR_USAGE, "--td-level requires --topdown");
	if (o->interval_ms && o->runs != 1)
		return error_create(ERROR_USAGE, "-I and -r exclude each other");
	if (o->interval_count && !o->interval_ms)
		return error_create(ERROR_USAGE, "--interval-count requires -I");
	if (o->interval_count && o->timeout_ms)
		return error_create(ERROR_USAGE, "--interval-count and --timeout exclude each other");
	if (o->table && o->runs <= 1)
		return error_create(ERROR_USAGE, "--table requires -r");
	if (o->record && o->runs != 1)
		return error_create(ERROR_USAGE, "stat record supports one run only: -r cannot be used");
	if (o->runs != 1 && !argc)
		return error_create(ERROR_USAGE, "-r requires a command");
	if (o->for_each_cgroup && !whole)
		return error_create(ERROR_USAGE, "--for-each-cgroup counts in cgroups of the whole system: add -a or -C");
	for (size_t i = 0; i < o->events.events.len; i++)
		if (o->events.events.data[i].cgroup && !whole)
			return error_create(ERROR_USAGE, "-G counts in cgroups of the whole system: add -a or -C");
	return NULL;
}

static struct strobe_error *settle_target(struct stat *st)
{
	struct stat_session *s = &st->session;
	struct stat_options *o = st->o;
	_cleanup_free_ char *all = NULL;
	s->target = o->target;
	s->argc = s->ctx->rest.argc;
	s->argv = xcalloc((size_t)s->argc + 1, sizeof(*s->argv));
	memcpy(s->argv, s->ctx->rest.argv, (size_t)s->argc * sizeof(*s->argv));
	if (target_is_none(&s->target) && !s->argc)
		s->target.system_wide = o->target.system_wide = true;
	s->counts_command = target_is_none(&s->target);
	struct target resolved = s->target;
	if (o->per_thread && !resolved.pids && !resolved.tids) {
		TRY(all_processes(s->sys, &all));
		resolved = (struct target){ .pids = all };
	}
	/* The command's process is known when it is forked; a place is held for it. */
	struct strobe_error *err = target_resolve(s->sys, &resolved, s->counts_command ? getpid() : 0, &s->map);
	if (err)
		return resolved.cpus ? error_prefix(err, "No supported events found") : err;
	for (unsigned i = 0; i < s->map.notes_nr; i++)
		cmd_say(s->ctx, "%s", s->map.notes[i]);
	return NULL;
}

/* The counts so far, for a scraper. */
static struct strobe_error *expose_readings(void *ctx)
{
	struct stat *st = ctx;
	struct counts c = { .runs = 1, .elapsed = { .mean_s = st->session.elapsed_s } };
	tally_clear(&st->exposed);
	tally_add(&st->exposed, TALLY_ALL);
	listing_fill(&c, &st->exposed, (struct listing_options){ .no_figures = st->metrics.uses.len != 0 });
	metric_set_show(&st->metrics, &st->exposed, &c);
	counts_prometheus(st->exposed_to, &c);
	counts_deinit(&c);
	return NULL;
}

static struct strobe_error *expose_now(void *ctx, struct out *out)
{
	struct stat *st = ctx;
	st->exposed_to = out;
	return stat_session_peek(&st->session, expose_readings, st);
}

/* At the end the readings are there. */
static struct strobe_error *expose_last(void *ctx, struct out *out)
{
	struct stat *st = ctx;
	st->exposed_to = out;
	return expose_readings(st);
}

static struct strobe_error *asked(struct stat_session *s)
{
	struct stat *st = s->hooks.ctx;
	return stat_expose_serve(&st->expose, expose_now, st);
}

/* Many tracepoints of system calls are dear to close: one BPF program counts them all, where it may. */
static void take_syscalls(struct stat *st)
{
	struct counter_set *set = &st->session.set;
	size_t taken;
	if (st->o->bpf_off || st->o->by == COUNTS_BY_THREAD || !syscall_counts_fit(set))
		return;
	struct strobe_error *err = syscall_counts_take(set, st->session.counts_command, &taken);
	if (err && set->events.len >= MANY_EVENTS)
		cmd_say(st->session.ctx, "these system calls are counted with one event each, not by one BPF program: %s", err->message);
	else if (err)
		log_info("system calls are counted with one event each: %s", err->message);
	else
		log_info("%zu events are counted by one BPF program", taken);
	error_destroy(err);
}

static struct strobe_error *prepare(struct stat *st)
{
	struct stat_session *s = &st->session;
	struct tally_options tally = { .by = st->o->by, .cache_level = st->o->cache_level, .no_merge = st->o->no_merge,
				       .no_scale = !st->o->scale, .percore_threads = st->o->percore_threads };
	TRY(settle_target(st));
	TRY(stat_choose_events(s->ctx, st->o, s->sys, &s->target, &st->metrics));
	counter_init(&s->set, s->sys, &st->o->events, &s->map, stat_counter_options(st->o, s->counts_command));
	take_syscalls(st);
	TRY(tally_init(&st->tally, &s->set, tally));
	TRY(tally_init(&st->whole, &s->set, tally));
	TRY(tally_init(&st->exposed, &s->set, tally));
	if (st->o->prometheus) {
		TRY(stat_expose_open(&st->expose, st->o->prometheus));
		s->hooks.asked = asked;
		s->hooks.asked_fd = stat_expose_fd(&st->expose);
	}
	if (st->o->record)
		TRY(stat_recorder_open(&st->recorder, st->o, s->sys, &s->set));
	return stat_session_open(s);
}

static void say_notes(struct stat *st)
{
	const struct counter_set *set = &st->session.set;
	if (st->notes_said)
		return;
	st->notes_said = true;
	for (size_t i = 0; i < set->notes.len; i++)
		cmd_say(st->session.ctx, "%s", set->notes.data[i]);
}

static void show(struct stat *st, struct counts *c, const struct tally *t)
{
	const struct stat_options *o = st->o;
	c->metrics_only = o->metric_only;
	c->is_null_run = o->null_run;
	listing_fill(c, t, (struct listing_options){
				   .all_threads = o->per_thread && !o->target.pids && !o->target.tids,
				   .no_figures = st->metrics.uses.len != 0,
				   .with_lacking = o->verbose > 0,
			   });
	metric_set_show(&st->metrics, t, c);
	stat_output_show(&st->output, c);
	counts_deinit(c);
}

static struct strobe_error *show_interval(struct stat_session *s, double time_s, double length_s)
{
	struct stat *st = s->hooks.ctx;
	struct counts c = { .is_interval = true, .time_s = time_s, .interval_s = length_s, .runs = 1 };
	say_notes(st);
	if (st->o->record)
		TRY(stat_recorder_add(&st->recorder, &s->set, time_s, false));
	tally_clear(&st->tally);
	tally_add(&st->tally, TALLY_SINCE_BEFORE);
	show(st, &c, &st->tally);
	return NULL;
}

static struct counts_times times_of(const struct stats *s)
{
	double half = stats_half_width(s, 0.95);
	return (struct counts_times){ s->mean, stats_error(s), half < s->mean ? s->mean - half : 0, s->mean + half, s->min, s->max };
}

static void show_whole(struct stat *st)
{
	const struct stat_options *o = st->o;
	struct counts c = {
		.runs = st->elapsed.n,
		.elapsed = times_of(&st->elapsed),
		.has_usage = st->session.counts_command && st->elapsed.n == 1,
		.user_s = st->user.mean,
		.system_s = st->system.mean,
		.is_summary = o->interval_ms != 0,
	};
	for (size_t i = 0; i < st->elapsed_each.len; i++)
		vec_push(&c.elapsed_each, st->elapsed_each.data[i]);
	show(st, &c, o->interval_ms ? &st->whole : &st->tally);
}

/* -v: the raw numbers of each event, summed up. */
static void say_raw(const struct stat *st)
{
	const struct counter_set *set = &st->session.set;
	for (size_t i = 0; st->o->verbose && i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		struct count_reading sum = {};
		for (uint32_t k = 0; k < e->slots_nr; k++) {
			const struct count_reading *r = &set->slots.data[e->first_slot + k].now;
			sum.value += r->value;
			sum.enabled_ns += r->enabled_ns;
			sum.running_ns += r->running_ns;
		}
		if (e->supported)
			cmd_say_plain("%s: %llu %llu %llu", e->name, (unsigned long long)sum.value,
				(unsigned long long)sum.enabled_ns, (unsigned long long)sum.running_ns);
		else
			cmd_say_plain("failed to read counter %s", e->name);
	}
}

static void forget_runs(struct stat *st)
{
	tally_clear(&st->tally);
	st->elapsed = st->user = st->system = (struct stats){};
	vec_clear(&st->elapsed_each);
}

static struct strobe_error *run_shell(const char *command)
{
	if (!command)
		return NULL;
	fflush(stdout);
	int status = system(command);
	if (status)
		return error_create(ERROR_OTHER, "'%s' failed (status %d)", command, WIFEXITED(status) ? WEXITSTATUS(status) : status);
	return NULL;
}

static struct strobe_error *run_once(struct stat *st)
{
	struct stat_session *s = &st->session;
	TRY(run_shell(st->o->pre));
	if (st->o->sync)
		sync();
	counter_reset(&s->set);
	TRY(stat_session_run(s));
	say_notes(st);
	say_raw(st);
	TRY(run_shell(st->o->post));
	if (st->o->prometheus)
		TRY(stat_expose_finish(&st->expose, expose_last, st));
	/* The last interval is the end of those. */
	if (st->o->record && !st->o->interval_ms)
		TRY(stat_recorder_add(&st->recorder, &s->set, s->elapsed_s, true));
	if (st->o->record)
		TRY(stat_recorder_finish(&st->recorder));
	stats_add(&st->elapsed, s->elapsed_s);
	stats_add(&st->user, s->user_s);
	stats_add(&st->system, s->system_s);
	vec_push(&st->elapsed_each, s->elapsed_s);
	tally_add(st->o->interval_ms ? &st->whole : &st->tally, TALLY_ALL);
	return NULL;
}

static void say_how_it_ended(const struct stat_session *s)
{
	/* As the shell would say it; that we ended it ourselves behind the last interval is no news. */
	bool by_count = s->options->interval_count && s->intervals >= s->options->interval_count;
	if (s->argc && WIFSIGNALED(s->status) && !by_count)
		cmd_say_plain("%s: %s", s->argv[0], strsignal(WTERMSIG(s->status)));
}

static struct strobe_error *run_all(struct stat *st)
{
	struct stat_session *s = &st->session;
	const struct stat_options *o = st->o;
	if (o->timeout_ms && o->timeout_ms < 100)
		cmd_say(s->ctx, "--timeout %d: short timeouts measure mostly startup and exit", (int)o->timeout_ms);
	for (uint64_t i = 0; (!o->runs || i < o->runs) && !s->signal; i++) {
		if (o->runs != 1 && o->verbose)
			cmd_say_plain("[ %s stat: executing run #%llu ... ]", s->ctx->program, (unsigned long long)i + 1);
		TRY(run_once(st));
		/* A document that is written to the same place is not to be broken: then it is said behind it. */
		if (!o->json_document)
			say_how_it_ended(s);
		if (!o->runs) {
			show_whole(st);
			forget_runs(st);
		}
	}
	if (o->runs && (!o->interval_ms || o->summary))
		show_whole(st);
	return NULL;
}

/* The command's own status; what ended us by a signal ends us so, for the shell that waits. */
static int status_of(struct stat_session *s)
{
	if (s->signal)
		cmd_signals_raise(&s->signals, s->signal);
	bool by_count = s->options->interval_count && s->intervals >= s->options->interval_count;
	if (!s->argc || s->timed_out || by_count)
		return CMD_OK;
	return WIFSIGNALED(s->status) ? 128 + WTERMSIG(s->status) : WEXITSTATUS(s->status);
}

static int stat_run(struct stat *st)
{
	struct stat_session *s = &st->session;
	struct strobe_error *err = check_options(st->o, s->ctx->rest.argc);
	if (err)
		return cmd_fail_usage(s->ctx, err);
	err = stat_output_open(&st->output, st->o);
	if (err)
		return cmd_fail(s->ctx, err);
	err = prepare(st);
	stat_output_title(&st->output, st->o, s->ctx->rest.argv, s->ctx->rest.argc);
	if (!err)
		err = run_all(st);
	struct strobe_error *write_error = stat_output_close(&st->output);
	if (!err && st->o->json_document)
		say_how_it_ended(s);
	if (!err)
		err = write_error;
	else
		error_destroy(write_error);
	return err ? cmd_fail(s->ctx, err) : status_of(s);
}

static void stat_free(struct stat *st)
{
	struct stat_session *s = &st->session;
	stat_session_close(s);
	free(s->argv);
	stat_recorder_close(&st->recorder);
	stat_expose_close(&st->expose);
	tally_deinit(&st->exposed);
	metric_set_deinit(&st->metrics);
	tally_deinit(&st->tally);
	tally_deinit(&st->whole);
	counter_deinit(&s->set);
	target_map_deinit(&s->map);
	vec_deinit(&st->elapsed_each);
}

/* stat record, stat report: the options may stand before or behind that word. */
static struct strobe_error *take_subcommand(struct cmd_context *ctx, struct stat_options *o)
{
	struct options_result *rest = &ctx->rest;
	if (!rest->argc || rest->had_dashes)
		return NULL;
	o->record = !strcmp(rest->argv[0], "record");
	o->report = !strcmp(rest->argv[0], "report");
	if (o->report)
		TRY(options_parse(stat_report_option_table, o, rest->argc, rest->argv, true, rest));
	else if (o->record)
		TRY(options_parse(stat_option_table, o, rest->argc, rest->argv, false, rest));
	if (o->report && rest->argc)
		return error_create(ERROR_USAGE, "unexpected argument '%s': specify a recording with -i", rest->argv[0]);
	return NULL;
}

static int compare(struct cmd_context *ctx, struct stat_options *o)
{
	struct strobe_error *err = check_options(o, ctx->rest.argc);
	if (!err && !ctx->rest.argc)
		err = error_create(ERROR_USAGE, "--vs requires two commands: --vs 'COMMAND' -- COMMAND");
	if (!err && (o->interval_ms || o->delay_ms || o->record || o->null_run || o->by != COUNTS_BY_NOTHING || o->metrics ||
		     o->timeout_ms || o->control || o->prometheus))
		err = error_create(ERROR_USAGE, "--vs can only be combined with -e, -d, -a, -C, -i, -r and output options");
	return err ? cmd_fail_usage(ctx, err) : stat_versus(ctx, o);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct stat_options *o = options;
	struct stat st = { .o = o, .expose = { .listen_fd = -1, .timer_fd = -1 } };
	st.session = (struct stat_session){
		.ctx = ctx,
		.options = o,
		.sys = o->sys,
		.signals = CMD_SIGNALS_NONE,
		.control = { .fd = -1, .ack_fd = -1 },
		.hooks = { .interval = show_interval, .ctx = &st },
	};
	struct strobe_error *err = take_subcommand(ctx, o);
	if (err)
		return cmd_fail_usage(ctx, err);
	metric_set_init(&st.metrics);
	cmd_set_verbosity(o->verbose);
	int status = o->report ? stat_report(ctx, o) : o->versus ? compare(ctx, o) : stat_run(&st);
	stat_free(&st);
	return status;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.summary = "Run a command and gather counts of events",
	.usage = (const char *const[]){ "stat [<options>] [<command>]", "stat [<options>] -- <command> [<options>]",
					"stat record [-o <file>] [<options>] [<command>]", "stat report [-i <file>] [<options>]",
					NULL },
	.options = stat_option_table,
	.options_bytes = sizeof(struct stat_options),
	.defaults = stat_options_defaults,
	.release = stat_options_deinit,
	.run = run,
};
