/*
 * Collects samples for a file in gperftools' format: equal stacks are counted in one record, until the table is full.
 *
 * Adding neither allocates nor locks: one thread at a time, possibly in a signal handler. Writes with write(2). Source: gperftools
 * docs/cpuprofile-fileformat.html.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLES_DEPTH 254

struct samples;

/* fd: written from its beginning, closed by samples_close(). NULL if out of memory. */
struct samples *samples_open(int fd, uint64_t period_us);
/* frames: innermost first; the first is the interrupted instruction, the others are return addresses. */
void samples_add(struct samples *s, uint64_t hash, const uint64_t *frames, unsigned depth);
/* Writes the counted samples to the file. */
void samples_flush(struct samples *s);
/* Completes the file, with the mappings of the process. False if a write failed. */
bool samples_close(struct samples *s);
/* Writes all of it. */
bool samples_write(int fd, const void *bytes, size_t n);
/* Frees it without writing: in a child of fork(). */
void samples_abandon(struct samples *s);
/* Writes the mappings of this process from /proc. False if a write failed. */
bool samples_write_mappings(int fd);
