/*
 * Writing perf.data: header and attrs at the start, records as they come, feature sections and the final header at the end.
 *
 * Writes version 2, with attrs no larger on disk than perf 6.1 supports (128 bytes), so that every perf of the last years reads it.
 * Until writer_finish() the header's data size is 0 and the file is readable by strobe up to its last complete record; with
 * checkpoints the header covers the data up to the last round, and what is needed to read it, so that other programs can. Records go
 * from the caller's memory to write(2) without a copy, unless they are compressed (zstd, COMPRESSED or COMPRESSED2 records). A pipe
 * gets the pipe form: attrs and features as records. Files are created with mode 0600.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/env.h"
#include "record/source.h"

struct writer_options {
	bool pipe;          /* write the pipe form: env must be complete when the writer is created */
	bool bare;          /* only records, no header: data.N of the directory form */
	bool checkpoints;   /* for the file form: writer_round() makes the file valid up to there */
	int compress_level; /* 0 = none, 1 … 22 */
	bool compressed2;   /* COMPRESSED2 records, padded to 8 bytes: perf reads them since 6.16 */
	uint64_t mmap_bytes; /* of one ring: recorded in the COMPRESSED feature */
};

struct writer {
	struct record_sink sink; /* thread: one at a time */
	uint64_t bytes_written;  /* to the file so far, all parts */
	uint64_t bytes_taken;    /* of records, before compression */
	/* the rest is the writer's own: writer_priv.h */
};

/* Takes ownership of fd. name is for messages. Events of env must be complete with their IDs. */
struct strobe_error *writer_create(int fd, const char *name, const struct env *env, struct writer_options options,
				   struct writer **ret) _must_check_;
/*
 * Writes an AUXTRACE record, then its payload in pieces: never compressed, and listed in the AUXTRACE section. The pieces must add up to
 * the size in the record.
 */
struct strobe_error *writer_auxtrace(struct writer *w, struct record r) _must_check_;
struct strobe_error *writer_payload(struct writer *w, const void *p, size_t bytes) _must_check_;
/* Writes units, scales and own CPUs of events as EVENT_UPDATE records (a pipe gets them from writer_create()). */
struct strobe_error *writer_event_updates(struct writer *w, const struct env *env) _must_check_;
/* Writes a build ID that was found while recording as a BUILD_ID record: streams have these instead of the list. */
struct strobe_error *writer_build_id(struct writer *w, const struct env_build_id *id) _must_check_;
/*
 * Writes code of scripts in the format of ENV_SECTION_SCRIPTS, for a stream: perf stops at unknown features, but skips the contents of
 * FINISHED_INIT records. These have a u32 ENV_SCRIPTS_MAGIC, a u32 size, that many bytes of the section, and padding.
 */
struct strobe_error *writer_scripts(struct writer *w, const void *table, size_t bytes) _must_check_;
/* Writes a FINISHED_ROUND: later records are not earlier than those written before the previous mark. */
struct strobe_error *writer_round(struct writer *w, const struct env *env) _must_check_;
/*
 * After a failed write (disk full) this still completes the file if possible: the data up to the last complete record, without
 * feature sections if there is no room.
 *
 * Feature sections from env (all that perf writes, and unknown ones from env->sections), then the final header.
 */
struct strobe_error *writer_finish(struct writer *w, const struct env *env) _must_check_;
void writer_destroy(struct writer *w);
