#include "cmd/top/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/code_options.h"
#include "cmd/unsupported.h"
#include "report/query.h"

#define CALL(name) static struct strobe_error *name(void *options, const char *value, bool negated)
#define OPTIONS struct top_options *o = options

void top_options_defaults(void *options)
{
	OPTIONS;
	sampling_options_init(&o->record);
	o->report = report_request_defaults();
	o->report.grouping.chains.mode = CALLTREE_NONE;
	o->report.selection.inlined = false; /* their look-up costs more than all the rest, as often as the screen changes */
	o->display.sampling.delay_s = 2;
}

void top_options_deinit(void *options)
{
	struct top_options *o = options;
	sampling_options_deinit(&o->record);
}

CALL(parse_g)
{
	OPTIONS;
	o->record.capture.callgraph.mode = negated ? CALLGRAPH_NONE : CALLGRAPH_DEFAULT;
	o->report.grouping.chains.mode = negated ? CALLTREE_NONE : CALLTREE_GRAPH;
	return NULL;
}

static bool is_record_mode(const char *word, size_t n)
{
	static const char *const modes[] = { "fp", "dwarf", "lbr", "eh" };
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (n == strlen(modes[i]) && !memcmp(word, modes[i], n))
			return true;
	return false;
}

/* "dwarf,4096,graph,0.5,caller": how to record, how many bytes of stack, and then report's -g. */
CALL(parse_call_graph)
{
	OPTIONS;
	char mode[64] = "";
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
			return error_create(ERROR_USAGE, "invalid stack size '%s'", value);
		memcpy(mode, value, (size_t)(at - value));
		mode[at - value] = '\0';
		at += *at == ',';
	}
	if (*mode)
		TRY(callgraph_parse(mode, &o->record.capture.callgraph));
	if (o->record.capture.callgraph.mode == CALLGRAPH_DWARF && !o->record.capture.callgraph.dump_bytes)
		o->record.capture.callgraph.dump_bytes = 8192;
	TRY(report_chains_parse(at, &o->report.grouping, &o->report.selection.branch_history));
	/* The fields that say that a recording must have stacks are for recordings. */
	o->report.grouping.chains_asked = false;
	return NULL;
}

CALL(parse_format)
{
	OPTIONS;
	if (negated || (strcmp(value, "text") && strcmp(value, "json")))
		return error_create(ERROR_USAGE, "requires text or json");
	o->json = !strcmp(value, "json");
	o->stdio = true;
	return NULL;
}

CALL(parse_percentage)
{
	OPTIONS;
	if (negated || (strcmp(value, "relative") && strcmp(value, "absolute")))
		return error_create(ERROR_USAGE, "requires relative or absolute");
	o->report.grouping.relative = !strcmp(value, "relative");
	return NULL;
}

CALL(parse_syntax)
{
	OPTIONS;
	return code_parse_syntax(value, negated, &o->report.code.listing.syntax);
}

#define AT(field) offsetof(struct top_options, field)

