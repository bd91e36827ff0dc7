/*
 * What this machine, kernel, user and container let strobe do: checks, each with what was found, what is lost with what is missing, and
 * the command or setting that would get more.
 *
 * Each check tries what it is about where that costs nothing (an event opened and closed, a map made and freed) and reads the system's
 * files where not; nothing of the machine is changed. Sources: perf_event_open(2), bpf(2), capabilities(7),
 * Documentation/admin-guide/sysctl/kernel.rst, Documentation/trace/ftrace.rst. One thread.
 */
#pragma once
#include <stddef.h>

#include "base/error.h"
#include "sys/sys.h"
#include "table/table.h"

/* Counts of checks by what came out. */
struct doctor_summary {
	unsigned ok, partly, missing;
};

/*
 * Examines the checks with these keys, or all of them where there are none, into a table that the caller releases. ERROR_USAGE: no
 * check has such a key.
 */
struct strobe_error *doctor_examine(const struct sys *sys, char *const *keys, size_t keys_nr, struct table *ret,
				    struct doctor_summary *ret_summary) _must_check_;
