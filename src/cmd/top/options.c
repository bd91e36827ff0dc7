#include "cmd/top/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/code_options.h"
#include "cmd/refused.h"

#define CALL(name) static struct strobe_error *name(void *options, const char *value, bool negated)
#define OPTIONS struct top_options *o = options

void top_options_defaults(void *options)
{
	OPTIONS;
	record_options_defaults(&o->record);
	report_options_defaults(&o->report);
	o->report.chains.mode = CALLTREE_NONE;
	o->report.inlined = false; /* their look-up costs more than all the rest, as often as the screen changes */
	o->delay_s = 2;
}

void top_options_deinit(void *options)
{
	struct top_options *o = options;
	record_options_deinit(&o->record);
}

CALL(parse_g)
{
	OPTIONS;
	o->record.capture.callgraph.mode = negated ? CALLGRAPH_NONE : CALLGRAPH_FP;
	o->report.chains.mode = negated ? CALLTREE_NONE : CALLTREE_GRAPH;
	return NULL;
}

static bool is_record_mode(const char *word, size_t n)
{
	static const char *const modes[] = { "fp", "dwarf", "lbr" };
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (n == strlen(modes[i]) && !memcmp(word, modes[i], n))
			return true;
	return false;
}

/* "dwarf,4096,graph,0.5,caller": how to record, how many bytes of stack, and then report's -g. */
CALL(parse_call_graph)
{
	OPTIONS;
	char mode[64] = "fp";
	TRY(parse_g(options, NULL, negated));
	if (negated)
		return NULL;
	const char *at = value;
	size_t n = strcspn(at, ",");
	if (is_record_mode(at, n)) {
		bool dwarf = *at == 'd';
		at += n;
		size_t digits = dwarf && *at == ',' ? strspn(at + 1, "0123456789") : 0;
		if (digits && (!at[1 + digits] || at[1 + digits] == ','))
			at += 1 + digits;
		if ((size_t)(at - value) >= sizeof(mode))
			return error_create(ERROR_USAGE, "'%s' is no size of a stack", value);
		memcpy(mode, value, (size_t)(at - value));
		mode[at - value] = '\0';
		at += *at == ',';
	}
	TRY(callgraph_parse(mode, &o->record.capture.callgraph));
	if (o->record.capture.callgraph.mode == CALLGRAPH_DWARF && !o->record.capture.callgraph.dump_bytes)
		o->record.capture.callgraph.dump_bytes = 8192;
	TRY(report_parse_chains(&o->report, at));
	/* The fields that say that a recording must have stacks are for recordings. */
	o->report.chains_asked = false;
	return NULL;
}

CALL(parse_format)
{
	OPTIONS;
	if (negated || (strcmp(value, "text") && strcmp(value, "json")))
		return error_create(ERROR_USAGE, "is text or json");
	o->report.format = strcmp(value, "json") ? REPORT_STDIO : REPORT_JSON;
	o->stdio = true;
	return NULL;
}

CALL(parse_percentage)
{
	OPTIONS;
	if (negated || (strcmp(value, "relative") && strcmp(value, "absolute")))
		return error_create(ERROR_USAGE, "is relative or absolute");
	o->report.relative = !strcmp(value, "relative");
	return NULL;
}

CALL(parse_syntax)
{
	OPTIONS;
	return code_parse_syntax(value, negated, &o->report.code.options.syntax);
}

#define AT(field) offsetof(struct top_options, field)

