/*
 * Interprets a line at the prompt of pprof: a setting, a query, or a report with settings of its own.
 *
 * Settings are changed as lines are read; strings live in the arena. One thread.
 */
#pragma once
#include "pprof/config.h"
#include "pprof/kinds.h"

/* Everything is borrowed. */
struct pprof_prompt {
	struct arena *arena;
	const struct profile *profile;
	struct pprof_config *config;
};

struct pprof_command {
	const struct pprof_report_kind *kind; /* the report to make, or NULL */
	const char *argument;                 /* of kinds with an argument */
	struct pprof_config config;           /* of this report only */
	bool is_exit;
};

/* Help and lists are written to answer, as lines. ERROR_USAGE with the message of pprof; *ret is empty then. */
struct strobe_error *pprof_prompt_line(const struct pprof_prompt *p, const char *line, struct out *answer,
				       struct pprof_command *ret) _must_check_;
