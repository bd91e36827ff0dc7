/* strobe archive: the files that a recording needs, in one that can be carried to another machine; and unpacked there. */
#include "cmd/archive/archive.h"

static int run(struct cmd_context *ctx, void *options)
{
	struct archive_options *o = options;
	const char *dir, *word = ctx->rest.argc ? ctx->rest.argv[0] : NULL;
	if (ctx->rest.argc > 1)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s': only one %s can be "
			"given", ctx->rest.argv[1],
							o->unpack ? "archive" : "recording"));
	if (o->unpack && (o->all || o->output))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "--all and -o cannot be combined with --unpack"));
	struct strobe_error *err = cmd_buildid_dir(ctx, &dir);
	if (err)
		return cmd_fail(ctx, err);
	if (o->unpack)
		return archive_unpack(ctx, o, word, dir);
	if (word)
		o->input = word;
	return archive_pack(ctx, o, dir);
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
	.summary = "Pack the files that a recording needs for another machine",
	.usage = (const char *const[]){ "archive [<options>] [<recording>]", "archive --unpack [<archive>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct archive_options),
	.run = run,
	.permute = true,
};
