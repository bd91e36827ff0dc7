/*
 * What a heap holds as tables: its processes, the functions that allocate most, sizes, growth over time, leaks with their stacks.
 */
#pragma once
#include "heap/heap.h"
#include "table/table.h"

/* The first `most` processes, and sums where there are several. */
void heap_processes_table(struct table *t, const struct heap *h, unsigned most);
/* The first `most` functions that called the allocator, by what was in use at the peak (is_live: is in use). */
void heap_functions_table(struct table *t, const struct heap *h, bool is_live, unsigned most);
/* Sizes of allocations in classes of a quarter of a power of two. */
void heap_sizes_table(struct table *t, const struct heap *h);
/* What each of the first `most` processes had in use over time. */
void heap_growth_table(struct table *t, const struct heap *h, unsigned most);
/* Leaks by call chain, largest first, with the first frames of the chain. */
void heap_leaks_table(struct table *t, const struct heap *h, unsigned most);
