/*
 * Waits WAIT_MS, loads a library, and burns MS in busy(), which the library calls through two functions: loaded LIB WAIT_MS MS [deleted].
 * Between them and main() is an array that is never written. With -DLIBRARY this is the library. "deleted": its file is taken
 * away once it is loaded.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "burn.h"

#ifdef LIBRARY

__attribute__((noinline)) void busy(double ms)
{
	BURN_MS(ms);
}

__attribute__((noinline)) void inner(double ms)
{
	busy(ms);
}

void outer(double ms);

__attribute__((noinline)) void outer(double ms)
{
	inner(ms);
}

#else

__attribute__((noinline)) static void with_array(void (*outer)(double), double ms)
{
	volatile char array[12 << 10];
	__asm__ volatile("" : : "r"(array));
	outer(ms);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	usleep((useconds_t)atoi(argv[2]) * 1000);
	void *library = dlopen(argv[1], RTLD_NOW);
	if (argc > 4)
		unlink(argv[1]);
	void (*outer)(double) = library ? (void (*)(double))dlsym(library, "outer") : NULL;
	if (!outer) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	with_array(outer, atof(argv[3]));
	return 0;
}

#endif
