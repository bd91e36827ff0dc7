#include "cmd/record/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/refused.h"

#define CALL(name) static struct strobe_error *name(void *options, const char *value, bool negated)
/* Used by commands that begin their options with these. */
#define SHARED(name) struct strobe_error *record_##name(void *options, const char *value, bool negated)
/* Reads what most parsers below begin with. */
#define OPTIONS struct record_options *o = options

void record_options_defaults(void *options)
{
	OPTIONS;
	capture_options_init(&o->capture);
	event_list_init(&o->events);
	event_list_init(&o->switch_events);
}

void record_options_deinit(void *options)
{
	struct record_options *o = options;
	event_list_deinit(&o->events);
	event_list_deinit(&o->switch_events);
	vec_deinit(&o->last_event);
	vec_deinit(&o->delay.ranges);
}

SHARED(parse_event)
{
	OPTIONS;
	if (negated)
		return error_create(ERROR_USAGE, "events cannot be taken back");
	vec_clear(&o->last_event);
	vec_push(&o->last_event, o->events.events.len);
	return event_parse(&o->events, sys_live(), value);
}

CALL(parse_switch_event)
{
	OPTIONS;
	if (negated)
		return error_create(ERROR_USAGE, "events cannot be taken back");
	o->switching.on = o->switching.by_signal = true;
	return event_parse(&o->switch_events, sys_live(), value);
}

/* Both hold for each event of the last -e. */
static struct strobe_error *add_filter(struct record_options *o, const char *filter)
{
	size_t first = o->last_event.len ? o->last_event.data[0] : 0;
	if (first == o->events.events.len)
		return error_create(ERROR_USAGE, "stands behind the -e whose events it filters");
	for (size_t i = first; i < o->events.events.len; i++) {
		struct event *e = &o->events.events.data[i];
		if (!e->tracepoint)
			return error_create(ERROR_USAGE, "%s is no tracepoint: the kernel filters those only", e->name);
		e->filter = e->filter ? arena_printf(&o->events.arena, "(%s) && (%s)", e->filter, filter)
				      : arena_strdup(&o->events.arena, filter);
	}
	return NULL;
}

SHARED(parse_filter)
{
	return negated ? error_create(ERROR_USAGE, "filters cannot be taken back") : add_filter(options, value);
}

SHARED(parse_cgroup)
{
	OPTIONS;
	if (negated)
		return error_create(ERROR_USAGE, "cgroups cannot be taken back");
	return event_list_set_cgroups(&o->events, value);
}

SHARED(parse_freq)
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
		return error_create(ERROR_USAGE, "\"%s\" is no frequency: give samples a second, or max", value);
	c->freq_hz = hz;
	c->freq_set = true;
	return NULL;
}

SHARED(parse_count)
{
	OPTIONS;
	struct capture_options *c = &o->capture;
	if (negated) {
		c->period_set = false;
		return NULL;
	}
	if (!text_to_u64(value, &c->period) || !c->period)
		return error_create(ERROR_USAGE, "\"%s\" is no number of events", value);
	c->period_set = true;
	return NULL;
}

CALL(parse_g)
{
	OPTIONS;
	o->callgraph_set = o->callgraph_by_g = !negated;
	o->capture.callgraph.mode = negated ? CALLGRAPH_NONE : CALLGRAPH_FP;
	return NULL;
}

CALL(parse_call_graph)
{
	OPTIONS;
	if (negated) {
		o->capture.callgraph.mode = CALLGRAPH_NONE;
		return NULL;
	}
	o->callgraph_set = true;
	o->callgraph_by_g = false;
	return callgraph_parse(value, &o->capture.callgraph);
}

SHARED(parse_branch_any)
{
	OPTIONS;
	return negated ? (o->capture.branch_mask = 0, NULL) : branch_filter_parse("any", &o->capture.branch_mask);
}

SHARED(parse_branch)
{
	OPTIONS;
	return negated ? (o->capture.branch_mask = 0, NULL) : branch_filter_parse(value, &o->capture.branch_mask);
}

CALL(parse_intr_regs)
{
	OPTIONS;
	if (negated) {
		o->capture.intr_regs = 0;
		return NULL;
	}
	o->list_intr_regs = value && !strcmp(value, "?");
	return o->list_intr_regs ? NULL : sample_regs_parse(value, false, &o->capture.intr_regs);
}

