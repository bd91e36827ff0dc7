/*
 * Reading perf.data: a record source over a file, a pipe stream or a directory.
 *
 * Opens versions 1 and 2 of the file form, the pipe form (from a pipe or kept in a file), and directories (--threads,
 * --kcore); either byte order; compressed records are opened on the way. A file is mapped and its records are given where
 * they lie. A header that was never completed (data size 0: the recorder was killed) is read to the last whole record;
 * a file shorter than its header says gives what is whole and then ERROR_TRUNCATED from next().
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "record/source.h"

struct reader_options {
	bool force;                /* read a file of another owner */
	struct progress *progress; /* or NULL */
};

/* path "-" is standard input. The result is destroyed with source_destroy(). */
struct strobe_error *reader_open(const char *path, struct reader_options options, struct record_source **ret) _must_check_;
/* The same over bytes in memory (tests, fuzzing); borrowed for the life of the source. */
struct strobe_error *reader_open_mem(const void *data, size_t bytes, struct record_source **ret) _must_check_;

/*
 * For readers in parallel: the data section as one run of whole records in this machine's byte order, in place, valid
 * while the source lives. False where there is no such thing (pipe, other byte order, compressed, several files): use next().
 */
struct reader_span {
	const uint8_t *data;
	uint64_t bytes;
	uint64_t file_offset;
};
bool reader_span(struct record_source *s, struct reader_span *ret);

/* Set once the end was reached without an error: the recorder did not finish the header. */
bool reader_was_unfinished(struct record_source *s);
/* What was damaged and skipped, to be told at the end: counts by kind. */
struct reader_damage {
	uint64_t bad_records, skipped_bytes;
};
struct reader_damage reader_damage(struct record_source *s);
/* Size of the input in bytes, 0 where unknown. */
uint64_t reader_bytes(struct record_source *s);