const struct option top_option_table[] = {
	{OPTION_GROUP, .help = "Whom to watch"},
	{OPTION_BOOL, 'a', "all-cpus", AT(record.capture.target.system_wide), .help = "the whole system (the default)"},
	{OPTION_STRING, 'C', "cpu", AT(record.capture.target.cpus), .arg = "cpu", .help = "only these CPUs: 0-3,7"},
	{OPTION_STRING, 'p', "pid", AT(record.capture.target.pids), .arg = "pid", .help = "processes, with all their threads"},
	{OPTION_STRING, 't', "tid", AT(record.capture.target.tids), .arg = "tid", .help = "threads"},
	{OPTION_STRING, 'u', "uid", AT(record.capture.target.uid), .arg = "user", .help = "the processes of a user"},
	{OPTION_CALL, 'G', "cgroup", .arg = "name", .parse = record_parse_cgroup,
	 .help = "count the events before it only in these cgroups"},
	{OPTION_BOOL, 'i', "no-inherit", AT(record.capture.no_inherit), .help = "not the children of the target"},
	{OPTION_BOOL, 'K', "hide_kernel_symbols", AT(hide_kernel), .help = "leave out samples in the kernel"},
	{OPTION_BOOL, 'U', "hide_user_symbols", AT(hide_user), .help = "leave out samples in user space"},
	{OPTION_OFF, 0, "exclude-perf", AT(show_self),
	 .help = "not what top itself does (the default; --no-exclude-perf shows it)"},

	{OPTION_GROUP, .help = "What to count"},
	{OPTION_CALL, 'e', "event", .arg = "event", .parse = record_parse_event, .help = "events; `strobe list` shows them"},
	{OPTION_CALL, 0, "filter", .arg = "filter", .parse = record_parse_filter,
	 .help = "condition on the fields of the tracepoints before it"},
	{OPTION_CALL, 'F', "freq", .arg = "freq or 'max'", .parse = record_parse_freq, .help = "samples a second (4000)"},
	{OPTION_CALL, 'c', "count", .arg = "n", .parse = record_parse_count, .help = "one sample for each n events"},
	{OPTION_CALL, 'g', NULL, .parse = parse_g, .help = "record call chains, by frame pointers, and show them"},
	{OPTION_CALL, 0, "call-graph", .arg = "record_mode[,record_size],print_type,threshold[,print_limit],order,sort_key,value",
	 .parse = parse_call_graph,
	 .help = "record call chains by fp, dwarf[,bytes of stack] or lbr, and show them as report's -g does;\n"
		 "default: fp,graph,0.5,caller,function,percent"},
	{OPTION_CALL, 'b', "branch-any", .parse = record_parse_branch_any, .help = "count the branches taken"},
	{OPTION_CALL, 'j', "branch-filter", .arg = "filter", .parse = record_parse_branch,
	 .help = "count branches of a kind: any any_call any_ret ind_call call cond u k hv …"},
	{OPTION_BOOL, 0, "all-cgroups", AT(record.capture.cgroups), .help = "the cgroup of each sample: for --sort cgroup"},
	{OPTION_BOOL, 0, "namespaces", AT(record.capture.namespaces),
	 .help = "namespaces of processes: for --sort cgroup_id"},
	{OPTION_BOOL, 0, "no-bpf-event", AT(record.capture.no_bpf_event), .help = "not the loading of BPF programs"},

	{OPTION_STRING, 0, "switch-on", AT(report.switch_on), .arg = "event", .help = "count samples from this event on"},
	{OPTION_STRING, 0, "switch-off", AT(report.switch_off), .arg = "event", .help = "count samples up to this event"},
	{OPTION_BOOL, 0, "show-on-off-events", AT(report.show_switches), .help = "count the samples of these two events as well"},

	{OPTION_GROUP, .help = "What is shown"},
	{OPTION_F64, 'd', "delay", AT(delay_s), .arg = "n", .help = "seconds between refreshes (2)"},
	{OPTION_BOOL, 'z', "zero", AT(zero), .help = "show what came since the last refresh alone"},
	{OPTION_U64, 'E', "entries", AT(entries), .arg = "n",
	 .help = "show this many rows (default: as many as the terminal has lines; into a pipe $LINES or 24)"},
	{OPTION_U64, 'f', "count-filter", AT(count_filter), .arg = "n", .help = "only rows with more samples than this"},
	{OPTION_STRING, 's', "sort", AT(report.sort), .arg = "key[,key2...]",
	 .help = "group and sort by these keys (dso,symbol): those of report"},
	{OPTION_STRING, 0, "fields", AT(report.fields), .arg = "key[,keys...]", .help = "show these columns"},
	{OPTION_BOOL, 'n', "show-nr-samples", AT(report.show_samples), .help = "show the number of samples"},
	{OPTION_BOOL, 0, "show-total-period", AT(report.show_period), .help = "show the sum of periods"},
	{OPTION_BOOL, 0, "children", AT(report.children), .help = "count a function's callees for it as well, with -g (on)"},
	{OPTION_BOOL, 'H', "hierarchy", AT(report.hierarchy), .help = "show the sort keys as levels of a tree"},
	{OPTION_BOOL, 0, "group", AT(report.group), .set_offset = AT(report.group_set),
	 .help = "show the events of a group side by side"},
	{OPTION_U64, 0, "group-sort-idx", AT(report.group_sort_index), .arg = "n", .help = "sort a group by its event number n"},
	{OPTION_STRING, 0, "comms", AT(report.comms), .arg = "comm[,comm...]", .help = "only tasks of these names"},
	{OPTION_STRING, 0, "dsos", AT(report.dsos), .arg = "dso[,dso...]", .help = "only samples in these objects"},
	{OPTION_STRING, 0, "symbols", AT(report.symbols), .arg = "symbol[,symbol...]", .help = "only samples in these functions"},
	{OPTION_F64, 0, "percent-limit", AT(report.percent_limit), .arg = "percent", .set_offset = AT(report.percent_limit_set),
	 .help = "leave out entries with a smaller share"},
	{OPTION_CALL, 0, "percentage", .arg = "relative|absolute", .parse = parse_percentage,
	 .help = "shares of what filters leave, or of all (absolute)"},
	{OPTION_STRING, 0, "ignore-callees", AT(report.ignore_callees), .arg = "regex",
	 .help = "count what these functions call for themselves"},
	{OPTION_U64, 0, "max-stack", AT(report.max_stack), .arg = "n", .help = "maximum number of frames of a stack (default: no limit)"},
	{OPTION_BOOL, 0, "raw-trace", AT(report.raw_trace), .help = "show the fields of tracepoints and not their text"},
	{OPTION_STRING, 'w', "column-widths", AT(report.widths), .arg = "width[,width...]",
	 .help = "use these widths; 0 is as wide as needed"},
	{OPTION_BOOL, 0, "stdio", AT(stdio), .help = "as text, one report after the other"},
	{OPTION_BOOL, 0, "tui", AT(tui), .help = "on a screen: the default on a terminal"},
	{OPTION_CALL, 0, "format", .arg = "text|json", .parse = parse_format, .help = "for people or for programs: one JSON object a line"},
	{OPTION_U64, 0, "refreshes", AT(refreshes), .arg = "n", .help = "end after this many refreshes"},
	{OPTION_STRING, 0, "record", AT(record_file), .arg = "file", .help = "keep what is seen as a recording"},

	{OPTION_GROUP, .help = "Code"},
	{OPTION_STRING, 0, "sym-annotate", AT(annotate), .arg = "symbol",
	 .help = "show the code of this function in place of the report, as text"},
	{OPTION_CALL, 'M', "disassembler-style", .arg = "att|intel", .parse = parse_syntax, .help = "how x86 instructions are written"},
	{OPTION_OFF, 0, "source", AT(report.code.look.no_source), .help = "show source lines between the instructions (on)"},
	{OPTION_BOOL, 0, "asm-raw", AT(report.code.look.raw), .help = "show the bytes of instructions"},
	{OPTION_STRING, 0, "prefix", AT(report.code.options.source_prefix), .arg = "prefix",
	 .help = "put this before absolute paths of source files"},
	{OPTION_U64, 0, "prefix-strip", AT(report.code.options.source_strip), .arg = "n",
	 .help = "take off their first n directories before that"},
	NEEDLESS_OPTION("objdump"),
	NEEDLESS_OPTION("addr2line"),

	{OPTION_GROUP, .help = "Where symbols come from"},
	{OPTION_STRING, 'k', "vmlinux", AT(report.symbol_files.vmlinux), .arg = "file", .help = "the kernel's image"},
	{OPTION_BOOL, 0, "ignore-vmlinux", AT(report.symbol_files.ignore_vmlinux), .help = "do not look for the kernel's image"},
	{OPTION_STRING, 0, "kallsyms", AT(report.symbol_files.kallsyms), .arg = "file", .help = "the kernel's symbols"},
	{OPTION_OFF, 0, "demangle", AT(report.symbol_files.no_demangle), .help = "show C++ and Rust names as written in the source (on)"},
	{OPTION_BOOL, 0, "demangle-kernel", AT(report.symbol_files.demangle_kernel), .help = "the same for the kernel"},

	{OPTION_BOOL, 'D', "dump-symtab", AT(dump_symbols), .help = "write the symbols that were used to standard error at the end"},
	{OPTION_BOOL, 0, "force", AT(report.force), .help = "take symbols from files though they belong to another user"},

	{OPTION_GROUP, .help = "How it is read"},
	{OPTION_OFF, 0, "bpf", AT(no_bpf),
	 .help = "add samples up in the kernel where it can be done (the default; --no-bpf takes each through a ring)"},
	{OPTION_BOOL, 0, "overwrite", AT(record.capture.overwrite),
	 .help = "let new samples overwrite old ones in rings that are full, and show the newest alone"},
	{OPTION_CALL, 'm', "mmap-pages", .arg = "pages", .parse = record_parse_mmap_pages,
	 .help = "size of each ring, in pages or bytes (2M)"},
	{OPTION_CALL, 'r', "realtime", .arg = "n", .parse = record_parse_realtime, .help = "SCHED_FIFO priority of top"},
	{OPTION_U64, 0, "num-thread-synthesize", AT(record.capture.synth_threads), .arg = "n",
	 .help = "threads that read /proc at the start (as many as pay)"},
	{OPTION_U64, 0, "proc-map-timeout", AT(record.capture.proc_map_timeout_ms), .arg = "n",
	 .help = "milliseconds for the mappings of one process (500)"},
	{OPTION_BOOL, 0, "stitch-lbr", AT(report.stitch_calls),
	 .help = "let call stacks of --call-graph lbr go on in those of samples before, where they overlap"},
	REFUSED_OPTION("branch-history", refused_branch_history),
	{OPTION_COUNT, 'v', "verbose", AT(record.verbose), .help = "say more"},
	OPTIONS_END,
};
