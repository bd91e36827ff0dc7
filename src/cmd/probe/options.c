#include "cmd/probe/options.h"

#include "cmd/shared_options.h"

#define DEFINITION "[[GROUP:]EVENT=]PLACE [[NAME=]ARG ...]"

static struct probing_request request_of(struct probe_options *o, const char *text)
{
	o->target_is_used = true;
	return (struct probing_request){ text, o->exec, o->module };
}

static struct strobe_error *parse_add(void *options, const char *value, bool negated)
{
	struct probe_options *o = options;
	(void)negated;
	vec_push(&o->added, request_of(o, value));
	return NULL;
}

static struct strobe_error *parse_show(void *options, const char *value, bool negated)
{
	struct probe_options *o = options;
	(void)negated;
	vec_push(&o->shown, request_of(o, value));
	return NULL;
}

static struct strobe_error *parse_variables(void *options, const char *value, bool negated)
{
	struct probe_options *o = options;
	(void)negated;
	vec_push(&o->variables, request_of(o, value));
	return NULL;
}

static struct strobe_error *parse_lines(void *options, const char *value, bool negated)
{
	struct probe_options *o = options;
	(void)negated;
	vec_push(&o->lines, request_of(o, value));
	return NULL;
}

static struct strobe_error *parse_remove(void *options, const char *value, bool negated)
{
	struct probe_options *o = options;
	(void)negated;
	vec_push(&o->removed, value);
	return NULL;
}

static struct strobe_error *parse_list(void *options, const char *value, bool negated)
{
	struct probe_options *o = options;
	(void)negated;
	o->has_list = true;
	vec_push(&o->listed, value);
	return NULL;
}

static struct strobe_error *parse_functions(void *options, const char *value, bool negated)
{
	struct probe_options *o = options;
	(void)negated;
	o->has_functions = true;
	if (*value)
		o->filter = value;
	return NULL;
}

/* One target for each definition: a file, the kernel or a module. */
static struct strobe_error *parse_exec(void *options, const char *value, bool negated)
{
	struct probe_options *o = options;
	(void)negated;
	o->exec = value;
	o->module = NULL;
	return NULL;
}

static struct strobe_error *parse_module(void *options, const char *value, bool negated)
{
	struct probe_options *o = options;
	(void)negated;
	o->module = value;
	o->exec = NULL;
	return NULL;
}

void probe_options_release(void *options)
{
	struct probe_options *o = options;
	vec_deinit(&o->added);
	vec_deinit(&o->shown);
	vec_deinit(&o->variables);
	vec_deinit(&o->lines);
	vec_deinit(&o->removed);
	vec_deinit(&o->listed);
}

#define AT(field) offsetof(struct probe_options, field)
const struct option probe_option_table[] = {
	{ OPTION_CALL, 'a', "add", 0, .arg = DEFINITION, .parse = parse_add, .help = "add a probe; the default" },
	{ OPTION_CALL, 'd', "del", 0, .arg = "[GROUP:]EVENT", .parse = parse_remove,
	  .help = "remove the probes that match (globs are allowed)" },
	{ OPTION_CALL, 'l', "list", 0, .arg = "[GROUP:]EVENT", .parse = parse_list, .default_arg = "*",
	  .help = "list the probes of the running kernel, with their places in the source" },
	{ OPTION_CALL, 'L', "line", 0, .parse = parse_lines, .arg = "FUNC[@SRC][:LINES]|SRC[:LINES]",
	  .help = "show source lines; those with a number can be probed; LINES: FIRST, FIRST+COUNT or FIRST-LAST" },
	{ OPTION_CALL, 'V', "vars", 0, .arg = "PLACE", .parse = parse_variables,
	  .help = "show the variables that a probe at this place can fetch" },
	{ OPTION_CALL, 'F', "funcs", 0, .arg = "FILTER", .parse = parse_functions, .default_arg = "",
	  .help = "list functions (default: all except those whose names begin with _ or end with @plt)" },
	{ OPTION_CALL, 'D', "definition", 0, .arg = DEFINITION, .parse = parse_show,
	  .help = "show what would be written to uprobe_events or kprobe_events" },
	{ OPTION_GROUP, .help = "Targets" },
	{ OPTION_CALL, 'x', "exec", 0, .arg = "file", .parse = parse_exec,
	  .help = "program or library of the following definitions (default: the kernel)" },
	{ OPTION_CALL, 'm', "module", 0, .arg = "name|file", .parse = parse_module, .help = "kernel module" },
	{ OPTION_STRING, 'k', "vmlinux", AT(vmlinux), .arg = "file", .help = "kernel image with debug information" },
	{ OPTION_STRING, 's', "source", AT(source), .arg = "directory", .help = "directory of the source files" },
	SYMFS_OPTION(AT(symfs), "search for files below this directory, by their paths or (flat) their base names"),
	{ OPTION_U64, 0, "target-ns", AT(target_ns), .arg = "pid",
	  .help = "look up the file of -x in the mount namespace of this process" },
	{ OPTION_GROUP, .help = "Adding probes" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "if the name is in use, append a number" },
	{ OPTION_BOOL, 'n', "dry-run", AT(dry_run), .help = "change nothing" },
	{ OPTION_U64, 0, "max-probes", AT(max_probes), .arg = "n", .help = "maximum number of places of a definition (default: 128)" },
	{ OPTION_BOOL, 0, "no-inlines", AT(no_inlines), .help = "do not probe inlined instances of functions" },
	{ OPTION_BOOL, 0, "cache", AT(cache),
	  .help = "add the probes to the build ID cache too; with -l and -d: list, remove those in the cache" },
	{ OPTION_BOOL, 0, "bootconfig", AT(bootconfig), .help = "with -D: print lines of a boot configuration (kernel only)" },
	{ OPTION_GROUP, .help = "Output" },
	{ OPTION_STRING, 0, "filter", AT(filter), .arg = "[!]FILTER",
	  .help = "with -F, -V: only names that match this (globs joined by !, &, | and parentheses)" },
	{ OPTION_BOOL, 0, "externs", AT(externs), .help = "with -V: also show external variables" },
	{ OPTION_BOOL, 0, "range", AT(range), .help = "with -V: show the address range in which each variable has a value" },
	{ OPTION_OFF, 0, "demangle", AT(no_demangle), .help = "show names of C++ and Rust as in the source (on)" },
	{ OPTION_BOOL, 0, "demangle-kernel", AT(demangle_kernel), .help = "also demangle names of the kernel" },
	{ OPTION_STRING, 0, "format", AT(format_name), .arg = "text|json|csv", .help = "output format of -l, -F, -D and -V" },
	{ OPTION_BOOL, 'q', "quiet", AT(quiet), .help = "print no messages" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "show parsed definitions and what is written" },
	OPTIONS_END,
};
