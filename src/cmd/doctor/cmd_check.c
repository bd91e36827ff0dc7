/* strobe check: whether this build has a feature, for scripts. */
#include <string.h>

#include "cmd/cmd.h"
#include "selftest/features.h"
#include "cmd/frame.h"

struct check_options {
	bool quiet;
};

static const struct option table[] = {
	{ OPTION_BOOL, 'q', "quiet", offsetof(struct check_options, quiet), .help = "print nothing: report by the exit status" },
	OPTIONS_END,
};

/* names: separated by commas. Returns 0 if all are enabled. */
static int check(struct cmd_context *ctx, struct out *out, const char *names, bool quiet)
{
	int status = CMD_OK;
	for (size_t n; *names; names += n + (names[n] == ',')) {
		n = strcspn(names, ",");
		const struct feature *f = feature_find(names, n);
		if (!f)
			return cmd_fail(ctx,
					error_create(ERROR_NOT_FOUND, "unknown feature '%.*s'; '%s version --build-options' lists them",
						     (int)n, names, ctx->program));
		if (!quiet)
			feature_print(out, f);
		if (!f->is_on)
			status = CMD_FAILED;
	}
	return status;
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct check_options *o = options;
	if (ctx->rest.argc != 2 || strcmp(ctx->rest.argv[0], "feature"))
		return cmd_fail_usage(ctx,
				      error_create(ERROR_USAGE, "expected the word feature, and names separated by commas"));
	struct out out;
	cmd_open_output(ctx, &out);
	int status = check(ctx, &out, ctx->rest.argv[1], o->quiet);
	int closed = cmd_close_output(ctx, &out);
	return closed ? closed : status;
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "Check whether this build has a feature",
	.usage = (const char *const[]){ "check [<options>] feature NAME[,NAME]...", NULL },
	.options = table,
	.options_bytes = sizeof(struct check_options),
	.run = run,
	.permute = true,
};
