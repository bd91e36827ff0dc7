/*
 * Samples → raw rows: the hot loop of profiles, for files, live rings and streams.
 *
 * A worker belongs to one thread. Several of one resolver fill a profile together.
 */
#pragma once
#include "resolve/rawtab.h"
#include "resolve/step.h"

#define WORKER_BATCH 32
/* A sample to be added to the table. */
struct raw_sample {
	struct raw_key key;
	uint64_t labels_hash; /* of sub labels */
	uint64_t samples, value, weight;
	uint64_t place, time_ns;
	uint32_t cpu, tid, kernel;
};
struct worker {
	struct resolver *r;
	struct sample_step step;
	struct rawtab tab;
	uint32_t sub_columns;         /* columns_nr - thread_columns */
	struct raw_path_options path;
	/* Samples are added in batches, to wait for memory once per batch. */
	struct raw_sample *batch;
	uint64_t *batch_labels; /* sub_columns each */
	uint32_t batch_nr; /* up to step.hold_max */
	VEC(struct profile_log_entry) log; /* row: of the table, or the index of its sub */
	uint64_t log_max, log_dropped;
} THREAD_OWN;
/* stable: records stay in place until worker_flush(). rows: expected number; 0: unknown. */
void worker_init(struct worker *w, struct resolver *r, uint64_t log_max, bool stable, uint64_t rows);
void worker_deinit(struct worker *w);
/* As after worker_init(), but keeps memory; for use after the machine has dropped tasks. */
void worker_clear(struct worker *w);
/* place: the position of the record in the input, from 1 on; also its time if there is no clock. */
void worker_sample(struct worker *w, struct record rec, uint64_t place);
void worker_flush(struct worker *w);
/*
 * Adds several equal samples at once, whose periods add up to hot.period. Only if worker_takes_counts(): the profile does not
 * need their records, and labels are the same in all of them.
 */
bool worker_takes_counts(const struct worker *w);
void worker_counted(struct worker *w, const struct sample_hot *hot, uint32_t event, uint64_t count, uint64_t place);

/* fill.c: adds the raw rows of all workers to a profile, which may have rows from an earlier time. */
void fill_profile(struct resolver *r, struct worker *workers, unsigned n, struct profile *p);
