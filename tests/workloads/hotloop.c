/*
 * A loop whose cost is known to the line: hotloop [TIMES]. Nearly all of it is a chain of divisions in step(), which is
 * inlined into hot(); the line marked NEVER is compiled and not run. warm() makes a tenth of the divisions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static volatile uint64_t dividend = UINT64_MAX, sink;

#define DIVIDED(x) (dividend / ((x) | 0x80000001))

static inline __attribute__((always_inline)) uint64_t step(uint64_t x)
{
	return DIVIDED(DIVIDED(DIVIDED(DIVIDED(DIVIDED(DIVIDED(x)))))); /* HOT */
}

__attribute__((noinline)) uint64_t hot(uint64_t times)
{
	uint64_t x = 3;
	for (uint64_t i = 0; i < times; i++) {
		x += step(x);
		if (x == 0)
			sink = sink * 3 + times; /* NEVER */
	}
	return x;
}

__attribute__((noinline)) uint64_t warm(uint64_t times)
{
	uint64_t x = 5;
	for (uint64_t i = 0; i < times; i++)
		x += DIVIDED(DIVIDED(DIVIDED(DIVIDED(DIVIDED(DIVIDED(x))))));
	return x;
}

int main(int argc, char **argv)
{
	uint64_t times = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
	for (unsigned i = 0; i < 100; i++)
		sink += hot(times) + warm(times / 10);
	printf("%d\n", (int)(sink & 1));
	return 0;
}
