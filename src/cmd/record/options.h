/*
 * The options of `strobe record`, parsed.
 */
#pragma once
#include "cmd/sampling_options.h"
#include "recording/recorder.h"

struct record_options {
	struct sampling_options sampling;
	struct event_list switch_events;  /* --switch-output-event */
	struct recorder_options recorder; /* completed as it is run */

	bool quiet, dry_run;
	bool callgraph_set;
	bool callgraph_by_g; /* -g: the mode may come from the settings */
	bool latency;
	bool wall, locks, off_cpu, off_cpu_thresh_set;
	uint64_t off_cpu_thresh_ms;
	bool no_buildid, no_buildid_cache, buildid_all, buildid_mmap;
	bool aio_set, debuginfod_set;
	bool list_intr_regs, list_user_regs;
};

extern const struct option record_option_table[];
void record_options_defaults(void *options);
void record_options_deinit(void *options);
