/* strobe script: the samples and records of a recording as lines of text. */
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/refused.h"
#include "cmd/script/script.h"
#include "session/input.h"

static struct strobe_error *add_fields(void *options, const char *value, bool negated)
{
	struct script_options *o = options;
	if (negated)
		return error_create(ERROR_USAGE, "there is no output without fields");
	if (o->fields_nr == SCRIPT_FIELDS_MAX)
		return error_create(ERROR_USAGE, "more than %d lists of fields", SCRIPT_FIELDS_MAX);
	o->fields[o->fields_nr++] = value;
	/* Seen here already, so that a wrong name is told as a wrong option. */
	struct dump_fields probe;
	dump_fields_defaults(&probe);
	return dump_fields_parse(&probe, value);
}

static struct strobe_error *all_cpus(void *options, const char *value, bool negated)
{
	struct script_options *o = options;
	(void)value;
	if (!negated)
		o->cpus = NULL;
	return NULL;
}

#define AT(field) offsetof(struct script_options, field)

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "read this recording; - is standard input" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "read it though it belongs to another user" },
	{ OPTION_CALL, 'F', "fields", .arg = "str", .parse = add_fields,
	  .help = "print these fields, divided by commas; 'type:' before them makes it so for hw, sw, trace, raw, break or\n"
		  "synth events only; +field and -field change the default fields. Fields: " DUMP_FIELD_NAMES },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json",
	  .help = "text (as perf prints it), or json: an object a line, with all that samples carry or what -F names" },
	{ OPTION_BOOL, 'D', "dump-raw-trace", AT(raw), .help = "also print every record in hexadecimal, and its parts" },
	{ OPTION_BOOL, 0, "dump-unsorted-raw-trace", AT(raw_unsorted), .help = "the same in the order of the file" },
	{ OPTION_BOOL, 'G', "hide-call-graph", AT(hide_chains), .help = "print where samples were taken without their stacks" },
	{ OPTION_U64, 0, "max-stack", AT(max_stack), .arg = "n", .help = "maximum number of frames of a stack (default: no limit)" },
	{ OPTION_U64, 0, "max-blocks", AT(max_blocks), .arg = "n", .help = "show at most this many branches of -F brstackinsn (all)" },
	{ OPTION_STRING, 0, "stop-bt", AT(stop_at), .arg = "symbol[,symbol...]", .help = "end a stack's text at these symbols" },
	{ OPTION_BOOL, 0, "stitch-lbr", AT(stitch_calls),
	  .help = "let call stacks of record --call-graph lbr go on in those of samples before, where they overlap" },
	{ OPTION_BOOL, 0, "inline", AT(inlined), .help = "show inlined functions (on)" },
	{ OPTION_BOOL, 0, "ns", AT(nanoseconds), .help = "print times with nine decimal places" },
	{ OPTION_BOOL, 0, "reltime", AT(relative_time), .help = "print times since the first sample" },
	{ OPTION_BOOL, 0, "deltatime", AT(delta_time), .help = "print times since the previous sample" },
	{ OPTION_BOOL, 'L', "Latency", AT(latency_columns), .help = "narrow columns, as in latency traces" },
	{ OPTION_CALL, 'a', "all-cpus", .parse = all_cpus, .help = "samples of all CPUs (undoes -C)" },
	{ OPTION_STRING, 'C', "cpu", AT(cpus), .arg = "cpu", .help = "only samples taken on these CPUs: 0-3,7" },
	{ OPTION_STRING, 'c', "comms", AT(comms), .arg = "comm[,comm...]", .help = "only tasks of these names" },
	{ OPTION_STRING, 0, "pid", AT(pids), .arg = "pid[,pid...]", .help = "only these processes" },
	{ OPTION_STRING, 0, "tid", AT(tids), .arg = "tid[,tid...]", .help = "only these threads" },
	{ OPTION_STRING, 0, "dsos", AT(dsos), .arg = "dso[,dso...]", .help = "only samples taken in these objects" },
	{ OPTION_STRING, 'S', "symbols", AT(symbols), .arg = "symbol[,symbol...]",
	  .help = "only samples taken in these functions; an address (0x...) may stand for a name" },
	{ OPTION_U64, 0, "addr-range", AT(addr_range), .arg = "n", .help = "an address of -S stands for this many bytes from it" },
	{ OPTION_STRING, 0, "time", AT(times), .arg = "str",
	  .help = "only this span: start,stop in seconds (either may be left out); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_STRING, 0, "switch-on", AT(switch_on), .arg = "event", .help = "begin to print when this event comes" },
	{ OPTION_STRING, 0, "switch-off", AT(switch_off), .arg = "event", .help = "stop to print when this event comes" },
	{ OPTION_BOOL, 0, "show-on-off-events", AT(show_on_off), .help = "print those two events as well" },
	{ OPTION_BOOL, 0, "show-task-events", AT(show_task), .help = "print when tasks begin, end and change their names" },
	{ OPTION_BOOL, 0, "show-mmap-events", AT(show_mmap), .help = "print what was mapped" },
	{ OPTION_BOOL, 0, "show-switch-events", AT(show_switch), .help = "print context switches, where they were recorded" },
	{ OPTION_BOOL, 0, "show-namespace-events", AT(show_namespaces), .help = "print namespaces, where they were recorded" },
	{ OPTION_BOOL, 0, "show-lost-events", AT(show_lost), .help = "print where records were lost" },
	{ OPTION_BOOL, 0, "show-round-events", AT(show_round), .help = "print where the recorder had read all its buffers" },
	{ OPTION_BOOL, 0, "show-bpf-events", AT(show_bpf), .help = "print BPF programs and kernel symbols that came and went" },
	{ OPTION_BOOL, 0, "show-cgroup-events", AT(show_cgroup), .help = "print cgroups, where they were recorded" },
	{ OPTION_BOOL, 0, "show-text-poke-events", AT(show_text_poke), .help = "print where the kernel changed its own code" },
	{ OPTION_BOOL, 0, "per-event-dump", AT(per_event), .help = "write the samples of each event to a file, FILE.EVENT.dump" },
	{ OPTION_BOOL, 0, "header", AT(header), .help = "print the recording's header before the samples" },
	{ OPTION_BOOL, 0, "header-only", AT(header_only), .help = "print the header and nothing else" },
	{ OPTION_BOOL, 'I', "show-info", AT(full_header), .help = "with --header: print also what is long" },
	{ OPTION_BOOL, 0, "show-kernel-path", AT(kernel_path), .help = "print the path of the kernel's image" },
	{ OPTION_BOOL, 0, "full-source-path", AT(full_source_path), .help = "print source files with their directories" },
	{ OPTION_STRING, 0, "symfs", AT(symbol_files.symfs), .arg = "directory",
	  .help = "look for files with symbols below this directory" },
	{ OPTION_STRING, 'k', "vmlinux", AT(symbol_files.vmlinux), .arg = "file", .help = "the kernel's image" },
	{ OPTION_STRING, 0, "kallsyms", AT(symbol_files.kallsyms), .arg = "file", .help = "the kernel's symbols" },
	{ OPTION_OFF, 0, "demangle", AT(symbol_files.no_demangle), .help = "show C++ and Rust names as written in the source (on)" },
	{ OPTION_BOOL, 0, "demangle-kernel", AT(symbol_files.demangle_kernel), .help = "the same for the kernel" },
	{ OPTION_BOOL, 'd', "debug-mode", AT(debug), .help = "say in the end how many samples came out of the order of time" },
	REFUSED_SHORT_OPTION('g', "gen-script", refused_interpreter),
	REFUSED_SHORT_OPTION('s', "script", refused_interpreter),
	REFUSED_SHORT_OPTION('l', "list", refused_interpreter),
	NEEDLESS_OPTION("addr2line"),
	NEEDLESS_OPTION("unwind-style"),
	NEEDLESS_SWITCH("merge-callchains"),
	REFUSED_OPTION("itrace", refused_trace_decoder),
	REFUSED_OPTION("insn-trace", refused_trace_decoder),
	REFUSED_OPTION("call-trace", refused_trace_decoder),
	REFUSED_OPTION("call-ret-trace", refused_trace_decoder),
	REFUSED_OPTION("graph-function", refused_trace_decoder),
	REFUSED_OPTION("xed", refused_trace_decoder),
	REFUSED_OPTION("dlfilter", refused_dlfilter),
	REFUSED_OPTION("dlarg", refused_dlfilter),
	REFUSED_OPTION("list-dlfilters", refused_dlfilter),
	REFUSED_OPTION("guestmount", refused_guests),
	REFUSED_OPTION("guestkallsyms", refused_guests),
	REFUSED_OPTION("guestmodules", refused_guests),
	REFUSED_OPTION("guestvmlinux", refused_guests),
	REFUSED_OPTION("guest-code", refused_guests),
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "say more" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct script_options *o = options;
	o->inlined = true;
}

