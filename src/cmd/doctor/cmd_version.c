/* strobe version: the version, and the features of the build. */
#include "selftest/features.h"
#include "cmd/frame.h"
#include "config.h"

struct version_options {
	bool build_options;
};

void feature_print(struct out *out, const struct feature *f)
{
	out_f(out, "%22s: [ %-3s ]  # %s\n", f->name, f->is_on ? "on" : "OFF", f->macro);
}

void version_print(struct out *out, const char *program, bool build_options)
{
	out_f(out, "%s version %s\n", program, STROBE_VERSION);
	for (const struct feature *f = features; build_options && f->name; f++)
		feature_print(out, f);
}

static const struct option table[] = {
	{ OPTION_BOOL, 0, "build-options", offsetof(struct version_options, build_options),
	  .help = "show build features" },
	OPTIONS_END,
};

static int run(struct cmd_context *ctx, void *options)
{
	const struct version_options *o = options;
	struct out out;
	cmd_open_output(ctx, &out);
	version_print(&out, ctx->program, o->build_options);
	return cmd_close_output(ctx, &out);
}

const struct cmd cmd_version = {
	.name = "version",
	.summary = "Show the version of this program",
	.usage = (const char *const[]){ "version [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct version_options),
	.run = run,
};
