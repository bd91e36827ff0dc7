#include "cmd/diff/options.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/colours.h"
#include "cmd/shared_options.h"
#include "cmd/unsupported.h"

static struct strobe_error *parse_figure(void *options, const char *value, bool negated)
{
	struct diff_options *o = options;
	return diff_figure_parse(negated ? NULL : value, &o->layout);
}

static struct strobe_error *parse_percentage(void *options, const char *value, bool negated)
{
	struct diff_options *o = options;
	if (negated || !value || (strcmp(value, "relative") && strcmp(value, "absolute")))
		return error_create(ERROR_USAGE, "requires relative or absolute");
	o->request.grouping.relative = !strcmp(value, "relative");
	return NULL;
}

#define AT(field) offsetof(struct diff_options, field)
const struct option diff_option_table[] = {
	{ OPTION_GROUP, .help = "Input" },
	{ OPTION_STRING, 0, "before", AT(before), .arg = "file,...",
	  .help = "recordings to compare with: files or patterns ('a*.data'); requires --after" },
	{ OPTION_STRING, 0, "after", AT(after), .arg = "file,...", .help = "recordings that are compared with those of --before" },
	{ OPTION_BOOL, 'f', "force", AT(request.selection.force), .help = "skip the ownership check" },
	{ OPTION_GROUP, .help = "Rows and columns" },
	{ OPTION_CALL, 'c', "compute", .arg = "delta|delta-abs|ratio|wdiff:w1,w2|cycles", .parse = parse_figure,
	  .help = "what to compute: difference of shares, sorted by value (delta) or absolute value (delta-abs, the default); "
		  "ratio of periods; weighted difference of periods; cycles that a run of each block of code takes" },
	{ OPTION_STRING, 's', "sort", AT(request.grouping.sort), .arg = "key[,key2...]",
	  .help = "one row for each combination of these keys of report (default: dso,symbol)" },
	{ OPTION_BOOL, 'b', "baseline-only", AT(layout.baseline_only),
	  .help = "show only rows that are in the first file and in another one" },
	{ OPTION_U64, 'o', "order", AT(order), .arg = "n",
	  .help = "sort by the difference of this file; 0: by the share of the first file (default: 1)" },
	{ OPTION_BOOL, 'p', "period", AT(layout.show_period), .help = "show periods" },
	{ OPTION_BOOL, 'F', "formula", AT(layout.show_formula), .help = "show the formula of each difference" },
	{ OPTION_BOOL, 0, "ci", AT(layout.show_change),
	  .help = "show the change of each period with its 95 % confidence interval; * marks significant changes" },
	{ OPTION_BOOL, 0, "normalize", AT(normalize),
	  .help = "normalize to the rows that have not changed, if whole runs are slower or faster (load, frequency, machine)" },
	{ OPTION_BOOL, 0, "cycles-hist", AT(layout.show_spread),
	  .help = "with -c cycles: show how the difference varies between executions of a block: standard error and histogram" },
	{ OPTION_BOOL, 0, "stream", AT(streams),
	  .help = "compare the hottest streams of branches (record -b) or call chains: those of both recordings, then those of one" },
	{ OPTION_CALL, 0, "percentage", .arg = "relative|absolute", .parse = parse_percentage,
	  .help = "percentages of the filtered samples, or of all samples (default: absolute)" },
	{ OPTION_STRING, 0, "fail-over", AT(fail_over), .arg = "percent",
	  .help = "exit with status 2 if a row grew significantly, by more than this percentage of the baseline: 3%" },
	{ OPTION_GROUP, .help = "Filters" },
	{ OPTION_STRING, 'e', "event", AT(request.selection.event), .arg = "event",
	  .help = "compare only this event; of pprof profiles: a sample type such as inuse_space" },
	{ OPTION_STRING, 'C', "comms", AT(request.filter.comms), .arg = "comm[,comm...]", .help = "only tasks with these names" },
	{ OPTION_STRING, 'd', "dsos", AT(request.filter.dsos), .arg = "dso[,dso...]", .help = "only samples in these objects (DSOs)" },
	{ OPTION_STRING, 'S', "symbols", AT(request.filter.symbols), .arg = "symbol[,symbol...]",
	  .help = "only samples in these functions" },
	{ OPTION_STRING, 0, "pid", AT(request.filter.pids), .arg = "pid[,pid...]", .help = "only these processes" },
	{ OPTION_STRING, 0, "tid", AT(request.filter.tids), .arg = "tid[,tid...]", .help = "only these threads" },
	{ OPTION_STRING, 0, "cpu", AT(request.selection.cpus), .arg = "cpu", .help = "only samples on these CPUs: 0-3,7" },
	{ OPTION_STRING, 0, "time", AT(request.selection.times), .arg = "str",
	  .help = "only this time range: start,stop in seconds, with ':' between those of each file; or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_GROUP, .help = "Output" },
	{ OPTION_STRING, 0, "format", AT(format_name), .arg = "text|json|csv", .help = "output format" },
	{ OPTION_STRING, 't', "field-separator", AT(request.display.separator), .arg = "separator",
	  .help = "separator of columns, without padding; in names it is replaced by '.'" },
	{ OPTION_STRING, 0, "flamegraph", AT(flamegraph), .arg = "file",
	  .help = "write a differential flame graph (SVG) of two files" },
	{ OPTION_STRING, 0, "html", AT(html), .arg = "file", .help = "write a page that compares two files" },
	{ OPTION_BOOL, 0, "tui", AT(screen), .help = "compare two recordings on a full screen" },
	{ OPTION_CALL, 0, "stdio-color", AT(colour), .arg = "always|never|auto", .parse = colour_parse_when,
	  .help = "colour significant changes, dim others (default: auto, on a terminal)" },
	{ OPTION_BOOL, 'q', "quiet", AT(layout.quiet), .help = "show only rows" },
	{ OPTION_COUNT, 'v', "verbose", AT(request.verbose), .help = "also list the files, paths of objects and addresses of functions" },
	{ OPTION_BOOL, 'D', "dump-raw-trace", AT(dump), .help = "dump the records of each file, as report -D does" },
	{ OPTION_GROUP, .help = "Symbols" },
	OPTIONS_OF(symbol_option_rows, AT(request.selection.symbol_files)),
	{ OPTION_OFF, 'm', "modules", AT(request.selection.symbol_files.no_modules), .help = "use symbols of kernel modules (on)" },
	OPTIONS_END,
};

void diff_options_defaults(void *options)
{
	struct diff_options *o = options;
	arena_init(&o->arena);
	o->request = report_request_defaults();
	o->request.grouping.children = o->request.grouping.group = false;
	o->layout.figure = DIFF_DELTA_ABS;
	o->order = 1;
}

void diff_options_release(void *options)
{
	struct diff_options *o = options;
	arena_deinit(&o->arena);
}

static struct strobe_error *settle_files(struct diff_options *o, int argc, char *const *argv)
{
	if (!o->before && !o->after)
		o->sources = diff_sources_of_words(&o->arena, argc, argv);
	else if (!o->before || !o->after || argc)
		return error_create(ERROR_USAGE, "--before and --after must be used together, without other files");
	else
		TRY(diff_sources_of_runs(&o->arena, o->before, o->after, &o->sources));
	return diff_sources_set_times(&o->arena, o->request.selection.times, &o->sources);
}

static bool is_plain_pair(const struct diff_options *o)
{
	return o->sources.nr == 2 && o->sources.data[0].nr == 1 && o->sources.data[1].nr == 1;
}

static struct strobe_error *settle_format(struct diff_options *o)
{
	TRY(table_format_parse(o->format_name, &o->format));
	o->layout.for_data = o->format != TABLE_AS_TEXT;
	if ((o->flamegraph || o->html || o->screen) && !is_plain_pair(o))
		return error_create(ERROR_USAGE, "--flamegraph, --html and --tui compare two files");
	const struct diff_layout *l = &o->layout;
	bool has_more = l->show_period || l->show_formula || l->show_change || o->fail_over || o->normalize;
	if (l->figure == DIFF_CYCLES && (!is_plain_pair(o) || has_more))
		return error_create(ERROR_USAGE, "-c cycles compares two files, without -p, -F, --ci, --normalize and --fail-over");
	if (o->streams && (!is_plain_pair(o) || has_more || l->figure == DIFF_CYCLES))
		return error_create(ERROR_USAGE, "--stream compares two files, without -c cycles, -p, -F, --ci, --normalize and "
						 "--fail-over");
	if (l->figure != DIFF_CYCLES && l->show_spread)
		return error_create(ERROR_USAGE, "--cycles-hist requires -c cycles");
	const char *separator = o->request.display.separator;
	if (separator && !strcmp(separator, "."))
		return error_create(ERROR_USAGE, "'.' is the only non valid --field-separator argument");
	return NULL;
}

struct strobe_error *diff_options_settle(struct diff_options *o, int argc, char *const *argv)
{
	o->request.program = "strobe";
	o->request.selection.inlined = false;
	o->request.selection.no_branch_stack = true; /* compare samples, not branches */
	if (!o->request.grouping.sort)
		o->request.grouping.sort = "dso,symbol";
	TRY(settle_files(o, argc, argv));
	TRY(diff_limit_parse(o->fail_over, &o->fail_percent));
	if (o->order >= o->sources.nr)
		return error_create(ERROR_USAGE, "-o: there is no file %" PRIu64 ", the last one is %u", o->order, o->sources.nr - 1);
	o->layout.order = (uint32_t)o->order;
	o->layout.list_files = o->request.verbose > 0;
	return settle_format(o);
}
