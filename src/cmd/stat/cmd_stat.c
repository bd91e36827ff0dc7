/* strobe stat: counts events while a command runs, for a time, or for existing tasks. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "cli/words.h"
#include "cmd/cmd.h"
#include "cmd/frame.h"
#include "cmd/probes.h"
#include "cmd/stat/options.h"
#include "cmd/stat/output.h"
#include "counting/replay.h"
#include "counting/versus.h"
#include "session/input.h"
#include "sys/signals.h"

struct stat {
	struct cmd_context *ctx;
	struct stat_options *o;
	struct stat_output output;
	struct metric_set metrics;
	struct measurement measurement;
	struct signals signals;
};

/* The user's own metrics: [metric] in the settings. */
static struct strobe_error *define_metrics(struct stat *st)
{
	const struct config *config;
	if (!event_choice_has_metrics(&st->o->measure.choice))
		return NULL;
	TRY(cmd_settings(st->ctx, &config));
	for (size_t i = 0; i < config_count(config); i++) {
		const char *key, *value;
		config_at(config, i, &key, &value);
		if (text_has_prefix(key, "metric."))
			metric_set_define(&st->metrics, key + strlen("metric."), value);
	}
	return NULL;
}

/* The command's output would corrupt a document on standard output. */
static struct workload_options workload_of(const struct stat *st)
{
	const struct stat_options *o = st->o;
	struct workload_options workload = workload_options_of(&st->signals);
	workload.stdout_to_stderr = o->form.json_document && o->log_fd < 0 && (!o->output || !strcmp(o->output, "-"));
	return workload;
}

static struct strobe_error *prepare(struct stat *st)
{
	struct measurement *m = &st->measurement;
	*m = (struct measurement){ .settings = st->o->measure, .host = cmd_host(st->ctx), .metrics = &st->metrics,
				   .show = counts_writer_show, .ctx = &st->output.writer };
	TRY(define_metrics(st));
	TRY(cmd_resolve_probes(st->ctx, &st->o->events));
	TRY(measurement_prepare(m, &st->o->events, st->o->sys, st->o->request.target, cmd_command(st->ctx), st->ctx->rest.argc));
	TRY(signals_open(&st->signals, (int[]){ SIGCHLD, 0 }));
	return counting_open(&m->counting, &st->signals, workload_of(st));
}

/* In the shell's form. Not reported if strobe ended the command after the last interval. */
static void say_how_it_ended(const struct counting *c)
{
	if (c->argc && WIFSIGNALED(c->status) && !counting_is_complete(c))
		cmd_say_plain("%s: %s", c->argv[0], strsignal(WTERMSIG(c->status)));
}

static struct strobe_error *run_all(struct stat *st)
{
	const struct stat_options *o = st->o;
	const struct counting_settings *s = &o->measure.counting;
	struct measurement *m = &st->measurement;
	if (s->timeout_ms && s->timeout_ms < 100)
		cmd_say(st->ctx, "--timeout %d: short timeouts measure mostly startup and exit", (int)s->timeout_ms);
	for (uint64_t i = 0; (!o->request.runs || i < o->request.runs) && !m->counting.signal; i++) {
		if (o->request.runs != 1 && o->verbose)
			cmd_say_plain("[ %s stat: executing run #%llu ... ]", st->ctx->program, (unsigned long long)i + 1);
		TRY(measurement_run(m));
		/* A document on the same output must not be interrupted: then it is printed after the document. */
		if (!o->form.json_document)
			say_how_it_ended(&m->counting);
		if (!o->request.runs) {
			measurement_show(m);
			measurement_clear(m);
		}
	}
	if (o->request.runs && (!s->interval_ms || o->summary))
		measurement_show(m);
	return NULL;
}

