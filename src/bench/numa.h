/* What numa mem does with memory, and where its tasks run. Within this room only. */
#pragma once
#include <stddef.h>

#include "bench/priv.h"

/* Reads and writes all words once, by the ways that the settings name; loop alternates directions. The sum keeps reads from vanishing. */
uint64_t numa_access(uint64_t *words, size_t bytes, const struct bench_numa *s, uint64_t loop, uint64_t *random);
/* Zeroed, of a thread's own or shared with processes that start later; with the contents and pages that the settings name. NULL: none. */
struct strobe_error *numa_allocate(size_t bytes, const struct bench_numa *s, bool is_shared, uint64_t **ret) _must_check_;

typedef VEC(uint32_t) numa_places;

/* "0,2-4x2": the CPUs or nodes of the first tasks, each 2 times. */
struct strobe_error *numa_parse(const char *list, const char *option, numa_places *ret) _must_check_;
/* The calling thread, from now on; 0 or an errno. */
int numa_bind_cpu(uint32_t cpu);
int numa_bind_memory(uint32_t node);
