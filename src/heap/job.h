/*
 * `strobe heap` as a whole: watches a command or running processes, writes the profile and snapshots, and shows the tables.
 *
 * Options are parsed directly into it; strings are borrowed for the job.
 */
#pragma once
#include "base/out.h"
#include "heap/processes.h"
#include "heap/report.h"

struct heap_job {
	struct heap_settings settings;
	struct heap_report report;
	const char *output, *report_file, *format, *pids, *rate;
	double snapshots_s;
	bool exact, heapcheck;

	/* Set by the caller. */
	const struct session_host *host;
	char *const *command; /* ends with NULL; or NULL */
	/* Writes a new file, which replaces the old one once it is complete. */
	struct strobe_error *(*write_file)(const char *path, struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx);
	int text_fd, data_fd; /* output of tables without report_file, as text and as data */
	int request_fd;       /* input with the heap checker's request */
};

void heap_job_defaults(struct heap_job *j);
/* Checks options against each other; ERROR_USAGE. */
struct strobe_error *heap_job_check(struct heap_job *j) _must_check_;
/* *ret_status: of a command, as from wait(2). */
struct strobe_error *heap_job_run(struct heap_job *j, int *ret_status) _must_check_;
