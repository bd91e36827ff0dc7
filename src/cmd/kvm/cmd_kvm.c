/* strobe kvm: the cost of guests for the host, and recordings with samples of guests. */
#include <string.h>
#include <unistd.h>

#include "analysis/kvm/kvm_live.h"
#include "analysis/kvm/kvm_text.h"
#include "base/out.h"
#include "capture/options.h"
#include "cmd/frame.h"
#include "cmd/subcommand.h"
#include "cmd/table_output.h"
#include "cmd/unsupported.h"
#include "sys/sys.h"

struct kvm_options {
	struct cmd_common common; /* kvm does not have -D of these */
	const char *output, *event, *sort, *format_name;
	struct kvm_request kvm;
	enum table_format format;
	bool host, guest, stdio;
	struct kvm_live_request live;
	uint64_t display_s, duration_us;
	bool all;
	struct cmd_context *ctx; /* of live */
	struct out *out;
};

#define AT(field) offsetof(struct kvm_options, field)
#define INPUT                                                                                                                             \
	{ OPTION_STRING, 'i', "input", AT(common.input), .arg = "file", .help = "input file (default: perf.data.guest, .host or .kvm)" }, \
	{                                                                                                                                 \
		OPTION_COUNT, 'v', "verbose", AT(common.verbose), .help = "be more verbose"                                               \
	}

static const struct option table[] = {
	INPUT,
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "output file (default: perf.data.guest, .host or .kvm)" },
	{ OPTION_BOOL, 0, "host", AT(host), .help = "profile the host" },
	{ OPTION_BOOL, 0, "guest", AT(guest), .help = "profile guests (default)" },
	UNSUPPORTED_OPTION("guest-code", unsupported_guests),
	UNSUPPORTED_OPTION("guestkallsyms", unsupported_guests),
	UNSUPPORTED_OPTION("guestmodules", unsupported_guests),
	UNSUPPORTED_OPTION("guestmount", unsupported_guests),
	UNSUPPORTED_OPTION("guestvmlinux", unsupported_guests),
	OPTIONS_END,
};
static const struct option report_table[] = {
	INPUT,
	{ OPTION_BOOL, 'f', "force", AT(common.force), .help = "skip the ownership check" },
	{ OPTION_STRING, 0, "event", AT(event), .arg = "event", .help = "event to analyse: vmexit (default), mmio, ioport or msr" },
	{ OPTION_STRING, 'k', "key", AT(sort), .arg = "key", .help = "sort by sample (number of exits; default) or time (total)" },
	{ OPTION_I64, 0, "vcpu", AT(kvm.vcpu), .arg = "n", .help = "only this virtual CPU" },
	{ OPTION_STRING, 'p', "pid", AT(kvm.pids), .arg = "pid,...", .help = "only these guests" },
	{ OPTION_STRING, 0, "format", AT(format_name), .arg = "text|json|csv", .help = "output format" },
	{ OPTION_BOOL, 0, "stdio", AT(stdio), .hidden = true },
	OPTIONS_END,
};

static struct strobe_error *parse_pages(void *options, const char *value, bool unset)
{
	if (unset)
		return error_create(ERROR_USAGE, "needs a number of pages");
	return mmap_pages_parse(value, &((struct kvm_options *)options)->live.mmap_pages);
}

static const struct option live_table[] = {
	{ OPTION_BOOL, 'a', "all-cpus", AT(all), .help = "all guests (default without -p)" },
	{ OPTION_U64, 'd', "display", AT(display_s), .arg = "s", .help = "show the table at this interval (seconds; default: 1)" },
	{ OPTION_STRING, 'k', "key", AT(sort), .arg = "key", .help = "sort by sample (number of exits; default) or time (total)" },
	{ OPTION_CALL, 'm', "mmap-pages", .arg = "pages", .parse = parse_pages, .help = "pages of each ring buffer, or bytes (2M)" },
	{ OPTION_STRING, 'p', "pid", AT(kvm.pids), .arg = "pid,...", .help = "only these guests" },
	{ OPTION_COUNT, 'v', "verbose", AT(common.verbose), .help = "be more verbose" },
	{ OPTION_U64, 0, "duration", AT(duration_us), .arg = "us",
	  .help = "also show each exit that takes longer, except those of idle guests (HLT)" },
	{ OPTION_STRING, 0, "event", AT(event), .arg = "event", .help = "event to analyse: vmexit (default), mmio, ioport or msr" },
	/* perf reads the mappings of all processes first; this command has no use for them */
	{ OPTION_U64, 0, "proc-map-timeout", AT(live.map_timeout_ms), .arg = "ms", .hidden = true },
	{ OPTION_I64, 0, "vcpu", AT(kvm.vcpu), .arg = "n", .help = "only this virtual CPU" },
	OPTIONS_END,
};

