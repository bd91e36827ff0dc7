/*
 * Checks what this machine, kernel, user and container permit strobe to do. Each check reports what was found, what does not work
 * without what is missing, and the command or setting that helps.
 *
 * Each check tries the operation if that is cheap (opens and closes an event, makes and frees a map) and reads the system's files
 * otherwise; it changes nothing on the machine. Sources: perf_event_open(2), bpf(2), capabilities(7),
 * Documentation/admin-guide/sysctl/kernel.rst, Documentation/trace/ftrace.rst. One thread.
 */
#pragma once
#include <stddef.h>

#include "base/error.h"
#include "sys/sys.h"
#include "table/table.h"

/* Counts of checks by result. */
struct doctor_summary {
	unsigned ok, partly, missing;
};

/* Runs the checks with these keys, or all of them if there are none, and fills a table that the caller frees. ERROR_USAGE: unknown key. */
struct strobe_error *doctor_examine(const struct sys *sys, char *const *keys, size_t keys_nr, struct table *ret,
				    struct doctor_summary *ret_summary) _must_check_;
