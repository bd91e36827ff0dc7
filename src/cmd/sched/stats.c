/* strobe sched stats: the scheduler's statistics. */
#include <string.h>

#include "analysis/schedstat/schedstat_file.h"
#include "analysis/schedstat/schedstat_live.h"
#include "analysis/schedstat/schedstat_text.h"
#include "cmd/frame.h"
#include "cmd/sched/subcommands.h"
#include "cmd/table_output.h"

struct stats_options {
	struct cmd_common common;
	const char *output, *cpus, *format;
};

struct stats {
	struct cmd_context *ctx;
	const struct stats_options *o;
	enum table_format format;
	sys_cpus cpus;
	int words; /* a command, or files */
	char **word;
	struct schedstat_times of; /* readings, or differences of two recordings */
};

#define AT(field) offsetof(struct stats_options, field)
static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(common.input), .arg = "file", .help = "report: input file (default: perf.data)" },
	{ OPTION_BOOL, 'f', "force", AT(common.force), .help = "report and diff: skip the ownership check" },
	{ OPTION_COUNT, 'v', "verbose", AT(common.verbose), .help = "print the meanings of counters instead of their names" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "record: output file (default: perf.data)" },
	{ OPTION_STRING, 'C', "cpu", AT(cpus), .arg = "cpu,...", .help = "only these CPUs (0-3,7)" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

static int put(struct stats *s, const struct schedstat *counted, const struct schedstat *other)
{
	const struct schedstat_view v = { .s = counted, .other = other, .explains = s->o->common.verbose, .summary_only = other };
	struct strobe_error *err = schedstat_check(&v);
	struct table t;
	struct out out;
	if (err)
		return cmd_fail(s->ctx, err);
	if (s->format != TABLE_AS_TEXT) {
		schedstat_table(&t, &v);
		return cmd_print_table(s->ctx, &t, s->format);
	}
	cmd_open_output(s->ctx, &out);
	schedstat_text(&out, &v);
	return cmd_close_output(s->ctx, &out);
}

static struct strobe_error *measure(struct stats *s)
{
	return schedstat_measure(sys_live(), &s->cpus, s->words ? cmd_command(s->ctx) : NULL, &s->of);
}

static int show_running(struct stats *s)
{
	struct strobe_error *err = measure(s);
	if (!err)
		err = schedstat_subtract(&s->of.after, &s->of.before);
	return err ? cmd_fail(s->ctx, err) : put(s, &s->of.after, NULL);
}

static int record(struct stats *s)
{
	const char *path = s->o->output ? s->o->output : "perf.data";
	struct strobe_error *err = measure(s);
	if (!err)
		err = schedstat_record(sys_live(), &s->of, path);
	if (!err)
		cmd_say(s->ctx, "wrote the scheduler's counters before and after to %s", path);
	return cmd_fail(s->ctx, err);
}

static struct strobe_error *load(const struct stats *s, const char *path, struct schedstat *ret)
{
	return schedstat_load(path, s->o->common.force, &s->cpus, ret);
}

static int report(struct stats *s)
{
	struct strobe_error *err = subcommand_no_words(s->ctx);
	if (!err)
		err = load(s, s->o->common.input ? s->o->common.input : "perf.data", &s->of.after);
	return err ? cmd_fail(s->ctx, err) : put(s, &s->of.after, NULL);
}

static int diff(struct stats *s)
{
	struct strobe_error *err = s->words > 2 ? error_create(ERROR_USAGE, "specify two recordings at most") :
				   load(s, s->words > 1 ? s->word[0] : "perf.data.old", &s->of.before);
	if (!err)
		err = load(s, s->words ? s->word[s->words - 1] : "perf.data", &s->of.after);
	return err ? cmd_fail(s->ctx, err) : put(s, &s->of.before, &s->of.after);
}

static int run_as(struct cmd_context *ctx, void *options, int (*what)(struct stats *s))
{
	struct stats s = { .ctx = ctx, .o = options, .words = ctx->rest.argc, .word = ctx->rest.argv };
	struct strobe_error *err = table_format_parse(s.o->format, &s.format);
	if (!err && s.o->common.input && what != report)
		err = error_create(ERROR_USAGE, "-i requires report");
	if (!err && s.o->output && what != record)
		err = error_create(ERROR_USAGE, "-o requires record");
	if (!err && s.o->cpus)
		err = sys_cpus_parse(s.o->cpus, &s.cpus);
	int status = err ? cmd_fail_usage(ctx, err) : what(&s);
	schedstat_deinit(&s.of.before);
	schedstat_deinit(&s.of.after);
	vec_deinit(&s.cpus);
	return status;
}

#define SUBCOMMAND(what, words, text)                                                             \
	static int run_##what(struct cmd_context *ctx, void *options)                             \
	{                                                                                         \
		return run_as(ctx, options, what);                                                \
	}                                                                                         \
	static const struct cmd cmd_##what = {                                                    \
		.name = "sched stats " #what,                                                     \
		.summary = text,                                                                  \
		.usage = (const char *const[]){ "sched stats " #what " " words, NULL },           \
		.options = table,                                                                 \
		.options_bytes = sizeof(struct stats_options),                                    \
		.run = run_##what,                                                                \
	}

SUBCOMMAND(record, "[-o <file>] [<command>]", "Record scheduler statistics");
SUBCOMMAND(report, "[-i <file>]", "Show the scheduler statistics of a recording");
SUBCOMMAND(diff, "[<file1> [<file2>]]", "Compare the scheduler statistics of two recordings");

static const struct cmd *const subcommands[] = { &cmd_record, &cmd_report, &cmd_diff, NULL };

/* Options before the subcommand apply to it, too. */
static int run_subcommand(struct cmd_context *ctx, const struct cmd *sub, const struct stats_options *o)
{
	const char *const options[][2] = { { "-o", o->output }, { "-C", o->cpus }, { "--format", o->format } };
	const char *more[2 * sizeof(options) / sizeof(*options) + 1] = {};
	size_t nr = 0;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i][1]) {
			more[nr++] = options[i][0];
			more[nr++] = options[i][1];
		}
	return subcommand_run(ctx, sub, &o->common, more);
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct cmd *sub = ctx->rest.argc ? subcommand_find(ctx->cmd, ctx->rest.argv[0]) : NULL;
	return sub ? run_subcommand(ctx, sub, options) : run_as(ctx, options, show_running);
}

const struct cmd cmd_sched_stats = {
	.name = "sched stats",
	.summary = "Show scheduler statistics by CPU and scheduling domain",
	.usage = (const char *const[]){ "sched stats [<options>] [<command>]", "sched stats record [-o <file>] [<command>]",
					"sched stats report [-i <file>]", "sched stats diff [<file1> [<file2>]]", NULL },
	.options = table,
	.options_bytes = sizeof(struct stats_options),
	.subcommands = subcommands,
	.run = run,
};
