#include "recording/choice.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "config.h"

#define WALL_FREQ_HZ	  1000
#define OFF_CPU_THRESH_MS 500 /* as in perf */
#define WALL_THRESH_MS	  1
#define LOCKS_THRESH_MS	  100

struct strobe_error *recorder_choice_check(const struct recorder_choice *c, const struct capture_options *capture,
					   const struct event_list *events, const struct recorder_options *r, bool is_system_wide)
{
	if (capture->all_user && capture->all_kernel)
		return error_create(ERROR_USAGE, "--all-user and --all-kernel exclude each other");
	if (capture->callgraph.kernel_only && capture->callgraph.user_only)
		return error_create(ERROR_USAGE, "--kernel-callchains and --user-callchains exclude each other");
	if (capture->callgraph.leaf && capture->user_regs && !sample_regs_leaf())
		return error_create(ERROR_USAGE, "--call-graph fp,leaf cannot be combined with --user-regs: use fp or dwarf");
	for (size_t i = 0; i < events->events.len; i++)
		if (events->events.data[i].cgroup && !capture->target.system_wide && !capture->target.cpus)
			return error_create(ERROR_USAGE, "-G counts in cgroups of the whole system: add -a or -C");
	bool has_waits = c->wall || c->off_cpu || c->locks;
	if (c->wall + c->off_cpu + c->locks > 1)
		return error_create(ERROR_USAGE, "--wall records all that --off-cpu and --locks do: specify one of them");
	if (has_waits && (capture->no_time || capture->no_period_field))
		return error_create(ERROR_USAGE, "--wall, --off-cpu and --locks require timestamps and periods in samples");
	if (c->off_cpu_thresh_set && !has_waits)
		return error_create(ERROR_USAGE, "--off-cpu-thresh requires --off-cpu, --wall or --locks");
	if (r->use_threads && capture->target.per_thread)
		return error_create(ERROR_USAGE, "--threads assigns buffers by CPU and cannot be combined with --per-thread");
	if (r->use_threads && r->switching.on)
		return error_create(ERROR_USAGE, "--threads and --switch-output exclude each other");
	if (r->kcore && r->switching.on)
		return error_create(ERROR_USAGE, "--kcore and --switch-output exclude each other");
	if (r->use_threads && capture->overwrite)
		return error_create(ERROR_USAGE, "--threads and --overwrite exclude each other");
	if (c->latency && is_system_wide)
		return error_create(ERROR_USAGE, "--latency works on commands, processes and threads only; to record context "
			"switches of whole CPUs, use '-a --switch-events'");
	if (c->latency && capture->no_time)
		return error_create(ERROR_USAGE, "--latency requires timestamps and cannot be combined with --no-timestamp");
#if !HAVE_ZSTD
	if (r->compress_level)
		return error_create(ERROR_UNSUPPORTED,
				    "-z: built without libzstd (install libzstd-dev and rebuild)");
#endif
	return NULL;
}

void recorder_choice_set_buildids(struct recorder_choice *c, const char *ids)
{
	if (!ids || c->buildid_all)
		return;
	if (!strcmp(ids, "skip") && !c->buildid_mmap)
		c->no_buildid = true;
	if (!strcmp(ids, "no-cache") || !strcmp(ids, "mmap"))
		c->no_buildid_cache = true;
}

struct strobe_error *recorder_callgraph_default(struct callgraph_options *c, const char *mode, const char *bytes)
{
	if (mode)
		TRY(error_prefix(callgraph_parse(mode, c), "the setting call-graph.record-mode"));
	if (!bytes || c->mode != CALLGRAPH_DWARF)
		return NULL;
	_cleanup_free_ char *sized = xasprintf("dwarf,%s", bytes);
	return error_prefix(callgraph_parse(sized, c), "the setting call-graph.dump-size");
}

/* Samples of running and of waiting threads stand for the same time. */
static void settle_waits(const struct recorder_choice *c, struct capture_options *capture, struct recorder_options *r)
{
	if (!c->wall && !c->off_cpu && !c->locks)
		return;
	r->waits = c->wall ? RECORDER_WALL : c->locks ? RECORDER_LOCKS : RECORDER_OFFCPU;
	if (!c->off_cpu && !c->callgraph_set)
		capture->callgraph.mode = CALLGRAPH_EH;
	if (c->wall && !capture->freq_set && !capture->period_set)
		capture->freq_hz = WALL_FREQ_HZ;
	uint64_t default_ms = c->wall ? WALL_THRESH_MS : c->locks ? LOCKS_THRESH_MS : OFF_CPU_THRESH_MS;
	r->wait_quantum_ns = (c->off_cpu_thresh_set ? c->off_cpu_thresh_ms : default_ms) * 1000000;
}

void recorder_choice_settle(const struct recorder_choice *c, struct capture_options *capture, struct recorder_options *r)
{
	settle_waits(c, capture, r);
	if (capture->period_set && !capture->freq_set)
		capture->freq_hz = 0;
	if (capture->period_set && capture->freq_set)
		capture->period_set = false; /* -F overrides -c, as in perf */
	capture->build_id_mmap = !c->no_buildid;
	capture->switch_events |= c->latency;
	if (capture->overwrite)
		r->tail_synthesize = true;
	if (r->switching.on)
		r->timestamp_filename = true;
	/* The content of the rings must not exceed the size limit of the file by much. */
	capture->rings_bytes_max = r->max_bytes / 4;
	if (r->switching.bytes && (!capture->rings_bytes_max || r->switching.bytes / 4 < capture->rings_bytes_max))
		capture->rings_bytes_max = r->switching.bytes / 4;
	/* dwarf without a size: eight kilobytes. */
	if (capture->callgraph.mode == CALLGRAPH_DWARF && !capture->callgraph.dump_bytes)
		capture->callgraph.dump_bytes = RECORDER_DUMP_BYTES;
	r->keep_objects = !c->no_buildid && !c->no_buildid_cache && !c->buildid_mmap;
	r->keep_all_objects = c->buildid_all;
}
