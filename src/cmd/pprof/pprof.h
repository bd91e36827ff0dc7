/*
 * Parts of strobe pprof: options, output, prompt. One session per run; one thread.
 */
#pragma once
#include "cmd/cmd.h"
#include "pprof/report.h"

struct pprof_session {
	struct cmd_context *ctx;
	struct merged_profile merged;
	bool is_interactive;
};

/* Saves a fetched profile under a new name (pprof_saved_file()), and prints the path. */
struct strobe_error *pprof_save_fetched(const struct pprof_session *s) _must_check_;
/* Writes one report to config->output, to a new file if it is not text for a terminal, to standard output, or to a viewer. */
struct strobe_error *pprof_report_to_output(const struct pprof_session *s, const struct pprof_config *config,
					    const struct pprof_report_kind *kind, const char *argument) _must_check_;
/* Reads commands from standard input until it ends. */
int pprof_run_prompt(struct pprof_session *s, struct pprof_config *config);
