/* strobe annotate: the instructions and source lines of functions, with what each of them cost. */
#include <string.h>

#include "cmd/annotate/annotate.h"
#include "cmd/code_options.h"
#include "cmd/refused.h"

static struct strobe_error *parse_syntax(void *options, const char *value, bool negated)
{
	return code_parse_syntax(value, negated, &((struct annotate_command *)options)->syntax);
}

static struct strobe_error *parse_share(void *options, const char *value, bool negated)
{
	return code_parse_share(value, negated, &((struct annotate_command *)options)->share);
}

static struct strobe_error *parse_colour(void *options, const char *value, bool negated)
{
	struct annotate_command *o = options;
	if (!negated && (!value || !strcmp(value, "always")))
		o->colour = COLOUR_ALWAYS;
	else if (negated || !strcmp(value, "never"))
		o->colour = COLOUR_NEVER;
	else if (!strcmp(value, "auto"))
		o->colour = COLOUR_AUTO;
	else
		return error_create(ERROR_USAGE, "is always, never or auto");
	return NULL;
}

static struct strobe_error *parse_format(void *options, const char *value, bool negated)
{
	struct annotate_command *o = options;
	if (negated || !value || (strcmp(value, "text") && strcmp(value, "json")))
		return error_create(ERROR_USAGE, "is text or json");
	if (!strcmp(value, "json"))
		o->format = ANNOTATE_JSON;
	else if (o->format == ANNOTATE_JSON)
		o->format = ANNOTATE_STDIO;
	return NULL;
}

static struct strobe_error *choose_stdio(void *options, const char *value, bool negated)
{
	struct annotate_command *o = options;
	(void)value;
	o->format = negated ? o->format : ANNOTATE_STDIO;
	o->as_text = !negated;
	return NULL;
}

static struct strobe_error *choose_stdio2(void *options, const char *value, bool negated)
{
	struct annotate_command *o = options;
	(void)value;
	o->format = negated ? ANNOTATE_STDIO : ANNOTATE_STDIO2;
	o->as_text = !negated;
	return NULL;
}

