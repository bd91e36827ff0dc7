/*
 * Names of the flags of page allocations: in full, as the kernel prints them, and short, as perf does.
 *
 * A zeroed struct is empty. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/u64map.h"
#include "base/vector.h"

struct gfp_text {
	uint32_t flags;
	const char *full, *brief; /* "GFP_KERNEL|__GFP_COMP", "K|C" */
};

struct gfp_texts {
	struct arena arena;
	VEC(struct gfp_text) list;
	struct u64map by_flags; /* index */
	size_t brief_width;     /* of the longest */
};

void gfp_texts_deinit(struct gfp_texts *t);
bool gfp_texts_has(const struct gfp_texts *t, uint32_t flags);
/* line: the event as printed by the kernel; need not end with NUL. */
void gfp_texts_add(struct gfp_texts *t, uint32_t flags, const char *line, size_t bytes);
/* Puts the list in order. */
void gfp_texts_sort(struct gfp_texts *t);
/* "" if they were not added. */
const char *gfp_brief(const struct gfp_texts *t, uint32_t flags);
const char *gfp_full(const struct gfp_texts *t, uint32_t flags);
