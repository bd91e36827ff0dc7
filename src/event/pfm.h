/*
 * Event names as the vendors write them ("INST_RETIRED:ANY", "amd64_fam19h_zen4::RETIRED_INSTRUCTIONS"), through libpfm4.
 *
 * The library is loaded on first use and stays loaded: whoever names no such event does not pay for it. It chooses its
 * tables by the CPU it runs on, or by what LIBPFM_FORCE_PMU says. A build without libpfm4, or a machine on which it is
 * not installed, answers with ERROR_UNSUPPORTED. One thread at a time, in the whole process: libpfm4 keeps global state.
 * Source: libpfm(3), pfm_get_os_event_encoding(3).
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "sys/perf_abi.h"

/* What one event, or one unit mask of it, is called; strings are valid during the call. */
struct pfm_name {
	const char *pmu;        /* "skl" */
	const char *name;       /* "INST_RETIRED:ANY", "rapl::RAPL_ENERGY_PKG": as -e takes it */
	const char *desc;       /* of the event */
	const char *umask_desc; /* of the unit mask, or NULL */
};

/* Fills type, config words and what modifiers in the text say; ERROR_NOT_FOUND if no PMU of this machine has it. */
struct strobe_error *pfm_encode(const char *text, struct perf_event_attr *attr) _must_check_;
/* Calls fn for each event of each PMU that this machine has; fn returns false to stop. */
struct strobe_error *pfm_names_each(bool (*fn)(void *ctx, const struct pfm_name *name), void *ctx) _must_check_;
