/*
 * grown FIRST SECOND THIRD [ROUNDS]: three functions, each called as often as its number, in random order
 *
 * The calls are short against a sampling interval and not periodic. Each round (40) is FIRST + SECOND + THIRD calls:
 * the work of a function is what its number says, whatever the others do.
 */
#include "burn.h"

__attribute__((noinline)) void first(uint64_t iterations)
{
	BURN(iterations);
}

__attribute__((noinline)) void second(uint64_t iterations)
{
	BURN(iterations);
}

__attribute__((noinline)) void third(uint64_t iterations)
{
	BURN(iterations);
}

int main(int argc, char **argv)
{
	static void (*const functions[])(uint64_t) = { first, second, third };
	uint64_t left[3], seed = (uint64_t)cpu_ms() * 2862933555777941757u + 3037000493u;
	uint64_t rounds = argc > 4 ? strtoull(argv[4], NULL, 0) : 40;

	for (; rounds && argc > 3; rounds--) {
		for (int i = 0; i < 3; i++)
			left[i] = strtoull(argv[i + 1], NULL, 0);
		for (uint64_t all = left[0] + left[1] + left[2]; all; all--) {
			uint64_t at = (random_next(&seed) >> 32) % all;
			int which = at < left[0] ? 0 : at < left[0] + left[1] ? 1 : 2;
			functions[which](10000);
			left[which]--;
		}
	}
	return 0;
}