/* Scripts of old guides say `script -f time,event,trace`: -f alone is --force today, and its list is left as a word. */
static bool is_old_field_list(const struct script_options *o, const struct options_result *rest)
{
	return o->force && !o->fields_nr && rest->argc == 1 && dump_fields_is_list(rest->argv[0]);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct script_options *o = options;
	cmd_set_verbosity(o->verbose);
	struct strobe_error *err = cmd_format_is_json(o->format, &o->json);
	if (err)
		return cmd_fail_usage(ctx, err);
	if (o->json && (o->raw || o->raw_unsorted || o->header || o->header_only || o->per_event))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "-D, --header, --header-only and --per-event-dump are text: "
								     "they do not go with --format json"));
	if (is_old_field_list(o, &ctx->rest))
		o->fields[o->fields_nr++] = ctx->rest.argv[0];
	else if (ctx->rest.argc)
		return cmd_fail_usage(
			ctx, error_create(ERROR_USAGE,
					  "'%s' is no option; this version runs no Perl or Python scripts over a recording: they can "
					  "read 'script --format json', an object a line",
					  ctx->rest.argv[0]));
	return script_run(ctx, o);
}

const struct cmd cmd_script = {
	.name = "script",
	.summary = "Read perf.data (created by record) and display its samples as text",
	.usage = (const char *const[]){ "script [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct script_options),
	.defaults = defaults,
	.run = run,
	.permute = true,
};
