/*
 * A stream that is kept in a file as it comes: it can be read again once it has ended, and as far as it has come before.
 *
 *	spool_start(path, &s)           a thread copies what comes
 *	spool_whole(s) … reader_open(spool_path(s), { .grows = true })
 *	                                 records may be read up to there, and no further
 *	spool_ended(s)                   the file is a recording like any other
 *
 * The file has no name; it is in TMPDIR or another directory for temporary files, or else in memory. Bytes are those
 * of the stream, positions count from its start. A stream that is no recording in the pipe form of this machine's byte order is
 * kept as well, but not followed: nothing of it is whole before its end.
 *
 * Any thread may read; one starts and destroys. Destroying does not wait for a stream that stalls.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/source.h"

struct spool;

/* Whether a path ("-": standard input) can be read once only. */
bool spool_is_stream(const char *path);
struct strobe_error *spool_start(const char *path, struct spool **ret) _must_check_;
void spool_destroy(struct spool *s);

/* The name of the stream, for messages. */
const char *spool_name(const struct spool *s);
/* To open what has come; children that are started inherit it. */
const char *spool_path(const struct spool *s);
/* How many bytes have come. */
uint64_t spool_bytes(const struct spool *s);
/* 0 until a record of the kernel has come whole, so that all that describes the recording is there; UINT64_MAX from its end on. */
uint64_t spool_whole(const struct spool *s);
/* Where a record that was read from the file ends, with what follows it. */
uint64_t spool_end_of(struct record r);
bool spool_ended(const struct spool *s);
/* Readable from its end on. */
int spool_end_fd(const struct spool *s);
/* After it has ended, the error that ended it early: the stream cannot be read, or the disk is full. The caller frees it; returned once. */
struct strobe_error *spool_error(struct spool *s);
