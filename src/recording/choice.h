/*
 * Choices that affect several settings of a recorder and its capture: waits, latency, build IDs.
 *
 *	TRY(recorder_choice_check(&c, &capture, &events, &options, is_system_wide));
 *	recorder_choice_settle(&c, &capture, &options);
 */
#pragma once
#include "recording/recorder.h"

struct recorder_choice {
	bool wall, locks, off_cpu; /* waits: at most one */
	bool off_cpu_thresh_set;
	uint64_t off_cpu_thresh_ms;
	bool latency;              /* context switches, for times that elapsed */
	bool callgraph_set;        /* the capture's call graph was chosen */
	bool no_buildid, no_buildid_cache, buildid_all, buildid_mmap;
};

/*
 * Checks for options that exclude each other, also those of the capture and the recorder; errors name them. ERROR_USAGE,
 * ERROR_UNSUPPORTED.
 */
struct strobe_error *recorder_choice_check(const struct recorder_choice *c, const struct capture_options *capture,
					   const struct event_list *events, const struct recorder_options *r,
					   bool is_system_wide) _must_check_;
/*
 * The user's defaults: the build IDs to keep ("skip", "no-cache", "mmap"), and the call graphs of -g: a mode and the bytes of stack
 * dumps. NULL: none. ERROR_USAGE names the settings of perf-config(1).
 */
void recorder_choice_set_buildids(struct recorder_choice *c, const char *ids);
struct strobe_error *recorder_callgraph_default(struct callgraph_options *c, const char *mode, const char *bytes) _must_check_;
/* Derives settings from the choice and from each other: frequency or period, sizes of rings and stacks. */
void recorder_choice_settle(const struct recorder_choice *c, struct capture_options *capture, struct recorder_options *r);
