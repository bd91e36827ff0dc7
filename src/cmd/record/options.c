#include "cmd/record/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/unsupported.h"
#include "recording/values.h"

#define CALL(name) static struct strobe_error *name(void *options, const char *value, bool negated)
/* The first line of most parsers below. */
#define OPTIONS struct record_options *o = options

void record_options_defaults(void *options)
{
	OPTIONS;
	sampling_options_init(&o->sampling);
	event_list_init(&o->switch_events);
}

void record_options_deinit(void *options)
{
	struct record_options *o = options;
	sampling_options_deinit(&o->sampling);
	event_list_deinit(&o->switch_events);
	vec_deinit(&o->recorder.delay.ranges);
}

CALL(parse_switch_event)
{
	OPTIONS;
	if (negated)
		return error_create(ERROR_USAGE, "events cannot be negated");
	if (event_is_probe(value))
		return error_create(ERROR_USAGE, "inline probes are not supported: define the probe with strobe probe");
	o->recorder.switching.on = o->recorder.switching.by_signal = true;
	return event_parse(&o->switch_events, sys_live(), value);
}

CALL(parse_jvm)
{
	OPTIONS;
	o->recorder.leave_jvms = negated || !strcmp(value, "no");
	if (!negated && strcmp(value, "no") != 0 && strcmp(value, "yes") != 0)
		return error_create(ERROR_USAGE, "invalid value '%s': expected yes or no", value);
	return NULL;
}

CALL(parse_g)
{
	OPTIONS;
	o->choice.callgraph_set = o->callgraph_by_g = !negated;
	o->sampling.capture.callgraph.mode = negated ? CALLGRAPH_NONE : CALLGRAPH_DEFAULT;
	return NULL;
}

CALL(parse_call_graph)
{
	OPTIONS;
	if (negated) {
		o->sampling.capture.callgraph.mode = CALLGRAPH_NONE;
		return NULL;
	}
	o->choice.callgraph_set = true;
	o->callgraph_by_g = false;
	return callgraph_parse(value, &o->sampling.capture.callgraph);
}

CALL(parse_intr_regs)
{
	OPTIONS;
	if (negated) {
		o->sampling.capture.intr_regs = 0;
		return NULL;
	}
	o->list_intr_regs = value && !strcmp(value, "?");
	return o->list_intr_regs ? NULL : sample_regs_parse(value, false, &o->sampling.capture.intr_regs);
}

CALL(parse_user_regs)
{
	OPTIONS;
	if (negated) {
		o->sampling.capture.user_regs = 0;
		return NULL;
	}
	o->list_user_regs = value && !strcmp(value, "?");
	return o->list_user_regs ? NULL : sample_regs_parse(value, true, &o->sampling.capture.user_regs);
}

CALL(parse_clockid)
{
	OPTIONS;
	o->sampling.capture.use_clockid = !negated;
	return negated ? NULL : clockid_parse(value, &o->sampling.capture.clockid);
}

CALL(parse_delay)
{
	OPTIONS;
	vec_deinit(&o->recorder.delay.ranges);
	o->recorder.delay.never = false;
	o->sampling.capture.delay_ms = 0;
	return negated ? NULL : recorder_delay_parse(value, &o->recorder.delay, &o->sampling.capture.delay_ms);
}

CALL(parse_mmap_flush)
{
	OPTIONS;
	o->sampling.capture.flush_bytes = 1;
	return negated ? NULL : recorder_bytes_parse(value, &o->sampling.capture.flush_bytes);
}

CALL(parse_max_size)
{
	OPTIONS;
	o->recorder.max_bytes = 0;
	return negated ? NULL : recorder_bytes_parse(value, &o->recorder.max_bytes);
}

CALL(parse_switch_output)
{
	OPTIONS;
	o->recorder.switching.on = !negated;
	return negated ? NULL : recorder_switching_parse(value, &o->recorder.switching);
}

CALL(parse_compress)
{
	OPTIONS;
	o->recorder.compress_level = 0;
	return negated ? NULL : recorder_compression_parse(value, &o->recorder.compress_level);
}

CALL(parse_synth)
{
	OPTIONS;
	o->sampling.capture.synth_parts = SYNTH_ALL;
	return negated ? NULL : synth_parts_parse(value, &o->sampling.capture.synth_parts);
}

