/*
 * The allocator that the program would use without this library, and a substitute until it is known.
 *
 * The functions are looked up at the first call of any. Looking them up may itself allocate: those blocks come from a small static
 * area and are never returned. Thread-safe.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct real_allocator {
	void *(*malloc)(size_t);
	void (*free)(void *);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	size_t (*malloc_usable_size)(void *);
	int (*dlclose)(void *);
	void *(*mmap64)(void *, size_t, int, int, int, off64_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, ...);
	void *(*sbrk)(intptr_t);
	int (*prctl)(int, ...);
	long (*syscall)(long, ...);
};
extern struct real_allocator real;

/* Fills `real`. */
void real_find(void);
/* Whether a function is in the same library as the real malloc: an operator new that does not call malloc. */
bool real_owns(const void *function);

void *early_alloc(size_t bytes, size_t alignment);
bool early_owns(const void *p);
size_t early_size(const void *p);
