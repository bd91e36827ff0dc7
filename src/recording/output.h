/*
 * Where a recording goes: a file that appears under its name once the workload runs, a pipe, a directory, a row of
 * files.
 *
 * A file is written under a temporary name beside its final one until record_output_commit(), which moves an older
 * recording to NAME.old; from then on a recorder that is killed leaves a readable file. record_output_discard() leaves
 * no file of ours, and the older recording where it was. One thread at a time.
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
	bool timestamped;   /* a row of files, each with the time it was finished at in its name */
	bool directory;     /* of a file for each ring */
	bool kcore;         /* a directory, too: the kernel's memory lies beside the file */
	uint64_t max_files; /* of a row; 0 = all */
	struct writer_options options;

	struct writer *writer;      /* of the file being written; in a directory of its file "data" */
	VEC(struct writer *) parts; /* data.N of a directory */
	char *temporary;            /* its name until it is committed; NULL afterwards */
	VEC(char *) row;            /* finished files of a row, oldest first */
	uint64_t bytes;             /* of files that are finished */
	struct record_remover remover;
};

/* path: "-" is standard output; NULL is that where it is a pipe, else perf.data. ERROR_USAGE. */
struct strobe_error *record_output_init(struct record_output *o, const char *path, bool directory) _must_check_;
void record_output_deinit(struct record_output *o);
/* Starts the remover where an earlier recording that is to go takes long to free; before the workload runs. */
struct strobe_error *record_output_plan_removals(struct record_output *o) _must_check_;
/* Opens the next file and writes its header. parts: data.N to make in a directory. With kcore, copies the kernel's memory. */
struct strobe_error *record_output_open(struct record_output *o, const struct env *env, unsigned parts) _must_check_;
struct strobe_error *record_output_commit(struct record_output *o) _must_check_;
void record_output_discard(struct record_output *o);
/* The same as the process ends, without memory: the older recording stays, and no file of ours is left. */
void record_output_abandon(const struct record_output *o);
/* Completes the file. Of a row, gives it a name with the time and removes what is beyond max_files; *ret_name is that
 * name, lent. */
struct strobe_error *record_output_finish(struct record_output *o, const struct env *env,
					  const char **ret_name) _must_check_;
/* Of all that was written so far. */
uint64_t record_output_bytes(const struct record_output *o);
