/* Exceptions thrown through three frames, again and again: throws [MS]. The program itself unwinds. */
#include <stdexcept>

extern "C" {
#include "burn.h"
}

#define HERE extern "C" __attribute__((noinline))

static volatile uint64_t sink;

HERE void thrower(int n)
{
	if (n >= 0)
		throw std::runtime_error("known");
	sink++;
}

HERE void middle(int n)
{
	struct guard {
		~guard() { sink++; }
	} g;
	thrower(n);
	sink++;
}

HERE void catcher(int n)
{
	try {
		middle(n);
	} catch (const std::exception &e) {
		sink += (uint64_t)e.what()[0];
	}
	sink++;
}

int main(int argc, char **argv)
{
	double stop = cpu_ms() + (argc > 1 ? atof(argv[1]) : 300);
	for (int n = 0; cpu_ms() < stop; n++)
		catcher(n);
	return 0;
}
