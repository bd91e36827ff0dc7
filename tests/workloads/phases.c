/* Two threads burn MS each in parallel() while main waits; then main burns MS in serial(), alone: phases MS */
#include <pthread.h>

#include "burn.h"

__attribute__((noinline)) static void *parallel(void *ms)
{
	BURN_MS(*(double *)ms);
	return NULL;
}

__attribute__((noinline)) static void serial(double ms)
{
	BURN_MS(ms);
}

int main(int argc, char **argv)
{
	double ms = argc > 1 ? atof(argv[1]) : 100;
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, parallel, &ms))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	serial(ms);
	return 0;
}
