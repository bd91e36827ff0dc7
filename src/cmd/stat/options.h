/*
 * The options of `strobe stat`, parsed.
 */
#pragma once
#include "base/vector.h"
#include "capture/target.h"
#include "cli/options.h"
#include "event/event.h"
#include "table/counts.h"

struct stat_options {
	const struct sys *sys;     /* whose events are named: sys_live() by default */
	struct event_list events;
	size_t last_event;         /* where the events of the last -e begin */
	bool any_event;            /* -e was given, even if it named nothing */
	struct target target;
	enum counts_by by;
	unsigned cache_level;

	uint64_t runs;             /* 0: forever */
	uint64_t interval_ms;      /* 0: none */
	uint64_t interval_count;   /* 0: no end */
	uint64_t timeout_ms;       /* 0: none */
	int64_t delay_ms;          /* -1: until --control says enable */
	bool interval_clear, summary, no_csv_summary;

	unsigned verbose, detail;
	bool quiet, null_run, no_inherit, group, sync;
	bool affinity;
	bool scale, all_user, all_kernel, no_merge, hybrid_merge;
	bool percore_threads, per_thread;
	bool transaction, topdown, smi_cost;
	uint64_t topdown_level;
	bool iostat_set;
	const char *iostat, *cputype, *pmu_filter;

	const char *metrics;       /* -M */
	bool metric_only, metric_no_group, metric_no_merge, metric_no_threshold;
	const char *for_each_cgroup;
	const char *control;
	const char *pre, *post;

	const char *separator;     /* -x, or NULL */
	bool json, json_document;
	const char *format;
	const char *output;
	bool append;
	int64_t log_fd;            /* -1: none */
	bool big_num, table;
	const char *prometheus;

	const char *versus;        /* --vs */
	bool record, report;       /* the words behind stat */
	const char *input;         /* of stat report */
	bool bpf_off;
};

extern const struct option stat_option_table[];
extern const struct option stat_report_option_table[];
void stat_options_defaults(void *options);
void stat_options_deinit(void *options);
