/*
 * Maps N pages that the kernel cannot join, half of them executable, and burns MS in busy(), which main() calls through a library's
 * qsort(3): crowded N MS.
 */
#include <sys/mman.h>

#include "burn.h"

static double burn_ms;

__attribute__((noinline)) static int busy(const void *a, const void *b)
{
	BURN_MS(burn_ms);
	return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
	int pair[] = { 2, 1 };
	if (argc < 3)
		return 2;
	for (int i = 0; i < atoi(argv[1]); i++)
		if (mmap(NULL, 4096, i % 2 ? PROT_READ | PROT_EXEC : PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return 1;
	burn_ms = atof(argv[2]);
	qsort(pair, 2, sizeof(*pair), busy);
	return pair[0] != 1;
}