/* The command's own status. A signal that ended the run is raised again, for the waiting shell. */
static int status_of(struct stat *st)
{
	const struct counting *c = &st->measurement.counting;
	if (c->signal)
		signals_raise(&st->signals, c->signal);
	if (!c->argc || c->timed_out || counting_is_complete(c))
		return CMD_OK;
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

static int measure(struct stat *st)
{
	struct strobe_error *err = stat_output_open(&st->output, st->o);
	if (err)
		return cmd_fail(st->ctx, err);
	err = prepare(st);
	if (!err)
		err = run_all(st);
	bool is_complete = !err;
	err = error_first(err, stat_output_close(&st->output));
	if (is_complete && st->o->form.json_document)
		say_how_it_ended(&st->measurement.counting);
	return err ? cmd_fail(st->ctx, err) : status_of(st);
}

static int report(struct stat *st)
{
	const struct stat_options *o = st->o;
	const struct measurement_settings *m = &o->measure;
	struct replay_settings settings = {
		.by = m->tally.by,
		.cache_level = m->tally.cache_level,
		.no_merge = m->tally.no_merge,
		.no_scale = m->tally.no_scale,
		.metrics_only = m->metrics_only,
		.has_summary = o->summary,
		.show = counts_writer_show,
		.ctx = &st->output.writer,
	};
	struct record_source *source;
	struct strobe_error *err = input_open(o->input, true, &source);
	if (err)
		return cmd_fail(st->ctx, err);
	err = stat_output_open(&st->output, o);
	if (!err) {
		err = replay_counts(source, &settings);
		err = error_first(err, stat_output_close(&st->output));
	}
	if (!err)
		input_remarks(cmd_host(st->ctx), source, NULL);
	source_destroy(source);
	return cmd_fail(st->ctx, err);
}

static struct strobe_error *prepare_versus(struct stat *st, struct versus *v)
{
	struct stat_options *o = st->o;
	struct measurement_settings *m = &o->measure;
	struct versus_settings settings = { .argv = { cmd_command(st->ctx) }, .argc = { st->ctx->rest.argc }, .target = o->request.target,
					    .counters = m->counters, .no_scale = m->tally.no_scale, .quiet = m->counting.quiet,
					    .pairs = o->request.runs };
	char **argv;
	TRY(error_prefix(words_split(o->versus, &st->ctx->words, &argv, &settings.argc[1]), "--vs"));
	if (!settings.argc[1])
		return error_create(ERROR_USAGE, "--vs requires a command");
	settings.argv[1] = argv;
	TRY(cmd_resolve_probes(st->ctx, &o->events));
	TRY(events_choose(&o->events, o->sys, &m->choice, &st->metrics));
	TRY(versus_prepare(v, cmd_host(st->ctx), o->sys, &o->events, &settings));
	return signals_open(&st->signals, (int[]){ SIGCHLD, 0 });
}

static struct strobe_error *show_versus(struct stat *st, const struct versus *v)
{
	struct table t;
	TRY(stat_output_open(&st->output, st->o));
	versus_table(v, &t);
	counts_writer_table(&st->output.writer, &t);
	table_deinit(&t);
	return stat_output_close(&st->output);
}

static int compare(struct stat *st)
{
	struct versus v = {};
	struct strobe_error *err = prepare_versus(st, &v);
	if (!err)
		err = versus_run(&v, &st->signals, workload_of(st));
	if (!err && versus_has_pairs(&v))
		err = show_versus(st, &v);
	int status = cmd_fail(st->ctx, err);
	if (!status && versus_has_failures(&v))
		status = CMD_FAILED;
	versus_close(&v);
	return status;
}

/* stat record, stat report: options may precede or follow that word. */
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

static int run(struct cmd_context *ctx, void *options)
{
	struct stat_options *o = options;
	struct stat st = { .ctx = ctx, .o = o, .signals = SIGNALS_NONE };
	struct strobe_error *err = take_subcommand(ctx, o);
	if (!err && ctx->rest.help)
		return cmd_show_help(ctx);
	if (!err && !o->report)
		err = stat_options_settle(o, ctx->rest.argc);
	if (err)
		return cmd_fail_usage(ctx, err);
	metric_set_init(&st.metrics);
	cmd_set_verbosity(o->verbose);
	int status = o->report ? report(&st) : o->versus ? compare(&st) : measure(&st);
	measurement_close(&st.measurement);
	signals_close(&st.signals);
	metric_set_deinit(&st.metrics);
	return status;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.summary = "Run a command and gather counts of events",
	.usage = (const char *const[]){ "stat [<options>] [<command>]", "stat [<options>] -- <command> [<options>]",
					"stat record [-o <file>] [<options>] [<command>]", "stat report [-i <file>] [<options>]", NULL },
	.options = stat_option_table,
	.options_bytes = sizeof(struct stat_options),
	.defaults = stat_options_defaults,
	.release = stat_options_deinit,
	.run = run,
};
