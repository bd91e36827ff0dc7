/*
 * `strobe heap` as a whole: a command or running processes watched, the profile and snapshots written, the tables shown.
 *
 * Options are parsed straight into it; strings are borrowed for the job.
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
	/* Writes a file anew, which appears when it is whole. */
	struct strobe_error *(*write_file)(const char *path, struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx);
	int text_fd, data_fd; /* where tables go without report_file, as text and as data */
	int request_fd;       /* where a request of the heap checker comes from */
};

void heap_job_defaults(struct heap_job *j);
/* What options say together; ERROR_USAGE. */
struct strobe_error *heap_job_check(struct heap_job *j) _must_check_;
/* *ret_status: of wait(2), of a command. */
struct strobe_error *heap_job_run(struct heap_job *j, int *ret_status) _must_check_;
