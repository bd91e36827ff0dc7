/*
 * Children of two kinds, one after the other, a third of them of the first: storm N MS_FIRST MS_SECOND FILE
 * Each computes for half to one and a half times its milliseconds. FILE gets a line for each child, and one for the parent: kind
 * (first, second, parent), process ID, CPU time in ns.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static double ms_of(const struct timeval *t)
{
	return t->tv_sec * 1e3 + t->tv_usec * 1e-3;
}

/* Processes of equal length stay in step with periodic samples: one kind would then be sampled too often. */
static double varied(double ms)
{
	static unsigned seed = 1;
	seed = seed * 1103515245 + 12345;
	return ms * (0.5 + (seed >> 16 & 0x7fff) / 32768.0);
}

static void print(FILE *f, const char *kind, pid_t pid, const struct rusage *u)
{
	fprintf(f, "%s %d %.0f\n", kind, (int)pid, (ms_of(&u->ru_utime) + ms_of(&u->ru_stime)) * 1e6);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	FILE *f = fopen(argv[4], "w");
	struct rusage u;
	for (int i = 0; f && i < atoi(argv[1]); i++) {
		double ms = varied(atof(argv[i % 3 ? 3 : 2]));
		pid_t pid = fork();
		if (pid < 0)
			return 1;
		if (pid == 0) {
			/* in small steps, for children of less than a millisecond */
			double stop = cpu_ms() + ms;
			do
				BURN(2000);
			while (cpu_ms() < stop);
			_exit(0);
		}
		if (wait4(pid, NULL, 0, &u) != pid)
			return 1;
		print(f, i % 3 ? "second" : "first", pid, &u);
	}
	if (!f || getrusage(RUSAGE_SELF, &u))
		return 1;
	print(f, "parent", getpid(), &u);
	return fclose(f) != 0;
}
