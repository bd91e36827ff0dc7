/* strobe kwork: the kernel's own work: interrupts, softirqs, workqueues. */
#include <string.h>

#include "analysis/kwork/kwork.h"
#include "analysis/kwork/kwork_live.h"
#include "analysis/kwork/kwork_text.h"
#include "analysis/kwork/kwork_top.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/frame.h"
#include "cmd/shared_options.h"
#include "cmd/subcommand.h"
#include "cmd/table_output.h"
#include "sys/sys.h"

#define DEFAULT_FRAMES 5

struct kwork_options {
	struct cmd_common common;
	struct kwork_request kwork;
	const char *kinds, *format;
	bool in_kernel; /* of the running system; also used with a command */
};

#define AT(field) offsetof(struct kwork_options, field)
#define KINDS                                                                                                                 \
	{ OPTION_STRING, 'k', "kwork", AT(kinds), .arg = "kind,...",                                                              \
	  .help = "kinds of work: irq, softirq, workqueue, sched (default: irq,softirq,workqueue; top: sched,irq,softirq)" }
#define CHOICE                                                                                                               \
	{ OPTION_STRING, 'C', "cpu", AT(kwork.cpus), .arg = "cpu,...", .help = "only these CPUs" },                               \
	{ OPTION_STRING, 'n', "name", AT(kwork.question.name), .arg = "name", .help = "only work or tasks with this name" }, \
	{ OPTION_STRING, 0, "time", AT(kwork.times), .arg = "start,stop", .help = "only this time range, in seconds" },           \
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json|csv", .help = "output format" }
#define LIVE                                                                                                                 \
	{ OPTION_BOOL, 'b', "use-bpf", AT(in_kernel),                                                                             \
	  .help = "measure the running system with BPF until Ctrl-C, or until the command ends (implied by a command)" }
#define SORT(keys) { OPTION_STRING, 's', "sort", AT(kwork.question.sort), .arg = "key,...", .help = "sort by these keys: " keys }

static const struct option table[] = { COMMON_OPTIONS(AT(common)), KINDS, OPTIONS_END };
static const struct option report_table[] = {
	COMMON_OPTIONS(AT(common)), KINDS, CHOICE, LIVE, SORT("runtime, max, count (default: all, in this order)"),
	{ OPTION_BOOL, 'S', "with-summary", AT(kwork.question.summary), .help = "also show a summary" },
	OPTIONS_END,
};
static const struct option latency_table[] = {
	COMMON_OPTIONS(AT(common)), KINDS, CHOICE, LIVE, SORT("avg, max, count (default: all, in this order)"), OPTIONS_END,
};
static const struct option top_table[] = {
	COMMON_OPTIONS(AT(common)), KINDS, CHOICE, LIVE, SORT("rate, runtime, tid (default: rate,runtime)"), OPTIONS_END,
};
static const struct option timehist_table[] = {
	COMMON_OPTIONS(AT(common)), KINDS, CHOICE,
	{ OPTION_BOOL, 'g', "call-graph", AT(kwork.with_chains), .help = "show the call chain of each start" },
	{ OPTION_U64, 0, "max-stack", AT(kwork.max_stack), .arg = "n",
	  .help = "maximum number of functions of a call chain (default: 5)" },
	{ OPTION_STRING, 0, "vmlinux", AT(kwork.symbols.vmlinux), .arg = "file", .help = "kernel image" },
	{ OPTION_STRING, 0, "kallsyms", AT(kwork.symbols.kallsyms), .arg = "file", .help = "file of kernel symbols, as /proc/kallsyms" },
	SYMFS_OPTION(AT(kwork.symbols.symfs), "search for files with symbols below this directory"),
	OPTIONS_END,
};

static void set_defaults(void *options)
{
	((struct kwork_options *)options)->kwork.max_stack = DEFAULT_FRAMES;
}

/* ---- tables ---- */

static void put(struct out *out, const struct kwork_options *o, struct kwork_works *works)
{
	const struct kwork_question *q = &o->kwork.question;
	struct kwork_top top;
	struct table t;
	if (q->report == KWORK_TIMEHIST)
		return;
	if (q->report == KWORK_TOP) {
		kwork_top_make(&top, works, q);
		kwork_top_table(&t, &top);
		kwork_top_deinit(&top);
	} else {
		kwork_works_sort(works, q);
		kwork_table(&t, works, q);
	}
	cmd_write_table(out, &t, o->kwork.format, NULL);
	table_deinit(&t);
}

/* ---- of the running system ---- */

static int run_live(struct cmd_context *ctx, const struct kwork_options *o)
{
	const struct kwork_live_request request = {
		.host = cmd_host(ctx),
		.sys = sys_live(),
		.command = ctx->rest.argc ? cmd_command(ctx) : NULL,
		.question = &o->kwork.question,
		.cpus = o->kwork.cpus,
	};
	struct kwork_live *l;
	struct out out;
	int status = CMD_OK;
	struct strobe_error *err = kwork_live_run(&request, &l);
	if (!err) {
		cmd_open_output(ctx, &out);
		put(&out, o, kwork_live_works(l));
		status = cmd_close_output(ctx, &out);
	}
	kwork_live_destroy(l);
	return err ? cmd_fail_either(ctx, err) : status;
}

