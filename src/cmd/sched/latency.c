/* strobe sched latency: how long threads waited for a CPU. */
#include "analysis/sched/sched_latency.h"

#include <inttypes.h>

#include "analysis/sched/sched_live.h"
#include "base/out.h"
#include "cmd/frame.h"
#include "cmd/sched/subcommands.h"
#include "cmd/table_output.h"
#include "sys/sys.h"

#define DEFAULT_ENTRIES 16384
#define ENTRIES_MAX     (1 << 20)
#define INTERVAL_MAX_S  (UINT64_C(1) << 20)

struct latency_options {
	struct cmd_common common;
	const char *sort, *format;
	int64_t cpu;
	bool by_thread, percentiles;
	bool in_kernel, all_cpus; /* of the running system; also with a command or these: */
	const char *pids, *tids;
	uint64_t interval_s, entries;
};

#define AT(field) offsetof(struct latency_options, field)
static const struct option table[] = {
	COMMON_OPTIONS(AT(common)),
	{ OPTION_STRING, 's', "sort", AT(sort), .arg = "key,...",
	  .help = "sort by these keys: avg, max, switch, runtime, pid (default: avg,max,switch,runtime)" },
	{ OPTION_BOOL, 'p', "pids", AT(by_thread), .help = "one row for each thread instead of each name" },
	{ OPTION_I64, 'C', "CPU", AT(cpu), .arg = "n", .help = "the recording contains only this CPU" },
	{ OPTION_BOOL, 0, "percentiles", AT(percentiles),
	  .help = "also show the time in each state, and percentiles of waits for a CPU" },
	{ OPTION_BOOL, 'b', "use-bpf", AT(in_kernel),
	  .help = "measure the running system with BPF (implied by -a, --pid, --tid, -I and a command)" },
	{ OPTION_BOOL, 'a', "all-cpus", AT(all_cpus), .help = "measure all tasks until the command ends, or until Ctrl-C" },
	{ OPTION_STRING, 0, "pid", AT(pids), .arg = "pid,...", .help = "measure these processes and their descendants" },
	{ OPTION_STRING, 0, "tid", AT(tids), .arg = "tid,...", .help = "measure these threads and their descendants" },
	{ OPTION_U64, 'I', "interval", AT(interval_s), .arg = "s", .help = "print the table at this interval (seconds)" },
	{ OPTION_U64, 'M', "map-nr-entries", AT(entries), .arg = "n",
	  .help = "with -b: maximum number of tasks at a time (default: 16384)" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

static void set_defaults(void *options)
{
	struct latency_options *o = options;
	o->sort = "avg, max, switch, runtime";
	o->cpu = -1;
	o->entries = DEFAULT_ENTRIES;
}

/* l NULL: of the running system. */
static void put(struct out *out, const struct latency_options *o, enum table_format format, const struct sched_sums *sums,
		const struct sched_latency *l)
{
	struct table t;
	if (format == TABLE_AS_TEXT) {
		sched_sums_text(&t, sums);
		cmd_write_table(out, &t, format, NULL);
		table_deinit(&t);
		if (l)
			sched_latency_notes(l, out);
		out_ch(out, '\n');
		if (l && !o->percentiles)
			return;
	}
	sched_sums_table(&t, sums);
	cmd_write_table(out, &t, format, NULL);
	table_deinit(&t);
}

/* ---- of the running system ---- */

struct live {
	const struct latency_options *o;
	enum table_format format;
	struct out *out;
};

static struct strobe_error *put_live(void *ctx, const struct sched_sums *sums)
{
	struct live *l = ctx;
	put(l->out, l->o, l->format, sums, NULL);
	out_flush(l->out);
	return out_failed(l->out) ? error_create(ERROR_STOPPED, "no more output") : NULL;
}

static int run_live(struct cmd_context *ctx, const struct latency_options *o, enum table_format format)
{
	struct out out;
	struct live l = { .o = o, .format = format, .out = &out };
	struct sched_live_request request = {
		.host = cmd_host(ctx),
		.sys = sys_live(),
		.target = { .system_wide = o->all_cpus || (!ctx->rest.argc && !o->pids && !o->tids), .pids = o->pids, .tids = o->tids },
		.command = ctx->rest.argc ? cmd_command(ctx) : NULL,
		.sort = o->sort,
		.by_thread = o->by_thread,
		.entries = (uint32_t)o->entries,
		.interval_ms = o->interval_s * 1000,
		.give = put_live,
		.ctx = &l,
	};
	cmd_open_output(ctx, &out);
	return cmd_finish(ctx, &out, sched_live_run(&request));
}

/* ---- of a recording ---- */

static int show(struct cmd_context *ctx, const struct latency_options *o, enum table_format format)
{
	const struct sched_latency_request request = {
		.source = { .host = cmd_host(ctx), .input = o->common.input, .force = o->common.force },
		.sort = o->sort,
		.by_thread = o->by_thread,
		.one_cpu = o->cpu >= 0,
		.with_states = o->percentiles || format != TABLE_AS_TEXT,
	};
	struct sched_latency *l;
	struct out out;
	int status = CMD_OK;
	struct strobe_error *err = sched_latency_run(&request, &l);
	if (!err || sched_latency_sums(l)->rows.len) {
		cmd_open_output(ctx, &out);
		put(&out, o, format, sched_latency_sums(l), l);
		status = cmd_close_output(ctx, &out);
		sched_latency_remarks(l);
	}
	sched_latency_destroy(l);
	int failed = cmd_fail(ctx, err);
	return status ? status : failed;
}

static bool is_live(const struct cmd_context *ctx, const struct latency_options *o)
{
	return o->in_kernel || o->all_cpus || o->pids || o->tids || o->interval_s || ctx->rest.argc;
}

static struct strobe_error *check(const struct cmd_context *ctx, const struct latency_options *o)
{
	if (o->cpu < -1)
		return error_create(ERROR_USAGE, "-C: CPUs are numbered from 0");
	if (is_live(ctx, o) && (o->common.input || o->cpu >= 0 || o->common.dump))
		return error_create(ERROR_USAGE, "-i, -C and -D are for recordings, a command, -b, -a, --pid, --tid and -I for the "
						 "running system");
	if (!is_live(ctx, o) && o->entries != DEFAULT_ENTRIES)
		return error_create(ERROR_USAGE, "-M requires -b");
	if (!o->entries || o->entries > ENTRIES_MAX)
		return error_create(ERROR_USAGE, "-M: from 1 to %d entries", ENTRIES_MAX);
	if (o->interval_s > INTERVAL_MAX_S)
		return error_create(ERROR_USAGE, "-I: at most %" PRIu64 " seconds", INTERVAL_MAX_S);
	return sched_sums_check(o->sort);
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct latency_options *o = options;
	enum table_format format;
	struct strobe_error *err = check(ctx, o);
	if (!err)
		err = table_format_parse(o->format, &format);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->common.verbose);
	if (is_live(ctx, o))
		return run_live(ctx, o, format);
	return o->common.dump ? subcommand_dump(ctx, &o->common) : show(ctx, o, format);
}

const struct cmd cmd_sched_latency = {
	.name = "sched latency",
	.summary = "Show how long threads wait for a CPU",
	.usage = (const char *const[]){ "sched latency [<options>]", "sched latency [-a] [<options>] [<command>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct latency_options),
	.defaults = set_defaults,
	.run = run,
};
