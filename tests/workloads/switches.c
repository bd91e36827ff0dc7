/*
 * Time between two system calls and outside of them, in turn: switches [MS]
 *
 * getppid(), 15 ms in inside(), umask(), 15 ms in outside(), and again. What counts from the one call to the other sees inside()
 * alone.
 */
#include "burn.h"

#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) void inside(void)
{
	BURN_MS(15);
}

__attribute__((noinline)) void outside(void)
{
	BURN_MS(15);
}

int main(int argc, char **argv)
{
	double stop = cpu_ms() + (argc > 1 ? atof(argv[1]) : 1000);

	while (cpu_ms() < stop) {
		getppid();
		inside();
		umask(022);
		outside();
	}
	return 0;
}
