#include "cmd/sampling_options.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

#define PARSER(name) static struct strobe_error *name(void *options, const char *value, bool negated)
#define OPTIONS      struct sampling_options *o = options

void sampling_options_init(struct sampling_options *o)
{
	capture_options_init(&o->capture);
	event_list_init(&o->events);
}

void sampling_options_deinit(struct sampling_options *o)
{
	event_list_deinit(&o->events);
}

PARSER(parse_event)
{
	OPTIONS;
	if (negated)
		return error_create(ERROR_USAGE, "events cannot be negated");
	o->last_event = o->events.events.len;
	return event_parse(&o->events, sys_live(), value);
}

PARSER(parse_filter)
{
	OPTIONS;
	return negated ? error_create(ERROR_USAGE, "filters cannot be negated") :
			 event_list_add_filter(&o->events, o->last_event, value);
}

PARSER(parse_cgroup)
{
	OPTIONS;
	if (negated)
		return error_create(ERROR_USAGE, "cgroups cannot be negated");
	return event_list_set_cgroups(&o->events, value);
}

PARSER(parse_freq)
{
	OPTIONS;
	struct capture_options *c = &o->capture;
	if (negated) {
		c->freq_set = false;
		c->freq_hz = 4000;
		return NULL;
	}
	uint64_t hz;
	if (!strcmp(value, "max"))
		hz = CAPTURE_FREQ_MAX;
	else if (!text_to_u64(value, &hz) || !hz)
		return error_create(ERROR_USAGE, "invalid frequency \"%s\": expected samples per second, or max", value);
	c->freq_hz = hz;
	c->freq_set = true;
	return NULL;
}

PARSER(parse_count)
{
	OPTIONS;
	struct capture_options *c = &o->capture;
	if (negated) {
		c->period_set = false;
		return NULL;
	}
	if (!text_to_u64(value, &c->period) || !c->period)
		return error_create(ERROR_USAGE, "invalid count \"%s\": expected a number of events", value);
	c->period_set = true;
	return NULL;
}

PARSER(parse_branch_any)
{
	OPTIONS;
	return negated ? (o->capture.branch_mask = 0, NULL) : branch_filter_parse("any", &o->capture.branch_mask);
}

PARSER(parse_branch)
{
	OPTIONS;
	return negated ? (o->capture.branch_mask = 0, NULL) : branch_filter_parse(value, &o->capture.branch_mask);
}

PARSER(parse_mmap_pages)
{
	OPTIONS;
	o->capture.mmap_pages = o->capture.aux_pages = 0;
	if (negated)
		return NULL;
	_cleanup_free_ char *copy = xstrdup(value);
	char *comma = strchr(copy, ',');
	if (comma) {
		*comma++ = '\0';
		TRY(mmap_pages_parse(comma, &o->capture.aux_pages));
		if (o->capture.aux_pages)
			return error_create(ERROR_UNSUPPORTED,
					    "recording AUX area traces (Intel PT, CoreSight) is not supported");
	}
	return *copy ? mmap_pages_parse(copy, &o->capture.mmap_pages) : NULL;
}

PARSER(parse_realtime)
{
	OPTIONS;
	uint64_t prio = 0;
	if (!negated && (!text_to_u64(value, &prio) || prio < 1 || prio > 99))
		return error_create(ERROR_USAGE, "invalid real-time priority \"%s\": expected 1 to 99", value);
	o->capture.rt_prio = (int)prio;
	return NULL;
}

#define AT(field)      offsetof(struct sampling_options, field)
#define CAPTURE(field) AT(capture.field)

const struct option sampling_target_rows[] = {
	{ OPTION_STRING, 'C', "cpu", CAPTURE(target.cpus), .arg = "cpu", .help = "sample only on these CPUs: 0-3,7" },
	{ OPTION_STRING, 'p', "pid", CAPTURE(target.pids), .arg = "pid", .help = "sample existing processes, with all their threads" },
	{ OPTION_STRING, 't', "tid", CAPTURE(target.tids), .arg = "tid", .help = "sample existing threads" },
	{ OPTION_STRING, 'u', "uid", CAPTURE(target.uid), .arg = "user", .help = "sample the processes of a user" },
	{ OPTION_CALL, 'G', "cgroup", .arg = "name", .parse = parse_cgroup,
	  .help = "restrict the preceding events to these cgroups (with -a)" },
	{ OPTION_BOOL, 'i', "no-inherit", CAPTURE(no_inherit), .help = "do not follow child processes" },
	OPTIONS_END,
};

const struct option sampling_event_rows[] = {
	{ OPTION_CALL, 'e', "event", .arg = "event", .parse = parse_event, .help = "events to sample; see `strobe list`" },
	{ OPTION_CALL, 0, "filter", .arg = "filter", .parse = parse_filter, .help = "filter for the preceding tracepoints" },
	{ OPTION_CALL, 'F', "freq", .arg = "freq or 'max'", .parse = parse_freq, .help = "samples per second (default: 4000)" },
	{ OPTION_CALL, 'c', "count", .arg = "n", .parse = parse_count, .help = "sample every n events" },
	{ OPTION_CALL, 'b', "branch-any", .parse = parse_branch_any, .help = "sample the last branches taken" },
	{ OPTION_CALL, 'j', "branch-filter", .arg = "filter", .parse = parse_branch,
	  .help = "sample branches of these types: any any_call any_ret ind_call call cond u k hv in_tx no_tx abort_tx save_type …" },
	OPTIONS_END,
};

const struct option sampling_record_rows[] = {
	{ OPTION_BOOL, 0, "namespaces", CAPTURE(namespaces), .help = "record namespaces of processes, for the sort key cgroup_id" },
	{ OPTION_BOOL, 0, "all-cgroups", CAPTURE(cgroups),
	  .help = "record cgroups, and the cgroup of each sample, for the sort key cgroup" },
	{ OPTION_BOOL, 0, "no-bpf-event", CAPTURE(no_bpf_event), .help = "do not record BPF program loads" },
	{ OPTION_U64, 0, "num-thread-synthesize", CAPTURE(synth_threads), .arg = "n",
	  .help = "number of threads reading /proc (default: automatic)" },
	{ OPTION_U64, 0, "proc-map-timeout", CAPTURE(proc_map_timeout_ms), .arg = "n",
	  .help = "time limit for reading the mappings of a process, in ms (default: 500)" },
	OPTIONS_END,
};

const struct option sampling_buffer_rows[] = {
	{ OPTION_CALL, 'm', "mmap-pages", .arg = "pages[,pages]", .parse = parse_mmap_pages,
	  .help = "size of each buffer, in pages, or in bytes with a unit, e.g. 2M (default: 512K or more)" },
	{ OPTION_CALL, 'r', "realtime", .arg = "n", .parse = parse_realtime,
	  .help = "SCHED_FIFO priority of the reader (default of record: 1, if permitted)" },
	OPTIONS_END,
};
