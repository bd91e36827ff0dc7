/*
 * Samples on their way into a file of gperftools' form: equal stacks are one record with a count, until there is no room for another.
 *
 * Nothing here allocates or locks: one thread at a time, which may be in a signal's handler. Writing is write(2). Source: gperftools
 * docs/cpuprofile-fileformat.html.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLES_DEPTH 254

struct samples;

/* fd: opened, written from its beginning on, closed by samples_close(). NULL where there is no memory. */
struct samples *samples_open(int fd, uint64_t period_us);
/* frames: innermost first, the first one the interrupted instruction, the others where calls return to. */
void samples_add(struct samples *s, uint64_t hash, const uint64_t *frames, unsigned depth);
/* What is counted goes to the file. */
void samples_flush(struct samples *s);
/* The file's end, with the mappings of the process. False where a write failed. */
bool samples_close(struct samples *s);
/* Writes all of it. */
bool samples_write(int fd, const void *bytes, size_t n);
/* Frees it and writes nothing: in a child of fork(). */
void samples_abandon(struct samples *s);
/* The mappings of this process, as /proc has them. False where a write failed. */
bool samples_write_mappings(int fd);