CALL(parse_affinity)
{
	OPTIONS;
	o->recorder.affinity = RECORDER_AFFINITY_NONE;
	return negated ? NULL : recorder_affinity_parse(value, &o->recorder.affinity);
}

CALL(parse_threads)
{
	OPTIONS;
	o->recorder.use_threads = !negated;
	o->recorder.threads = value;
	return NULL;
}

CALL(parse_buildid_mmap)
{
	OPTIONS;
	o->choice.buildid_mmap = !negated;
	return negated ? error_create(ERROR_USAGE, "build IDs are part of mmap records: -B omits them, 'inject -b' adds them "
		"to a recording") :
			 NULL;
}

CALL(parse_aio)
{
	OPTIONS;
	uint64_t n;
	if (value && (!text_to_u64(value, &n) || n < 1))
		return error_create(ERROR_USAGE, "invalid number of blocks \"%s\"", value);
	o->aio_set = !negated;
	return NULL;
}

CALL(parse_debuginfod)
{
	OPTIONS;
	o->debuginfod_set = !negated;
	return NULL;
}

#define AT(field)      offsetof(struct record_options, field)
#define CAPTURE(field) AT(sampling.capture.field)
#define GROUP(text)                        \
	{                                  \
		OPTION_GROUP, .help = text \
	}

