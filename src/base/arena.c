#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct arena_block {
	struct arena_block *next;
	size_t bytes; /* of data */
	char data[] __attribute__((aligned(16)));
};

#define FIRST_BLOCK (4096 - sizeof(struct arena_block))
#define MAX_BLOCK   (1024 * 1024 - sizeof(struct arena_block))

void arena_init(struct arena *a)
{
	*a = (struct arena){ 0 };
}

void arena_init_on(struct arena *a, void *memory, size_t bytes)
{
	*a = (struct arena){ .at = memory, .end = (char *)memory + bytes };
}

void arena_deinit(struct arena *a)
{
	struct arena_block *next;
	for (struct arena_block *b = a->head; b; b = next) {
		next = b->next;
		free(b);
	}
	arena_init(a);
}

void arena_reset(struct arena *a)
{
	struct arena_block *keep = a->head;
	if (!keep)
		return;
	struct arena_block *next;
	for (struct arena_block *b = keep->next; b; b = next) {
		next = b->next;
		free(b);
	}
	keep->next = NULL;
	a->total_bytes = sizeof(*keep) + keep->bytes;
	a->at = keep->data;
	a->end = keep->data + keep->bytes;
}

void arena_take(struct arena *to, struct arena *from)
{
	if (!to->head) {
		*to = *from;
		arena_init(from);
		return;
	}
	/* After the head, which stays in use. */
	struct arena_block **last = &to->head->next;
	while (*last)
		last = &(*last)->next;
	*last = from->head;
	to->total_bytes += from->total_bytes;
	arena_init(from);
}

static struct arena_block *block_create(struct arena *a, size_t bytes)
{
	if (bytes > SIZE_MAX - sizeof(struct arena_block))
		bytes = SIZE_MAX - sizeof(struct arena_block); /* xmalloc says it */
	struct arena_block *b = xmalloc(sizeof(*b) + bytes);
	b->bytes = bytes;
	b->next = NULL;
	a->total_bytes += sizeof(*b) + bytes;
	return b;
}

void *arena_alloc_slow(struct arena *a, size_t bytes, size_t align)
{
	size_t next_bytes = FIRST_BLOCK;
	if (a->head && a->head->bytes >= FIRST_BLOCK)
		next_bytes = a->head->bytes >= MAX_BLOCK / 2 ? MAX_BLOCK : a->head->bytes * 2;
	size_t need = bytes + align;
	if (need < bytes)
		need = SIZE_MAX;
	if (a->head && need > next_bytes / 2) {
		/* A large piece gets a separate block after the head, whose rest stays in use. */
		struct arena_block *b = block_create(a, need);
		b->next = a->head->next;
		a->head->next = b;
		return (void *)(((uintptr_t)b->data + align - 1) & ~(uintptr_t)(align - 1));
	}
	struct arena_block *b = block_create(a, need > next_bytes ? need : next_bytes);
	b->next = a->head;
	a->head = b;
	a->at = b->data;
	a->end = b->data + b->bytes;
	uintptr_t at = ((uintptr_t)a->at + align - 1) & ~(uintptr_t)(align - 1);
	a->at = (char *)(at + bytes);
	return (void *)at;
}

void *arena_calloc(struct arena *a, size_t bytes)
{
	return memset(arena_alloc(a, bytes), 0, bytes);
}

void *arena_memdup(struct arena *a, const void *p, size_t bytes)
{
	void *copy = arena_alloc(a, bytes);
	if (bytes)
		memcpy(copy, p, bytes);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *copy = arena_alloc_aligned(a, n + 1, 1);
	if (n)
		memcpy(copy, s, n);
	copy[n] = 0;
	return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *s = xvasprintf(fmt, ap);
	va_end(ap);
	char *copy = arena_strdup(a, s);
	free(s);
	return copy;
}
