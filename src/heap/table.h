/* A heap as tables: its processes, the functions that allocate most, sizes, growth over time, leaks with their stacks. */
#pragma once
#include "heap/heap.h"
#include "table/table.h"

/* The first `most` processes, and their sum if there are several. */
void heap_processes_table(struct table *t, const struct heap *h, unsigned most);
/* The first `most` functions that called the allocator, by memory in use at the peak (is_live: in use now). */
void heap_functions_table(struct table *t, const struct heap *h, bool is_live, unsigned most);
/* Sizes of allocations in classes of a quarter of a power of two. */
void heap_sizes_table(struct table *t, const struct heap *h);
/* Memory in use over time by each of the first `most` processes. */
void heap_growth_table(struct table *t, const struct heap *h, unsigned most);
/* Leaks by call chain, largest first, with the innermost frames of the chain. */
void heap_leaks_table(struct table *t, const struct heap *h, unsigned most);
