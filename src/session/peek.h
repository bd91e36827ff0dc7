/*
 * The environment of a stream, complete before its first record is read: a stream has it as records.
 */
#pragma once
#include "base/vector.h"
#include "record/source.h"

/* What READ records say: how far the counters of each thread had come when it ended (record -s). */
struct thread_read {
	uint32_t pid, tid, event, rank;
	uint64_t value;
};

struct thread_reads {
	VEC(struct thread_read) all;
};

/*
 * Puts a source before *source that has its environment complete before the first record is read, whether file or
 * stream. READ records that pass are added to reads, where that is not NULL.
 */
void peek_source(struct record_source **source, struct thread_reads *reads);
