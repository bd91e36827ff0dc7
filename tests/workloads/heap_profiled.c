/*
 * A program that profiles its heap itself: heap_profiled. What first() allocates before the start does not count; of the second call's
 * 100,000 bytes all are in use, of second()'s 500,000 none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef GPERFTOOLS
#include <gperftools/heap-profiler.h>
#define TEXT "heap profile:" /* libtcmalloc counts its own buffer */
#else
#include "alloc/heap_profiler.h"
#define TEXT "heap profile:    100:   100000 [   200:   600000] @ heapprofile\n"
#endif

#define HERE __attribute__((noinline))

HERE void *leaf(size_t n)
{
	char *p = malloc(n);
	__asm__ volatile("" : : "r"(p) : "memory"); /* otherwise the compiler may remove it */
	return p;
}

HERE void first(void)
{
	for (int i = 0; i < 100; i++)
		leaf(1000);
}

HERE void second(void)
{
	for (int i = 0; i < 100; i++)
		free(leaf(5000));
}

int main(void)
{
	first();
	if (IsHeapProfilerRunning())
		return 1;
	HeapProfilerStart("own");
	if (!IsHeapProfilerRunning())
		return 2;
	first();
	second();
	HeapProfilerDump("once");
	char *text = GetHeapProfile();
	if (!text || strncmp(text, TEXT, strlen(TEXT)))
		return 3;
	free(text);
	HeapProfilerDump("twice");
	HeapProfilerStop();
	HeapProfilerStart("own");
	HeapProfilerDump("a third");
	HeapProfilerStop();
	return IsHeapProfilerRunning() ? 4 : 0;
}
