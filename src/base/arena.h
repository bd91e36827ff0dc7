/*
 * Allocations that are all freed at once.
 *
 * Not safe for use by two threads at a time.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
	struct arena_block *head; /* current block first */
	char *at, *end;
	size_t total_bytes;       /* allocated from the system so far */
};

void arena_init(struct arena *a);
/* Uses the caller's memory first, which must outlive the arena. */
void arena_init_on(struct arena *a, void *memory, size_t bytes);
void arena_deinit(struct arena *a);
/* Forgets all allocations but keeps one block for reuse. */
void arena_reset(struct arena *a);
/* Moves all blocks of `from` to `to`: its allocations keep their addresses and are freed with `to`; `from` is empty afterwards. */
void arena_take(struct arena *to, struct arena *from);
void *arena_alloc_slow(struct arena *a, size_t bytes, size_t align);

static inline void *arena_alloc_aligned(struct arena *a, size_t bytes, size_t align)
{
	uintptr_t at = ((uintptr_t)a->at + align - 1) & ~(uintptr_t)(align - 1);
	if (a->at && at <= (uintptr_t)a->end && bytes <= (uintptr_t)a->end - at) {
		a->at = (char *)(at + bytes);
		return (void *)at;
	}
	return arena_alloc_slow(a, bytes, align);
}

/* 8-byte aligned, not cleared. */
static inline void *arena_alloc(struct arena *a, size_t bytes)
{
	return arena_alloc_aligned(a, bytes, 8);
}

void *arena_calloc(struct arena *a, size_t bytes);
void *arena_memdup(struct arena *a, const void *p, size_t bytes);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define arena_new(a, type) ((type *)arena_calloc((a), sizeof(type)))
#define arena_new_array(a, type, n) ((type *)arena_calloc((a), sizeof(type) * (n)))
