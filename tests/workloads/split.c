/*
 * 70 % of the time in hot(), 30 % in cold(): split [MS [SEED]]
 *
 * It runs slices of random length, some 10 to 60 us each, and draws for each slice which of the two runs it. Slices are
 * short against a sampling interval and not periodic, so samples are independent draws: 0.7 is the true share.
 */
#include "burn.h"

__attribute__((noinline)) void hot(uint64_t iterations)
{
	BURN(iterations);
}

__attribute__((noinline)) void cold(uint64_t iterations)
{
	BURN(iterations);
}

int main(int argc, char **argv)
{
	double stop = cpu_ms() + (argc > 1 ? atof(argv[1]) : 500);
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) * 0x9e3779b97f4a7c15u + 1 : 88172645463325252u;

	while (cpu_ms() < stop) {
		for (int i = 0; i < 16; i++) {
			uint64_t iterations = 5000 + random_next(&seed) % 25000;

			if ((random_next(&seed) >> 32) % 10 < 7)
				hot(iterations);
			else
				cold(iterations);
		}
	}
	return 0;
}
