/*
 * The options of `strobe record`, parsed.
 */
#pragma once
#include "base/vector.h"
#include "capture/options.h"
#include "capture/schedule.h"
#include "cli/options.h"
#include "event/event.h"

enum affinity_mode { AFFINITY_SYS, AFFINITY_NODE, AFFINITY_CPU };

struct switch_options {
	bool on, by_signal;
	uint64_t bytes;       /* 0 = not by size */
	uint64_t interval_ns; /* 0 = not by time */
	uint64_t max_files;   /* 0 = keep all */
};

struct record_options {
	struct capture_options capture;
	struct event_list events;
	struct event_list switch_events; /* --switch-output-event */
	VEC(size_t) last_event;          /* where the events of the last -e begin, while parsing */

	unsigned verbose;
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

/* Parsers of single options, for other commands whose options begin with a struct record_options. */
struct strobe_error *record_parse_event(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *record_parse_filter(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *record_parse_cgroup(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *record_parse_freq(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *record_parse_count(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *record_parse_branch_any(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *record_parse_branch(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *record_parse_mmap_pages(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *record_parse_realtime(void *options, const char *value, bool negated) _must_check_;

extern const struct option record_option_table[];
void record_options_defaults(void *options);
void record_options_deinit(void *options);
