/*
 * Workloads of perf's shell tests, by the names that those expect: `perf test -w NAME [ARGUMENTS]`. perf has its own, but
 * the tests skip if its binary has no symbols, like Debian's.
 *
 *	perf test -w noploop [SECONDS]            spins in noploop()
 *	perf test -w thloop [SECONDS [THREADS]]   spins in test_loop(), in as many threads
 *	perf test -w datasym                      writes to the symbol workload_datasym_buf1 until it is killed
 */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t done;

struct buf {
	char first, pad[70], last;
} workload_datasym_buf1 = { .pad = { 1 } };

static void stop(int signal)
{
	done = signal;
}

/* 0: never */
static void stop_after(double seconds)
{
	struct itimerval t = { .it_value = { .tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(fmod(seconds, 1) * 1e6) } };
	signal(SIGINT, stop);
	signal(SIGALRM, stop);
	setitimer(ITIMER_REAL, &t, NULL);
}

void noploop(void);
void noploop(void)
{
	while (!done)
		;
}

void test_loop(void);
void test_loop(void)
{
	while (!done)
		;
}

void *thfunc(void *arg);
void *thfunc(void *arg)
{
	test_loop();
	return arg;
}

static int thloop(unsigned threads)
{
	pthread_t id[threads];
	for (unsigned i = 1; i < threads; i++)
		if (pthread_create(&id[i], NULL, thfunc, NULL))
			return 1;
	test_loop();
	for (unsigned i = 1; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 4 || strcmp(argv[1], "test") || strcmp(argv[2], "-w"))
		return 2;
	const char *name = argv[3];
	double seconds = argc > 4 ? atof(argv[4]) : 1;
	unsigned threads = argc > 5 ? (unsigned)atoi(argv[5]) : 2;
	stop_after(strcmp(name, "datasym") ? seconds : 0);
	if (!strcmp(name, "thloop"))
		return thloop(threads && threads < 64 ? threads : 2);
	if (!strcmp(name, "datasym"))
		while (!done)
			__atomic_fetch_add(&workload_datasym_buf1.last, 1, __ATOMIC_RELAXED);
	noploop();
	return 0;
}
