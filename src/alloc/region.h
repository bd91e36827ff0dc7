/*
 * The region of this process (layout.h): created at the first allocation, and registered with `strobe heap` if that started the process.
 *
 * A child of fork() has its own region, created at its first allocation, since the parent's would be shared. A child is detected by
 * a page that the kernel clears for it. Only the creation makes system calls.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/layout.h"

struct settings {
	char socket[108]; /* "": none */
	uint64_t rate, seed;
	unsigned depth;
	bool leaks, is_off;
	bool mmap, only_mmap; /* count mappings; do not count blocks */
	bool logs_mmap;       /* log calls to stderr while the heap profiler runs */
};
extern struct settings settings;

extern struct alloc_header *region; /* NULL: nothing is recorded */
extern const volatile uint32_t *region_alive; /* points to 0 in a child of fork() */

void settings_read(void);
/* False: out of memory. */
bool region_create(void);
/* The same, replacing the parent's region. */
bool region_renew(void);

static inline bool region_is_inherited(void)
{
	return !*region_alive;
}

static inline void *region_table(const struct alloc_table *t)
{
	return (char *)region + t->at;
}

/* Claims n elements of a table; returns the first number, or UINT32_MAX if it is full. */
uint32_t region_claim(struct alloc_table *t, uint32_t n);
/* Sends one byte to strobe, with the region's descriptor if fd is not negative; waits for the answer if `waits`. */
bool region_send(char message, int fd, bool waits);
