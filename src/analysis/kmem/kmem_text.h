/* What the kernel's allocators did, as perf's text, and as a table. */
#pragma once
#include "analysis/kmem/kmem.h"
#include "base/out.h"
#include "table/table.h"

enum kmem_list { KMEM_BY_CALLER, KMEM_BY_ADDRESS, KMEM_LISTS };

struct kmem_view {
	bool is_chosen[KMEM_ALLOCATORS];
	bool has_list[KMEM_LISTS];
	uint64_t lines_max[KMEM_LISTS];
	bool raw_ip, live;
};

void kmem_text(struct out *out, const struct kmem_sums *s, const struct kmem_view *v);
/* Inits *t. */
void kmem_table(struct table *t, const struct kmem_sums *s, const struct kmem_view *v);