/* ---- of a recording ---- */

static int show(struct cmd_context *ctx, struct kwork_options *o)
{
	struct kwork *k;
	struct out out;
	cmd_open_output(ctx, &out);
	o->kwork.host = cmd_host(ctx);
	o->kwork.input = o->common.input;
	o->kwork.force = o->common.force;
	o->kwork.out = &out;
	struct strobe_error *err = kwork_run(&o->kwork, &k);
	if (!err || kwork_works(k)->works.len)
		put(&out, o, kwork_works(k));
	int status = cmd_finish(ctx, &out, err);
	kwork_remarks(k);
	kwork_destroy(k);
	return status;
}

static struct strobe_error *check(const struct cmd_context *ctx, struct kwork_options *o)
{
	bool is_live = o->in_kernel || ctx->rest.argc;
	if (is_live && o->kwork.question.report == KWORK_TIMEHIST)
		return subcommand_no_words(ctx);
	if (is_live && (o->common.input || o->common.dump || o->kwork.times))
		return error_create(ERROR_USAGE, "-i, -D and --time are for recordings, -b and a command for the running system");
	TRY(kwork_kinds_parse(o->kinds, &o->kwork.question));
	TRY(kwork_sort_check(&o->kwork.question));
	return table_format_parse(o->format, &o->kwork.format);
}

static int run_any(struct cmd_context *ctx, struct kwork_options *o, enum kwork_report report)
{
	o->kwork.question.report = report;
	struct strobe_error *err = check(ctx, o);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->common.verbose);
	if (o->in_kernel || ctx->rest.argc)
		return run_live(ctx, o);
	return o->common.dump ? subcommand_dump(ctx, &o->common) : show(ctx, o);
}

static int run_report(struct cmd_context *ctx, void *options)
{
	return run_any(ctx, options, KWORK_RUNTIME);
}

static int run_latency(struct cmd_context *ctx, void *options)
{
	return run_any(ctx, options, KWORK_LATENCY);
}

static int run_timehist(struct cmd_context *ctx, void *options)
{
	return run_any(ctx, options, KWORK_TIMEHIST);
}

static int run_top(struct cmd_context *ctx, void *options)
{
	return run_any(ctx, options, KWORK_TOP);
}

#define SUBCOMMAND(id, word, text)                                                           \
	static const struct cmd id = {                                                       \
		.name = "kwork " word,                                                       \
		.summary = text,                                                             \
		.usage = (const char *const[]){ "kwork " word " [<options>]", NULL },         \
		.options = id##_table,                                                       \
		.options_bytes = sizeof(struct kwork_options),                               \
		.defaults = set_defaults,                                                    \
		.run = run_##id,                                                             \
	}

SUBCOMMAND(report, "report", "Show run times of kernel work");
SUBCOMMAND(latency, "latency", "Show how long kernel work waited");
SUBCOMMAND(timehist, "timehist", "Show each run of kernel work");
SUBCOMMAND(top, "top", "Show the CPU usage of tasks, excluding interrupts");

static const struct cmd *const subcommands[] = { &report, &latency, &timehist, &top, NULL };

/* ---- record ---- */

static int record(struct cmd_context *ctx, const struct kwork_options *o)
{
	static const char *const first[] = { "record", "-a", "-R", "-m", "1024", "-c", "1", "--no-exclude-perf", NULL };
	struct kwork_question q = { .report = KWORK_RUNTIME };
	struct recorded_events events = { .arena = &ctx->words };
	struct strobe_error *err = kwork_kinds_parse(o->kinds, &q);
	if (err)
		return cmd_fail_usage(ctx, err);
	kwork_recorded_events(&q, &events);
	return cmd_run_record(ctx, first, &events, ctx->rest.argc, ctx->rest.argv);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct kwork_options *o = options;
	const char *word = ctx->rest.argc ? ctx->rest.argv[0] : "";
	if (subcommand_is(word, "record"))
		return record(ctx, o);
	const struct cmd *sub = subcommand_find(ctx->cmd, word);
	if (sub) {
		const char *more[] = { o->kinds ? "-k" : NULL, o->kinds, NULL };
		return subcommand_run(ctx, sub, &o->common, more);
	}
	return subcommand_unknown(ctx, word, "record, report, latency, timehist or top");
}

const struct cmd cmd_kwork = {
	.name = "kwork",
	.summary = "Show how long interrupts, softirqs and workqueues of the kernel take",
	.usage = (const char *const[]){ "kwork record [<options of record>] [<command>]",
					"kwork -k <kinds> record [<options of record>] [<command>]", "kwork report [<options>]",
					"kwork report -b [<options>] [<command>]", "kwork latency [<options>]",
					"kwork timehist [<options>]", "kwork top [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct kwork_options),
	.subcommands = subcommands,
	.run = run,
};