static void set_defaults(void *options)
{
	((struct kvm_options *)options)->kvm.vcpu = KVM_ALL_VCPUS;
	((struct kvm_options *)options)->display_s = 1;
}

/* ---- stat ---- */

static int show(struct cmd_context *ctx, struct kvm_options *o)
{
	struct kvm *k;
	struct table t;
	struct out out;
	cmd_open_output(ctx, &out);
	struct strobe_error *err = kvm_run(&o->kvm, &k);
	if (!err || kvm_exits(k)->rows.len) {
		kvm_table(&t, kvm_exits(k), o->kvm.subject, o->kvm.pids);
		cmd_write_table(&out, &t, o->format, NULL);
		table_deinit(&t);
	}
	int status = cmd_finish(ctx, &out, err);
	kvm_remarks(k);
	kvm_destroy(k);
	return status;
}

static int run_report(struct cmd_context *ctx, void *options)
{
	struct kvm_options *o = options;
	struct strobe_error *err = subcommand_no_words(ctx);
	err = err ? err : kvm_subject_parse(o->event, &o->kvm.subject);
	err = err ? err : kvm_sort_parse(o->sort, &o->kvm.sort);
	err = err ? err : table_format_parse(o->format_name, &o->format);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->common.verbose);
	o->kvm.host = cmd_host(ctx);
	o->kvm.input = o->common.input ? o->common.input : "perf.data.guest";
	o->kvm.force = o->common.force;
	return show(ctx, o);
}

static const struct cmd report = {
	.name = "kvm stat report",
	.summary = "Show the exits of guests by reason, and their time",
	.usage = (const char *const[]){ "kvm stat report [<options>]", NULL },
	.options = report_table,
	.options_bytes = sizeof(struct kvm_options),
	.defaults = set_defaults,
	.run = run_report,
};

/* ---- stat live ---- */

static struct strobe_error *show_live(void *ctx, const struct kvm_exits *x, uint64_t lost)
{
	const struct kvm_options *o = ctx;
	struct table t;
	kvm_table(&t, x, o->kvm.subject, o->kvm.pids);
	kvm_live_begin(o->out, isatty(STDOUT_FILENO), lost);
	cmd_write_table(o->out, &t, o->format, NULL);
	table_deinit(&t);
	out_flush(o->out);
	return out_failed(o->out) ? error_create(ERROR_STOPPED, "the output is closed") : NULL;
}

static void show_slow(void *ctx, const struct kvm_slow_exit *e)
{
	kvm_slow_line(((struct kvm_options *)ctx)->out, e);
}

static struct strobe_error *check_live(struct kvm_options *o)
{
	if (!o->display_s)
		return error_create(ERROR_USAGE, "-d: the interval must be at least 1 second");
	if (o->all && o->kvm.pids)
		return error_create(ERROR_USAGE, "-a and -p exclude each other");
	TRY(kvm_subject_parse(o->event, &o->kvm.subject));
	return kvm_sort_parse(o->sort, &o->kvm.sort);
}

static int run_live(struct cmd_context *ctx, void *options)
{
	struct kvm_options *o = options;
	struct terminal_keys keys = {};
	struct out out;
	struct strobe_error *err = subcommand_no_words(ctx);
	err = err ? err : check_live(o);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->common.verbose);
	o->kvm.host = cmd_host(ctx);
	o->kvm.slow = o->duration_us ? show_slow : NULL;
	o->kvm.slow_ns = o->duration_us * 1000;
	o->kvm.ctx = o;
	o->out = &out;
	terminal_keys_open(&keys);
	o->live = (struct kvm_live_request){
		.kvm = o->kvm,
		.sys = sys_live(),
		.interval_ns = o->display_s * 1000000000,
		.mmap_pages = o->live.mmap_pages,
		.map_timeout_ms = o->live.map_timeout_ms,
		.key_fd = keys.is_open ? STDIN_FILENO : -1,
		.show = show_live,
	};
	out_init_fd(&out, STDOUT_FILENO);
	err = kvm_live_run(&o->live);
	terminal_keys_close(&keys);
	return cmd_finish(ctx, &out, err);
}

