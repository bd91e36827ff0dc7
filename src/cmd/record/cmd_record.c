/* strobe record: records what a program, some processes or the whole system do, into perf.data files. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/out.h"
#include "capture/session.h"
#include "cmd/cmd.h"
#include "cmd/probes.h"
#include "cmd/record/options.h"
#include "config.h"
#include "event/open.h"
#include "sys/signals.h"

#define WALL_FREQ_HZ	  1000
#define OFF_CPU_THRESH_MS 500 /* as perf */
#define WALL_THRESH_MS	  1
#define LOCKS_THRESH_MS	  100

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

/* Whether all that runs on CPUs is recorded, and not chosen tasks. */
static bool is_system_wide(const struct run *r)
{
	const struct target *t = &r->o->sampling.capture.target;
	return t->system_wide || t->cpus || (target_is_none(t) && !r->ctx->rest.argc);
}

static struct strobe_error *default_event(struct run *r)
{
	if (r->o->wall) /* of which times waiting are the rest */
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
	struct callgraph_options *c = &o->sampling.capture.callgraph;
	const struct config *config;
	TRY(cmd_settings(r->ctx, &config));
	const char *ids = config_get(config, "record.build-id");
	if (ids && !strcmp(ids, "skip") && !o->buildid_all && !o->buildid_mmap)
		o->no_buildid = true;
	if (ids && (!strcmp(ids, "no-cache") || !strcmp(ids, "mmap")) && !o->buildid_all)
		o->no_buildid_cache = true;
	const char *mode = config_get(config, "call-graph.record-mode"),
		   *bytes = config_get(config, "call-graph.dump-size");
	if (!mode)
		mode = config_get(config, "record.call-graph");
	if (mode && o->callgraph_by_g)
		TRY(error_prefix(callgraph_parse(mode, c), "the setting call-graph.record-mode"));
	if (!bytes || !o->callgraph_by_g || c->mode != CALLGRAPH_DWARF)
		return NULL;
	_cleanup_free_ char *sized = xasprintf("dwarf,%s", bytes);
	return error_prefix(callgraph_parse(sized, c), "the setting call-graph.dump-size");
}

/* What runs and what waits are sampled alike: a sample stands for as much time. */
static void settle_waits(struct record_options *o)
{
	struct capture_options *c = &o->sampling.capture;
	if (!o->wall && !o->off_cpu && !o->locks)
		return;
	o->recorder.waits = o->wall ? RECORDER_WALL : o->locks ? RECORDER_LOCKS : RECORDER_OFFCPU;
	if (!o->off_cpu && !o->callgraph_set)
		c->callgraph.mode = CALLGRAPH_EH;
	if (o->wall && !c->freq_set && !c->period_set)
		c->freq_hz = WALL_FREQ_HZ;
	uint64_t default_ms = o->wall ? WALL_THRESH_MS : o->locks ? LOCKS_THRESH_MS : OFF_CPU_THRESH_MS;
	o->recorder.wait_quantum_ns = (o->off_cpu_thresh_set ? o->off_cpu_thresh_ms : default_ms) * 1000000;
}

static void settle_options(struct run *r)
{
	struct record_options *o = r->o;
	struct capture_options *c = &o->sampling.capture;
	settle_waits(o);
	if (c->period_set && !c->freq_set)
		c->freq_hz = 0;
	if (c->period_set && c->freq_set)
		c->period_set = false; /* -F wins over -c, as in perf */
	c->build_id_mmap = !o->no_buildid;
	c->switch_events |= o->latency;
	if (c->overwrite)
		o->recorder.tail_synthesize = true;
	if (o->recorder.switching.on)
		o->recorder.timestamp_filename = true;
	if (o->aio_set)
		say(r, RECORDER_NOTE, "--aio has no effect: buffers are written to the file without a copy");
	if (o->debuginfod_set)
		say(r, RECORDER_NOTE, "--debuginfod has no effect: record does not fetch debug files");
	/* A file of a limited size is not to be overshot by what is in the rings. */
	c->rings_bytes_max = o->recorder.max_bytes / 4;
	if (o->recorder.switching.bytes && (!c->rings_bytes_max || o->recorder.switching.bytes / 4 < c->rings_bytes_max))
		c->rings_bytes_max = o->recorder.switching.bytes / 4;
	/* dwarf without a size: eight kilobytes. */
	if (c->callgraph.mode == CALLGRAPH_DWARF && !c->callgraph.dump_bytes)
		c->callgraph.dump_bytes = RECORDER_DUMP_BYTES;
}

