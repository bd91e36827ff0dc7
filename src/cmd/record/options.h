/*
 * The options of `strobe record`, parsed.
 */
#pragma once
#include "capture/schedule.h"
#include "cmd/sampling_options.h"

enum affinity_mode { AFFINITY_SYS, AFFINITY_NODE, AFFINITY_CPU };

struct switch_options {
	bool on, by_signal;
	uint64_t bytes;       /* 0 = not by size */
	uint64_t interval_ns; /* 0 = not by time */
	uint64_t max_files;   /* 0 = keep all */
};

struct record_options {
	struct sampling_options sampling;  /* first: its parsers are given a pointer to all of it */
	struct event_list switch_events; /* --switch-output-event */
	bool quiet, dry_run;
	const char *output;
	uint64_t max_bytes;
	int compress_level;
	struct switch_options switching;
	bool timestamp_filename, tail_synthesize;
	const char *control;
	struct delay_schedule delay;
	bool callgraph_set;
	bool callgraph_by_g; /* -g: the mode may come from the settings */
	bool threads_set, kcore, latency;
	const char *threads; /* or NULL: the default layout */
	bool no_buildid, no_buildid_cache, buildid_all, buildid_mmap;
	enum affinity_mode affinity;
	bool aio_set, debuginfod_set;
	bool list_intr_regs, list_user_regs;
};

extern const struct option record_option_table[];
void record_options_defaults(void *options);
void record_options_deinit(void *options);