static const struct cmd live = {
	.name = "kvm stat live",
	.summary = "Show the exits of running guests by reason, and their time",
	.usage = (const char *const[]){ "kvm stat live [<options>]", NULL },
	.options = live_table,
	.options_bytes = sizeof(struct kvm_options),
	.defaults = set_defaults,
	.run = run_live,
};
static const struct cmd *const subcommands[] = { &report, &live, NULL };

static int record_exits(struct cmd_context *ctx, const char *file)
{
	const char *const first[] = { "record", "-R", "-m", "1024", "-c", "1", "-o", file, NULL };
	struct recorded_events events = { .arena = &ctx->words };
	struct strobe_error *err = kvm_recorded_events(sys_live(), &events);
	return err ? cmd_fail(ctx, err) : cmd_run_record(ctx, first, &events, ctx->rest.argc, ctx->rest.argv);
}

/* Without report, record or live this is the command stat. */
static int stat(struct cmd_context *ctx, struct kvm_options *o, const char *file)
{
	const char *word = ctx->rest.argc > 1 ? ctx->rest.argv[1] : "";
	struct cmd_words words = {};
	if (subcommand_is(word, "record") || subcommand_is(word, "report") || subcommand_is(word, "live")) {
		ctx->rest.argc--;
		ctx->rest.argv++;
	}
	if (subcommand_is(word, "record"))
		return record_exits(ctx, file);
	o->common.input = file;
	if (subcommand_is(word, "report"))
		return subcommand_run(ctx, &report, &o->common, NULL);
	if (subcommand_is(word, "live"))
		return cmd_run(ctx, &live, ctx->rest.argc, ctx->rest.argv);
	cmd_add_word(ctx, &words, "stat");
	return cmd_run_words(ctx, &words, ctx->rest.argc, ctx->rest.argv);
}

/* ---- other commands, with other default file names ---- */

static bool has_event(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "-e", 2) || !strncmp(argv[i], "--event", 7))
			return true;
	return false;
}

static int forward(struct cmd_context *ctx, const struct kvm_options *o, const char *word, const char *file)
{
	bool is_record = !strcmp(word, "record"), is_top = !strcmp(word, "top");
	const char *event = o->host && o->guest ? "cycles:GH" : o->host ? "cycles:H" :
									  "cycles:G";
	const char *const of_events[] = { "-e", event, NULL }, *const of_file[] = { is_record ? "-o" : "-i", file, NULL };
	struct cmd_words words = {};
	cmd_add_word(ctx, &words, word);
	if ((is_record || is_top) && !has_event(ctx->rest.argc, ctx->rest.argv))
		cmd_add_words(ctx, &words, of_events);
	if (!is_top && strcmp(word, "diff") != 0)
		cmd_add_words(ctx, &words, of_file);
	else if (!is_top && ctx->rest.argc < 2)
		cmd_add_words(ctx, &words, (const char *const[]){ "perf.data.host", "perf.data.guest", NULL });
	return cmd_run_words(ctx, &words, ctx->rest.argc, ctx->rest.argv);
}

static int run(struct cmd_context *ctx, void *options)
{
	static const char *const forwarded[] = { "record", "report", "top", "diff", "buildid-list", NULL };
	struct kvm_options *o = options;
	const char *word = ctx->rest.argc ? ctx->rest.argv[0] : "", *given = !strcmp(word, "record") ? o->output : o->common.input;
	const char *file = o->host ? o->guest ? "perf.data.kvm" : "perf.data.host" : "perf.data.guest";
	file = o->output && ctx->rest.argc > 1 && subcommand_is(ctx->rest.argv[1], "record") ? o->output : given ? given :
														   file;
	if (!strcmp(word, "stat"))
		return stat(ctx, o, file);
	for (const char *const *name = forwarded; *name; name++)
		if (*word && subcommand_is(word, *name))
			return forward(ctx, o, *name, file);
	return subcommand_unknown(ctx, word, "stat, record, report, top, diff or buildid-list");
}

const struct cmd cmd_kvm = {
	.name = "kvm",
	.summary = "Show what guests cost the host, and record guests",
	.usage = (const char *const[]){ "kvm [<options>] stat record [<options of record>] [<command>]",
					"kvm [<options>] stat report [<options>]",
					"kvm stat live [<options>]",
					"kvm [--host] [--guest] {record|report|top|diff|buildid-list} [<options of that command>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct kvm_options),
	.subcommands = subcommands,
	.defaults = set_defaults,
	.run = run,
};
