/* strobe top: a live profile. */
#include "cmd/top/run.h"

static int run(struct cmd_context *ctx, void *options)
{
	struct top_options *o = options;
	cmd_set_verbosity(o->record.verbose);
	if (ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s': top does not run commands",
							ctx->rest.argv[0]));
	return top_run(ctx, o);
}

const struct cmd cmd_top = {
	.name = "top",
	.summary = "Show a live profile",
	.usage = (const char *const[]){ "top [<options>]", NULL },
	.options = top_option_table,
	.options_bytes = sizeof(struct top_options),
	.defaults = top_options_defaults,
	.release = top_options_deinit,
	.run = run,
};
