/* strobe archive: the files that a recording needs, in one that can be carried to another machine; and unpacked there. */
#include "cmd/archive/archive.h"

static int run(struct cmd_context *ctx, void *options)
{
	struct archive_options *o = options;
	const char *dir, *word = ctx->rest.argc ? ctx->rest.argv[0] : NULL;
	if (ctx->rest.argc > 1)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "'%s' is one word too many: name one %s", ctx->rest.argv[1],
							o->unpack ? "archive" : "recording"));
	if (o->unpack && (o->all || o->output))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "--all and -o are for packing, and do not go with --unpack"));
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
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "the recording (perf.data); the same as a bare word" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file",
	  .help = "the archive (RECORDING.tar.bz2); .tar, .tar.gz, .tar.xz and .tar.zst are packed as they say" },
	{ OPTION_BOOL, 0, "all", AT(all), .help = "pack the recording, too: perf.all-HOST-TIME.tar.bz2" },
	{ OPTION_BOOL, 0, "unpack", AT(unpack), .help = "unpack an archive into the build-id cache, and its recording here" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "read a file of another owner; write over a recording that is here" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "name the files" },
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
