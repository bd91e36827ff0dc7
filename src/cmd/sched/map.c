/* strobe sched map: which thread each CPU runs. */
#include "analysis/sched/sched_map.h"

#include "base/out.h"
#include "cmd/frame.h"
#include "cmd/sched/subcommands.h"

struct map_options {
	struct cmd_common common;
	struct sched_map_request map;
	const char *format;
};

#define AT(field) offsetof(struct map_options, field)
static const struct option table[] = {
	COMMON_OPTIONS(AT(common)),
	{ OPTION_BOOL, 0, "compact", AT(map.compact), .help = "show columns only for CPUs with events" },
	{ OPTION_STRING, 0, "color-pids", AT(map.colour_pids), .arg = "tid,...", .help = "highlight these threads" },
	{ OPTION_STRING, 0, "color-cpus", AT(map.colour_cpus), .arg = "cpu,...", .help = "highlight these CPUs" },
	{ OPTION_STRING, 0, "cpus", AT(map.cpus), .arg = "cpu,...", .help = "only switches on these CPUs" },
	{ OPTION_STRING, 0, "task-name", AT(map.tasks), .arg = "name,...", .help = "only switches from and to threads with these names" },
	{ OPTION_BOOL, 0, "fuzzy-name", AT(map.is_fuzzy), .help = "with --task-name: match parts of names" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

static int run(struct cmd_context *ctx, void *options)
{
	struct map_options *o = options;
	struct out out;
	struct strobe_error *err = subcommand_no_words(ctx);
	if (!err)
		err = table_format_parse(o->format, &o->map.format);
	if (!err && o->map.is_fuzzy && !o->map.tasks)
		err = error_create(ERROR_USAGE, "--fuzzy-name requires --task-name");
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(0);
	if (o->common.dump)
		return subcommand_dump(ctx, &o->common);
	cmd_open_output(ctx, &out);
	o->map.source = (struct sched_source_request){ .host = cmd_host(ctx), .input = o->common.input, .force = o->common.force };
	o->map.verbose = o->common.verbose;
	o->map.colour = cmd_use_colour(ctx, COLOUR_AUTO);
	return cmd_finish(ctx, &out, sched_map_run(&o->map, &out));
}

const struct cmd cmd_sched_map = {
	.name = "sched map",
	.summary = "Show which thread each CPU runs",
	.usage = (const char *const[]){ "sched map [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct map_options),
	.run = run,
	.permute = true,
};