static struct strobe_error *check_options(const struct run *r)
{
	const struct record_options *o = r->o;
	if (o->sampling.capture.all_user && o->sampling.capture.all_kernel)
		return error_create(ERROR_USAGE, "--all-user and --all-kernel exclude each other");
	if (o->sampling.capture.callgraph.kernel_only && o->sampling.capture.callgraph.user_only)
		return error_create(ERROR_USAGE, "--kernel-callchains and --user-callchains exclude each other");
	if (o->sampling.capture.callgraph.leaf && o->sampling.capture.user_regs && !sample_regs_leaf())
		return error_create(ERROR_USAGE, "--call-graph fp,leaf cannot be combined with --user-regs: use fp or dwarf");
	for (size_t i = 0; i < o->sampling.events.events.len; i++)
		if (o->sampling.events.events.data[i].cgroup && !o->sampling.capture.target.system_wide && !o->sampling.capture.target.cpus)
			return error_create(ERROR_USAGE, "-G counts in cgroups of the whole system: add -a or -C");
	bool has_waits = o->wall || o->off_cpu || o->locks;
	if (o->wall + o->off_cpu + o->locks > 1)
		return error_create(ERROR_USAGE, "--wall records all that --off-cpu and --locks do: specify one of them");
	if (has_waits && (o->sampling.capture.no_time || o->sampling.capture.no_period_field))
		return error_create(ERROR_USAGE, "--wall, --off-cpu and --locks require timestamps and periods in samples");
	if (o->off_cpu_thresh_set && !has_waits)
		return error_create(ERROR_USAGE, "--off-cpu-thresh requires --off-cpu, --wall or --locks");
	if (o->recorder.use_threads && o->sampling.capture.target.per_thread)
		return error_create(ERROR_USAGE, "--threads assigns buffers by CPU and cannot be combined with --per-thread");
	if (o->recorder.use_threads && o->recorder.switching.on)
		return error_create(ERROR_USAGE, "--threads and --switch-output exclude each other");
	if (o->recorder.kcore && o->recorder.switching.on)
		return error_create(ERROR_USAGE, "--kcore and --switch-output exclude each other");
	if (o->recorder.use_threads && o->sampling.capture.overwrite)
		return error_create(ERROR_USAGE, "--threads and --overwrite exclude each other");
	if (o->latency && is_system_wide(r))
		return error_create(ERROR_USAGE, "--latency works on commands, processes and threads only; to record context "
			"switches of whole CPUs, use '-a --switch-events'");
	if (o->latency && o->sampling.capture.no_time)
		return error_create(ERROR_USAGE, "--latency requires timestamps and cannot be combined with --no-timestamp");
#if !HAVE_ZSTD
	if (o->recorder.compress_level)
		return error_create(ERROR_UNSUPPORTED,
				    "-z: built without libzstd (install libzstd-dev and rebuild)");
#endif
	return NULL;
}

static void complete(struct run *r)
{
	struct record_options *o = r->o;
	struct recorder_options *to = &o->recorder;
	to->capture = o->sampling.capture;
	to->events = &o->sampling.events;
	to->switch_events = &o->switch_events;
	to->argv = cmd_command(r->ctx);
	/* Whoever records with perf reads with perf, and with the same; a recording of ours may go to any. */
	to->compressed2 = !strcmp(r->ctx->program, "perf");
	to->keep_objects = !o->no_buildid && !o->no_buildid_cache && !o->buildid_mmap;
	to->keep_all_objects = o->buildid_all;
}

/* An exit status, or less than 0: the signal that ended it. */
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
	struct strobe_error *err = apply_settings(&r);
	if (!err)
		err = take_old_callgraph(&r);
	if (!err)
		err = check_options(&r);
	if (err)
		return cmd_fail_usage(ctx, err);
	settle_options(&r);
	if (!o->sampling.events.events.len && !o->locks)
		err = default_event(&r);
	else
		err = cmd_resolve_probes(ctx, &o->sampling.events);
	if (err)
		return cmd_fail(ctx, err);
	int status = o->dry_run ? check_only(&r) : record(&r);
	if (status < 0) { /* ended by a signal: the shell that waits is to see that */
		signals_raise(&r.signals, -status);
		status = 128 - status;
	}
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "Run a command and record its profile into perf.data",
	.usage = (const char *const[]){"record [<options>] [<command>]", "record [<options>] -- <command> [<options>]",
				       NULL},
	.options = record_option_table,
	.options_bytes = sizeof(struct record_options),
	.defaults = record_options_defaults,
	.release = record_options_deinit,
	.run = run,
};