const struct option record_option_table[] = {
	GROUP("Targets"),
	{ OPTION_BOOL, 'a', "all-cpus", CAPTURE(target.system_wide), .help = "record the whole system" },
	OPTIONS_OF(sampling_target_rows, AT(sampling)),
	{ OPTION_STRING, 0, "on", AT(on), .arg = "[user@]host",
	  .help = "record on another machine by ssh, and copy the recording and the files required to read it to this one" },
	{ OPTION_BOOL, 0, "per-thread", CAPTURE(target.per_thread), .help = "one buffer per thread instead of per CPU" },
	{ OPTION_BOOL, 0, "all-user", CAPTURE(all_user), .help = "sample user space only" },
	{ OPTION_BOOL, 0, "all-kernel", CAPTURE(all_kernel), .help = "sample the kernel only" },
	{ OPTION_BOOL, 0, "exclude-perf", CAPTURE(exclude_self),
	 .help = "exclude the recorder's own tracepoints (default with -a)" },
	{ OPTION_CALL, 'D', "delay", .arg = "ms", .parse = parse_delay,
	 .help = "delay before recording (ms); -1: start with events disabled; ranges (10-20,30-40): record only then" },

	GROUP("Events"),
	OPTIONS_OF(sampling_event_rows, AT(sampling)),
	{ OPTION_BOOL, 0, "strict-freq", CAPTURE(strict_freq),
	 .help = "fail if the frequency is above the kernel's limit" },
	{ OPTION_BOOL, 0, "group", CAPTURE(group), .help = "open all events as one group" },
	{ OPTION_BOOL, 'n', "no-samples", CAPTURE(no_samples),
	 .help = "do not sample: record task and mapping events only" },
	{ OPTION_BOOL, 's', "stat", CAPTURE(inherit_stat), .help = "record the counts of each thread" },

	{ OPTION_BOOL, 0, "wall", AT(choice.wall),
	 .help = "record where threads run (cpu-clock) and where they wait, why, and who wakes them" },
	{ OPTION_BOOL, 0, "locks", AT(choice.locks),
	 .help = "record waits for locks of programs (futexes), and the threads that hold them; see 'lock contention --user'" },
	{ OPTION_BOOL, 0, "off-cpu", AT(choice.off_cpu), .help = "record the time that threads are off the CPU as event offcpu-time" },
	{ OPTION_U64, 0, "off-cpu-thresh", AT(choice.off_cpu_thresh_ms), .set_offset = AT(choice.off_cpu_thresh_set), .arg = "ms",
	 .help = "minimum time off the CPU for a separate sample, in ms (default: 500; --wall: 1; --locks: 100)" },

	GROUP("Sample contents"),
	{ OPTION_CALL, 'g', NULL, .parse = parse_g, .help = "record call chains: whole stacks (eh) where permitted, else fp" },
	{ OPTION_CALL, 0, "call-graph", .arg = "mode[,bytes]", .parse = parse_call_graph,
	 .help = "record call chains: fp[,leaf|,defer], eh[,native], dwarf[,stack bytes] (default 8192), lbr or auto" },
	{ OPTION_BOOL, 0, "kernel-callchains", CAPTURE(callgraph.kernel_only),
	 .help = "record only the kernel part of call chains" },
	{ OPTION_BOOL, 0, "user-callchains", CAPTURE(callgraph.user_only), .help = "record only the user part of call chains" },
	{ OPTION_BOOL, 'd', "data", CAPTURE(sample_address), .help = "record data addresses" },
	{ OPTION_BOOL, 0, "data-mmap", CAPTURE(mmap_data), .help = "record data mappings too (implied by -d)" },
	{ OPTION_BOOL, 0, "sample-mem-info", CAPTURE(sample_data_src), .help = "record the source of data: cache level, TLB, "
		"snoop (implied by -d)" },
	{ OPTION_BOOL, 0, "phys-data", CAPTURE(sample_phys_addr), .help = "record physical data addresses" },
	{ OPTION_BOOL, 0, "data-page-size", CAPTURE(data_page_size), .help = "record the page size of data addresses" },
	{ OPTION_BOOL, 0, "code-page-size", CAPTURE(code_page_size), .help = "record the page size of code addresses" },
	{ OPTION_BOOL, 'W', "weight", CAPTURE(sample_weight), .help = "record the weight (latency) of samples" },
	{ OPTION_BOOL, 0, "transaction", CAPTURE(transaction), .help = "record hardware transaction flags" },
	{ OPTION_OFF, 'T', "timestamp", CAPTURE(no_time), .help = "record timestamps (on)" },
	{ OPTION_OFF, 'P', "period", CAPTURE(no_period_field), .set_offset = CAPTURE(period_field_set),
	 .help = "record the sample period" },
	{ OPTION_BOOL, 0, "sample-cpu", CAPTURE(sample_cpu), .help = "record the CPU" },
	{ OPTION_BOOL, 0, "sample-identifier", CAPTURE(sample_identifier), .help = "record the event ID at a fixed position "
		"in samples (PERF_SAMPLE_IDENTIFIER)" },
	{ OPTION_BOOL, 'R', "raw-samples", CAPTURE(raw_samples), .help = "record raw data, timestamps and CPUs for all events" },
	{ OPTION_CALL, 'I', "intr-regs", .arg = "registers", .optional_arg = true, .parse = parse_intr_regs,
	 .help = "record registers at the interrupt; =? lists the names" },
	{ OPTION_CALL, 0, "user-regs", .arg = "registers", .optional_arg = true, .parse = parse_user_regs,
	 .help = "record user-space registers; =? lists the names" },
	{ OPTION_BOOL, 0, "running-time", CAPTURE(running_time),
	 .help = "add enabled and running times to group reads (:S)" },
	{ OPTION_CALL, 'k', "clockid", .arg = "clockid", .parse = parse_clockid,
	 .help = "clock for timestamps: mono, raw, boot, real or tai" },

	GROUP("Additional records"),
	{ OPTION_BOOL, 0, "switch-events", CAPTURE(switch_events), .help = "record context switches" },
	{ OPTION_BOOL, 0, "latency", AT(choice.latency),
	 .help = "record context switches for report --latency" },
	OPTIONS_OF(sampling_record_rows, AT(sampling)),
	{ OPTION_CALL, 0, "jvm", .arg = "yes|no", .parse = parse_jvm,
	 .help = "have JVMs (17 or later) write the names of their compiled code at the end (default: yes)" },
	{ OPTION_CALL, 0, "synth", .arg = "no|all|task|mmap|cgroup", .parse = parse_synth,
	 .help = "records to synthesize for existing tasks (default: all)" },
	{ OPTION_BOOL, 0, "tail-synthesize", AT(recorder.tail_synthesize), .help = "write synthesized records at the end of the file" },
	{ OPTION_BOOL, 'B', "no-buildid", AT(choice.no_buildid), .help = "do not record build IDs" },
	{ OPTION_BOOL, 'N', "no-buildid-cache", AT(choice.no_buildid_cache), .help = "do not add sampled files to the build ID cache" },
	{ OPTION_BOOL, 0, "buildid-all", AT(choice.buildid_all),
	 .help = "add all mapped files to the build ID cache, even without samples" },
	{ OPTION_CALL, 0, "buildid-mmap", .parse = parse_buildid_mmap, .help = "record build IDs in mmap records (on, unless -B)" },

	GROUP("Output"),
	{ OPTION_STRING, 'o', "output", AT(recorder.output), .arg = "file",
	 .help = "output file (default: perf.data); - for standard output" },
	{ OPTION_CALL, 'z', "compression-level", .arg = "n", .optional_arg = true, .parse = parse_compress,
	 .help = "compress with zstd at this level, 1 to 22 (default: 1)" },
	{ OPTION_CALL, 0, "max-size", .arg = "size", .parse = parse_max_size,
	 .help = "stop when the output reaches this size (e.g. 100M)" },
	{ OPTION_CALL, 0, "switch-output", .arg = "signal|size|time", .optional_arg = true, .default_arg = "signal",
	 .parse = parse_switch_output, .help = "start a new output file on SIGUSR2 (signal), at a size (100M) or after a time (30s)" },
	{ OPTION_CALL, 0, "switch-output-event", .arg = "event", .parse = parse_switch_event,
	 .help = "start a new output file when this event occurs" },
	{ OPTION_U64, 0, "switch-max-files", AT(recorder.switching.max_files), .arg = "n", .help = "keep only the last n output files" },
	{ OPTION_BOOL, 0, "timestamp-filename", AT(recorder.timestamp_filename), .help = "append a timestamp to the output file name" },
	{ OPTION_CALL, 0, "timestamp-boundary", .parse = needless_switch,
	 .help = "record the times of the first and last sample (always on)" },
	{ OPTION_CALL, 0, "threads", .arg = "spec", .optional_arg = true, .parse = parse_threads,
	 .help = "read buffers with several threads, and write a directory: cpu, core, package, numa or CPUs/affinity:…" },
	{ OPTION_BOOL, 0, "kcore", AT(recorder.kcore),
	 .help = "write a directory with a copy of /proc/kcore, kallsyms and modules (root)" },

	GROUP("Buffers"),
	OPTIONS_OF(sampling_buffer_rows, AT(sampling)),
	{ OPTION_BOOL, 0, "overwrite", CAPTURE(overwrite),
	 .help = "overwrite old data in the buffers; write them at the end or on a signal" },
	{ OPTION_CALL, 0, "mmap-flush", .arg = "bytes", .parse = parse_mmap_flush,
	 .help = "minimum number of bytes to read from a buffer at once (default: 1)" },
	{ OPTION_BOOL, 0, "no-buffering", CAPTURE(no_buffering), .help = "do not wait for a buffer to fill: wake up for each event" },
	{ OPTION_CALL, 0, "affinity", .arg = "node|cpu", .parse = parse_affinity,
	 .help = "read each buffer on its own node or CPU" },
	{ OPTION_CALL, 0, "aio", .arg = "n", .optional_arg = true, .parse = parse_aio,
	 .help = "accepted for compatibility, ignored" },
	{ OPTION_STRING, 0, "control", AT(recorder.control), .arg = "fd:ctl[,ack]|fifo:ctl[,ack]",
	 .help = "read commands from a descriptor or fifo: enable, disable, snapshot, evlist, ping, stop" },

	GROUP("General"),
	{ OPTION_COUNT, 'v', "verbose", AT(sampling.verbose), .help = "be more verbose; -vv shows the perf_event_attr of each event" },
	{ OPTION_BOOL, 'q', "quiet", AT(quiet), .help = "print errors only" },
	{ OPTION_BOOL, 0, "dry-run", AT(dry_run), .help = "check the options and exit" },

	UNSUPPORTED_SHORT_OPTION('S', "snapshot", unsupported_aux),
	UNSUPPORTED_OPTION("aux-sample", unsupported_aux),
	UNSUPPORTED_OPTION("setup-filter", unsupported_pinned_filter),
	{ OPTION_CALL, 0, "debuginfod", .arg = "urls", .optional_arg = true, .parse = parse_debuginfod, .hidden = true,
	 .help = "accepted for compatibility, ignored" },
	UNSUPPORTED_OPTION("clang-path", unsupported_bpf_source),
	UNSUPPORTED_OPTION("clang-opt", unsupported_bpf_source),
	UNSUPPORTED_OPTION("vmlinux", unsupported_bpf_source),
	OPTIONS_END,
};
