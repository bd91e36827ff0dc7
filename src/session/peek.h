/*
 * Makes the environment of a stream complete before its first record is read.
 */
#pragma once
#include "base/vector.h"
#include "record/source.h"

/* READ records: the counters of each thread at its end (record -s). */
struct thread_read {
	uint32_t pid, tid, event, rank;
	uint64_t value;
};

struct thread_reads {
	VEC(struct thread_read) all;
};

/*
 * Puts a source in front of *source whose environment is complete before the first record is read, for a file or a
 * stream. READ records are added to reads, unless it is NULL.
 */
void peek_source(struct record_source **source, struct thread_reads *reads);
