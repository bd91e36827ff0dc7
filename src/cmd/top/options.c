#include "cmd/top/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/shared_options.h"
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
	o->report.selection.inlined = false; /* their look-up, at each refresh, costs more than all the rest */
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
	/* The check that a recording has stacks does not apply. */
	o->report.grouping.chains_requested = false;
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

#define AT(field) offsetof(struct top_options, field)

const struct option top_option_table[] = {
	{ OPTION_GROUP, .help = "Targets" },
	{ OPTION_BOOL, 'a', "all-cpus", AT(record.capture.target.system_wide), .help = "profile the whole system (default)" },
	OPTIONS_OF(sampling_target_rows, AT(record)),
	{ OPTION_BOOL, 'K', "hide_kernel_symbols", AT(display.sampling.hide_kernel), .help = "hide samples in the kernel" },
	{ OPTION_BOOL, 'U', "hide_user_symbols", AT(display.sampling.hide_user), .help = "hide samples in user space" },
	{ OPTION_OFF, 0, "exclude-perf", AT(show_self),
	 .help = "exclude top itself (on)" },

	{ OPTION_GROUP, .help = "Events" },
	OPTIONS_OF(sampling_event_rows, AT(record)),
	{ OPTION_CALL, 'g', NULL, .parse = parse_g, .help = "record and show call chains: whole stacks (eh) where permitted, else fp" },
	{ OPTION_CALL, 0, "call-graph", .arg = "record_mode[,record_size],print_type,threshold[,print_limit],order,sort_key,value",
	 .parse = parse_call_graph,
	 .help = "record call chains by eh, fp, dwarf[,stack bytes] or lbr, and show them as report -g does;\ndefault: "
	 	"as -g, then graph,0.5,caller,function,percent" },
	{ OPTION_BOOL, 0, "wall", AT(wall),
	 .help = "show where threads run (cpu-clock) and where they wait, by comm, state and reason or the keys of -s; see record --wall" },
	OPTIONS_OF(sampling_record_rows, AT(record)),

	OPTIONS_OF(switch_option_rows, AT(report.selection)),

	{ OPTION_GROUP, .help = "Display" },
	{ OPTION_F64, 'd', "delay", AT(display.sampling.delay_s), .arg = "n", .help = "seconds between refreshes (default: 2)" },
	{ OPTION_BOOL, 'z', "zero", AT(display.sampling.last_only), .help = "show only samples since the last refresh" },
	{ OPTION_U64, 'E', "entries", AT(display.rows), .arg = "n",
	 .help = "number of rows to show (default: the height of the terminal; for a pipe $LINES or 24)" },
	{ OPTION_U64, 'f', "count-filter", AT(display.samples_above), .arg = "n", .help = "show only rows with more samples than this" },
	{ OPTION_STRING, 's', "sort", AT(report.grouping.sort), .arg = "key[,key2...]",
	 .help = "group and sort by these keys (default: dso,symbol); see report --sort" },
	{ OPTION_STRING, 0, "fields", AT(report.grouping.fields), .arg = "key[,keys...]", .help = "show these columns" },
	OPTIONS_OF(grouping_option_rows, AT(report.grouping)),
	{ OPTION_BOOL, 0, "children", AT(report.grouping.children),
	 .help = "with -g, add the samples of callees to their callers (on)" },
	{ OPTION_STRING, 0, "comms", AT(report.filter.comms), .arg = "comm[,comm...]", .help = "show only tasks with these names" },
	{ OPTION_STRING, 0, "dsos", AT(report.filter.dsos), .arg = "dso[,dso...]",
	 .help = "show only samples in these objects (DSOs)" },
	{ OPTION_STRING, 0, "symbols", AT(report.filter.symbols), .arg = "symbol[,symbol...]",
	 .help = "show only samples in these functions" },
	{ OPTION_U64, 0, "max-stack", AT(report.selection.max_stack), .arg = "n",
	 .help = "maximum number of frames of a stack (default: no limit)" },
	{ OPTION_STRING, 'w', "column-widths", AT(report.display.widths), .arg = "width[,width...]",
	 .help = "use these column widths; 0: automatic" },
	{ OPTION_BOOL, 0, "stdio", AT(stdio), .help = "print text reports instead of a screen" },
	{ OPTION_BOOL, 0, "tui", AT(tui), .help = "use the full screen (default on a terminal)" },
	{ OPTION_CALL, 0, "format", .arg = "text|json", .parse = parse_format, .help = "output format; json: one object per line" },
	{ OPTION_U64, 0, "refreshes", AT(refreshes), .arg = "n", .help = "exit after this many refreshes" },
	{ OPTION_STRING, 0, "record", AT(record_file), .arg = "file", .help = "save the samples to a recording" },

	{ OPTION_GROUP, .help = "Code" },
	{ OPTION_STRING, 0, "sym-annotate", AT(display.function), .arg = "symbol",
	 .help = "print the annotated code of this function instead of the report" },
	OPTIONS_OF(code_option_rows, AT(report.code)),

	{ OPTION_GROUP, .help = "Symbols" },
	OPTIONS_OF(symbol_option_rows, AT(report.selection.symbol_files)),

	{ OPTION_BOOL, 'D', "dump-symtab", AT(dump_symbols), .help = "print the symbol tables used, on standard error at exit" },
	{ OPTION_BOOL, 0, "force", AT(report.selection.force), .help = "read symbols from files of other users" },

	{ OPTION_GROUP, .help = "Buffers" },
	{ OPTION_OFF, 0, "bpf", AT(no_bpf),
	 .help = "aggregate samples in the kernel where possible (on)" },
	{ OPTION_BOOL, 0, "overwrite", AT(record.capture.overwrite),
	 .help = "overwrite old samples when buffers are full, and show the newest only" },
	OPTIONS_OF(sampling_buffer_rows, AT(record)),
	{ OPTION_BOOL, 0, "stitch-lbr", AT(report.selection.stitch_calls),
	 .help = "join overlapping LBR call stacks of consecutive samples (--call-graph lbr)" },
	UNSUPPORTED_OPTION("branch-history", unsupported_branch_history),
	{ OPTION_COUNT, 'v', "verbose", AT(record.verbose), .help = "be more verbose" },
	OPTIONS_END,
};
