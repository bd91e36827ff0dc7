/* A storm: N children, 8 at a time, each burning MS of CPU time in child_work(): forks [N [MS]] */
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

__attribute__((noinline)) void child_work(double ms)
{
	BURN_MS(ms);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 200;
	double ms = argc > 2 ? atof(argv[2]) : 5;

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0) {
			child_work(ms);
			_exit(0);
		}
		if (i >= 8)
			wait(NULL);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
