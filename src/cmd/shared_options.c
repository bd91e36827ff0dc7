#include "cmd/shared_options.h"

#include <string.h>

#include "cmd/unsupported.h"
#include "object/sysroot.h"
#include "session/report/request.h"

#define CALL(name) static struct strobe_error *name(void *options, const char *value, bool negated)

struct strobe_error *parse_symfs(void *field, const char *value, bool negated)
{
	const char **symfs = field;
	*symfs = negated ? NULL : value;
	return *symfs ? sysroot_check(*symfs) : NULL;
}

#define AT(field) offsetof(struct symbols_options, field)
const struct option symbol_option_rows[] = {
	SYMFS_OPTION(AT(symfs), "search for files with symbols below this directory, by their paths or (flat) their base names"),
	{ OPTION_STRING, 'k', "vmlinux", AT(vmlinux), .arg = "file", .help = "kernel image" },
	{ OPTION_BOOL, 0, "ignore-vmlinux", AT(ignore_vmlinux), .help = "do not search for a kernel image" },
	{ OPTION_STRING, 0, "kallsyms", AT(kallsyms), .arg = "file", .help = "file of kernel symbols, as /proc/kallsyms" },
	{ OPTION_OFF, 0, "demangle", AT(no_demangle), .help = "demangle names of C++, Rust, D, OCaml and Haskell (on)" },
	{ OPTION_BOOL, 0, "demangle-kernel", AT(demangle_kernel), .help = "demangle kernel symbols too" },
	{ OPTION_OFF, 0, "functions", AT(no_functions), .help = "name functions of stripped code by unwind information (on)" },
	OPTIONS_END,
};
#undef AT

#define AT(field) offsetof(struct selection, field)
const struct option switch_option_rows[] = {
	{ OPTION_STRING, 0, "switch-on", AT(switch_on), .arg = "event", .help = "start counting samples at this event" },
	{ OPTION_STRING, 0, "switch-off", AT(switch_off), .arg = "event", .help = "stop counting samples at this event" },
	{ OPTION_BOOL, 0, "show-on-off-events", AT(show_switches),
	  .help = "count the samples of the --switch-on and --switch-off events too" },
	OPTIONS_END,
};
#undef AT

CALL(parse_percentage)
{
	struct report_grouping *g = options;
	if (negated || !value)
		return error_create(ERROR_USAGE, "requires relative or absolute");
	if (strcmp(value, "relative") != 0 && strcmp(value, "absolute") != 0)
		return error_create(ERROR_USAGE, "Invalid percentage: %s (relative or absolute)", value);
	g->relative = !strcmp(value, "relative");
	return NULL;
}

#define AT(field) offsetof(struct report_grouping, field)
const struct option grouping_option_rows[] = {
	{ OPTION_BOOL, 'n', "show-nr-samples", AT(show_samples), .help = "show the number of samples" },
	{ OPTION_BOOL, 0, "show-total-period", AT(show_period), .help = "show the sum of periods" },
	{ OPTION_F64, 0, "percent-limit", AT(percent_limit), .arg = "percent", .set_offset = AT(percent_limit_set),
	  .help = "hide entries below this percentage" },
	{ OPTION_CALL, 0, "percentage", .arg = "relative|absolute", .parse = parse_percentage,
	  .help = "percentages of the filtered samples, or of all samples (default: absolute)" },
	{ OPTION_BOOL, 'H', "hierarchy", AT(hierarchy), .help = "show sort keys as levels of a tree" },
	{ OPTION_BOOL, 0, "group", AT(group), .set_offset = AT(group_set), .help = "show the events of a group side by side" },
	{ OPTION_U64, 0, "group-sort-idx", AT(group_sort_index), .arg = "n",
	  .help = "sort a group by the event with this index, starting at 0" },
	{ OPTION_STRING, 0, "ignore-callees", AT(ignore_callees), .arg = "regex", .help = "add the samples of callees to these functions" },
	{ OPTION_BOOL, 0, "raw-trace", AT(raw_trace), .help = "show tracepoint fields instead of the formatted text" },
	OPTIONS_END,
};
#undef AT

CALL(parse_syntax)
{
	struct code_options *o = options;
	if (!negated && value && !strcmp(value, "intel"))
		o->listing.syntax = DISASM_INTEL;
	else if (negated || (value && (!strcmp(value, "att") || !strcmp(value, "at&t"))))
		o->listing.syntax = DISASM_ATT;
	else
		return error_create(ERROR_USAGE, "requires att or intel");
	return NULL;
}

CALL(parse_share)
{
	static const char *const names[][2] = {
		[LISTING_LOCAL_PERIOD] = { "local-period", "period-local" },
		[LISTING_GLOBAL_PERIOD] = { "global-period", "period-global" },
		[LISTING_LOCAL_HITS] = { "local-hits", "hits-local" },
		[LISTING_GLOBAL_HITS] = { "global-hits", "hits-global" },
	};
	struct code_options *o = options;
	for (unsigned i = 0; value && !negated && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(value, names[i][0]) || !strcmp(value, names[i][1])) {
			o->look.share = (enum listing_share)i;
			return NULL;
		}
	return error_create(ERROR_USAGE, "requires local-period, global-period, local-hits or global-hits");
}

#define AT(field) offsetof(struct code_options, field)
const struct option code_option_rows[] = {
	{ OPTION_CALL, 'M', "disassembler-style", .arg = "att|intel", .parse = parse_syntax,
	  .help = "syntax of x86 instructions (default: att)" },
	{ OPTION_CALL, 0, "percent-type", .arg = "local-period", .parse = parse_share,
	  .help = "percentages of the function or the whole profile, by period or number of samples: (local|global)-(period|hits); "
		"default: local-period" },
	{ OPTION_OFF, 0, "source", AT(look.no_source), .help = "show source lines between the instructions (on)" },
	{ OPTION_BOOL, 0, "asm-raw", AT(look.raw), .help = "show the raw bytes of instructions" },
	{ OPTION_STRING, 0, "prefix", AT(listing.source_prefix), .arg = "prefix",
	  .help = "add this prefix to absolute paths of source files" },
	{ OPTION_U64, 0, "prefix-strip", AT(listing.source_strip), .arg = "n",
	  .help = "strip n leading directories of source files before adding --prefix" },
	NEEDLESS_OPTION("objdump"),
	NEEDLESS_OPTION("addr2line"),
	OPTIONS_END,
};
#undef AT