CALL(parse_user_regs)
{
	OPTIONS;
	if (negated) {
		o->capture.user_regs = 0;
		return NULL;
	}
	o->list_user_regs = value && !strcmp(value, "?");
	return o->list_user_regs ? NULL : sample_regs_parse(value, true, &o->capture.user_regs);
}

CALL(parse_clockid)
{
	OPTIONS;
	o->capture.use_clockid = !negated;
	return negated ? NULL : clockid_parse(value, &o->capture.clockid);
}

CALL(parse_delay)
{
	OPTIONS;
	vec_deinit(&o->delay.ranges);
	o->delay.never = false;
	o->capture.delay_ms = 0;
	if (negated)
		return NULL;
	TRY(delay_parse(value, &o->delay));
	if (o->delay.never)
		o->capture.delay_ms = -1;
	else if (o->delay.ranges.len)
		o->capture.delay_ms = o->delay.ranges.data[0].start_ms ? (int64_t)o->delay.ranges.data[0].start_ms : 1;
	return NULL;
}

SHARED(parse_mmap_pages)
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
					    "AUX area tracing (Intel PT, CoreSight) is not recorded by this version");
	}
	return *copy ? mmap_pages_parse(copy, &o->capture.mmap_pages) : NULL;
}

CALL(parse_mmap_flush)
{
	OPTIONS;
	o->capture.flush_bytes = 1;
	if (!negated && (!text_to_bytes(value, &o->capture.flush_bytes) || !o->capture.flush_bytes))
		return error_create(ERROR_USAGE, "\"%s\" is no number of bytes", value);
	return NULL;
}

SHARED(parse_realtime)
{
	OPTIONS;
	uint64_t prio = 0;
	if (!negated && (!text_to_u64(value, &prio) || prio < 1 || prio > 99))
		return error_create(ERROR_USAGE, "\"%s\" is no real-time priority (1 to 99)", value);
	o->capture.rt_prio = (int)prio;
	return NULL;
}

CALL(parse_max_size)
{
	OPTIONS;
	o->max_bytes = 0;
	if (!negated && (!text_to_bytes(value, &o->max_bytes) || !o->max_bytes))
		return error_create(ERROR_USAGE, "\"%s\" is no size: give bytes, or 100K, 64M, 2G", value);
	return NULL;
}

CALL(parse_switch_output)
{
	OPTIONS;
	struct switch_options *s = &o->switching;
	s->on = !negated;
	if (negated)
		return NULL;
	if (!strcmp(value, "signal"))
		s->by_signal = true;
	else if (text_to_duration_ns(value, &s->interval_ns) && s->interval_ns)
		s->bytes = 0;
	else if (text_to_u64(value, &s->bytes) || !text_to_bytes(value, &s->bytes) || !s->bytes)
		return error_create(ERROR_USAGE, "\"%s\": give signal, a size (100M) or a time (30s, 5m, 1h)", value);
	return NULL;
}

CALL(parse_compress)
{
	OPTIONS;
	uint64_t level = 1;
	o->compress_level = 0;
	if (negated)
		return NULL;
	if (value && (!text_to_u64(value, &level) || level > 22))
		return error_create(ERROR_USAGE, "\"%s\" is no compression level (1 to 22)", value);
	o->compress_level = (int)level;
	return NULL;
}

CALL(parse_synth)
{
	OPTIONS;
	o->capture.synth_parts = SYNTH_ALL;
	return negated ? NULL : synth_parts_parse(value, &o->capture.synth_parts);
}

CALL(parse_affinity)
{
	OPTIONS;
	o->affinity = AFFINITY_SYS;
	if (negated)
		return NULL;
	if (!strcmp(value, "node"))
		o->affinity = AFFINITY_NODE;
	else if (!strcmp(value, "cpu"))
		o->affinity = AFFINITY_CPU;
	else
		return error_create(ERROR_USAGE, "\"%s\": give node or cpu", value);
	return NULL;
}

CALL(parse_threads)
{
	OPTIONS;
	o->threads_set = !negated;
	o->threads = value;
	return NULL;
}

CALL(parse_buildid_mmap)
{
	OPTIONS;
	o->buildid_mmap = !negated;
	return negated ? error_create(ERROR_USAGE, "build-ids come with the mappings: -B leaves them out, 'inject -b' adds them to "
						   "a recording") :
			 NULL;
}

