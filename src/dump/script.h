/*
 * What `strobe script` prints of a recording: its header, then samples and chosen records in order of time, as text or JSON.
 *
 * Reads the session's source once, to its end. Messages go through the session's host. One thread calls it.
 */
#pragma once
#include "base/out.h"
#include "dlfilter/dlfilter.h"
#include "dump/fields.h"
#include "session/session.h"

#define SCRIPT_FIELDS_MAX 16

/* Named as the options of the command; strings are borrowed, NULL or 0 where nothing is set. */
struct script_options {
	const char *input;   /* path of the recording, as in session_open() */
	const char *program; /* name that the lines of --per-event-dump have */
	bool json, raw, raw_unsorted, hide_chains, inlined, stitch_calls;
	const char *fields[SCRIPT_FIELDS_MAX]; /* lists for dump_fields_parse(), in order */
	unsigned fields_nr;
	uint64_t max_stack, max_blocks, addr_range;
	const char *stop_at, *cpus, *comms, *pids, *tids, *dsos, *symbols, *times, *switch_on, *switch_off;
	bool nanoseconds, relative_time, delta_time, latency_columns;
	bool show_on_off, show_task, show_mmap, show_switch, show_namespaces, show_lost, show_round, show_bpf, show_cgroup,
		show_text_poke;
	bool per_event, header, header_only, full_header, kernel_path, full_source_path;
	struct symbols_options symbol_files;
	struct dlfilter_options filter; /* file NULL: none; its kernel_path is this one */
};

/* The session's resolver, by those options that say which samples are resolved, and how. */
struct strobe_error *script_resolve(struct session *session, const struct script_options *o, bool with_lines) _must_check_;
/* The filter of the options, after script_resolve(); NULL: none. What it prints goes to out. */
struct strobe_error *script_open_filter(struct session *session, const struct script_options *o, struct out *out,
					struct dlfilter **ret) _must_check_;
/* ret_misordered: number of samples that were earlier than the one before them, also after an error. ERROR_STOPPED: out failed. */
struct strobe_error *script_print(struct session *session, const struct script_options *o, struct out *out,
				  uint64_t *ret_misordered) _must_check_;
