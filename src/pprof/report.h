/*
 * Makes a report of pprof from a profile and settings: selects data and a view, and writes it to a sink.
 *
 * The profile is unchanged. Messages go through the host. One report at a time; one thread.
 */
#pragma once
#include "pprof/config.h"
#include "pprof/kinds.h"
#include "session/profile_sources.h"

/* Everything is borrowed. */
struct pprof_input {
	const struct session_host *host;
	const struct merged_profile *merged;
	bool may_be_empty; /* show a profile without values, instead of an error */
};

/* argument: of kinds with one. */
struct strobe_error *pprof_report(const struct pprof_input *in, const struct pprof_config *config, const struct pprof_report_kind *kind,
				  const char *argument, struct out *out) _must_check_;
/* Prints the facts of the profile before the first prompt. It must have been read completely (pprof_choose_sources() without a report). */
void pprof_out_greeting(const struct profile *p, const struct pprof_config *config, struct out *out);

/*
 * Removes from the sources what the report does not need, so that less is read: other values, samples, lines. kind NULL: for several
 * reports, which need all. The sources' bases must be known.
 */
void pprof_choose_sources(const struct pprof_config *config, const struct pprof_report_kind *kind, struct profile_sources *sources);
