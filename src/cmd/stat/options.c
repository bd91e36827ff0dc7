#include "cmd/stat/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/unsupported.h"
#include "view/data/counts_prometheus.h"

#define CALL(name) static struct strobe_error *name(void *options, const char *value, bool negated)
#define OPTIONS struct stat_options *o = options

#define INTERVAL_MIN_MS 1
#define TIMEOUT_MIN_MS  10

void stat_options_defaults(void *options)
{
	OPTIONS;
	event_list_init(&o->events);
	o->sys = sys_live();
	o->request.runs = 1;
	o->log_fd = -1;
	o->form.big_num = true;
}

void stat_options_deinit(void *options)
{
	struct stat_options *o = options;
	event_list_deinit(&o->events);
}

struct strobe_error *stat_options_settle(struct stat_options *o, int argc)
{
	struct measurement_settings *m = &o->measure;
	o->request.has_command = argc > 0;
	o->request.is_versus = o->versus;
	o->request.is_kept = o->record;
	TRY(counts_form_check(&o->form, o->request.runs));
	TRY(measurement_request_check(&o->request, m, &o->events));
	measurement_request_settle(&o->request, m);
	m->verbose = o->verbose > 0;
	m->counting.quiet = o->form.quiet || !counts_form_is_text(&o->form);
	m->expose = counts_prometheus;
	if (o->record)
		m->recording = o->output ? o->output : "perf.data";
	return NULL;
}

CALL(parse_event)
{
	OPTIONS;
	if (negated)
		return error_create(ERROR_USAGE, "events cannot be negated");
	o->last_event = o->events.events.len;
	return event_parse(&o->events, o->sys, value);
}

CALL(parse_filter)
{
	OPTIONS;
	return negated ? error_create(ERROR_USAGE, "filters cannot be negated") :
			 event_list_add_filter(&o->events, o->last_event, value);
}

CALL(parse_cgroup)
{
	OPTIONS;
	if (negated)
		return error_create(ERROR_USAGE, "cgroups cannot be negated");
	return event_list_set_cgroups(&o->events, value);
}

static struct strobe_error *set_by(struct stat_options *o, enum counts_by by, bool negated)
{
	enum counts_by *now = &o->measure.tally.by;
	if (!negated)
		*now = by;
	else if (*now == by)
		*now = COUNTS_BY_NOTHING;
	return NULL;
}

#define PARSE_BY(name, by)                          \
	CALL(name)                                  \
	{                                           \
		return set_by(options, by, negated); \
	}
PARSE_BY(parse_no_aggr, COUNTS_BY_CPU)
PARSE_BY(parse_per_core, COUNTS_BY_CORE)
PARSE_BY(parse_per_cluster, COUNTS_BY_CLUSTER)
PARSE_BY(parse_per_die, COUNTS_BY_DIE)
PARSE_BY(parse_per_socket, COUNTS_BY_SOCKET)
PARSE_BY(parse_per_node, COUNTS_BY_NODE)

CALL(parse_per_thread)
{
	OPTIONS;
	o->request.per_thread = !negated;
	return set_by(options, COUNTS_BY_THREAD, negated);
}

CALL(parse_per_cache)
{
	OPTIONS;
	if (value) {
		if ((value[0] != 'l' && value[0] != 'L') || value[1] < '1' || value[1] > '4' || value[2])
			return error_create(ERROR_USAGE, "invalid cache level \"%s\": expected L1, L2, L3 or L4", value);
		o->measure.tally.cache_level = (unsigned)(value[1] - '0');
	}
	return set_by(options, COUNTS_BY_CACHE, negated);
}

static struct strobe_error *set_ms(uint64_t *ret, const char *what, unsigned min, const char *value, bool negated)
{
	*ret = 0;
	if (!negated && (!text_to_u64(value, ret) || *ret < min || *ret > UINT32_MAX))
		return error_create(ERROR_USAGE, "invalid %s \"%s\": expected milliseconds, at least %u", what, value, min);
	return NULL;
}

CALL(parse_interval)
{
	OPTIONS;
	return set_ms(&o->measure.counting.interval_ms, "interval", INTERVAL_MIN_MS, value, negated);
}

