/* Memory accesses and task placement of numa mem. Private to this room. */
#pragma once
#include <stddef.h>

#include "bench/priv.h"

/*
 * Reads and writes all words once, with the access patterns of the settings; loop alternates directions. Returns a sum, so that reads
 * are not optimized away.
 */
uint64_t numa_access(uint64_t *words, size_t bytes, const struct bench_numa *s, uint64_t loop, uint64_t *random);
/* Zeroed memory, private or shared with processes started later, with the contents and pages of the settings. NULL: failed. */
struct strobe_error *numa_allocate(size_t bytes, const struct bench_numa *s, bool is_shared, uint64_t **ret) _must_check_;

typedef VEC(uint32_t) numa_places;

/* "0,2-4x2": the CPUs or nodes of the first tasks, each 2 times. */
struct strobe_error *numa_parse(const char *list, const char *option, numa_places *ret) _must_check_;
/* Binds the calling thread; returns 0 or an errno. */
int numa_bind_cpu(uint32_t cpu);
int numa_bind_memory(uint32_t node);
