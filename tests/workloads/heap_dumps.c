/*
 * Blocks, mappings and the end of the data segment, of known sizes, for the dumps of gperftools' heap profiler: heap-dumps.py.
 *
 * keep() keeps 50 blocks of 1,000 bytes, pass() allocates and releases 50 of 2,000; map() has 28 pages of 4 KiB in use in the end,
 * moved() 40, extend() 5,000 bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HERE __attribute__((noinline))
/* What comes before it is not the last thing that a function does, and is not left out. */
#define STAY(p) __asm__ volatile("" : : "r"(p) : "memory")
#define PAGE ((size_t)4096)

static void *kept[50];

HERE static void keep(void)
{
	for (int i = 0; i < 50; i++) {
		kept[i] = malloc(1000);
		STAY(kept[i]);
	}
}

HERE static void pass(void)
{
	for (int i = 0; i < 50; i++) {
		void *p = malloc(2000);
		STAY(p);
		free(p);
	}
}

HERE static char *map(size_t pages)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	STAY(p);
	return p;
}

HERE static char *moved(char *p, size_t pages, size_t more)
{
	p = mremap(p, pages * PAGE, more * PAGE, MREMAP_MAYMOVE);
	STAY(p);
	return p;
}

HERE static void extend(void)
{
	void *p = sbrk(7000);
	STAY(p);
	p = sbrk(-2000);
	STAY(p);
}

int main(void)
{
	keep();
	pass();
	char *p = map(20), *q = map(10);
	map(18);
	munmap(p, 10 * PAGE);
	moved(q, 10, 40);
	extend();
	puts("done");
	return 0;
}
