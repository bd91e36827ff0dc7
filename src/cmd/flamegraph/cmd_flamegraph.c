/* strobe flamegraph: a recording as a flame graph (SVG), or as folded stacks. */
#include "cmd/flamegraph/draw.h"
#include "cmd/flamegraph/options.h"

static int run(struct cmd_context *ctx, void *options)
{
	struct flamegraph_command *o = options;
	struct strobe_error *err = flamegraph_options_finish(ctx, o);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose);
	return flamegraph_draw(ctx, o);
}

const struct cmd cmd_flamegraph = {
	.name = "flamegraph",
	.summary = "Draw a flame graph (SVG) of perf.data (created by record), or print folded stacks",
	.usage = (const char *const[]){ "flamegraph [<options>] [<file>]", "flamegraph --folded [<options>] [<file>]", NULL },
	.options = flamegraph_option_table,
	.options_bytes = sizeof(struct flamegraph_command),
	.defaults = flamegraph_option_defaults,
	.run = run,
	.permute = true,
};
