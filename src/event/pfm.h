/*
 * Vendors' event names ("INST_RETIRED:ANY", "amd64_fam19h_zen4::RETIRED_INSTRUCTIONS"), through libpfm4.
 *
 * The library is loaded on first use and stays loaded: other runs do not pay for it. It chooses its tables by the current CPU, or by
 * LIBPFM_FORCE_PMU. Without libpfm4 in the build or on the machine, functions return ERROR_UNSUPPORTED. One thread at a time, in the
 * whole process: libpfm4 keeps global state. Source: libpfm(3), pfm_get_os_event_encoding(3).
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "sys/perf_abi.h"

/* The name of an event or of one of its unit masks; strings are valid during the call. */
struct pfm_name {
	const char *pmu;        /* "skl" */
	const char *name;       /* "INST_RETIRED:ANY", "rapl::RAPL_ENERGY_PKG": an argument of -e */
	const char *desc;       /* of the event */
	const char *umask_desc; /* of the unit mask, or NULL */
};

/* Sets type, config words and the bits of modifiers; ERROR_NOT_FOUND if no PMU of this machine has the event. */
struct strobe_error *pfm_encode(const char *text, struct perf_event_attr *attr) _must_check_;
/* Calls fn for each event of each PMU that this machine has; fn returns false to stop. */
struct strobe_error *pfm_names_each(bool (*fn)(void *ctx, const struct pfm_name *name), void *ctx) _must_check_;
