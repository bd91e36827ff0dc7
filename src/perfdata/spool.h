/*
 * Saves a stream to a file while it arrives: it can be read up to there before it ends, and repeatedly after.
 *
 *	spool_start(path, &s)           a thread copies the stream
 *	spool_whole(s) … reader_open(spool_path(s), { .grows = true })
 *	                                 records may be read up to that offset
 *	spool_ended(s)                   the file is a recording like any other
 *
 * The file has no name; it is in TMPDIR or another directory for temporary files, or else in memory. It holds the bytes of the
 * stream; offsets count from its start. A stream that is not a recording in pipe form and this machine's byte order is saved as well,
 * but not followed: spool_whole() is 0 until its end.
 *
 * Any thread may read; one thread starts and destroys. Destroying does not wait for a stalled stream.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/source.h"

struct spool;

/* Whether a path ("-": standard input) can be read only once. */
bool spool_is_stream(const char *path);
struct strobe_error *spool_start(const char *path, struct spool **ret) _must_check_;
void spool_destroy(struct spool *s);

/* Name of the stream, for messages. */
const char *spool_name(const struct spool *s);
/* The path to open the saved file; started children inherit the descriptor. */
const char *spool_path(const struct spool *s);
/* Number of bytes received. */
uint64_t spool_bytes(const struct spool *s);
/* 0 until the first complete kernel record, so that all descriptions of the recording have arrived; UINT64_MAX after its end. */
uint64_t spool_whole(const struct spool *s);
/* The offset of the end of a record read from the file, including what follows it. */
uint64_t spool_end_of(struct record r);
bool spool_ended(const struct spool *s);
/* A descriptor that becomes readable at the end of the stream. */
int spool_end_fd(const struct spool *s);
/* After the end, the error that ended it early: the stream cannot be read, or the disk is full. Owned by the caller; returned once. */
struct strobe_error *spool_error(struct spool *s);
