/* `trace -i`: the system calls of a recording, shown as in a live trace. */
#include "tracing/replay.h"

#include <signal.h>

#include "cmd/trace/output.h"
#include "cmd/trace/run.h"

static struct strobe_error *replay(struct cmd_context *ctx, const struct trace_options *o, struct trace_output *output,
				   struct trace_replay **ret)
{
	const struct trace_replay_request request = {
		.host = cmd_host(ctx),
		.input = o->input,
		.force = o->force,
		.selection = &o->selection,
		.summary = &o->summary,
		.sink = &output->writer.sink,
	};
	const struct syscall_stats *stats;
	TRY(trace_options_check_replay(o, ctx->rest.argc ? ctx->rest.argv[0] : NULL));
	TRY(trace_output_open(output, o));
	TRY(trace_replay_open(&request, ret));
	trace_output_begin(output, trace_replay_tasks(*ret), NULL, false);
	struct strobe_error *err = trace_replay_run(*ret);
	if (error_is(err, ERROR_NOT_FOUND))
		return err;
	/* The complete part is shown. */
	trace_replay_finish(*ret, &stats);
	trace_output_end(output, stats);
	trace_replay_remarks(*ret);
	return err;
}

int trace_replay(struct cmd_context *ctx, const struct trace_options *o)
{
	struct trace_output output = { .fd = -1 };
	struct trace_replay *trace = NULL;
	signal(SIGPIPE, SIG_IGN);
	struct strobe_error *err = replay(ctx, o, &output, &trace);
	err = trace_output_close(&output, err);
	trace_replay_destroy(trace);
	if (!err)
		return CMD_OK;
	return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
}
