/*
 * Writing perf.data: header and attrs at the start, records as they come, feature sections and the final header at the end.
 *
 * What is written is version 2, attrs no larger on disk than perf 6.1 knows (128 bytes), so that every perf of the last
 * years reads it. Until writer_finish() the header's data size is 0 and the file is readable up to its last whole record;
 * with checkpoints it covers the data up to the last round, and what is needed to read it, so that other programs can.
 * Records go from the caller's memory to write(2) without a copy, unless they are compressed (zstd, COMPRESSED or COMPRESSED2 records).
 * A pipe gets the pipe form: attrs and features as records. Files are created with mode 0600.
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
	bool checkpoints;   /* of the file form: writer_round() makes it whole up to there */
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

/* fd is taken over. name is for messages. Events of env must be complete with their ids. */
struct strobe_error *writer_create(int fd, const char *name, const struct env *env, struct writer_options options,
				   struct writer **ret) _must_check_;
/*
 * An AUXTRACE record, then its payload in pieces: never compressed, and entered into the AUXTRACE section. The pieces must
 * add up to what the record says.
 */
struct strobe_error *writer_auxtrace(struct writer *w, struct record r) _must_check_;
struct strobe_error *writer_payload(struct writer *w, const void *p, size_t bytes) _must_check_;
/* Units, scales and own CPUs of events as EVENT_UPDATE records (a pipe gets them from writer_create()). */
struct strobe_error *writer_event_updates(struct writer *w, const struct env *env) _must_check_;
/* A build-id that became known while the records are written, as a BUILD_ID record: what a stream has in place of the list. */
struct strobe_error *writer_build_id(struct writer *w, const struct env_build_id *id) _must_check_;
/*
 * Code of scripts, as the section ENV_SECTION_SCRIPTS has it, for a stream: perf stops at features that it does not know, but skips what
 * FINISHED_INIT records contain. These have a u32 ENV_SCRIPTS_MAGIC, a u32 number of bytes, so many bytes of the section, and padding.
 */
struct strobe_error *writer_scripts(struct writer *w, const void *table, size_t bytes) _must_check_;
/* A FINISHED_ROUND: what comes later is not earlier than what was written before the mark before it. */
struct strobe_error *writer_round(struct writer *w, const struct env *env) _must_check_;
/*
 * After a write has failed (disk full) this still makes what is on disk a whole file where it can: the data up to the last
 * whole record, without feature sections where there is no room.
 *
 * Feature sections from env (all that perf writes, and unknown ones from env->sections), then the final header. */
struct strobe_error *writer_finish(struct writer *w, const struct env *env) _must_check_;
void writer_destroy(struct writer *w);
