/* 20,000 allocations of 1 to 4,000 bytes (or so many), always the same, of which half are released: heap_spread [N]. Prints the bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) uint64_t spread(unsigned n)
{
	uint64_t random = 88172645463325252, bytes = 0;
	for (unsigned i = 0; i < n; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		size_t size = 1 + (random >> 32) % 4000;
		char *p = malloc(size);
		__asm__ volatile("" : : "r"(p) : "memory"); /* otherwise the compiler may remove it */
		bytes += size;
		if (i % 2)
			free(p);
	}
	return bytes;
}

int main(int argc, char **argv)
{
	uint64_t bytes = spread(argc > 1 ? (unsigned)atoi(argv[1]) : 20000);
	printf("{\"bytes\": %llu}\n", (unsigned long long)bytes);
	return 0;
}
