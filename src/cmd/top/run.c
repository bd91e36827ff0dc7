#include "cmd/top/run.h"

#include <signal.h>
#include <unistd.h>

#include "cmd/probes.h"
#include "dump/facts.h"
#include "session/live/pace.h"

static struct strobe_error *settle_options(struct top_options *o)
{
	struct capture_options *c = &o->record.capture;
	if (c->period_set && !c->freq_set)
		c->freq_hz = 0;
	if (c->period_set && c->freq_set)
		c->period_set = false;
	o->stdio |= o->display.function != NULL;
	if (o->wall && c->overwrite)
		return error_create(ERROR_USAGE, "--wall cannot be combined with --overwrite");
	if (o->wall && !o->report.grouping.sort)
		o->report.grouping.sort = "comm,state,reason";
	if (o->display.function && o->json)
		return error_create(ERROR_USAGE, "--sym-annotate prints text and cannot be combined with --format json");
	if (c->overwrite && o->record_file)
		return error_create(ERROR_USAGE, "--record cannot be combined with --overwrite, which drops samples");
	if (!pace_is_valid_delay(o->display.sampling.delay_s))
		return error_create(ERROR_USAGE, "-d: expected seconds between refreshes, 0.01 to 86400");
	return NULL;
}

static struct strobe_error *start(struct top_run *t)
{
	struct top_options *o = t->o;
	struct live_session *l = &t->report.live;
	struct live_options options = {
		.sys = sys_live(),
		.host = cmd_host(t->ctx),
		.capture = &o->record.capture,
		.events = &o->record.events,
		.settings = &o->display.sampling,
		.show_self = o->show_self,
		.with_waits = o->wall,
		.use_rings = o->no_bpf,
		.is_recorded = o->record_file != NULL,
		.verbose = o->record.verbose > 0,
	};
	o->report.program = t->ctx->program;
	o->report.verbose = o->record.verbose;
	TRY(signals_open(&t->signals, NULL));
	TRY(settle_options(o));
	TRY(live_report_open(&t->report, &options, &o->report, o->display.function != NULL));
	if (o->record_file)
		TRY(live_record(l, o->record_file));
	TRY(live_synthesize(l));
	return live_start(l);
}

bool top_take_signals(void *run)
{
	struct top_run *t = run;
	for (int number; (number = signals_next(&t->signals));)
		t->signal = number;
	return t->signal;
}

static struct strobe_error *show(struct top_run *t)
{
	bool shown;
	struct strobe_error *err = top_screen(t, &shown);
	return err || shown ? err : top_stdio(t);
}

static void dump_symbols(const struct top_run *t)
{
	struct out out;
	out_init_fd(&out, STDERR_FILENO);
	facts_symbols(&out, resolver_symbols(t->report.report.session.resolver));
	error_destroy(out_close(&out));
}

static struct strobe_error *run(struct top_run *t)
{
	TRY(start(t));
	struct strobe_error *err = show(t);
	live_stop(&t->report.live);
	if (t->o->dump_symbols)
		dump_symbols(t);
	struct strobe_error *finished = live_finish_recording(&t->report.live);
	if (!err)
		return finished;
	error_destroy(finished);
	return err;
}

int top_run(struct cmd_context *ctx, struct top_options *o)
{
	struct top_run t = { .ctx = ctx, .o = o, .signals = SIGNALS_NONE };
	struct strobe_error *err = cmd_resolve_probes(ctx, &o->record.events);
	if (!err)
		err = run(&t);
	live_report_close(&t.report);
	if (!err && t.signal && t.signal != SIGINT) /* Ctrl-C is the usual end; other signals end the process by themselves */
		signals_raise(&t.signals, t.signal);
	signals_close(&t.signals);
	if (err && err->code == ERROR_STOPPED) {
		error_destroy(err);
		return CMD_BROKEN_PIPE;
	}
	if (err)
		return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
	return CMD_OK;
}