CALL(parse_aio)
{
	OPTIONS;
	uint64_t n;
	if (value && (!text_to_u64(value, &n) || n < 1))
		return error_create(ERROR_USAGE, "\"%s\" is no number of blocks", value);
	o->aio_set = !negated;
	return NULL;
}

CALL(parse_debuginfod)
{
	OPTIONS;
	o->debuginfod_set = !negated;
	return NULL;
}

#define AT(field) offsetof(struct record_options, field)
#define GROUP(text)                        \
	{                                  \
		OPTION_GROUP, .help = text \
	}

const struct option record_option_table[] = {
	GROUP("Whom to record"),
	{OPTION_BOOL, 'a', "all-cpus", AT(capture.target.system_wide), .help = "the whole system"},
	{OPTION_STRING, 'C', "cpu", AT(capture.target.cpus), .arg = "cpu", .help = "only these CPUs: 0-3,7"},
	{OPTION_STRING, 'p', "pid", AT(capture.target.pids), .arg = "pid",
	 .help = "processes that run already, with all their threads"},
	{OPTION_STRING, 't', "tid", AT(capture.target.tids), .arg = "tid", .help = "threads that run already"},
	{OPTION_STRING, 'u', "uid", AT(capture.target.uid), .arg = "user", .help = "the processes of a user"},
	{OPTION_CALL, 'G', "cgroup", .arg = "name", .parse = record_parse_cgroup,
	 .help = "count the events before it only in these cgroups (with -a)"},
	{OPTION_BOOL, 0, "per-thread", AT(capture.target.per_thread), .help = "one ring a thread instead of one a CPU"},
	{OPTION_BOOL, 'i', "no-inherit", AT(capture.no_inherit), .help = "not the children of the target"},
	{OPTION_BOOL, 0, "all-user", AT(capture.all_user), .help = "all events in user space only"},
	{OPTION_BOOL, 0, "all-kernel", AT(capture.all_kernel), .help = "all events in the kernel only"},
	{OPTION_BOOL, 0, "exclude-perf", AT(capture.exclude_self),
	 .help = "not the recorder's own tracepoints (the default with -a; --no-exclude-perf records them)"},
	{OPTION_CALL, 'D', "delay", .arg = "ms", .parse = parse_delay,
	 .help = "wait so long before recording; -1: until --control enables; or ranges: 10-20,30-40"},

	GROUP("What to record"),
	{OPTION_CALL, 'e', "event", .arg = "event", .parse = record_parse_event, .help = "events; `strobe list` shows them"},
	{OPTION_CALL, 0, "filter", .arg = "filter", .parse = record_parse_filter,
	 .help = "condition on the fields of the tracepoints before it"},
	{OPTION_CALL, 'F', "freq", .arg = "freq or 'max'", .parse = record_parse_freq, .help = "samples a second (4000)"},
	{OPTION_CALL, 'c', "count", .arg = "n", .parse = record_parse_count, .help = "one sample for each n events"},
	{OPTION_BOOL, 0, "strict-freq", AT(capture.strict_freq),
	 .help = "fail where the frequency is above the kernel's limit"},
	{OPTION_BOOL, 0, "group", AT(capture.group), .help = "put all events into one group"},
	{OPTION_BOOL, 'n', "no-samples", AT(capture.no_samples),
	 .help = "no samples, only what happens to tasks and mappings"},
	{OPTION_BOOL, 's', "stat", AT(capture.inherit_stat), .help = "counts for each thread"},

	GROUP("What each sample holds"),
	{OPTION_CALL, 'g', NULL, .parse = parse_g, .help = "the call chain, by frame pointers"},
	{OPTION_CALL, 0, "call-graph", .arg = "mode[,bytes]", .parse = parse_call_graph,
	 .help = "the call chain, by: fp[,leaf|,defer], eh, dwarf[,bytes of stack] (8192), lbr, auto"},
	{OPTION_BOOL, 0, "kernel-callchains", AT(capture.callgraph.kernel_only),
	 .help = "call chains of the kernel only"},
	{OPTION_BOOL, 0, "user-callchains", AT(capture.callgraph.user_only), .help = "call chains of user space only"},
	{OPTION_CALL, 'b', "branch-any", .parse = record_parse_branch_any, .help = "the branches taken last"},
	{OPTION_CALL, 'j', "branch-filter", .arg = "filter", .parse = record_parse_branch,
	 .help = "branches of a kind: any any_call any_ret ind_call call cond u k hv in_tx no_tx abort_tx save_type …"},
	{OPTION_BOOL, 'd', "data", AT(capture.sample_address), .help = "data addresses"},
	{OPTION_BOOL, 0, "data-mmap", AT(capture.mmap_data), .help = "mappings that are not executable, too (with -d anyway)"},
	{OPTION_BOOL, 0, "sample-mem-info", AT(capture.sample_data_src), .help = "where data came from (with -d anyway)"},
	{OPTION_BOOL, 0, "phys-data", AT(capture.sample_phys_addr), .help = "physical data addresses"},
	{OPTION_BOOL, 0, "data-page-size", AT(capture.data_page_size), .help = "page size of the data address"},
	{OPTION_BOOL, 0, "code-page-size", AT(capture.code_page_size), .help = "page size of the code address"},
	{OPTION_BOOL, 'W', "weight", AT(capture.sample_weight), .help = "the cost of the access or instruction"},
	{OPTION_BOOL, 0, "transaction", AT(capture.transaction), .help = "flags of hardware transactions"},
	{OPTION_OFF, 'T', "timestamp", AT(capture.no_time), .help = "the time (always, unless --no-timestamp)"},
	{OPTION_OFF, 'P', "period", AT(capture.no_period_field), .set_offset = AT(capture.period_field_set), .help = "the period"},
	{OPTION_BOOL, 0, "sample-cpu", AT(capture.sample_cpu), .help = "the CPU"},
	{OPTION_BOOL, 0, "sample-identifier", AT(capture.sample_identifier), .help = "the event's id at a fixed place"},
	{OPTION_BOOL, 'R', "raw-samples", AT(capture.raw_samples), .help = "raw data, time and CPU for all events"},
	{OPTION_CALL, 'I', "intr-regs", .arg = "registers", .optional_arg = true, .parse = parse_intr_regs,
	 .help = "registers at the interrupt; =? lists their names"},
	{OPTION_CALL, 0, "user-regs", .arg = "registers", .optional_arg = true, .parse = parse_user_regs,
	 .help = "registers of user space; =? lists their names"},
	{OPTION_BOOL, 0, "running-time", AT(capture.running_time),
	 .help = "enabled and running time with values that are read (:S)"},
	{OPTION_CALL, 'k', "clockid", .arg = "clockid", .parse = parse_clockid,
	 .help = "the clock of all times: mono, raw, boot, real, tai"},

	GROUP("What else is told"),
	{OPTION_BOOL, 0, "switch-events", AT(capture.switch_events), .help = "context switches"},
	{OPTION_BOOL, 0, "latency", AT(latency),
	 .help = "context switches with their times, for shares of the elapsed time: report --latency"},
	{OPTION_BOOL, 0, "namespaces", AT(capture.namespaces), .help = "namespaces of processes"},
	{OPTION_BOOL, 0, "all-cgroups", AT(capture.cgroups), .help = "cgroups, and the cgroup of each sample"},
	{OPTION_BOOL, 0, "no-bpf-event", AT(capture.no_bpf_event), .help = "not the loading of BPF programs"},
	{OPTION_CALL, 0, "synth", .arg = "no|all|task|mmap|cgroup", .parse = parse_synth,
	 .help = "what is told of tasks that exist already (all)"},
	{OPTION_BOOL, 0, "tail-synthesize", AT(tail_synthesize), .help = "tell it at the end of the file"},
	{OPTION_U64, 0, "num-thread-synthesize", AT(capture.synth_threads), .arg = "n",
	 .help = "threads that read /proc (as many as pay)"},
	{OPTION_U64, 0, "proc-map-timeout", AT(capture.proc_map_timeout_ms), .arg = "n",
	 .help = "milliseconds for the mappings of one process (500)"},
	{OPTION_BOOL, 'B', "no-buildid", AT(no_buildid), .help = "no build-ids of what is mapped"},
	{OPTION_BOOL, 'N', "no-buildid-cache", AT(no_buildid_cache), .help = "do not put what was sampled into the build ID cache"},
	{OPTION_BOOL, 0, "buildid-all", AT(buildid_all),
	 .help = "put all that was mapped into the build ID cache, sampled or not"},
	{OPTION_CALL, 0, "buildid-mmap", .parse = parse_buildid_mmap, .help = "build-ids in the mappings (always, unless -B)"},

	GROUP("Where it goes"),
	{OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "the file (perf.data); - is standard output"},
	{OPTION_CALL, 'z', "compression-level", .arg = "n", .optional_arg = true, .parse = parse_compress,
	 .help = "compress with zstd: 1 (fast, the default) to 22"},
	{OPTION_CALL, 0, "max-size", .arg = "size", .parse = parse_max_size,
	 .help = "stop when the file is that large"},
	{OPTION_CALL, 0, "switch-output", .arg = "signal|size|time", .optional_arg = true, .default_arg = "signal",
	 .parse = parse_switch_output, .help = "begin a new file at SIGUSR2 (signal), a size (100M) or a time (30s)"},
	{OPTION_CALL, 0, "switch-output-event", .arg = "event", .parse = parse_switch_event,
	 .help = "begin a new file at an event"},
	{OPTION_U64, 0, "switch-max-files", AT(switching.max_files), .arg = "n", .help = "keep that many of the files"},
	{OPTION_BOOL, 0, "timestamp-filename", AT(timestamp_filename), .help = "add the time to the file's name"},
	{OPTION_CALL, 0, "timestamp-boundary", .parse = needless_switch,
	 .help = "record the time of the first and last sample (always)"},
	{OPTION_CALL, 0, "threads", .arg = "spec", .optional_arg = true, .parse = parse_threads,
	 .help = "several readers, and a directory of files: cpu, core, package, numa or CPUs/affinity:…"},
	{OPTION_BOOL, 0, "kcore", AT(kcore),
	 .help = "a directory, with the code of the kernel and its modules as /proc/kcore shows it (root)"},

	GROUP("How it is read"),
	{OPTION_CALL, 'm', "mmap-pages", .arg = "pages[,pages]", .parse = record_parse_mmap_pages,
	 .help = "size of each ring, in pages or bytes (2M)"},
	{OPTION_BOOL, 0, "overwrite", AT(capture.overwrite),
	 .help = "keep the newest data in the rings until the end or a signal"},
	{OPTION_CALL, 0, "mmap-flush", .arg = "bytes", .parse = parse_mmap_flush,
	 .help = "least that is read from a ring at once"},
	{OPTION_BOOL, 0, "no-buffering", AT(capture.no_buffering), .help = "wake up for each event"},
	{OPTION_CALL, 'r', "realtime", .arg = "n", .parse = record_parse_realtime,
	 .help = "SCHED_FIFO priority of the reader (1 where permitted)"},
	{OPTION_CALL, 0, "affinity", .arg = "node|cpu", .parse = parse_affinity,
	 .help = "read each ring on its node or CPU"},
	{OPTION_CALL, 0, "aio", .arg = "n", .optional_arg = true, .parse = parse_aio,
	 .help = "no effect: rings are written without a copy"},
	{OPTION_STRING, 0, "control", AT(control), .arg = "fd:ctl[,ack]|fifo:ctl[,ack]",
	 .help = "take commands: enable, disable, snapshot, evlist, ping, stop"},

	GROUP("In general"),
	{OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "say more; -vv shows the attributes of each event"},
	{OPTION_BOOL, 'q', "quiet", AT(quiet), .help = "say nothing but errors"},
	{OPTION_BOOL, 0, "dry-run", AT(dry_run), .help = "check the options and end"},

	REFUSED_SHORT_OPTION('S', "snapshot", refused_aux),
	REFUSED_OPTION("aux-sample", refused_aux),
	REFUSED_OPTION("off-cpu", refused_off_cpu),
	REFUSED_OPTION("off-cpu-thresh", refused_off_cpu),
	REFUSED_OPTION("setup-filter", refused_pinned_filter),
	{OPTION_CALL, 0, "debuginfod", .arg = "urls", .optional_arg = true, .parse = parse_debuginfod, .hidden = true,
	 .help = "no effect: record fetches nothing"},
	REFUSED_OPTION("clang-path", refused_bpf_source),
	REFUSED_OPTION("clang-opt", refused_bpf_source),
	REFUSED_OPTION("vmlinux", refused_bpf_source),
	OPTIONS_END,
};
