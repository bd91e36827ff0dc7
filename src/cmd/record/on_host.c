#include "cmd/record/on_host.h"

#include <string.h>
#include <unistd.h>

#include "cmd/frame.h"
#include "recording/recorder.h"
#include "remote/remote_record.h"

static struct strobe_error *check(const struct record_options *o)
{
	const struct recorder_options *r = &o->recorder;
	if (r->switching.on || r->timestamp_filename)
		return error_create(ERROR_USAGE, "--on cannot be combined with --switch-output or --timestamp-filename: "
			"one file comes back");
	if (r->control)
		return error_create(ERROR_USAGE, "--on cannot be combined with --control: its files are of this machine");
	if (r->output && !strcmp(r->output, "-"))
		return error_create(ERROR_USAGE, "--on cannot be combined with -o -: the recording comes back as a file");
	return NULL;
}

/* The options as typed, then --no-on and the remote output, since later options win. */
static const char *const *options_there(struct cmd_context *ctx)
{
	const struct options_result *rest = &ctx->rest;
	size_t n = (size_t)(rest->argv - rest->typed) - rest->had_dashes;
	const char **words = arena_calloc(&ctx->words, (n + 2) * sizeof(*words));
	memcpy(words, rest->typed, n * sizeof(*words));
	words[n] = "--no-on";
	return words;
}

static int show(struct cmd_context *ctx, const struct record_options *o, const char *output)
{
	if (o->quiet)
		return CMD_OK;
	cmd_say_plain("[ %s record: %s is from %s, and the files of its names are in the build ID cache ]", ctx->program, output, o->on);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return CMD_OK;
	return cmd_run_line(ctx, (const char *const[]){ "report", "-i", output, NULL });
}

int record_on_host(struct cmd_context *ctx, const struct record_options *o)
{
	int status = 0;
	bool recorded = false;
	struct strobe_error *err = check(o);
	if (err)
		return cmd_fail_usage(ctx, err);
	const char *output = o->recorder.output ? o->recorder.output : "perf.data";
	const struct remote_record r = {
		.destination = o->on,
		.options = options_there(ctx),
		.had_dashes = ctx->rest.had_dashes,
		.command = (const char *const *)cmd_command(ctx),
		.output = output,
	};
	err = remote_record_run(cmd_host(ctx), &r, &status, &recorded);
	if (err)
		return cmd_fail(ctx, err);
	int shown = recorded ? show(ctx, o, output) : CMD_OK;
	return status ? status : shown;
}
