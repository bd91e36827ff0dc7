/*
 * malloc and its relatives, interposed before those of the program's allocator.
 *
 * Each has a short function for most calls, and a slow one for the first calls and for counted ones. The slow ones begin the walk at
 * their own frame, whoever calls them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/real.h"
#include "alloc/record.h"

#define EXPORT __attribute__((visibility("default")))
#define SLOW   __attribute__((noinline))
#define MAYBE  __attribute__((weak, visibility("default"))) /* C libraries may declare these differently, or not at all */

static void *early(size_t size, size_t alignment)
{
	void *p = early_alloc(size, alignment);
	if (p)
		blocks_pass(p);
	else
		errno = ENOMEM;
	return p;
}

/* Counts p if it is due, after record_may_be_due(). */
#define COUNT(p, size)                                       \
	do {                                                 \
		if (record_is_due(size) && (p))              \
			record_alloc(p, size, WALK_FRAME);   \
	} while (0)

/* ---- malloc, calloc ---- */

static SLOW void *slow_malloc(size_t size)
{
	if (!record_begin())
		return early(size, 0);
	void *p = real.malloc(size);
	COUNT(p, size);
	return p;
}

EXPORT void *malloc(size_t size)
{
	return record_may_be_due(size) ? slow_malloc(size) : real.malloc(size);
}

static SLOW void *slow_calloc(size_t n, size_t size)
{
	size_t bytes;
	bool fits = !__builtin_mul_overflow(n, size, &bytes);
	if (!record_begin())
		return fits ? early(bytes, 0) : NULL; /* the area is zeroed, and used once */
	void *p = real.calloc(n, size);
	COUNT(p, bytes);
	return p;
}

EXPORT void *calloc(size_t n, size_t size)
{
	return record_may_be_due(n * size) ? slow_calloc(n, size) : real.calloc(n, size);
}

/* ---- free ---- */

static SLOW void slow_free(void *p)
{
	struct alloc_slot slot;
	if (early_owns(p) || !record_begin())
		return; /* in the latter case no block has been allocated yet */
	if (record_take(p, &slot))
		record_free(&slot);
	real.free(p);
}

EXPORT void free(void *p)
{
	if (__builtin_expect(blocks_may_have(p), 0))
		slow_free(p);
	else
		real.free(p);
}

/* glibc had it until 2.26. */
MAYBE void cfree(void *p);
MAYBE void cfree(void *p)
{
	free(p);
}

/* ---- realloc ---- */

static void *realloc_early(void *p, size_t size)
{
	void *moved = malloc(size);
	size_t old = early_size(p);
	if (moved)
		memcpy(moved, p, old < size ? old : size);
	return moved;
}

static SLOW void *slow_realloc(void *p, size_t size, bool may_be_due)
{
	struct alloc_slot slot;
	if (p && early_owns(p))
		return realloc_early(p, size);
	if (!record_begin())
		return p ? NULL : early(size, 0);
	bool is_due = may_be_due && record_is_due(size), was_counted = record_take(p, &slot);
	void *moved = real.realloc(p, size);
	if (was_counted && (moved || !size))
		record_free(&slot);
	else if (was_counted)
		record_put_back(p, &slot);
	if (is_due && moved)
		record_alloc(moved, size, WALK_FRAME);
	return moved;
}

EXPORT void *realloc(void *p, size_t size)
{
	bool may_be_due = record_may_be_due(size);
	return may_be_due || blocks_may_have(p) ? slow_realloc(p, size, may_be_due) : real.realloc(p, size);
}

MAYBE void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

/* ---- aligned blocks ---- */

static SLOW void *slow_memalign(size_t alignment, size_t size)
{
	if (!record_begin())
		return early(size, alignment);
	void *p = real.memalign ? real.memalign(alignment, size) : real.aligned_alloc(alignment, size);
	COUNT(p, size);
	return p;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
	return record_may_be_due(size) || !real.memalign ? slow_memalign(alignment, size) : real.memalign(alignment, size);
}

static SLOW void *slow_aligned_alloc(size_t alignment, size_t size)
{
	if (!record_begin())
		return early(size, alignment);
	void *p = real.aligned_alloc ? real.aligned_alloc(alignment, size) : real.memalign(alignment, size);
	COUNT(p, size);
	return p;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return record_may_be_due(size) || !real.aligned_alloc ? slow_aligned_alloc(alignment, size) : real.aligned_alloc(alignment, size);
}

static SLOW int slow_posix_memalign(void **ret, size_t alignment, size_t size)
{
	if (!record_begin()) {
		*ret = early(size, alignment);
		return *ret ? 0 : ENOMEM;
	}
	int failed = real.posix_memalign(ret, alignment, size);
	COUNT(failed ? NULL : *ret, size);
	return failed;
}

EXPORT int posix_memalign(void **ret, size_t alignment, size_t size)
{
	return record_may_be_due(size) ? slow_posix_memalign(ret, alignment, size) : real.posix_memalign(ret, alignment, size);
}

#define PAGE 4096

MAYBE void *valloc(size_t size)
{
	bool may_be_due = record_may_be_due(size);
	if (!record_begin())
		return early(size, PAGE);
	void *p = real.valloc ? real.valloc(size) : real.memalign(PAGE, size);
	if (may_be_due)
		COUNT(p, size);
	return p;
}

MAYBE void *pvalloc(size_t size)
{
	bool may_be_due = record_may_be_due(size);
	if (!record_begin())
		return early((size + PAGE - 1) & ~(size_t)(PAGE - 1), PAGE);
	void *p = real.pvalloc ? real.pvalloc(size) : real.memalign(PAGE, (size + PAGE - 1) & ~(size_t)(PAGE - 1));
	if (may_be_due)
		COUNT(p, size);
	return p;
}

MAYBE size_t malloc_usable_size(void *p)
{
	if (p && early_owns(p))
		return early_size(p);
	return record_begin() && real.malloc_usable_size ? real.malloc_usable_size(p) : 0;
}

/* ---- unloading of code ---- */

EXPORT int dlclose(void *handle)
{
	if (!record_begin() || !real.dlclose)
		return -1;
	int failed = real.dlclose(handle);
	record_unloaded();
	return failed;
}
