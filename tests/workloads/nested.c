/* Functions within functions (GNU C), with others inlined into them: in debug information they are below those around them. */
#include <stdio.h>
#include <stdlib.h>

static inline __attribute__((always_inline)) unsigned mix(unsigned x, unsigned y)
{
	return (x ^ y) * 2654435761u + (x >> 3);
}

static inline __attribute__((always_inline)) unsigned twice(unsigned x)
{
	return mix(mix(x, 7), x + 1);
}

#define AROUND(name, n)                                                                                        \
	__attribute__((noinline)) unsigned name(unsigned seed)                                                 \
	{                                                                                                      \
		unsigned sum = seed;                                                                           \
		__attribute__((noinline)) unsigned within(unsigned x)                                          \
		{                                                                                              \
			__attribute__((noinline)) unsigned innermost(unsigned y)                               \
			{                                                                                      \
				sum += twice(y) ^ (n);                                                         \
				return mix(sum, y) % 1000;                                                     \
			}                                                                                      \
			for (unsigned i = 0; i < x % 8; i++)                                                   \
				sum += innermost(twice(x + i));                                                \
			return sum;                                                                            \
		}                                                                                              \
		for (unsigned i = 0; i < 100; i++)                                                             \
			sum ^= within(mix(i, sum));                                                            \
		return sum;                                                                                    \
	}

AROUND(first, 1)
AROUND(second, 2)
AROUND(third, 3)

int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
	printf("%u\n", first(seed) + second(seed) + third(seed));
	return 0;
}
