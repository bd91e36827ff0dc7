/*
 * A profile and settings of pprof → one of its reports: what is selected and in which view, written to a sink.
 *
 * The profile stays as it is. Messages go through the host. One report at a time; one thread.
 */
#pragma once
#include "pprof/config.h"
#include "pprof/kinds.h"
#include "session/profile_sources.h"

/* All is borrowed. */
struct pprof_input {
	const struct session_host *host;
	const struct merged_profile *merged;
	bool may_be_empty; /* a profile without values is shown, else an error */
};

/* argument: of kinds that have one. */
struct strobe_error *pprof_report(const struct pprof_input *in, const struct pprof_config *config, const struct pprof_report_kind *kind,
				  const char *argument, struct out *out) _must_check_;
/* The facts of the profile, which precede the first prompt. It must have been read whole (pprof_choose_sources() of no report). */
void pprof_out_greeting(const struct profile *p, const struct pprof_config *config, struct out *out);

/*
 * Leaves out of the sources what the report does not need, so that less is read: other values, samples, lines. kind NULL: all is
 * needed, of several reports. The sources' bases are known by then.
 */
void pprof_choose_sources(const struct pprof_config *config, const struct pprof_report_kind *kind, struct profile_sources *sources);
