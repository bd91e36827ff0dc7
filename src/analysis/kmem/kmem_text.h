/* Allocations of the kernel as the tables of perf's text, and as one table for programs. */
#pragma once
#include "analysis/kmem/kmem.h"
#include "table/table.h"

enum kmem_list { KMEM_BY_CALLER, KMEM_BY_ADDRESS, KMEM_LISTS };

struct kmem_view {
	bool is_chosen[KMEM_ALLOCATORS];
	bool has_list[KMEM_LISTS];
	uint64_t lines_max[KMEM_LISTS];
	bool raw_ip, live;
};

#define KMEM_TEXTS_MAX 8

/* Inits the tables of the text, in order, and returns their number. */
size_t kmem_texts(const struct kmem_sums *s, const struct kmem_view *v, struct table ret[static KMEM_TEXTS_MAX]);
/* Inits *t. */
void kmem_table(struct table *t, const struct kmem_sums *s, const struct kmem_view *v);