const struct option top_option_table[] = {
	{OPTION_GROUP, .help = "Targets"},
	{OPTION_BOOL, 'a', "all-cpus", AT(record.capture.target.system_wide), .help = "profile the whole system (default)"},
	{OPTION_STRING, 'C', "cpu", AT(record.capture.target.cpus), .arg = "cpu", .help = "profile only these CPUs: 0-3,7"},
	{OPTION_STRING, 'p', "pid", AT(record.capture.target.pids), .arg = "pid", .help = "profile existing processes, with "
		"all their threads"},
	{OPTION_STRING, 't', "tid", AT(record.capture.target.tids), .arg = "tid", .help = "profile existing threads"},
	{OPTION_STRING, 'u', "uid", AT(record.capture.target.uid), .arg = "user", .help = "profile the processes of a user"},
	{OPTION_CALL, 'G', "cgroup", .arg = "name", .parse = sampling_parse_cgroup,
	 .help = "restrict the preceding events to these cgroups"},
	{OPTION_BOOL, 'i', "no-inherit", AT(record.capture.no_inherit), .help = "do not follow child processes"},
	{OPTION_BOOL, 'K', "hide_kernel_symbols", AT(display.sampling.hide_kernel), .help = "hide samples in the kernel"},
	{OPTION_BOOL, 'U', "hide_user_symbols", AT(display.sampling.hide_user), .help = "hide samples in user space"},
	{OPTION_OFF, 0, "exclude-perf", AT(show_self),
	 .help = "exclude top itself (on)"},

	{OPTION_GROUP, .help = "Events"},
	{OPTION_CALL, 'e', "event", .arg = "event", .parse = sampling_parse_event, .help = "events to sample; see `strobe list`"},
	{OPTION_CALL, 0, "filter", .arg = "filter", .parse = sampling_parse_filter,
	 .help = "filter for the preceding tracepoints"},
	{OPTION_CALL, 'F', "freq", .arg = "freq or 'max'", .parse = sampling_parse_freq,
	 .help = "samples per second (default: 4000)"},
	{OPTION_CALL, 'c', "count", .arg = "n", .parse = sampling_parse_count, .help = "sample every n events"},
	{OPTION_CALL, 'g', NULL, .parse = parse_g, .help = "record and show call chains: whole stacks (eh) where permitted, else fp"},
	{OPTION_CALL, 0, "call-graph", .arg = "record_mode[,record_size],print_type,threshold[,print_limit],order,sort_key,value",
	 .parse = parse_call_graph,
	 .help = "record call chains by eh, fp, dwarf[,stack bytes] or lbr, and show them as report -g does;\ndefault: "
	 	"as -g, then graph,0.5,caller,function,percent"},
	{OPTION_CALL, 'b', "branch-any", .parse = sampling_parse_branch_any, .help = "sample the last branches taken"},
	{OPTION_CALL, 'j', "branch-filter", .arg = "filter", .parse = sampling_parse_branch,
	 .help = "sample branches of these types: any any_call any_ret ind_call call cond u k hv …"},
	{OPTION_BOOL, 0, "all-cgroups", AT(record.capture.cgroups), .help = "record the cgroup of each sample, for --sort cgroup"},
	{OPTION_BOOL, 0, "namespaces", AT(record.capture.namespaces),
	 .help = "record namespaces of processes, for --sort cgroup_id"},
	{OPTION_BOOL, 0, "no-bpf-event", AT(record.capture.no_bpf_event), .help = "do not record BPF program loads"},

	{OPTION_STRING, 0, "switch-on", AT(report.selection.switch_on), .arg = "event",
	 .help = "start counting samples at this event"},
	{OPTION_STRING, 0, "switch-off", AT(report.selection.switch_off), .arg = "event",
	 .help = "stop counting samples at this event"},
	{OPTION_BOOL, 0, "show-on-off-events", AT(report.selection.show_switches),
	 .help = "count the samples of the --switch-on and "
		"--switch-off events too"},

	{OPTION_GROUP, .help = "Display"},
	{OPTION_F64, 'd', "delay", AT(display.sampling.delay_s), .arg = "n", .help = "seconds between refreshes (default: 2)"},
	{OPTION_BOOL, 'z', "zero", AT(display.sampling.last_only), .help = "show only samples since the last refresh"},
	{OPTION_U64, 'E', "entries", AT(display.rows), .arg = "n",
	 .help = "number of rows to show (default: the height of the terminal; for a pipe $LINES or 24)"},
	{OPTION_U64, 'f', "count-filter", AT(display.samples_above), .arg = "n", .help = "show only rows with more samples than this"},
	{OPTION_STRING, 's', "sort", AT(report.grouping.sort), .arg = "key[,key2...]",
	 .help = "group and sort by these keys (default: dso,symbol); see report --sort"},
	{OPTION_STRING, 0, "fields", AT(report.grouping.fields), .arg = "key[,keys...]", .help = "show these columns"},
	{OPTION_BOOL, 'n', "show-nr-samples", AT(report.grouping.show_samples), .help = "show the number of samples"},
	{OPTION_BOOL, 0, "show-total-period", AT(report.grouping.show_period), .help = "show the sum of periods"},
	{OPTION_BOOL, 0, "children", AT(report.grouping.children),
	 .help = "with -g, add the samples of callees to their callers (on)"},
	{OPTION_BOOL, 'H', "hierarchy", AT(report.grouping.hierarchy), .help = "show sort keys as levels of a tree"},
	{OPTION_BOOL, 0, "group", AT(report.grouping.group), .set_offset = AT(report.grouping.group_set),
	 .help = "show the events of a group side by side"},
	{OPTION_U64, 0, "group-sort-idx", AT(report.grouping.group_sort_index), .arg = "n",
	 .help = "sort a group by its event number n"},
	{OPTION_STRING, 0, "comms", AT(report.filter.comms), .arg = "comm[,comm...]", .help = "show only tasks with these names"},
	{OPTION_STRING, 0, "dsos", AT(report.filter.dsos), .arg = "dso[,dso...]",
	 .help = "show only samples in these objects (DSOs)"},
	{OPTION_STRING, 0, "symbols", AT(report.filter.symbols), .arg = "symbol[,symbol...]",
	 .help = "show only samples in these functions"},
	{OPTION_F64, 0, "percent-limit", AT(report.grouping.percent_limit), .arg = "percent",
	 .set_offset = AT(report.grouping.percent_limit_set),
	 .help = "hide entries below this percentage"},
	{OPTION_CALL, 0, "percentage", .arg = "relative|absolute", .parse = parse_percentage,
	 .help = "percentages of the filtered samples, or of all (default: absolute)"},
	{OPTION_STRING, 0, "ignore-callees", AT(report.grouping.ignore_callees), .arg = "regex",
	 .help = "add the samples of callees to these functions"},
	{OPTION_U64, 0, "max-stack", AT(report.selection.max_stack), .arg = "n",
	 .help = "maximum number of frames of a stack (default: no limit)"},
	{OPTION_BOOL, 0, "raw-trace", AT(report.grouping.raw_trace),
	 .help = "show tracepoint fields instead of the formatted text"},
	{OPTION_STRING, 'w', "column-widths", AT(report.display.widths), .arg = "width[,width...]",
	 .help = "use these column widths; 0: automatic"},
	{OPTION_BOOL, 0, "stdio", AT(stdio), .help = "print text reports instead of a screen"},
	{OPTION_BOOL, 0, "tui", AT(tui), .help = "use the full screen (default on a terminal)"},
	{OPTION_CALL, 0, "format", .arg = "text|json", .parse = parse_format, .help = "output format; json: one object per line"},
	{OPTION_U64, 0, "refreshes", AT(refreshes), .arg = "n", .help = "exit after this many refreshes"},
	{OPTION_STRING, 0, "record", AT(record_file), .arg = "file", .help = "save the samples to a recording"},

	{OPTION_GROUP, .help = "Code"},
	{OPTION_STRING, 0, "sym-annotate", AT(display.function), .arg = "symbol",
	 .help = "print the annotated code of this function instead of the report"},
	{OPTION_CALL, 'M', "disassembler-style", .arg = "att|intel", .parse = parse_syntax, .help = "syntax of x86 instructions"},
	{OPTION_OFF, 0, "source", AT(report.code.look.no_source), .help = "show source lines between the instructions (on)"},
	{OPTION_BOOL, 0, "asm-raw", AT(report.code.look.raw), .help = "show the raw bytes of instructions"},
	{OPTION_STRING, 0, "prefix", AT(report.code.listing.source_prefix), .arg = "prefix",
	 .help = "add this prefix to absolute paths of source files"},
	{OPTION_U64, 0, "prefix-strip", AT(report.code.listing.source_strip), .arg = "n",
	 .help = "strip n leading directories of source files before adding --prefix"},
	NEEDLESS_OPTION("objdump"),
	NEEDLESS_OPTION("addr2line"),

	{OPTION_GROUP, .help = "Symbols"},
	{OPTION_STRING, 'k', "vmlinux", AT(report.selection.symbol_files.vmlinux), .arg = "file", .help = "kernel image"},
	{OPTION_BOOL, 0, "ignore-vmlinux", AT(report.selection.symbol_files.ignore_vmlinux),
	 .help = "do not search for a kernel image"},
	{OPTION_STRING, 0, "kallsyms", AT(report.selection.symbol_files.kallsyms), .arg = "file", .help = "kernel symbols"},
	{OPTION_OFF, 0, "demangle", AT(report.selection.symbol_files.no_demangle), .help = "demangle C++ and Rust names (on)"},
	{OPTION_OFF, 0, "functions", AT(report.selection.symbol_files.no_functions),
	 .help = "name functions of stripped code by unwind information (on)"},
	{OPTION_BOOL, 0, "demangle-kernel", AT(report.selection.symbol_files.demangle_kernel),
	 .help = "demangle kernel symbols too"},

	{OPTION_BOOL, 'D', "dump-symtab", AT(dump_symbols), .help = "print the symbol tables used, on standard error at exit"},
	{OPTION_BOOL, 0, "force", AT(report.selection.force), .help = "read symbols from files of other users"},

	{OPTION_GROUP, .help = "Buffers"},
	{OPTION_OFF, 0, "bpf", AT(no_bpf),
	 .help = "aggregate samples in the kernel where possible (on)"},
	{OPTION_BOOL, 0, "overwrite", AT(record.capture.overwrite),
	 .help = "overwrite old samples when buffers are full, and show the newest only"},
	{OPTION_CALL, 'm', "mmap-pages", .arg = "pages", .parse = sampling_parse_mmap_pages,
	 .help = "size of each buffer, in pages, or in bytes with a unit (e.g. 2M)"},
	{OPTION_CALL, 'r', "realtime", .arg = "n", .parse = sampling_parse_realtime, .help = "SCHED_FIFO priority of top"},
	{OPTION_U64, 0, "num-thread-synthesize", AT(record.capture.synth_threads), .arg = "n",
	 .help = "number of threads reading /proc at startup (default: automatic)"},
	{OPTION_U64, 0, "proc-map-timeout", AT(record.capture.proc_map_timeout_ms), .arg = "n",
	 .help = "time limit for reading the mappings of a process, in ms (default: 500)"},
	{OPTION_BOOL, 0, "stitch-lbr", AT(report.selection.stitch_calls),
	 .help = "join overlapping LBR call stacks of consecutive samples (--call-graph lbr)"},
	UNSUPPORTED_OPTION("branch-history", unsupported_branch_history),
	{OPTION_COUNT, 'v', "verbose", AT(record.verbose), .help = "be more verbose"},
	OPTIONS_END,
};
