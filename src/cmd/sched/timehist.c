/* strobe sched timehist: how long each thread waited and ran, each time. */
#include "analysis/sched/timehist.h"

#include "base/out.h"
#include "cmd/frame.h"
#include "cmd/sched/subcommands.h"
#include "cmd/shared_options.h"

#define DEFAULT_FRAMES 5

struct timehist_options {
	struct cmd_common common;
	struct timehist_request hist;
	const char *format;
};

#define AT(field) offsetof(struct timehist_options, field)
static const struct option table[] = {
	COMMON_OPTIONS(AT(common)),
	{ OPTION_STRING, 'k', "vmlinux", AT(hist.source.symbols.vmlinux), .arg = "file", .help = "kernel image" },
	{ OPTION_STRING, 0, "kallsyms", AT(hist.source.symbols.kallsyms), .arg = "file",
	  .help = "file of kernel symbols, as /proc/kallsyms" },
	{ OPTION_BOOL, 'g', "call-graph", AT(hist.source.with_chains), .help = "show call chains if the recording has them (default)" },
	{ OPTION_U64, 0, "max-stack", AT(hist.max_stack), .arg = "n",
	  .help = "maximum number of functions of a call chain (default: 5)" },
	SYMFS_OPTION(AT(hist.source.symbols.symfs), "search for files with symbols below this directory"),
	{ OPTION_BOOL, 's', "summary", AT(hist.summary_only), .help = "show only the summary by thread" },
	{ OPTION_BOOL, 'S', "with-summary", AT(hist.summary), .help = "also show the summary by thread" },
	{ OPTION_BOOL, 'w', "wakeups", AT(hist.wakeups), .help = "show wakeups" },
	{ OPTION_BOOL, 'n', "next", AT(hist.next), .help = "show the thread that runs next" },
	{ OPTION_BOOL, 'M', "migrations", AT(hist.migrations), .help = "show moves from one CPU to another" },
	{ OPTION_BOOL, 'V', "cpu-visual", AT(hist.visual), .help = "show a column for each CPU" },
	{ OPTION_BOOL, 'I', "idle-hist", AT(hist.idle), .help = "show only idle CPUs" },
	{ OPTION_STRING, 0, "time", AT(hist.times), .arg = "start,stop", .help = "only this time range, in seconds" },
	{ OPTION_BOOL, 0, "state", AT(hist.state),
	  .help = "show the state in which threads leave a CPU; in the summary: the time in each state" },
	{ OPTION_STRING, 'p', "pid", AT(hist.pids), .arg = "pid,...", .help = "only these processes" },
	{ OPTION_STRING, 't', "tid", AT(hist.tids), .arg = "tid,...", .help = "only these threads" },
	{ OPTION_STRING, 'C', "cpu", AT(hist.cpus), .arg = "cpu,...", .help = "only these CPUs" },
	{ OPTION_BOOL, 0, "show-prio", AT(hist.prio), .help = "show priorities" },
	{ OPTION_STRING, 0, "prio", AT(hist.prios), .arg = "prio,...", .help = "only threads of these priorities" },
	{ OPTION_BOOL, 'P', "pre-migrations", AT(hist.pre_migrations), .help = "show how long threads waited before they were moved" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

static void set_defaults(void *options)
{
	struct timehist_options *o = options;
	o->hist.source.with_chains = true;
	o->hist.max_stack = DEFAULT_FRAMES;
}

static struct strobe_error *check(const struct cmd_context *ctx, struct timehist_options *o)
{
	TRY(subcommand_no_words(ctx));
	TRY(table_format_parse(o->format, &o->hist.format));
	if ((o->hist.wakeups || o->hist.next) && o->hist.summary_only)
		return error_create(ERROR_USAGE, "-s cannot be combined with -n and -w: it shows no lines");
	if (o->hist.format != TABLE_AS_TEXT && (o->hist.summary || o->hist.summary_only))
		return error_create(ERROR_USAGE, "--format json and csv do not include summaries: use sched latency");
	return NULL;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct timehist_options *o = options;
	struct out out;
	struct strobe_error *err = check(ctx, o);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->common.verbose);
	if (o->common.dump)
		return subcommand_dump(ctx, &o->common);
	cmd_open_output(ctx, &out);
	o->hist.source.host = cmd_host(ctx);
	o->hist.source.input = o->common.input;
	o->hist.source.force = o->common.force;
	return cmd_finish(ctx, &out, timehist_run(&o->hist, &out));
}

const struct cmd cmd_sched_timehist = {
	.name = "sched timehist",
	.summary = "Show how long threads wait and run, line by line",
	.usage = (const char *const[]){ "sched timehist [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct timehist_options),
	.defaults = set_defaults,
	.run = run,
	.permute = true,
};
