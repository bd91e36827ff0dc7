/* strobe record: records a program, processes or the whole system into perf.data files. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/out.h"
#include "capture/session.h"
#include "cmd/cmd.h"
#include "cmd/probes.h"
#include "cmd/record/on_host.h"
#include "cmd/record/options.h"
#include "event/open.h"
#include "sys/signals.h"

struct run {
	struct cmd_context *ctx;
	struct record_options *o;
	struct signals signals;
};

static void say(void *ctx, enum recorder_message kind, const char *text)
{
	const struct run *r = ctx;
	if (r->o->quiet && (kind == RECORDER_NOTE || kind == RECORDER_RESULT))
		return;
	if (kind == RECORDER_RESULT) /* perf's bracketed lines, which scripts look for */
		cmd_say_plain("[ %s record: %s ]", r->ctx->program, text);
	else if (kind == RECORDER_LIST)
		cmd_say_plain("%s", text);
	else
		cmd_say(r->ctx, "%s", text);
}

/* Whether all tasks on CPUs are recorded, not selected ones. */
static bool is_system_wide(const struct run *r)
{
	const struct target *t = &r->o->sampling.capture.target;
	return t->system_wide || t->cpus || (target_is_none(t) && !r->ctx->rest.argc);
}

static struct strobe_error *default_event(struct run *r)
{
	if (r->o->choice.wall) /* waits are the rest of these times */
		return event_parse(&r->o->sampling.events, sys_live(), "cpu-clock");
	struct event_default d;
	bool system_wide = is_system_wide(r);
	TRY(event_default(&r->o->sampling.events, sys_live(), system_wide ? -1 : 0, system_wide ? 0 : -1, &d));
	log_info("recording %s, the default event on this machine", r->o->sampling.events.events.data[0].name);
	if (d.user_only)
		say(r, RECORDER_NOTE, "not permitted to sample the kernel: recording user space only "
			"(kernel.perf_event_paranoid is above 1)");
	return NULL;
}

/* -g dwarf and -ag dwarf: how older versions of perf spelled the mode. */
static struct strobe_error *take_old_callgraph(struct run *r)
{
	struct options_result *rest = &r->ctx->rest;
	struct callgraph_options mode = r->o->sampling.capture.callgraph;
	if (!r->o->callgraph_by_g || rest->had_dashes || !rest->argc)
		return NULL;
	const char *word = rest->argv[0];
	if (strcmp(word, "fp") && strcmp(word, "lbr") && strncmp(word, "dwarf", 5))
		return NULL;
	struct strobe_error *err = callgraph_parse(word, &mode);
	if (err) {
		error_destroy(err);
		return NULL;
	}
	_cleanup_free_ char *note = xasprintf("-g %s is the old spelling of --call-graph %s", word, word);
	say(r, RECORDER_NOTE, note);
	r->o->sampling.capture.callgraph = mode;
	return options_parse(record_option_table, r->o, rest->argc, rest->argv, false, rest);
}

/* The settings that perf-config(1) knows for record. */
static struct strobe_error *apply_settings(struct run *r)
{
	struct record_options *o = r->o;
	const struct config *config;
	TRY(cmd_settings(r->ctx, &config));
	recorder_choice_set_buildids(&o->choice, config_get(config, "record.build-id"));
	if (!o->callgraph_by_g)
		return NULL;
	const char *mode = config_get(config, "call-graph.record-mode");
	return recorder_callgraph_default(&o->sampling.capture.callgraph, mode ? mode : config_get(config, "record.call-graph"),
					  config_get(config, "call-graph.dump-size"));
}

/* Options of perf that change nothing here. */
static void say_needless(struct run *r)
{
	if (r->o->aio_set)
		say(r, RECORDER_NOTE, "--aio has no effect: buffers are written to the file without a copy");
	if (r->o->debuginfod_set)
		say(r, RECORDER_NOTE, "--debuginfod has no effect: record does not fetch debug files");
}

static void complete(struct run *r)
{
	struct record_options *o = r->o;
	struct recorder_options *to = &o->recorder;
	to->capture = o->sampling.capture;
	to->events = &o->sampling.events;
	to->switch_events = &o->switch_events;
	to->argv = cmd_command(r->ctx);
	/* Under the name perf, the recording is read by the same version; others may be read by any version of perf. */
	to->compressed2 = !strcmp(r->ctx->program, "perf");
}

/* Returns the exit status, or if below 0, the signal that ended the recording, negated. */
static int record(struct run *r)
{
	int status = 0;
	struct recorder *recorder = NULL;
	struct strobe_error *err = signals_open(&r->signals, (int[]){ SIGCHLD, SIGUSR2, 0 });
	if (!err) {
		complete(r);
		struct recorder_host host = { .say = say, .session = cmd_host(r->ctx), .signals = &r->signals, .ctx = r };
		recorder = recorder_create(&r->o->recorder, &host);
		mem_on_exhausted(recorder_abandon, recorder);
		err = recorder_run(recorder, &status);
	}
	if (err)
		status = cmd_fail(r->ctx, err);
	recorder_destroy(recorder);
	mem_on_exhausted(NULL, NULL);
	signals_close(&r->signals);
	return status;
}

static int check_only(const struct run *r)
{
	struct event_set events;
	event_set_init(&events, sys_live());
	event_set_add_list(&events, &r->o->sampling.events);
	if (r->o->sampling.capture.callgraph.mode == CALLGRAPH_DEFAULT)
		r->o->sampling.capture.callgraph.mode = CALLGRAPH_FP;
	int status = cmd_fail(r->ctx, capture_configure_only(sys_live(), &r->o->sampling.capture, &events, r->ctx->rest.argc > 0));
	event_set_deinit(&events);
	return status;
}

static int list_registers(struct cmd_context *ctx)
{
	struct out out;
	cmd_open_output(ctx, &out);
	out_str(&out, "available registers:");
	for (unsigned i = 0; i < 64; i++)
		if (sample_reg_name(i))
			out_f(&out, " %s", sample_reg_name(i));
	out_ch(&out, '\n');
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct record_options *o = options;
	struct run r = { .ctx = ctx, .o = o, .signals = SIGNALS_NONE };
	cmd_set_verbosity(o->sampling.verbose);
	if (o->list_intr_regs || o->list_user_regs)
		return list_registers(ctx);
	if (o->on)
		return record_on_host(ctx, o);
	struct strobe_error *err = apply_settings(&r);
	if (!err)
		err = take_old_callgraph(&r);
	if (!err)
		err = recorder_choice_check(&o->choice, &o->sampling.capture, &o->sampling.events, &o->recorder, is_system_wide(&r));
	if (err)
		return cmd_fail_usage(ctx, err);
	recorder_choice_settle(&o->choice, &o->sampling.capture, &o->recorder);
	say_needless(&r);
	if (!o->sampling.events.events.len && !o->choice.locks)
		err = default_event(&r);
	else
		err = cmd_resolve_probes(ctx, &o->sampling.events);
	if (err)
		return cmd_fail(ctx, err);
	int status = o->dry_run ? check_only(&r) : record(&r);
	if (status < 0) { /* ended by a signal: end by the same one, for the waiting shell */
		signals_raise(&r.signals, -status);
		status = 128 - status;
	}
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "Run a command and record its profile into perf.data",
	.usage = (const char *const[]){ "record [<options>] [<command>]", "record [<options>] -- <command> [<options>]",
				       NULL },
	.options = record_option_table,
	.options_bytes = sizeof(struct record_options),
	.defaults = record_options_defaults,
	.release = record_options_deinit,
	.run = run,
};
