/* descend() calls itself to a depth of DEPTH and burns at the bottom, in leaf(): recurse [MS] */
#include "burn.h"

#ifndef DEPTH
#define DEPTH 50
#endif

__attribute__((noinline)) void leaf(void)
{
	BURN_MS(1);
	__asm__ volatile("");
}

__attribute__((noinline)) void descend(int depth)
{
	if (depth > 1)
		descend(depth - 1);
	else
		leaf();
	__asm__ volatile("" : : "r"(depth)); /* no tail call */
}

int main(int argc, char **argv)
{
	double stop = cpu_ms() + (argc > 1 ? atof(argv[1]) : 500);

	while (cpu_ms() < stop)
		descend(DEPTH);
	return 0;
}