CALL(parse_timeout)
{
	OPTIONS;
	return set_ms(&o->measure.counting.timeout_ms, "timeout", TIMEOUT_MIN_MS, value, negated);
}

CALL(parse_delay)
{
	OPTIONS;
	int64_t *ms = &o->measure.counting.delay_ms;
	*ms = 0;
	if (!negated && (!text_to_i64(value, ms) || *ms < -1 || *ms > UINT32_MAX))
		return error_create(ERROR_USAGE, "invalid delay \"%s\": expected milliseconds, or -1 to start with events disabled", value);
	return NULL;
}

CALL(parse_separator)
{
	OPTIONS;
	o->form.separator = negated ? NULL : !strcmp(value, "\\t") ? "\t" : value;
	return NULL;
}

CALL(parse_format)
{
	OPTIONS;
	o->form.json = o->form.json_document = false;
	if (negated || !strcmp(value, "text"))
		return NULL;
	if (!strcmp(value, "json"))
		o->form.json_document = true;
	else if (!strcmp(value, "jsonl"))
		o->form.json = true;
	else if (!strcmp(value, "csv"))
		o->form.separator = o->form.separator ? o->form.separator : ",";
	else
		return error_create(ERROR_USAGE, "unknown format \"%s\": use text, json (one document), jsonl (as -j) or csv", value);
	return NULL;
}

CALL(parse_iostat)
{
	OPTIONS;
	/* Names of ports, as in perf, exist for only one generation of servers: all ports are measured. */
	if (value && strcmp(value, "default") != 0)
		return error_create(ERROR_USAGE, "\"%s\": ports cannot be selected; all are measured", value);
	o->measure.choice.iostat = !negated;
	return NULL;
}

#define AT(field) offsetof(struct stat_options, field)

/* Of counting and of stat report. */
static const struct option aggregation_rows[] = {
	{ OPTION_CALL, 'A', "no-aggr", .parse = parse_no_aggr, .help = "print counts per CPU" },
	{ OPTION_CALL, 0, "per-core", .parse = parse_per_core, .help = "aggregate counts per core" },
	{ OPTION_CALL, 0, "per-cluster", .parse = parse_per_cluster, .help = "aggregate counts per cluster" },
	{ OPTION_CALL, 0, "per-cache", .arg = "level", .optional_arg = true, .parse = parse_per_cache,
	  .help = "aggregate counts per cache: L2, L3 (default: last level)" },
	{ OPTION_CALL, 0, "per-die", .parse = parse_per_die, .help = "aggregate counts per die" },
	{ OPTION_CALL, 0, "per-socket", .parse = parse_per_socket, .help = "aggregate counts per socket" },
	{ OPTION_CALL, 0, "per-node", .parse = parse_per_node, .help = "aggregate counts per NUMA node" },
	OPTIONS_END,
};

static const struct option tally_rows[] = {
	{ OPTION_BOOL, 0, "no-merge", AT(measure.tally.no_merge), .help = "do not merge events of the same name on several PMUs" },
	{ OPTION_OFF, 'c', "scale", AT(measure.tally.no_scale), .help = "scale up events that were counted only part of the time (on)" },
	OPTIONS_END,
};

static const struct option output_rows[] = {
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "write to this file instead of standard error" },
	{ OPTION_CALL, 'x', "field-separator", .arg = "separator", .parse = parse_separator, .help = "print CSV with this separator" },
	{ OPTION_BOOL, 'j', "json-output", AT(form.json), .help = "print one JSON object per line" },
	{ OPTION_CALL, 0, "format", .arg = "text|json|jsonl|csv", .parse = parse_format,
	  .help = "output format; json: one document on standard output, with numeric values" },
	{ OPTION_BOOL, 'B', "big-num", AT(form.big_num), .help = "print large numbers with thousands separators, as the locale "
		"defines them (on)" },
	OPTIONS_END,
};