#define AT(field) offsetof(struct annotate_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "read this recording; - is standard input" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "read it though it belongs to another user" },
	{ OPTION_STRING, 's', "symbol", AT(symbol), .arg = "symbol", .help = "only the function of this name" },
	{ OPTION_STRING, 'd', "dsos", AT(dsos), .arg = "dso[,dso...]", .help = "only functions of these objects" },
	{ OPTION_STRING, 'e', "event", AT(events), .arg = "event[,event...]", .help = "only these events" },
	{ OPTION_BOOL, 0, "group", AT(group), .set_offset = AT(group_set),
	  .help = "show the events of a group side by side (on); given, all events where no groups were recorded" },
	{ OPTION_STRING, 'C', "cpu", AT(cpus), .arg = "cpu", .help = "only samples taken on these CPUs: 0-3,7" },
	{ OPTION_STRING, 'c', "comms", AT(comms), .arg = "comm[,comm...]", .help = "only tasks of these names" },
	{ OPTION_STRING, 0, "pid", AT(pids), .arg = "pid[,pid...]", .help = "only these processes" },
	{ OPTION_STRING, 0, "tid", AT(tids), .arg = "tid[,tid...]", .help = "only these threads" },
	{ OPTION_STRING, 0, "time", AT(times), .arg = "str",
	  .help = "only this span: start,stop in seconds (either may be left out); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_F64, 0, "percent-limit", AT(percent_limit), .arg = "percent",
	  .help = "leave out functions with a smaller share (of all samples, or of those in the objects of -d)" },
	{ OPTION_BOOL, 0, "skip-missing", AT(skip_missing), .help = "say nothing of functions whose code is not at hand" },
	{ OPTION_CALL, 0, "stdio", .parse = choose_stdio,
	  .help = "as text, each instruction with its address (the default where there is no terminal)" },
	{ OPTION_BOOL, 0, "tui", AT(tui), .help = "on a screen (the default on a terminal)" },
	{ OPTION_CALL, 0, "stdio2", .parse = choose_stdio2, .help = "as text, with arrows for jumps and addresses only where they lead" },
	{ OPTION_CALL, 0, "format", .arg = "text|json", .parse = parse_format, .help = "for people or for programs" },
	{ OPTION_CALL, 0, "stdio-color", .arg = "always|never|auto", .parse = parse_colour, .optional_arg = true,
	  .help = "colour shares and code (auto: on a terminal)" },
	{ OPTION_BOOL, 'l', "print-line", AT(print_line),
	  .help = "show the shares of source lines first, and the line beside instructions that cost something" },
	{ OPTION_BOOL, 'P', "full-paths", AT(full_paths), .help = "show paths whole" },
	{ OPTION_BOOL, 0, "source", AT(source), .help = "show source lines between the instructions (on)" },
	{ OPTION_BOOL, 0, "asm-raw", AT(raw_bytes), .help = "show the bytes of instructions" },
	{ OPTION_BOOL, 'n', "show-nr-samples", AT(show_samples), .help = "show numbers of samples in place of percent" },
	{ OPTION_BOOL, 0, "show-total-period", AT(show_period), .help = "show sums of periods in place of percent" },
	{ OPTION_CALL, 0, "percent-type", .arg = "local-period", .parse = parse_share,
	  .help = "shares of the function or of the recording, in periods or samples: (local|global)-(period|hits)" },
	{ OPTION_CALL, 'M', "disassembler-style", .arg = "att|intel", .parse = parse_syntax, .help = "how x86 instructions are written" },
	{ OPTION_STRING, 0, "prefix", AT(prefix), .arg = "prefix", .help = "put this before absolute paths of source files" },
	{ OPTION_U64, 0, "prefix-strip", AT(prefix_strip), .arg = "n", .help = "take off their first n directories before that" },
	{ OPTION_STRING, 0, "symfs", AT(symbol_files.symfs), .arg = "directory", .help = "look for files below this directory" },
	{ OPTION_STRING, 'k', "vmlinux", AT(symbol_files.vmlinux), .arg = "file", .help = "the kernel's image" },
	{ OPTION_BOOL, 0, "ignore-vmlinux", AT(symbol_files.ignore_vmlinux), .help = "do not look for the kernel's image" },
	{ OPTION_STRING, 0, "kallsyms", AT(symbol_files.kallsyms), .arg = "file", .help = "the kernel's symbols" },
	{ OPTION_OFF, 'm', "modules", AT(symbol_files.no_modules), .help = "use symbols of kernel modules (on)" },
	{ OPTION_OFF, 0, "demangle", AT(symbol_files.no_demangle), .help = "show C++ and Rust names as written in the source (on)" },
	{ OPTION_BOOL, 0, "demangle-kernel", AT(symbol_files.demangle_kernel), .help = "the same for the kernel" },
	NEEDLESS_SWITCH("skip-empty"),
	NEEDLESS_OPTION("objdump"),
	NEEDLESS_OPTION("addr2line"),
	{ OPTION_BOOL, 'D', "dump-raw-trace", AT(raw), .help = "show every record in hexadecimal, and its parts, instead" },
	{ OPTION_BOOL, 'q', "quiet", AT(quiet), .help = "say nothing but what was asked for" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "show how many samples each address has; -vv says more" },
	REFUSED_OPTION("data-type", refused_types),
	REFUSED_OPTION("type-stat", refused_types),
	REFUSED_OPTION("insn-stat", refused_types),
	REFUSED_OPTION("code-with-type", refused_types),
	REFUSED_OPTION("itrace", refused_trace_decoder),
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct annotate_command *o = options;
	o->group = o->source = true;
}

static struct strobe_error *check(const struct cmd_context *ctx, struct annotate_command *o)
{
	if (ctx->rest.argc > 1)
		return error_create(ERROR_USAGE, "'%s' is one word too many", ctx->rest.argv[1]);
	if (ctx->rest.argc && o->symbol)
		return error_create(ERROR_USAGE, "name one function: '%s', or -s %s", ctx->rest.argv[0], o->symbol);
	if (ctx->rest.argc)
		o->symbol = ctx->rest.argv[0];
	if (o->show_samples && o->show_period)
		return error_create(ERROR_USAGE, "option `show-total-period' cannot be used with show-nr-samples");
	if (o->prefix_strip && !o->prefix)
		return error_create(ERROR_USAGE, "--prefix-strip requires --prefix to be defined.");
	return NULL;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct annotate_command *o = options;
	struct strobe_error *err = check(ctx, o);
	if (err)
		return cmd_fail_usage(ctx, err);
	int status;
	if (annotate_on_screen(ctx, o, &status))
		return status;
	cmd_set_verbosity(o->verbose > 1 ? o->verbose - 1 : 0);
	return annotate_run(ctx, o);
}

const struct cmd cmd_annotate = {
	.name = "annotate",
	.summary = "Read perf.data (created by record) and display annotated code",
	.usage = (const char *const[]){ "annotate [<options>] [<symbol>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct annotate_command),
	.defaults = defaults,
	.run = run,
	.permute = true,
};
