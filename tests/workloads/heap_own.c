/*
 * A program with an allocator of its own, which aborts at blocks that are not its own. Also what frees what it got from the C library
 * by name. Prints "fine".
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Alignas(16) char arena[64 << 20];
static size_t used;
static unsigned long allocated;

static void check(const char *p)
{
	if (p && (p < arena || p >= arena + sizeof(arena))) {
		(void)!write(2, "foreign\n", 8);
		abort();
	}
}

void *malloc(size_t n)
{
	size_t whole = ((n + 15) & ~(size_t)15) + 16, at = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
	if (at + whole > sizeof(arena))
		return NULL;
	*(size_t *)(arena + at) = n;
	__atomic_fetch_add(&allocated, 1, __ATOMIC_RELAXED);
	return arena + at + 16;
}

void free(void *p)
{
	check(p);
}

void *calloc(size_t n, size_t size)
{
	return malloc(n * size);
}

void *realloc(void *p, size_t n)
{
	check(p);
	char *moved = malloc(n);
	size_t old = p ? ((size_t *)p)[-2] : 0;
	if (moved && p)
		memcpy(moved, p, old < n ? old : n);
	return moved;
}

void *memalign(size_t alignment, size_t n)
{
	uintptr_t p = (uintptr_t)malloc(n + alignment);
	return (void *)((p + alignment - 1) & ~(alignment - 1));
}

void *aligned_alloc(size_t alignment, size_t n)
{
	return memalign(alignment, n);
}

int posix_memalign(void **ret, size_t alignment, size_t n)
{
	*ret = memalign(alignment, n);
	return 0;
}

static void *work(void *unused)
{
	for (size_t i = 0; i < 1000; i++)
		free(malloc(i));
	return unused ? NULL : strdup("by the C library");
}

int main(void)
{
	pthread_t threads[4];
	void *text;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &text);
		free(text);
	}
	char *line = NULL;
	size_t bytes = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	while (getline(&line, &bytes, f) > 0)
		;
	fclose(f);
	free(line);
	puts(allocated > 4004 ? "fine" : "its own allocator was not used");
	return 0;
}
