/*
 * Reading perf.data: a record source over a file, a pipe stream or a directory.
 *
 * Opens versions 1 and 2 of the file form, the pipe form (from a pipe or a file), and directories (--threads, --kcore), in either
 * byte order; decompresses compressed records. A file is mapped and its records are returned in place. A file whose header was never
 * completed (data size 0: the recorder was killed) is read to the last complete record; from a file shorter than its header says,
 * next() returns the complete records, then ERROR_TRUNCATED.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "record/source.h"

struct reader_options {
	bool force;                /* read a file of another owner */
	/*
	 * Each record is read once, in order (counting, dumping): a file is then read into a reused buffer, which takes half the time of
	 * mapping all its pages. Not stable, and without spans.
	 */
	bool sequential;
	struct progress *progress; /* or NULL */
	/* A file that is still being written (spool.h): read like a stream, by a caller that knows up to where. */
	bool grows;
	const char *name;          /* for messages, instead of the path */
	bool may_lack_events;      /* accept a recording of kernel counters without events */
};

/* Path "-" is standard input. Destroy the result with source_destroy(). */
struct strobe_error *reader_open(const char *path, struct reader_options options, struct record_source **ret) _must_check_;
/* The same for bytes in memory (tests, fuzzing), borrowed for the life of the source. */
struct strobe_error *reader_open_mem(const void *data, size_t bytes, struct record_source **ret) _must_check_;

/* ERROR_FORMAT or ERROR_TRUNCATED if an open file does not begin with the header of a recording in any form; name is for messages. */
struct strobe_error *reader_check_header(int fd, const char *name) _must_check_;

/*
 * For readers in parallel: the data section as one run of records in this machine's byte order, in place, valid while the source
 * lives. False if unavailable (pipe, other byte order, compressed, several files): use next().
 *
 *	uint64_t offset = 0, n = 0;
 *	while (reader_span_next(s, &span, &offset, &r))
 *		n++, …;
 *	reader_span_done(s, &span, offset, n);
 *	… continue with source_next(), which returns what the walk could not, the end, or the error.
 *
 * Records of user types are applied to the environment during the walk: one thread walks; others may read the records found.
 */
struct reader_span {
	const uint8_t *data;
	uint64_t bytes;
	uint64_t file_offset;
};
bool reader_span(struct record_source *s, struct reader_span *ret);
bool reader_span_user(struct record_source *s, const struct reader_span *span, uint64_t *offset, struct record r);
void reader_span_done(struct record_source *s, const struct reader_span *span, uint64_t offset, uint64_t records);
/* Populates the pages of file bytes that are about to be read. Thread-safe. */
void reader_populate(struct record_source *s, uint64_t file_offset, uint64_t bytes);
/* Drops the pages of file bytes that have been read from our memory. They may be read again. Thread-safe. */
void reader_leave(struct record_source *s, uint64_t file_offset, uint64_t bytes);

/* Returns the record at *offset, which moves past it and its payload; false at the end or if next() must take over. */
static inline bool reader_span_next(struct record_source *s, const struct reader_span *span, uint64_t *offset,
				    struct record *ret)
{
	uint64_t at = *offset, left = span->bytes - at;
	const struct perf_event_header *hdr = (const struct perf_event_header *)(span->data + at);

	if (left < sizeof(*hdr) || hdr->size < sizeof(*hdr) || hdr->size > left || hdr->size & 7)
		return false;
	*ret = (struct record){ .hdr = hdr, .file_offset = span->file_offset + at };
	*offset = at + hdr->size;
	return hdr->type < RECORD_USER_FIRST || reader_span_user(s, span, offset, *ret);
}

/*
 * Reads the bytes that follow the last record (the trace of an AUXTRACE), piece by piece; 0 bytes at their end. The record itself is
 * then no longer valid, unless the source is stable. next() skips what is not read.
 */
struct strobe_error *reader_payload(struct record_source *s, const void **ret, size_t *ret_bytes) _must_check_;

/* True if the recorder did not finish the header: the file is read up to its last complete record. */
bool reader_was_unfinished(struct record_source *s);
/* ERROR_TRUNCATED if the file is shorter than its header says, without reading it: for callers that need only the header. */
struct strobe_error *reader_check_whole(struct record_source *s) _must_check_;
/* Damaged and skipped data, to be reported at the end: counts by kind. */
struct reader_damage {
	uint64_t bad_records, skipped_bytes;
};
struct reader_damage reader_damage(struct record_source *s);