const struct option stat_option_table[] = {
	{ OPTION_GROUP, .help = "Events" },
	{ OPTION_CALL, 'e', "event", .arg = "event", .parse = parse_event, .help = "events to count; see `strobe list`" },
	{ OPTION_CALL, 0, "pfm-events", .arg = "event", .parse = parse_event, .help = "events to count, by their libpfm4 names" },
	{ OPTION_CALL, 0, "filter", .arg = "filter", .parse = parse_filter, .help = "filter for the preceding tracepoints" },
	{ OPTION_COUNT, 'd', "detailed", AT(measure.choice.detail), .help = "count cache events too; -dd adds TLBs, -ddd prefetches" },
	{ OPTION_STRING, 'M', "metrics", AT(measure.choice.metrics), .arg = "metric",
	  .help = "count the events of these metrics or metric groups" },
	{ OPTION_BOOL, 0, "metric-no-group", AT(measure.choice.metric.no_group), .help = "do not group the events of a metric" },
	{ OPTION_BOOL, 0, "metric-no-merge", AT(measure.choice.metric.no_merge), .help = "do not share events between metrics" },
	{ OPTION_BOOL, 0, "metric-no-threshold", AT(measure.choice.metric.no_threshold),
	  .help = "do not apply the thresholds of metrics" },
	{ OPTION_BOOL, 0, "topdown", AT(measure.choice.topdown), .help = "top-down analysis of pipeline slots" },
	{ OPTION_U64, 0, "td-level", AT(measure.choice.topdown_level), .arg = "n",
	  .help = "number of levels for --topdown; 0: all that are supported" },
	{ OPTION_BOOL, 'T', "transaction", AT(measure.choice.transaction), .help = "measure hardware transactions" },
	{ OPTION_BOOL, 0, "smi-cost", AT(measure.choice.smi_cost), .help = "measure the cost of system management interrupts" },
	{ OPTION_CALL, 0, "iostat", .arg = "default", .optional_arg = true, .parse = parse_iostat,
	  .help = "measure I/O port traffic" },
	{ OPTION_BOOL, 'n', "null", AT(measure.choice.none), .help = "count no events: measure elapsed time only" },
	{ OPTION_BOOL, 0, "all-user", AT(measure.counters.all_user), .help = "count in user space only" },
	{ OPTION_BOOL, 0, "all-kernel", AT(measure.counters.all_kernel), .help = "count in the kernel only" },
	{ OPTION_BOOL, 'g', "group", AT(measure.choice.one_group), .help = "open all events as one group" },
	{ OPTION_STRING, 0, "cputype", AT(measure.choice.core_type), .arg = "type",
	  .help = "on a hybrid machine, count on this type of core" },
	{ OPTION_STRING, 0, "pmu-filter", AT(measure.choice.pmu), .arg = "PMU",
	  .help = "if several PMUs have the event, count on this one" },
	{ OPTION_GROUP, .help = "Targets" },
	{ OPTION_BOOL, 'a', "all-cpus", AT(request.target.system_wide), .help = "count on the whole system" },
	{ OPTION_STRING, 'C', "cpu", AT(request.target.cpus), .arg = "cpu", .help = "count on these CPUs: 0-3,7" },
	{ OPTION_STRING, 'p', "pid", AT(request.target.pids), .arg = "pid", .help = "count existing processes" },
	{ OPTION_STRING, 't', "tid", AT(request.target.tids), .arg = "tid", .help = "count existing threads" },
	{ OPTION_CALL, 'G', "cgroup", .arg = "name", .parse = parse_cgroup, .help = "restrict the preceding events to these cgroups" },
	{ OPTION_STRING, 0, "for-each-cgroup", AT(measure.choice.for_each_cgroup), .arg = "name",
	  .help = "count all events for each of these cgroups (names or a regular expression)" },
	{ OPTION_BOOL, 'i', "no-inherit", AT(measure.counters.no_inherit), .help = "do not follow child processes" },
	{ OPTION_GROUP, .help = "Runs and intervals" },
	{ OPTION_U64, 'r', "repeat", AT(request.runs), .arg = "n", .help = "repeat the command n times, print mean and standard "
		"deviation; 0: forever" },
	{ OPTION_CALL, 'I', "interval-print", .arg = "ms", .parse = parse_interval, .help = "print counts at this interval (ms)" },
	{ OPTION_U64, 0, "interval-count", AT(measure.counting.interval_count), .arg = "n", .help = "stop after n intervals" },
	{ OPTION_BOOL, 0, "interval-clear", AT(form.clears), .help = "clear the screen before each interval" },
	{ OPTION_BOOL, 0, "summary", AT(summary), .help = "print totals after the intervals" },
	{ OPTION_BOOL, 0, "no-csv-summary", AT(form.no_csv_summary), .help = "omit the word \"summary\" from the totals of -x" },
	{ OPTION_CALL, 'D', "delay", .arg = "ms", .parse = parse_delay, .help = "delay before counting (ms); -1: start with "
		"events disabled" },
	{ OPTION_CALL, 0, "timeout", .arg = "ms", .parse = parse_timeout, .help = "stop after this time (ms)" },
	{ OPTION_STRING, 0, "control", AT(measure.counting.control), .arg = "fd:ctl[,ack]|fifo:ctl[,ack]",
	  .help = "read commands from a descriptor or fifo: enable, disable, evlist, ping, stop" },
	{ OPTION_STRING, 0, "pre", AT(measure.pre), .arg = "command", .help = "run this command before each run" },
	{ OPTION_STRING, 0, "post", AT(measure.post), .arg = "command", .help = "run this command after each run" },
	{ OPTION_BOOL, 'S', "sync", AT(measure.sync), .help = "call sync(2) before each run" },
	{ OPTION_GROUP, .help = "Aggregation" },
	OPTIONS_OF(aggregation_rows, 0),
	{ OPTION_CALL, 0, "per-thread", .parse = parse_per_thread, .help = "aggregate counts per thread" },
	{ OPTION_BOOL, 0, "percore-show-thread", AT(measure.tally.percore_threads),
	  .help = "for percore events, print the count of its core for each CPU" },
	OPTIONS_OF(tally_rows, 0),
	{ OPTION_BOOL, 0, "hybrid-merge", AT(measure.choice.hybrid_merge),
	  .help = "merge the counts of the same event on different types of cores" },
	{ OPTION_OFF, 0, "affinity", AT(measure.counters.no_affinity),
	  .help = "run on each CPU while its counters are opened and read, to avoid interrupts (on)" },
	{ OPTION_GROUP, .help = "Output" },
	OPTIONS_OF(output_rows, 0),
	{ OPTION_BOOL, 0, "append", AT(append), .help = "append to the file of -o" },
	{ OPTION_I64, 0, "log-fd", AT(log_fd), .arg = "n", .help = "write to this file descriptor" },
	{ OPTION_STRING, 0, "prometheus", AT(measure.exposition), .arg = "port|file",
	  .help = "export counts in Prometheus format while counting" },
	{ OPTION_BOOL, 0, "metric-only", AT(measure.metrics_only), .help = "print only computed metrics" },
	{ OPTION_BOOL, 0, "table", AT(form.table), .help = "with -r, print the counts of each run" },
	{ OPTION_STRING, 0, "vs", AT(versus), .arg = "command",
	  .help = "alternate runs with this command and report which counts differ" },
	{ OPTION_BOOL, 0, "no-bpf", AT(measure.no_bpf),
	  .help = "count system call tracepoints with one perf event each, not with a BPF program" },
	UNSUPPORTED_OPTION("record-tpebs", unsupported_retire_latency),
	UNSUPPORTED_OPTION("tpebs-mode", unsupported_retire_latency),
	{ OPTION_BOOL, 0, "quiet", AT(form.quiet), .help = "do not print counts" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose: opened events, raw counts, unsupported events" },
	OPTIONS_END,
};

/* Options that apply to a recording; -i is its file here. */
const struct option stat_report_option_table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "input file (default: perf.data)" },
	OPTIONS_OF(aggregation_rows, 0),
	OPTIONS_OF(tally_rows, 0),
	{ OPTION_BOOL, 0, "summary", AT(summary), .help = "print totals after the intervals" },
	OPTIONS_OF(output_rows, 0),
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};
