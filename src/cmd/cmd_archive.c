/* strobe archive: packs the files that a recording needs into one archive for another machine, and unpacks it there. */
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/cmd.h"
#include "transfer/archive.h"

static void say_next(const struct archive_options *o, const char *name)
{
	struct out out;
	out_init_fd(&out, STDOUT_FILENO);
	out_str(&out, "Now please run:\n\n$ strobe archive --unpack ");
	out_text_str(&out, name);
	if (!o->all) {
		out_str(&out, "\n\nor\n\n$ tar xvf ");
		out_text_str(&out, name);
		out_str(&out, " -C ~/.debug");
	}
	out_str(&out, "\n\nwherever you need to run 'strobe report' on.\n");
	error_destroy(out_close(&out)); /* the archive is complete even if this cannot be printed */
}

static int pack(struct cmd_context *ctx, const struct archive_options *o)
{
	_cleanup_free_ char *name = NULL;
	struct strobe_error *err = archive_pack(cmd_host(ctx), o, &name);
	if (!err)
		say_next(o, name);
	return cmd_fail(ctx, err);
}

static int unpack(struct cmd_context *ctx, const struct archive_options *o, const char *archive)
{
	_cleanup_free_ char *recording = NULL;
	struct strobe_error *err = archive_unpack(cmd_host(ctx), o, archive, &recording);
	if (recording)
		cmd_say(ctx, "unpacked %s: strobe report -i %s", recording, recording);
	return cmd_fail(ctx, err);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct archive_options *o = options;
	const char *word = ctx->rest.argc ? ctx->rest.argv[0] : NULL;
	if (ctx->rest.argc > 1)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s': only one %s can be "
			"given", ctx->rest.argv[1],
							o->unpack ? "archive" : "recording"));
	if (o->unpack && (o->all || o->output))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "--all and -o cannot be combined with --unpack"));
	if (o->unpack)
		return unpack(ctx, o, word);
	if (word)
		o->input = word;
	return pack(ctx, o);
}

#define AT(field) offsetof(struct archive_options, field)
static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "input file (default: perf.data); same as the argument" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file",
	  .help = "archive to write (default: RECORDING.tar.bz2); the suffix selects the compression: .tar, .tar.gz, .tar.xz, .tar.zst" },
	{ OPTION_BOOL, 0, "all", AT(all), .help = "include the recording: perf.all-HOST-TIME.tar.bz2" },
	{ OPTION_BOOL, 0, "unpack", AT(unpack), .help = "unpack an archive into the build ID cache, and its recording into the "
		"current directory" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "skip the ownership check; overwrite an existing recording" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "list the files" },
	OPTIONS_END,
};

const struct cmd cmd_archive = {
	.name = "archive",
	.summary = "Pack the files required to analyse a recording on another machine",
	.usage = (const char *const[]){ "archive [<options>] [<recording>]", "archive --unpack [<archive>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct archive_options),
	.run = run,
	.permute = true,
};
