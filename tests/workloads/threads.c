/* 100 threads named worker-00 ... worker-99, each burning the same CPU time in work(): threads [MS of each] */
#include <pthread.h>
#include <stdio.h>

#include "burn.h"

enum { N_THREADS = 100 };

static double ms = 10;

__attribute__((noinline)) void work(void)
{
	BURN_MS(ms);
}

static void *run(void *name)
{
	pthread_setname_np(pthread_self(), name);
	work();
	return NULL;
}

int main(int argc, char **argv)
{
	static char names[N_THREADS][16];
	pthread_t threads[N_THREADS];

	if (argc > 1)
		ms = atof(argv[1]);
	for (int i = 0; i < N_THREADS; i++) {
		snprintf(names[i], sizeof(names[i]), "worker-%02d", i);
		if (pthread_create(&threads[i], NULL, run, names[i]))
			return 1;
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
