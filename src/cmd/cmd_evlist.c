/* strobe evlist: the events of a recording. */
#include "cmd/table_output.h"
#include "decode/tracepoint.h"
#include "dump/event_list.h"
#include "perfdata/reader.h"
#include "session/input.h"

struct evlist_options {
	const char *input, *format;
	bool force, freq, group, trace_fields;
	unsigned verbose;
};

static int print(struct cmd_context *ctx, const struct evlist_options *o, enum table_format format, const struct env *env)
{
	struct tracepoints *formats = NULL;
	struct strobe_error *err = tracepoints_read(env, &formats);
	struct event_list_options shown = { .attributes = o->verbose, .freq = o->freq, .trace_fields = o->trace_fields,
					    .by_group = o->group && format == TABLE_AS_TEXT };
	struct table t;
	struct out out;

	/* If some formats are damaged, the others are listed. */
	if (err && (o->trace_fields || format != TABLE_AS_TEXT))
		cmd_say(ctx, "%s", err->message);
	error_destroy(err);
	event_list_table(env, formats, &shown, &t);
	cmd_open_output(ctx, &out);
	cmd_write_table(&out, &t, format, NULL);
	if (format == TABLE_AS_TEXT && !o->trace_fields && event_list_has_tracepoints(env))
		out_f(&out, "# Tip: use '%s evlist --trace-fields' to show fields for tracepoint events\n", ctx->program);
	table_deinit(&t);
	tracepoints_destroy(formats);
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct evlist_options *o = options;
	struct record_source *source;

	if (ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s': specify a recording with -i",
							ctx->rest.argv[0]));
	if (o->group && (o->verbose || o->freq))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "--group cannot be combined with --verbose or --freq"));
	enum table_format format;
	struct strobe_error *err = table_format_parse(o->format, &format);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose > 1 ? o->verbose - 1 : 0);
	err = input_open(o->input, o->force, &source);
	if (err)
		return cmd_fail(ctx, err);
	int status = print(ctx, o, format, source_env(source));
	if (!status)
		status = cmd_fail(ctx, reader_check_whole(source));
	input_remarks(cmd_host(ctx), source, NULL);
	source_destroy(source);
	return status;
}

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", offsetof(struct evlist_options, input), .arg = "file",
	  .help = "input file (default: perf.data, or standard input if that is a pipe)" },
	{ OPTION_BOOL, 'f', "force", offsetof(struct evlist_options, force), .help = "skip the ownership check" },
	{ OPTION_BOOL, 'F', "freq", offsetof(struct evlist_options, freq), .help = "show frequency or period" },
	{ OPTION_COUNT, 'v', "verbose", offsetof(struct evlist_options, verbose), .help = "show all fields of each perf_event_attr" },
	{ OPTION_BOOL, 'g', "group", offsetof(struct evlist_options, group), .help = "show events by group" },
	{ OPTION_BOOL, 0, "trace-fields", offsetof(struct evlist_options, trace_fields),
	  .help = "show the fields of tracepoints" },
	{ OPTION_STRING, 0, "format", offsetof(struct evlist_options, format), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

const struct cmd cmd_evlist = {
	.name = "evlist",
	.summary = "List the events of a recording",
	.usage = (const char *const[]){ "evlist [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct evlist_options),
	.run = run,
	.permute = true,
};
