/* strobe timechart: the activity of tasks and CPUs over time, as a picture or a page. */
#include <string.h>

#include "analysis/timechart_replay.h"
#include "base/new_file.h"
#include "base/out.h"
#include "base/text.h"
#include "cli/options.h"
#include "cmd/shared_options.h"
#include "cmd/subcommand.h"
#include "cmd/timechart/record.h"
#include "page/chart.h"
#include "session/input.h"
#include "view/svg/time_chart.h"

#define DEFAULT_OUTPUT "output.svg"

struct timechart_options {
	struct timechart_events events; /* -P and -T apply to both */
	struct timechart_replay_request replay;
	struct time_chart_svg_options svg;
	VEC(const char *) names;
	uint64_t rows_min;
	const char *output;
};

#define CALL(name) static struct strobe_error *name(void *options, const char *value, bool negated)

CALL(parse_process)
{
	struct timechart_options *o = options;
	if (negated)
		vec_clear(&o->names);
	else
		vec_push(&o->names, value);
	return NULL;
}

CALL(parse_highlight)
{
	struct timechart_options *o = options;
	o->svg.highlight_ns = 0;
	o->svg.highlight_name = NULL;
	if (!negated && !text_to_u64(value, &o->svg.highlight_ns) && !text_to_duration_ns(value, &o->svg.highlight_ns))
		o->svg.highlight_name = value;
	return NULL;
}

CALL(parse_io_min)
{
	struct timechart_options *o = options;
	return negated ? NULL : timechart_time_parse(value, &o->replay.io_min_ns);
}

CALL(parse_io_merge)
{
	struct timechart_options *o = options;
	return negated ? NULL : timechart_time_parse(value, &o->replay.io_merge_ns);
}

#define AT(field) offsetof(struct timechart_options, field)
static const struct option option_table[] = {
	{ OPTION_STRING, 'i', "input", AT(replay.input), .arg = "file", .help = "input file (default: perf.data); - for standard input" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file",
	  .help = "output file, an HTML page if its name ends in .html (default: output.svg); - for standard output" },
	{ OPTION_U64, 'w', "width", AT(svg.width), .arg = "n", .help = "minimum width of the picture, in pixels (default: 1000)" },
	{ OPTION_CALL, 0, "highlight", .arg = "time|name", .parse = parse_highlight,
	  .help = "highlight tasks that run longer than this (e.g. 5ms; without a unit in ns), or tasks whose names contain this" },
	{ OPTION_BOOL, 'P', "power-only", AT(events.power_only), .help = "show only CPUs; record: only idle states and frequencies" },
	{ OPTION_BOOL, 'T', "tasks-only", AT(events.tasks_only), .help = "omit idle states and frequencies; record: only tasks" },
	{ OPTION_CALL, 'p', "process", .arg = "pid|name", .parse = parse_process, .help = "only this task; may be repeated" },
	{ OPTION_U64, 'n', "proc-num", AT(rows_min), .arg = "n", .help = "minimum number of tasks to show (default: 15)" },
	{ OPTION_BOOL, 't', "topology", AT(replay.by_topology), .help = "sort CPUs by core" },
	SYMFS_OPTION(AT(replay.symbols.symfs), "search for files with symbols below this directory"),
	{ OPTION_BOOL, 'f', "force", AT(replay.force), .help = "skip the ownership check" },
	{ OPTION_GROUP, .help = "I/O (recordings of record -I)" },
	{ OPTION_BOOL, 0, "io-skip-eagain", AT(svg.skip_eagain), .help = "omit calls that failed with EAGAIN" },
	{ OPTION_CALL, 0, "io-min-time", .arg = "time", .parse = parse_io_min,
	  .help = "draw shorter calls with this length (default: 1ms)" },
	{ OPTION_CALL, 0, "io-merge-dist", .arg = "time", .parse = parse_io_merge,
	  .help = "merge calls that are closer than this (default: 1us)" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct timechart_options *o = options;
	o->svg.width = 1000;
	o->rows_min = 15;
	o->replay.io_min_ns = 1000000;
	o->replay.io_merge_ns = 1000;
}

static void release(void *options)
{
	struct timechart_options *o = options;
	vec_deinit(&o->names);
}

struct picture {
	const struct timechart_options *o;
	struct time_chart *chart;
};

static bool is_page(const char *path)
{
	return path && (text_has_suffix(path, ".html") || text_has_suffix(path, ".htm"));
}

static struct strobe_error *write_picture(void *ctx, struct out *out)
{
	const struct picture *p = ctx;
	if (is_page(p->o->output))
		return page_chart_write(p->chart, input_path(p->o->replay.input), p->o->replay.force, out);
	time_chart_svg(out, p->chart, &p->o->svg);
	return NULL;
}

static struct strobe_error *write_chart(struct timechart_options *o, struct time_chart *c)
{
	struct time_chart_choice choice = { .names = o->names.len ? o->names.data : NULL, .names_nr = o->names.len,
					    .rows_min = o->events.power_only ? 0 : o->rows_min };
	struct picture p = { .o = o, .chart = c };
	const char *path = o->output ? o->output : DEFAULT_OUTPUT;
	if (is_page(path) && !o->names.len)
		time_chart_show_all(c);
	else
		o->svg.rows = time_chart_choose(c, &choice);
	o->svg.no_power = o->events.tasks_only;
	TRY(new_file_write_by(path, write_picture, &p));
	if (strcmp(path, "-"))
		cmd_say_plain("Written %.1f seconds of trace to %s.", (double)(c->last_ns - c->first_ns) / 1e9, path);
	return NULL;
}

/* The complete part is shown. */
static int show(struct cmd_context *ctx, struct timechart_options *o)
{
	struct time_chart c;
	o->replay.host = cmd_host(ctx);
	o->replay.all_states = is_page(o->output);
	struct strobe_error *err = timechart_replay_run(&o->replay, &c);
	int status = err && !c.last_ns ? 0 : cmd_fail(ctx, write_chart(o, &c));
	int failed = cmd_fail(ctx, err);
	time_chart_deinit(&c);
	return failed ? failed : status;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct timechart_options *o = options;
	const char *word = ctx->rest.argc ? ctx->rest.argv[0] : "";
	cmd_set_verbosity(0);
	if (subcommand_is(word, "record"))
		return timechart_record(ctx, o->events, ctx->rest.argc, ctx->rest.argv);
	if (*word)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unknown subcommand '%s'", word));
	if (o->events.power_only && o->events.tasks_only)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "-P and -T exclude each other"));
	return show(ctx, o);
}

const struct cmd cmd_timechart = {
	.name = "timechart",
	.summary = "Draw the activity of tasks and CPUs over time (SVG, HTML)",
	.usage = (const char *const[]){ "timechart record [-P|-T|-I] [-g] [<options of record>] [<command>]",
				       "timechart [<options>]", NULL },
	.options = option_table,
	.options_bytes = sizeof(struct timechart_options),
	.defaults = defaults,
	.release = release,
	.run = run,
};
