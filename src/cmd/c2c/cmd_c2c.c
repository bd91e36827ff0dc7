/* strobe c2c: cache lines that CPUs share. */
#include <string.h>

#include "analysis/memory/access_events.h"
#include "analysis/memory/c2c_text.h"
#include "base/out.h"
#include "cli/option_split.h"
#include "cmd/frame.h"
#include "cmd/subcommand.h"
#include "cmd/table_output.h"
#include "cmd/unsupported.h"
#include "sys/sys.h"

struct c2c_options {
	struct access_choice events;
	bool kernel_only, user_only;
	struct c2c_request request;
	struct c2c_view view;
	bool stdio;
	unsigned verbose;
	const char *format_name;
	enum table_format format;
};

/* The room parses it: what it means depends on the recording. */
static struct strobe_error *parse_chains(void *field, const char *value, bool negated)
{
	*(const char **)field = negated ? "none" : value;
	return NULL;
}

#define AT(field) offsetof(struct c2c_options, field)

static const struct option record_table[] = {
	{ OPTION_STRING, 'e', "event", AT(events.only), .arg = "event", .help = "memory event; see 'strobe mem record -e list'" },
	{ OPTION_U64, 'l', "ldlat", AT(events.latency), .arg = "n", .set_offset = AT(events.latency_set),
	  .help = "only loads of at least this many cycles (default: 30)" },
	{ OPTION_BOOL, 'k', "all-kernel", AT(kernel_only), .help = "record accesses of the kernel only" },
	{ OPTION_BOOL, 'u', "all-user", AT(user_only), .help = "record accesses of programs only" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

static const struct option report_table[] = {
	{ OPTION_STRING, 'i', "input", AT(request.input), .arg = "file", .help = "input file (default: perf.data); - for standard input" },
	{ OPTION_BOOL, 'f', "force", AT(request.force), .help = "skip the ownership check" },
	{ OPTION_STRING, 'd', "display", AT(request.display), .arg = "tot|lcl|rmt|peer",
	  .help = "select and sort cache lines by HITM loads: all, local or remote; peer: by loads that another core answered\n"
		  "(default: tot; on Arm: peer)" },
	{ OPTION_STRING, 'c', "coalesce", AT(request.coalesce), .arg = "key,...",
	  .help = "one row for each offset and these keys: pid, tid, iaddr, dso (default: iaddr)" },
	{ OPTION_COUNT, 'N', "node-info", AT(view.node_info), .help = "show the share of each NUMA node; twice: the CPUs of each node" },
	{ OPTION_BOOL, 0, "double-cl", AT(request.double_lines), .help = "merge adjacent cache lines, which processors prefetch in pairs" },
	{ OPTION_BOOL, 0, "show-all", AT(request.show_all), .help = "also show cache lines with less than 0.05 % of these loads" },
	{ OPTION_BOOL, 0, "stats", AT(view.stats_only), .help = "show only the totals" },
	{ OPTION_BOOL, 0, "full-symbols", AT(view.full_symbols), .help = "show long names in full" },
	{ OPTION_BOOL, 0, "source", AT(request.with_lines), .help = "show source lines (on)" },
	{ OPTION_STRING, 'k', "vmlinux", AT(request.vmlinux), .arg = "file", .help = "kernel image" },
	{ OPTION_BOOL, 0, "stdio", AT(stdio), .help = "print text (the only interface)" },
	{ OPTION_STRING, 0, "format", AT(format_name), .arg = "text|json|csv", .help = "output format" },
	{ OPTION_CALL, 'g', "call-graph", AT(request.call_graph), .parse = parse_chains, .default_arg = "caller",
	  .arg = "print_type,threshold[,print_limit],order,sort_key,value",
	  .help = "show call graphs below rows, as report -g does; none: do not\n"
		  "(default: graph,0.5,callee,function,percent, if call chains were recorded; -g alone: caller)" },
	{ OPTION_BOOL, 0, "stitch-lbr", AT(request.stitch_calls),
	  .help = "join overlapping LBR call stacks of consecutive samples (record --call-graph lbr)" },
	{ OPTION_STRING, 'M', "disassembler-style", AT(request.syntax), .arg = "att|intel",
	  .help = "show the instruction of each row, in this syntax of x86" },
	NEEDLESS_OPTION("objdump"),
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

static const struct option table[] = {
	{ OPTION_GROUP, .help = "record" },
	OPTIONS_OF(record_table, 0),
	{ OPTION_GROUP, .help = "report" },
	OPTIONS_OF(report_table, 0),
	OPTIONS_END,
};

static void set_defaults(void *options)
{
	struct c2c_options *o = options;
	o->events = (struct access_choice){ .loads = true, .stores = true, .latency = ACCESS_LATENCY_DEFAULT };
	o->request.with_lines = true;
}

static int record(struct cmd_context *ctx, struct c2c_options *o)
{
	struct recorded_events events = { .arena = &ctx->words };
	int first = options_split(record_table, cmd_find("record")->options, ctx->rest.argc, ctx->rest.argv);
	struct options_result own;
	struct strobe_error *err = options_parse(record_table, o, first, ctx->rest.argv, false, &own);
	if (!err && own.help)
		return cmd_show_help(ctx);
	err = err ? err : access_recorded_events(sys_live(), &o->events, &events);
	if (err) {
		vec_deinit(&events.list);
		return cmd_fail_either(ctx, err);
	}
	const char *words[10] = { "record", "-W", "-d", "--phys-data", "--sample-cpu" };
	unsigned n = 5;
	if (o->kernel_only)
		words[n++] = "--all-kernel";
	if (o->user_only)
		words[n++] = "--all-user";
	if (o->verbose)
		words[n++] = "-v";
	return cmd_run_record(ctx, words, &events, ctx->rest.argc - first + 1, ctx->rest.argv + first - 1);
}

static void put(struct out *out, const struct c2c_options *o, const struct c2c_sums *sums)
{
	struct table t;
	if (o->format != TABLE_AS_TEXT) {
		c2c_table(&t, sums);
	} else {
		c2c_text(out, sums);
		if (o->view.stats_only)
			return;
		c2c_lines_table(&t, sums);
		cmd_write_table(out, &t, o->format, NULL);
		table_deinit(&t);
		c2c_rows_table(&t, sums, &o->view);
	}
	cmd_write_table(out, &t, o->format, NULL);
	table_deinit(&t);
}

static int report(struct cmd_context *ctx, struct c2c_options *o)
{
	struct c2c *c;
	struct out out;
	struct strobe_error *err = options_parse(report_table, o, ctx->rest.argc, ctx->rest.argv, true, &ctx->rest);
	if (!err && ctx->rest.help)
		return cmd_show_help(ctx);
	err = err ? err : subcommand_no_words(ctx);
	err = err ? err : table_format_parse(o->format_name, &o->format);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose);
	o->view.node_info = o->view.node_info > 2 ? 2 : o->view.node_info;
	o->request.with_lines &= !o->view.stats_only;
	o->request.host = cmd_host(ctx);
	err = c2c_run(&o->request, &c);
	cmd_open_output(ctx, &out);
	if (!err || c2c_sums(c)->all.n[ACCESS_RECORDS])
		put(&out, o, c2c_sums(c));
	int status = cmd_finish(ctx, &out, err);
	c2c_remarks(c);
	c2c_destroy(c);
	return status;
}

static int run(struct cmd_context *ctx, void *options)
{
	const char *word = ctx->rest.argc ? ctx->rest.argv[0] : "";
	if (subcommand_is(word, "record"))
		return record(ctx, options);
	if (subcommand_is(word, "report"))
		return report(ctx, options);
	return subcommand_unknown(ctx, word, "record or report");
}

const struct cmd cmd_c2c = {
	.name = "c2c",
	.summary = "Show which cache lines CPUs share and change",
	.usage = (const char *const[]){ "c2c record [<options>] [<options of record>] [<command>]", "c2c report [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct c2c_options),
	.defaults = set_defaults,
	.run = run,
};
