/*
 * Recordings whose stacks are not kept: equal samples are counted before anything is known of their threads and maps.
 *
 * A sample is then (event, cpumode, thread, address), of which even a large recording has few. Several threads scan a part of the
 * recording each, in one pass over its memory, without a serial one before them: where in the middle a record starts is guessed by
 * what follows, and a guess is used only if the part before ends there. Side-band records are applied afterwards; then each
 * tally becomes a count of a worker, if its thread and maps were the same at its first and last sample. Samples of the others are
 * read again, one by one.
 */
#pragma once
#include "resolve/worker.h"

struct tallies;

/* Whether a sample's row depends on nothing but what is tallied. */
bool tally_suffices(const struct resolver *r);
/* Up to the first record that changes how others are read, or to the end. Destroy the result with tally_destroy(). */
struct tallies *tally_scan(struct resolver *r, const struct reader_span *span, unsigned threads);
/* Applies the records that are not samples, in the order of the file; returns the end of what was scanned, an offset in the span. */
uint64_t tally_apply(struct tallies *t, struct walk *w);
/* The number of workers that tally_count() requires. */
unsigned tally_parts(const struct tallies *t);
/* Call it with a sealed machine. The records need not stay in place afterwards. */
void tally_count(struct tallies *t, struct worker *workers);
void tally_destroy(struct tallies *t);
