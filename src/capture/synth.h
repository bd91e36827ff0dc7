/*
 * Synthesizes records for the state at the start of a recording: kernel and module maps, BPF programs, cgroups, processes with
 * their names, threads, namespaces and mappings; and the maps that tie a recording to its target (threads, CPUs, ids).
 *
 * Records are built in memory and written to a sink in batches. Each carries an empty trailer of `tail_bytes` (time 0), as
 * sample_id_all requires. Mappings are queried with the PROCMAP_QUERY ioctl where the kernel has it (6.11: executable
 * ones only, with their build-id) and else read from /proc/PID/maps, with build-ids read from the files once for each
 * (device, inode). Processes are scanned by several threads when there are many. Processes that have ended or without
 * permission are left out.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "capture/events.h"
#include "capture/options.h"
#include "capture/target.h"
#include "record/source.h"

struct synth_options {
	const struct sys *sys;
	unsigned parts;      /* SYNTH_* */
	uint16_t tail_bytes; /* of the trailer that each kernel-type record carries */
	bool build_ids;      /* in MMAP2 */
	bool data_maps;      /* also non-executable mappings */
	bool namespaces;
	unsigned threads;    /* 0 = as many as pay */
	uint32_t timeout_ms; /* for the mappings of one process; 0 = none */
};

/* What could not be read; the caller prints messages. */
struct synth_report {
	bool kernel_restricted;  /* kallsyms shows no addresses (kptr_restrict) */
	unsigned maps_timed_out; /* processes whose mappings took longer than timeout_ms */
	pid_t timed_out_pid;
};

struct strobe_error *synth_kernel(struct record_sink *sink, const struct synth_options *o,
				  struct synth_report *r) _must_check_;
/* KSYMBOL and BPF_EVENT for loaded programs; nothing without permission. */
struct strobe_error *synth_bpf(struct record_sink *sink, const struct synth_options *o) _must_check_;
struct strobe_error *synth_cgroups(struct record_sink *sink, const struct synth_options *o) _must_check_;
/* All processes of the system. */
struct strobe_error *synth_all_tasks(struct record_sink *sink, const struct synth_options *o,
				     struct synth_report *r) _must_check_;
/* The processes of the target's threads. */
struct strobe_error *synth_target_tasks(struct record_sink *sink, const struct synth_options *o,
					const struct target_map *map, struct synth_report *r) _must_check_;
struct strobe_error *synth_thread_map(struct record_sink *sink, const struct target_map *map) _must_check_;
struct strobe_error *synth_cpu_map(struct record_sink *sink, const struct target_map *map) _must_check_;
struct strobe_error *synth_id_index(struct record_sink *sink, const struct event_set *set,
				    const struct target_map *map) _must_check_;
/* The conversion of the time stamp counter of hardware traces to perf's clock; nothing if the CPU does not support it. */
struct strobe_error *synth_time_conv(struct record_sink *sink, const struct perf_event_mmap_page *page) _must_check_;
/* LOST_SAMPLES for each event and slot with losses; *ret_lost is their sum. */
struct strobe_error *synth_lost_samples(struct record_sink *sink, const struct event_set *set,
					const struct target_map *map, uint64_t *ret_lost) _must_check_;
/* A record of a header alone: FINISHED_ROUND, FINISHED_INIT. */
struct strobe_error *synth_mark(struct record_sink *sink, uint32_t type) _must_check_;
