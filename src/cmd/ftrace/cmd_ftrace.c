/* strobe ftrace: functions of the kernel, by its own tracers. */
#include <string.h>

#include "base/out.h"
#include "cmd/frame.h"
#include "cmd/table_output.h"
#include "ftrace/options/options.h"
#include "sys/sys.h"

static int list(struct cmd_context *ctx, const struct ftrace_options *o)
{
	struct out out;
	cmd_open_output(ctx, &out);
	return cmd_finish(ctx, &out, ftrace_list_functions(sys_live(), o->list, &out));
}

static struct strobe_error *prepare(struct cmd_context *ctx, struct ftrace_options *o, enum ftrace_answer_kind kind)
{
	const struct config *config;
	TRY(ftrace_options_settle(o, kind));
	TRY(cmd_settings(ctx, &config));
	o->request.sys = sys_live();
	o->request.host = cmd_host(ctx);
	o->request.command = ctx->rest.argc ? cmd_command(ctx) : NULL;
	if (!o->request.settings.tracer)
		o->request.settings.tracer = config_get(config, "ftrace.tracer");
	cmd_set_verbosity(o->verbose);
	return NULL;
}

static int print(struct cmd_context *ctx, const struct ftrace_options *o, struct ftrace_answer *a)
{
	struct table t;
	ftrace_answer_table(a, o->by, &t);
	return cmd_print_table(ctx, &t, o->format);
}

static int trace_live(struct cmd_context *ctx, struct ftrace_options *o, struct ftrace_answer *a)
{
	struct out out;
	a->out = &out;
	cmd_open_output(ctx, &out);
	return cmd_finish(ctx, &out, ftrace_run(&o->request));
}

static int answer(struct cmd_context *ctx, struct ftrace_options *o, enum ftrace_answer_kind kind)
{
	struct ftrace_answer a = { .kind = kind, .histogram = &o->histogram };
	struct strobe_error *err = prepare(ctx, o, kind);
	if (err)
		return cmd_fail_either(ctx, err);
	ftrace_answer_init(&a);
	o->request.line = ftrace_answer_line;
	o->request.ctx = &a;
	if (kind != FTRACE_TRACE)
		err = ftrace_run(&o->request);
	int status = err ? cmd_fail_either(ctx, err) : kind == FTRACE_TRACE ? trace_live(ctx, o, &a) : print(ctx, o, &a);
	ftrace_answer_deinit(&a);
	return status;
}

static int run_trace(struct cmd_context *ctx, void *options)
{
	struct ftrace_options *o = options;
	return o->list ? list(ctx, o) : answer(ctx, o, FTRACE_TRACE);
}

static int run_latency(struct cmd_context *ctx, void *options)
{
	return answer(ctx, options, FTRACE_LATENCY);
}

static int run_profile(struct cmd_context *ctx, void *options)
{
	return answer(ctx, options, FTRACE_PROFILE);
}

#define SUBCOMMAND(id, word, text)                                                                 \
	static const struct cmd id = {                                                             \
		.name = "ftrace " word,                                                            \
		.summary = text,                                                                   \
		.usage = (const char *const[]){ "ftrace " word " [<options>] [<command>]", NULL }, \
		.options = ftrace_##id##_options,                                                  \
		.options_bytes = sizeof(struct ftrace_options),                                    \
		.release = ftrace_options_release,                                                 \
		.run = run_##id,                                                                   \
	}

SUBCOMMAND(trace, "trace", "Print calls of kernel functions as they occur");
SUBCOMMAND(latency, "latency", "Show a histogram of the durations of a kernel function");
SUBCOMMAND(profile, "profile", "Show the durations of kernel functions, by function");

static const struct cmd *const subcommands[] = { &trace, &latency, &profile, NULL };

/* The first word is a subcommand with its options, or else a command to trace. */
static int run(struct cmd_context *ctx, void *options)
{
	const char *word = ctx->rest.argc && !ctx->rest.had_dashes ? ctx->rest.argv[0] : "";
	for (const struct cmd *const *sub = subcommands; *sub; sub++)
		if (!strcmp(word, (*sub)->name + strlen("ftrace ")))
			return cmd_run(ctx, *sub, ctx->rest.argc, ctx->rest.argv);
	return run_trace(ctx, options);
}

const struct cmd cmd_ftrace = {
	.name = "ftrace",
	.summary = "Trace kernel functions with the kernel's own tracers",
	.usage = (const char *const[]){ "ftrace [<options>] [<command>]", "ftrace trace [<options>] [<command>]",
					"ftrace latency -T <function> [<options>] [<command>]", "ftrace profile [<options>] [<command>]",
					NULL },
	.options = ftrace_trace_options,
	.options_bytes = sizeof(struct ftrace_options),
	.subcommands = subcommands,
	.release = ftrace_options_release,
	.run = run,
};
