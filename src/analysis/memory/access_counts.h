/*
 * Counts of memory accesses by data source: the classes of perf c2c (7.2), from the data_src words of samples.
 *
 * A load may be in several classes: one served by another node is also counted for that node's memory if the processor only reports
 * "remote" (PEBS of Skylake). Source: perf_event_open(2), PERF_SAMPLE_DATA_SRC; perf-c2c(1).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum access_count {
#define COUNT(id, key) ACCESS_##id,
#include "analysis/memory/access_counts.def"
#undef COUNT
	ACCESS_COUNTS_NR
};

struct access_counts {
	uint64_t n[ACCESS_COUNTS_NR];
};

extern const char *const access_count_keys[ACCESS_COUNTS_NR];

/* Counts one access; is_mapped: its address and its instruction are in mappings. */
void access_counts_take(struct access_counts *c, uint64_t data_src, uint64_t address, bool is_mapped);
void access_counts_add(struct access_counts *sum, const struct access_counts *more);

/* Loads of lines that another core had modified, of this node or of others; loads of lines that another core or node had, modified or
 * not. */
static inline uint64_t access_modified(const struct access_counts *c)
{
	return c->n[ACCESS_LOCAL_MODIFIED] + c->n[ACCESS_REMOTE_MODIFIED];
}

static inline uint64_t access_peers(const struct access_counts *c)
{
	return c->n[ACCESS_LOCAL_PEER] + c->n[ACCESS_REMOTE_PEER];
}

/* Loads that missed all caches of this node. */
uint64_t access_llc_misses(const struct access_counts *c);
/* Sums of classes, for columns of perf: a load in two of them counts twice. */
uint64_t access_classified_loads(const struct access_counts *c);
uint64_t access_classified(const struct access_counts *c);
