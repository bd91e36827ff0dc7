/*
 * The output of a recording: a file that gets its name once the workload runs, a pipe, a directory, or a row of files.
 *
 * A file is written under a temporary name beside its final one until record_output_commit(), which moves an older recording to
 * NAME.old; from then on a killed recorder leaves a readable file. record_output_discard() removes all new files and keeps the older
 * recording in place. One thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "recording/remover.h"
#include "perfdata/writer.h"

struct record_output {
	const char *path;   /* borrowed */
	bool pipe;          /* bytes go to standard output */
	bool timestamped;   /* a row of files, each named by the time of its end */
	bool directory;     /* with a file for each ring */
	bool kcore;         /* a directory, too, with the kernel's memory next to the file */
	uint64_t max_files; /* of a row; 0: no limit */
	struct writer_options options;

	struct writer *writer;      /* the current file; in a directory the file "data" */
	VEC(struct writer *) parts; /* data.N of a directory */
	char *temporary;            /* its name until it is committed; NULL afterwards */
	VEC(char *) row;            /* finished files of a row, oldest first */
	uint64_t bytes;             /* of finished files */
	struct record_remover remover;
};

/* path: "-" is standard output; NULL: standard output if that is a pipe, else perf.data. ERROR_USAGE. */
struct strobe_error *record_output_init(struct record_output *o, const char *path, bool directory) _must_check_;
void record_output_deinit(struct record_output *o);
/* Starts the remover if an earlier recording to remove takes long to free. Call it before the workload runs. */
struct strobe_error *record_output_plan_removals(struct record_output *o) _must_check_;
/* Opens the next file and writes its header. parts: number of files data.N in a directory. With kcore, copies the kernel's memory. */
struct strobe_error *record_output_open(struct record_output *o, const struct env *env, unsigned parts) _must_check_;
struct strobe_error *record_output_commit(struct record_output *o) _must_check_;
void record_output_discard(struct record_output *o);
/* record_output_discard() without allocations, for the end of the process: keeps the older recording and removes all new files. */
void record_output_abandon(const struct record_output *o);
/* Completes the file. In a row, names it by the time and removes files beyond max_files; *ret_name is that name, borrowed. */
struct strobe_error *record_output_finish(struct record_output *o, const struct env *env,
					  const char **ret_name) _must_check_;
/* Number of bytes written so far. */
uint64_t record_output_bytes(const struct record_output *o);
