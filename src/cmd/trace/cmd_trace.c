/* strobe trace: the system calls of a command, of existing tasks, or of the whole system. */
#include <string.h>

#include "cmd/probes.h"
#include "cmd/trace/run.h"
#include "cmd/trace/settings.h"

static int run(struct cmd_context *ctx, void *options)
{
	struct trace_options *o = options;
	cmd_set_verbosity(o->verbose);
	const struct options_result *rest = &ctx->rest;
	if (rest->argc && !rest->had_dashes && !strcmp(rest->argv[0], "record"))
		return trace_record(ctx, o, rest->argc, rest->argv);
	const struct config *config;
	struct strobe_error *err = cmd_settings(ctx, &config);
	if (!err)
		err = trace_settings_apply(config, o);
	if (!err && !o->input)
		err = cmd_resolve_probes(ctx, &o->selection.events);
	if (!err)
		err = trace_options_settle(o);
	if (err)
		return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
	return o->input ? trace_replay(ctx, o) : trace_run(ctx, o);
}

const struct cmd cmd_trace = {
	.name = "trace",
	.summary = "Trace system calls, or print a summary of them",
	.usage = (const char *const[]){ "trace [<options>] [<command>]", "trace [<options>] -- <command> [<options>]",
				       "trace record [<options of record>] [<command>]", "trace -i <recording> [<options>]", NULL },
	.options = trace_option_table,
	.options_bytes = sizeof(struct trace_options),
	.defaults = trace_options_defaults,
	.release = trace_options_deinit,
	.run = run,
};
