/*
 * The region of this process (layout.h): made at the first allocation, registered with `strobe heap` where that runs it.
 *
 * A child of fork() has a region of its own, made when it first allocates: the parent's would be shared. Whether the process is
 * such a child is seen by a page that the kernel clears for it. Only making a region makes system calls.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/layout.h"

struct settings {
	char socket[108]; /* "": nobody listens */
	uint64_t rate, seed;
	unsigned depth;
	bool leaks, is_off;
	bool mmap, only_mmap; /* mappings are counted; blocks are not */
	bool logs_mmap;       /* calls go to stderr while the heap profiler runs */
};
extern struct settings settings;

extern struct alloc_header *region; /* NULL: nothing is recorded */
extern const volatile uint32_t *region_alive; /* points to 0 in a child of fork() */

void settings_read(void);
/* False where memory for it is not to be had. */
bool region_create(void);
/* The same in place of the parent's. */
bool region_renew(void);

static inline bool region_is_inherited(void)
{
	return !*region_alive;
}

static inline void *region_table(const struct alloc_table *t)
{
	return (char *)region + t->at;
}

/* Claims n elements of a table; their first number, or UINT32_MAX where it is full. */
uint32_t region_claim(struct alloc_table *t, uint32_t n);
/* Sends one byte to strobe, with the region's descriptor where fd is not negative; waits for its answer where that matters. */
bool region_send(char message, int fd, bool waits);
