/* Burns 30 % in early_work(), then loads liblate.so, which lies beside it, and burns 70 % there: late [MS] */
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>

#include "burn.h"

__attribute__((noinline)) void early_work(double ms)
{
	BURN_MS(ms);
}

int main(int argc, char **argv)
{
	double ms = argc > 1 ? atof(argv[1]) : 500;
	char *path = strdup(argv[0]);
	char name[4096];
	void (*late_work)(double);
	void *library;

	early_work(0.3 * ms);
	snprintf(name, sizeof(name), "%s/liblate.so", dirname(path));
	library = dlopen(name, RTLD_NOW);
	late_work = library ? (void (*)(double))dlsym(library, "late_work") : NULL;
	if (!late_work)
		return 1;
	late_work(0.7 * ms);
	return 0;
}
