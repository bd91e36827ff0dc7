/* strobe script: the samples and records of a recording as lines of text. */
#include <inttypes.h>

#include "base/out.h"
#include "cmd/cmd.h"
#include "cmd/shared_options.h"
#include "cmd/unsupported.h"
#include "cmd/script/by_name.h"
#include "dlfilter/dlfilter.h"
#include "dump/script.h"
#include "scripting/exec_path.h"
#include "scripting/generate.h"
#include "scripting/scripting.h"

struct script_command {
	struct script_options script;
	const char *format, *run, *generate; /* run: -s */
	bool force, debug, list, list_filters;
	unsigned verbose;
};

static struct strobe_error *add_fields(void *options, const char *value, bool negated)
{
	struct script_options *o = &((struct script_command *)options)->script;
	if (negated)
		return error_create(ERROR_USAGE, "requires at least one field");
	if (o->fields_nr == SCRIPT_FIELDS_MAX)
		return error_create(ERROR_USAGE, "too many lists of fields (maximum: %d)", SCRIPT_FIELDS_MAX);
	o->fields[o->fields_nr++] = value;
	/* Parsed here already, so that a wrong name is reported as a wrong option. */
	struct dump_fields probe;
	dump_fields_defaults(&probe);
	return dump_fields_parse(&probe, value);
}

static struct strobe_error *all_cpus(void *options, const char *value, bool negated)
{
	struct script_command *o = options;
	(void)value;
	if (!negated)
		o->script.cpus = NULL;
	return NULL;
}

