#include "ftrace/options/options.h"

#include "base/text.h"

#define AT(field)       offsetof(struct ftrace_options, field)
#define SETTINGS(o)     (&((struct ftrace_options *)(o))->request.settings)
#define NAMES(id, list)                                                                          \
	static struct strobe_error *id(void *o, const char *value, bool negated)                 \
	{                                                                                        \
		if (negated || !value)                                                           \
			vec_deinit(&SETTINGS(o)->list);                                          \
		else                                                                             \
			vec_push(&SETTINGS(o)->list, value);                                     \
		return NULL;                                                                     \
	}
NAMES(add_function, functions)
NAMES(add_no_function, no_functions)
NAMES(add_graph_function, graph_functions)
NAMES(add_no_graph_function, no_graph_functions)

static struct strobe_error *parse_function_options(void *o, const char *value, bool negated)
{
	return negated ? NULL : ftrace_function_options_parse(value, SETTINGS(o));
}

static struct strobe_error *parse_graph_options(void *o, const char *value, bool negated)
{
	return negated ? NULL : ftrace_graph_options_parse(value, SETTINGS(o));
}

static struct strobe_error *parse_buffer(void *o, const char *value, bool negated)
{
	uint64_t *bytes = &SETTINGS(o)->buffer_bytes;
	*bytes = 0;
	if (negated || (value && text_to_bytes(value, bytes) && *bytes >= 1024))
		return NULL;
	return error_create(ERROR_USAGE, "invalid size '%s': requires 1K or more, with B, K, M or G", value ? value : "");
}

#define TARGET                                                                                                                       \
	{ OPTION_GROUP, .help = "Targets" },                                                                                         \
	{ OPTION_BOOL, 'a', "all-cpus", AT(request.target.system_wide), .help = "trace all CPUs (default without a command)" },      \
	{ OPTION_STRING, 'C', "cpu", AT(request.target.cpus), .arg = "cpu", .help = "trace only these CPUs" },                       \
	{ OPTION_STRING, 'p', "pid", AT(request.target.pids), .arg = "pid", .help = "trace these processes" },                       \
	{ OPTION_STRING, 0, "tid", AT(request.target.tids), .arg = "tid", .help = "trace these threads" },                           \
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" }
#define FUNCTIONS                                                                                                                    \
	{ OPTION_GROUP, .help = "Functions" },                                                                                       \
	{ OPTION_CALL, 'T', "trace-funcs", .arg = "func", .parse = add_function,                                                     \
	  .help = "trace only these functions; may be repeated" },                                                                   \
	{ OPTION_CALL, 'N', "notrace-funcs", .arg = "func", .parse = add_no_function, .help = "do not trace these functions" },      \
	{ OPTION_CALL, 'G', "graph-funcs", .arg = "func", .parse = add_graph_function,                                               \
	  .help = "trace these functions and what they call (function_graph)" },                                                     \
	{ OPTION_CALL, 'g', "nograph-funcs", .arg = "func", .parse = add_no_graph_function,                                          \
	  .help = "do not trace these functions and what they call" },                                                               \
	{ OPTION_CALL, 'm', "buffer-size", .arg = "size", .parse = parse_buffer, .help = "buffer size per CPU, e.g. 16M" }
#define FORMAT { OPTION_STRING, 0, "format", AT(format_name), .arg = "text|json|csv", .help = "output format" }

const struct option ftrace_trace_options[] = {
	TARGET,
	FUNCTIONS,
	{ OPTION_STRING, 'F', "funcs", AT(list), .arg = "filter", .default_arg = "*",
	  .help = "list the functions that can be traced" },
	{ OPTION_GROUP, .help = "Tracer" },
	{ OPTION_STRING, 't', "tracer", AT(request.settings.tracer), .arg = "tracer", .help = "function_graph (default) or function" },
	{ OPTION_CALL, 0, "func-opts", .arg = "option,...", .parse = parse_function_options,
	  .help = "options of the function tracer: call-graph, irq-info" },
	{ OPTION_CALL, 0, "graph-opts", .arg = "option,...", .parse = parse_graph_options,
	  .help = "options of function_graph: args, retval, retval-hex, retaddr, nosleep-time, noirqs, verbose, tail,\n"
		  "thresh=<us>, depth=<n>" },
	{ OPTION_BOOL, 0, "inherit", AT(request.settings.inherit), .help = "follow child processes" },
	{ OPTION_U64, 'D', "delay", AT(request.delay_ms), .arg = "ms", .help = "delay before tracing (ms)" },
	OPTIONS_END,
};
const struct option ftrace_latency_options[] = {
	TARGET,
	{ OPTION_GROUP, .help = "Histogram" },
	{ OPTION_CALL, 'T', "trace-funcs", .arg = "func", .parse = add_function, .help = "measure calls of this function" },
	{ OPTION_BOOL, 'n', "use-nsec", AT(histogram.in_ns), .help = "nanoseconds instead of microseconds" },
	{ OPTION_U64, 0, "bucket-range", AT(histogram.range), .arg = "n", .help = "width of each bucket (default: they double)" },
	{ OPTION_U64, 0, "min-latency", AT(histogram.min), .arg = "n", .help = "end of the first bucket, with --bucket-range" },
	{ OPTION_U64, 0, "max-latency", AT(histogram.max), .arg = "n", .help = "start of the last bucket, with --bucket-range" },
	{ OPTION_BOOL, 0, "hide-empty", AT(histogram.hide_empty), .help = "hide empty buckets" },
	{ OPTION_STRING, 'e', "events", AT(events), .arg = "event,event", .help = "not supported: use 'strobe trace'" },
	{ OPTION_BOOL, 'b', "use-bpf", AT(in_bpf), .help = "not supported: use 'strobe trace --func'" },
	FORMAT,
	OPTIONS_END,
};
const struct option ftrace_profile_options[] = {
	TARGET,
	FUNCTIONS,
	{ OPTION_GROUP, .help = "Table" },
	{ OPTION_STRING, 's', "sort", AT(sort), .arg = "key", .help = "sort by total (default), avg, max, count or name" },
	{ OPTION_CALL, 0, "graph-opts", .arg = "option,...", .parse = parse_graph_options,
	  .help = "options of function_graph: nosleep-time, noirqs, thresh=<us>, depth=<n>" },
	FORMAT,
	OPTIONS_END,
};

void ftrace_options_release(void *o)
{
	struct ftrace_settings *s = SETTINGS(o);
	vec_deinit(&s->functions);
	vec_deinit(&s->no_functions);
	vec_deinit(&s->graph_functions);
	vec_deinit(&s->no_graph_functions);
}

struct strobe_error *ftrace_options_settle(struct ftrace_options *o, enum ftrace_answer_kind kind)
{
	struct ftrace_settings *s = &o->request.settings;
	TRY(table_format_parse(o->format_name, &o->format));
	o->request.with_head = kind == FTRACE_TRACE;
	if (kind == FTRACE_TRACE)
		return NULL;
	s->is_of_durations = true;
	if (kind == FTRACE_PROFILE) {
		s->tail = true;
		return ftrace_sort_parse(o->sort, &o->by);
	}
	if (o->events || o->in_bpf)
		return error_create(ERROR_UNSUPPORTED, "%s is not supported here: 'strobe trace %s' shows the times",
				    o->in_bpf ? "-b" : "-e", o->in_bpf ? "--func NAME -s" : "-e EVENT,EVENT");
	if (!s->functions.len)
		return error_create(ERROR_USAGE, "no function given: specify -T FUNCTION");
	return ftrace_histogram_settle(&o->histogram);
}
