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
	/*
	 * Each record is looked at once, as it comes (counting, dumping): a file is then read into a buffer that is used
	 * again, which takes half the time of mapping all its pages. Not stable, and there is no span.
	 */
	bool sequential;
	struct progress *progress; /* or NULL */
	/* A file that is still being written to (spool.h): read as a stream is, and by someone who knows how far he may. */
	bool grows;
	const char *name;          /* for messages, where it is not the path */
	bool may_lack_events;      /* a recording that has counters of the kernel and no event is whole */
};

/* path "-" is standard input. The result is destroyed with source_destroy(). */
struct strobe_error *reader_open(const char *path, struct reader_options options, struct record_source **ret) _must_check_;
/* The same over bytes in memory (tests, fuzzing); borrowed for the life of the source. */
struct strobe_error *reader_open_mem(const void *data, size_t bytes, struct record_source **ret) _must_check_;

/* ERROR_FORMAT or ERROR_TRUNCATED if an open file does not begin with the header of a recording, of any form; name is for messages. */
struct strobe_error *reader_check_header(int fd, const char *name) _must_check_;

/*
 * For readers in parallel: the data section as one run of records in this machine's byte order, in place, valid while the
 * source lives. False where there is no such thing (pipe, other byte order, compressed, several files): use next().
 *
 *	uint64_t offset = 0, n = 0;
 *	while (reader_span_next(s, &span, &offset, &r))
 *		n++, …;
 *	reader_span_done(s, &span, offset, n);
 *	… go on with source_next(), which gives what the walk could not, the end, or the error.
 *
 * Records of user types are seen by the environment on the way: one thread walks; others may read what it has found.
 */
struct reader_span {
	const uint8_t *data;
	uint64_t bytes;
	uint64_t file_offset;
};
bool reader_span(struct record_source *s, struct reader_span *ret);
bool reader_span_user(struct record_source *s, const struct reader_span *span, uint64_t *offset, struct record r);
void reader_span_done(struct record_source *s, const struct reader_span *span, uint64_t offset, uint64_t records);
/* Bytes of the file that are about to be read: requests their pages at once. Safe in any thread. */
void reader_populate(struct record_source *s, uint64_t file_offset, uint64_t bytes);
/* Bytes that have been read: their pages need not count as ours any longer. They may be read again. Safe in any thread. */
void reader_leave(struct record_source *s, uint64_t file_offset, uint64_t bytes);

/* The record at *offset, which moves past it and its payload; false at the end or where next() must take over. */
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
 * The bytes that follow the record just given (the trace of an AUXTRACE), piece by piece; 0 bytes at their end. The record
 * itself is no longer valid then, unless the source is stable. next() skips what is not read.
 */
struct strobe_error *reader_payload(struct record_source *s, const void **ret, size_t *ret_bytes) _must_check_;

/* True where the recorder did not finish the header: the file is read up to its last whole record. */
bool reader_was_unfinished(struct record_source *s);
/* ERROR_TRUNCATED if the file ends before what its header says, without reading it: for callers that need only the header. */
struct strobe_error *reader_check_whole(struct record_source *s) _must_check_;
/* What was damaged and skipped, to be reported at the end: counts by kind. */
struct reader_damage {
	uint64_t bad_records, skipped_bytes;
};
struct reader_damage reader_damage(struct record_source *s);