#define OWN(field) offsetof(struct script_command, field)
#define AT(field) OWN(script.field)

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "input file; - for standard input" },
	{ OPTION_BOOL, 'f', "force", OWN(force), .help = "skip the ownership check" },
	{ OPTION_CALL, 'F', "fields", .arg = "str", .parse = add_fields,
	  .help = "print these fields, separated by commas; prefix 'type:' to apply them to hw, sw, trace, raw, break "
	  	"or\nsynth events only; +field and -field change the default fields. Fields: " DUMP_FIELD_NAMES },
	{ OPTION_STRING, 0, "format", OWN(format), .arg = "text|json|jsonl",
	  .help = "output format; json and jsonl: one object per line, with all sample fields or those of -F" },
	{ OPTION_STRING, 's', "script", OWN(run), .arg = "[lang:]file",
	  .help = "run this script (FILE.py, FILE.pl) on the samples; words after it are its arguments" },
	{ OPTION_BOOL, 'D', "dump-raw-trace", AT(raw), .help = "also dump every record, in hexadecimal and decoded" },
	{ OPTION_BOOL, 0, "dump-unsorted-raw-trace", AT(raw_unsorted), .help = "same as -D, but in file order" },
	{ OPTION_BOOL, 'G', "hide-call-graph", AT(hide_chains), .help = "do not print call chains" },
	{ OPTION_U64, 0, "max-stack", AT(max_stack), .arg = "n", .help = "maximum number of frames of a stack (default: no limit)" },
	{ OPTION_U64, 0, "max-blocks", AT(max_blocks), .arg = "n", .help = "maximum number of branches for -F brstackinsn "
		"(default: no limit)" },
	{ OPTION_STRING, 0, "stop-bt", AT(stop_at), .arg = "symbol[,symbol...]", .help = "stop printing call chains at these symbols" },
	{ OPTION_BOOL, 0, "stitch-lbr", AT(stitch_calls),
	  .help = "join overlapping LBR call stacks of consecutive samples (record --call-graph lbr)" },
	{ OPTION_BOOL, 0, "inline", AT(inlined), .help = "show inlined functions (on)" },
	{ OPTION_BOOL, 0, "ns", AT(nanoseconds), .help = "print times with nine decimal places" },
	{ OPTION_BOOL, 0, "reltime", AT(relative_time), .help = "print times since the first sample" },
	{ OPTION_BOOL, 0, "deltatime", AT(delta_time), .help = "print times since the previous sample" },
	{ OPTION_BOOL, 'L', "Latency", AT(latency_columns), .help = "compact output, as in latency traces" },
	{ OPTION_CALL, 'a', "all-cpus", .parse = all_cpus, .help = "print samples of all CPUs (overrides -C)" },
	{ OPTION_STRING, 'C', "cpu", AT(cpus), .arg = "cpu", .help = "print only samples on these CPUs: 0-3,7" },
	{ OPTION_STRING, 'c', "comms", AT(comms), .arg = "comm[,comm...]", .help = "print only samples of tasks with these names" },
	{ OPTION_STRING, 0, "pid", AT(pids), .arg = "pid[,pid...]", .help = "print only samples of these processes" },
	{ OPTION_STRING, 0, "tid", AT(tids), .arg = "tid[,tid...]", .help = "print only samples of these threads" },
	{ OPTION_STRING, 0, "dsos", AT(dsos), .arg = "dso[,dso...]", .help = "print only samples in these objects (DSOs)" },
	{ OPTION_STRING, 'S', "symbols", AT(symbols), .arg = "symbol[,symbol...]",
	  .help = "print only samples in these functions, given by name or address (0x...)" },
	{ OPTION_U64, 0, "addr-range", AT(addr_range), .arg = "n", .help = "size in bytes of the range that starts at an address of -S" },
	{ OPTION_STRING, 0, "time", AT(times), .arg = "str",
	  .help = "only this time range: start,stop in seconds (either may be omitted); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_STRING, 0, "switch-on", AT(switch_on), .arg = "event", .help = "start printing at this event" },
	{ OPTION_STRING, 0, "switch-off", AT(switch_off), .arg = "event", .help = "stop printing at this event" },
	{ OPTION_BOOL, 0, "show-on-off-events", AT(show_on_off), .help = "print the --switch-on and --switch-off events too" },
	{ OPTION_BOOL, 0, "show-task-events", AT(show_task), .help = "print task events: fork, exit, comm" },
	{ OPTION_BOOL, 0, "show-mmap-events", AT(show_mmap), .help = "print mmap events" },
	{ OPTION_BOOL, 0, "show-switch-events", AT(show_switch), .help = "print context switches, if recorded" },
	{ OPTION_BOOL, 0, "show-namespace-events", AT(show_namespaces), .help = "print namespaces, if recorded" },
	{ OPTION_BOOL, 0, "show-lost-events", AT(show_lost), .help = "print lost records" },
	{ OPTION_BOOL, 0, "show-round-events", AT(show_round), .help = "print FINISHED_ROUND records (all buffers were read)" },
	{ OPTION_BOOL, 0, "show-bpf-events", AT(show_bpf), .help = "print BPF program and ksymbol events" },
	{ OPTION_BOOL, 0, "show-cgroup-events", AT(show_cgroup), .help = "print cgroups, if recorded" },
	{ OPTION_BOOL, 0, "show-text-poke-events", AT(show_text_poke), .help = "print text poke events (changes of kernel code)" },
	{ OPTION_BOOL, 0, "per-event-dump", AT(per_event), .help = "write the samples of each event to a file, FILE.EVENT.dump" },
	{ OPTION_BOOL, 0, "header", AT(header), .help = "print the recording's header before the samples" },
	{ OPTION_BOOL, 0, "header-only", AT(header_only), .help = "print only the header" },
	{ OPTION_BOOL, 'I', "show-info", AT(full_header), .help = "with --header: print the full header, including long lists" },
	{ OPTION_BOOL, 0, "show-kernel-path", AT(kernel_path), .help = "print the path of the kernel image" },
	{ OPTION_BOOL, 0, "full-source-path", AT(full_source_path), .help = "print full paths of source files" },
	OPTIONS_OF(symbol_option_rows, AT(symbol_files)),
	{ OPTION_BOOL, 'd', "debug-mode", OWN(debug), .help = "print the number of samples out of time order at the end" },
	{ OPTION_STRING, 'g', "gen-script", OWN(generate), .arg = "lang|file",
	  .help = "write a script that prints the tracepoints of the recording: python (perf-script.py), perl (perf-script.pl), or "
		  "FILE.py, FILE.pl" },
	{ OPTION_BOOL, 'l', "list", OWN(list), .help = "list the scripts that can be run by name" },
	NEEDLESS_OPTION("addr2line"),
	NEEDLESS_OPTION("unwind-style"),
	NEEDLESS_SWITCH("merge-callchains"),
	UNSUPPORTED_OPTION("itrace", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("insn-trace", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("call-trace", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("call-ret-trace", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("graph-function", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("xed", unsupported_trace_decoder),
	{ OPTION_STRING, 0, "dlfilter", AT(filter.file), .arg = "file", .help = "select samples with this filter (a shared object)" },
	{ OPTION_CALL, 0, "dlarg", AT(filter), .arg = "arg", .parse = dlfilter_add_arg,
	  .help = "argument for the filter; may be repeated" },
	{ OPTION_BOOL, 0, "list-dlfilters", OWN(list_filters), .help = "list filters here and in perf's directory; -v: in detail" },
	UNSUPPORTED_OPTION("guestmount", unsupported_guests),
	UNSUPPORTED_OPTION("guestkallsyms", unsupported_guests),
	UNSUPPORTED_OPTION("guestmodules", unsupported_guests),
	UNSUPPORTED_OPTION("guestvmlinux", unsupported_guests),
	UNSUPPORTED_OPTION("guest-code", unsupported_guests),
	{ OPTION_COUNT, 'v', "verbose", OWN(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct script_command *o = options;
	o->script.inlined = true;
}

/* Scripts of old guides say `script -f time,event,trace`: -f is --force today, and its list remains as an argument. */
static bool is_old_field_list(const struct script_command *o, const struct options_result *rest)
{
	return o->force && !o->script.fields_nr && rest->argc && dump_fields_is_list(rest->argv[0]);
}

static bool prints_itself(const struct script_options *s)
{
	return s->json || s->raw || s->raw_unsorted || s->header || s->header_only || s->per_event;
}

/* Such a list, and the options after it. */
static struct strobe_error *take_old_field_list(struct script_command *o, struct options_result *rest)
{
	if (!is_old_field_list(o, rest))
		return NULL;
	o->script.fields[o->script.fields_nr++] = rest->argv[0];
	return options_parse(table, o, rest->argc, rest->argv, false, rest);
}

/* Settles options that depend on each other. */
static struct strobe_error *finish_options(struct script_command *o)
{
	struct script_options *s = &o->script;
	bool is_lines = o->format && !strcmp(o->format, "jsonl");
	TRY(cmd_format_is_json(is_lines ? "json" : o->format, &s->json));
	if (o->run)
		return prints_itself(s) ? error_create(ERROR_USAGE, "-s prints what the script prints: --format, -D, --header, "
						       "--header-only and --per-event-dump cannot be combined with it") : NULL;
	if (s->json && (s->raw || s->raw_unsorted || s->header || s->header_only || s->per_event))
		return error_create(ERROR_USAGE, "-D, --header, --header-only and --per-event-dump print text and cannot be combined "
						 "with --format json");
	return NULL;
}

static int run_script(struct cmd_context *ctx, const struct script_command *o)
{
	struct session session;
	int status = 0;
	struct scripting_options scripting = { .selection = &o->script, .script = o->run, .arguments = cmd_command(ctx) };
	struct strobe_error *err = session_open(&session, cmd_host(ctx), o->script.input, o->force);
	if (!err)
		err = scripting_run(&session, &scripting, &status);
	int failed = cmd_fail_either(ctx, err);
	if (!err)
		session_remarks(&session, o->verbose);
	session_close(&session);
	return status ? status : failed;
}

static int generate(struct cmd_context *ctx, const struct script_command *o)
{
	struct session session;
	struct out out;
	const char *language, *path;
	struct strobe_error *err = session_open(&session, cmd_host(ctx), o->script.input, o->force);
	if (!err)
		err = script_generate(session.env, o->generate, &language, &path);
	if (!err) {
		cmd_open_output(ctx, &out);
		out_str(&out, "generated ");
		out_text_str(&out, language);
		out_str(&out, " script: ");
		out_text_str(&out, path);
		out_ch(&out, '\n');
	}
	int status = err ? cmd_fail_either(ctx, err) : cmd_close_output(ctx, &out);
	session_close(&session);
	return status;
}

static int print(struct cmd_context *ctx, const struct script_command *o)
{
	struct session session;
	struct out out;
	uint64_t misordered;
	struct strobe_error *err = session_open(&session, cmd_host(ctx), o->script.input, o->force);
	if (err)
		return cmd_fail(ctx, err);
	cmd_open_output(ctx, &out);
	err = script_print(&session, &o->script, &out, &misordered);
	int status = cmd_close_output(ctx, &out), failed = cmd_fail(ctx, err);
	status = status ? status : failed;
	if (status != CMD_BROKEN_PIPE)
		session_remarks(&session, o->verbose);
	if (o->debug && status != CMD_BROKEN_PIPE)
		cmd_say(ctx, "%" PRIu64 " samples out of the order of time", misordered);
	session_close(&session);
	return status;
}

static int list_filters(struct cmd_context *ctx, const struct script_command *o)
{
	struct out out;
	cmd_open_output(ctx, &out);
	dlfilter_list(o->script.filter.exec_path, o->verbose, &out);
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct script_command *o = options;
	cmd_set_verbosity(o->verbose);
	o->script.program = ctx->program;
	o->script.filter.exec_path = script_exec_path();
	if (o->list_filters)
		return list_filters(ctx, o);
	if (o->list)
		return script_list(ctx, o->format);
	struct strobe_error *err = o->run ? NULL : take_old_field_list(o, &ctx->rest);
	if (!err && !o->run && ctx->rest.argc)
		return script_by_name(ctx);
	if (!err)
		err = finish_options(o);
	if (err)
		return cmd_fail_usage(ctx, err);
	return o->generate ? generate(ctx, o) : o->run ? run_script(ctx, o) : print(ctx, o);
}

const struct cmd cmd_script = {
	.name = "script",
	.summary = "Read perf.data (created by record) and display its samples as text",
	.usage = (const char *const[]){ "script [<options>]", "script [<options>] record <script> [<record-options>] [-- <command>]",
					"script [<options>] report <script> [<args>]",
					"script [<options>] <script> [<args>] [<record-options>] [-- <command>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct script_command),
	.defaults = defaults,
	.run = run,
};
