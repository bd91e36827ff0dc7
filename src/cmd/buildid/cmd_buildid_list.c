/* strobe buildid-list: the build-ids of files with samples in a recording. */
#include "base/out.h"
#include "cmd/table_output.h"
#include "session/buildid/lists.h"
#include "session/input.h"

struct buildid_options {
	const char *input, *format_name;
	enum table_format format;
	bool force, with_hits, kernel, kernel_maps;
	unsigned verbose;
};

static int print(struct cmd_context *ctx, const struct buildid_options *o, const struct recorded_files *files)
{
	struct table t;
	recorded_files_table(files, &t);
	return cmd_print_table(ctx, &t, o->format);
}

static int list_recording(struct cmd_context *ctx, const struct buildid_options *o)
{
	struct recorded_files files = {};
	struct strobe_error *err = recorded_files_read(o->input, o->force, o->with_hits ? RECORDED_HIT : RECORDED_LISTED, &files);

	int status = !err || files.source ? print(ctx, o, &files) : 0;
	if (err)
		status = cmd_fail(ctx, err);
	if (files.machine)
		input_remarks(cmd_host(ctx), files.reader, NULL);
	recorded_files_deinit(&files);
	return status;
}

/* IDs from other sources than a recording. */
static int list_ids(struct cmd_context *ctx, const struct buildid_options *o, struct recorded_files *files)
{
	int status = print(ctx, o, files);
	recorded_files_deinit(files);
	return status;
}

static int list_kernel_maps(struct cmd_context *ctx)
{
	struct kernel_maps maps;
	struct out out;
	struct strobe_error *err = kernel_maps_read(sys_live(), &maps);
	int status = cmd_fail(ctx, err);
	if (!err) {
		cmd_open_output(ctx, &out);
		kernel_maps_text(&maps, &out);
		status = cmd_close_output(ctx, &out);
	}
	kernel_maps_deinit(&maps);
	return status;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct buildid_options *o = options;
	struct recorded_files files = {};
	struct strobe_error *err = table_format_parse(o->format_name, &o->format);
	if (!err && o->format != TABLE_AS_TEXT && o->kernel_maps)
		err = error_create(ERROR_USAGE, "-m prints text and cannot be combined with --format %s", o->format_name);
	if (err)
		return cmd_fail_usage(ctx, err);
	if (ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s': specify a recording with -i",
							ctx->rest.argv[0]));
	cmd_set_verbosity(o->verbose);
	if (o->kernel) {
		err = recorded_files_of_kernel(&files);
		return err ? cmd_fail(ctx, err) : list_ids(ctx, o, &files);
	}
	if (o->kernel_maps)
		return list_kernel_maps(ctx);
	if (recorded_files_of_object(input_path(o->input), &files))
		return list_ids(ctx, o, &files);
	return list_recording(ctx, o);
}

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", offsetof(struct buildid_options, input), .arg = "file",
	  .help = "input file: a recording (default: perf.data, or standard input if that is a pipe), or an ELF file" },
	{ OPTION_BOOL, 'f', "force", offsetof(struct buildid_options, force), .help = "skip the ownership check" },
	{ OPTION_BOOL, 'H', "with-hits", offsetof(struct buildid_options, with_hits), .help = "list only files with samples" },
	{ OPTION_BOOL, 'k', "kernel", offsetof(struct buildid_options, kernel), .help = "show the build ID of the running kernel" },
	{ OPTION_BOOL, 'm', "kernel-maps", offsetof(struct buildid_options, kernel_maps),
	  .help = "show build IDs and addresses of the running kernel and its modules" },
	{ OPTION_COUNT, 'v', "verbose", offsetof(struct buildid_options, verbose), .help = "be more verbose" },
	{ OPTION_STRING, 0, "format", offsetof(struct buildid_options, format_name), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

const struct cmd cmd_buildid_list = {
	.name = "buildid-list",
	.summary = "List the build IDs of a recording",
	.usage = (const char *const[]){ "buildid-list [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct buildid_options),
	.run = run,
	.permute = true,
};
