/*
 * Work of a known size: work LOOPS PAGES. Loops on the CPU, and touches as many fresh pages.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	uint64_t loops = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000, pages = argc > 2 ? strtoull(argv[2], NULL, 0) : 100, sum = 1;
	char *p = mmap(NULL, pages * 4096 + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return 1;
	madvise(p, pages * 4096 + 4096, MADV_NOHUGEPAGE);
	for (uint64_t i = 0; i < pages; i++)
		p[i * 4096] = (char)i;
	for (uint64_t i = 0; i < loops; i++)
		sum = sum * 6364136223846793005u + 1442695040888963407u;
	return sum == 42;
}
