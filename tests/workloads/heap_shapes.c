/*
 * Allocations of known number, size and place: heap_shapes [THREADS]. tests/live/heap.py has what each function allocates.
 * Every form of allocation is there once; the peak is at the end of grow().
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HERE __attribute__((noinline))
/* To the compiler it is in use: an allocation without a use would be removed. */
#define USED(p) __asm__ volatile("" : : "r"(p) : "memory")

static void *kept[1000];

HERE void *leaf(size_t n)
{
	char *p = malloc(n);
	USED(p);
	return p;
}

HERE void grow(void)
{
	for (int i = 0; i < 1000; i++)
		kept[i] = leaf(1000);
}

HERE void shrink(void)
{
	for (int i = 0; i < 400; i++) {
		free(kept[i]);
		kept[i] = NULL;
	}
}

HERE void temporary(void)
{
	for (int i = 0; i < 5000; i++)
		free(leaf(100));
}

HERE void forms(void)
{
	void *p = calloc(3, 7);
	USED(p);
	p = realloc(p, 1234);
	USED(p);
	p = reallocarray(NULL, 5, 11);
	USED(p);
	p = memalign(64, 65);
	USED(p);
	p = aligned_alloc(256, 512);
	USED(p);
	if (posix_memalign(&p, 4096, 4097))
		abort();
	USED(p);
	p = valloc(99);
	USED(p);
	p = malloc(0);
	USED(p);
	p = realloc(p, 0);
	USED(p);
	free(NULL);
}

static void *work(void *unused)
{
	for (int i = 0; i < 1000; i++)
		free(leaf(50));
	for (int i = 0; i < 10; i++)
		leaf(70);
	return unused;
}

HERE void in_threads(int n)
{
	pthread_t *threads = malloc((size_t)n * sizeof(*threads));
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			abort();
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

int main(int argc, char **argv)
{
	grow();
	shrink();
	temporary();
	forms();
	if (argc > 1)
		in_threads(atoi(argv[1]));
	puts("done");
	return 3;
}
