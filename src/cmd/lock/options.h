/* The options of `lock` and its subcommands: one table, of which each uses a part. */
#pragma once
#include "analysis/lock_live.h"
#include "analysis/lock_replay.h"
#include "analysis/lock_table.h"
#include "cli/options.h"
#include "table/format.h"

struct lock_options {
	struct lock_replay_request replay;
	struct lock_layout layout;
	bool by_thread, by_lock;     /* -t, -l */
	bool by_owner, by_cgroup;    /* -o, --lock-cgroup: of the running system */
	bool with_map;               /* -m */
	bool in_kernel, all_cpus;    /* -b, -a */
	bool is_live;                /* set by lock_options_settle(): of the running system, not of a recording */
	uint64_t map_entries;        /* -M */
	bool dump;                   /* -D */
	unsigned verbose;
	const char *output, *format_name, *separator;
	enum table_format format;    /* settled */
};

enum lock_command { LOCK_CONTENTION = 1, LOCK_REPORT = 2, LOCK_INFO = 4 };

extern const struct option lock_option_table[];
void lock_options_defaults(void *options);
/*
 * Checks that the subcommand has all given options and that they do not exclude each other, and derives the analysis from them.
 * has_command: words of a command follow.
 */
struct strobe_error *lock_options_settle(struct lock_options *o, enum lock_command command, bool has_command) _must_check_;
