/*
 * A chain of execs in one process: burns MS in step_work(), then executes the link named step-(N-1) beside it, down to
 * step-1. Started as step-5 it is five programs by name, of equal shares: step-N [MS]
 */
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

__attribute__((noinline)) void step_work(double ms)
{
	BURN_MS(ms);
}

int main(int argc, char **argv)
{
	const char *ms = argc > 1 ? argv[1] : "60";
	const char *dash = strrchr(argv[0], '-');
	int step = dash ? atoi(dash + 1) : 1;
	char *path = strdup(argv[0]);
	char next[4096];

	step_work(atof(ms));
	if (step <= 1)
		return 0;
	snprintf(next, sizeof(next), "%s/step-%d", dirname(path), step - 1);
	execl(next, next, ms, NULL);
	return 1;
}
