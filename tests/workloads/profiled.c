/*
 * A program that profiles itself: profiled WHAT FILE. heavy() does three quarters of the work and light() the rest, both in inner().
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef GPERFTOOLS
#include <gperftools/profiler.h>
#else
#include "profiler/profiler.h"
#endif

#include "shares.h"

static __thread int is_counted;

static void *work(void *ms)
{
	struct timespec now, start;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	ProfilerRegisterThread();
	do {
		heavy();
		light();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < *(int *)ms);
	return NULL;
}

static int count_this_one(void *arg)
{
	(void)arg;
	return is_counted;
}

static void *work_counted(void *ms)
{
	is_counted = 1;
	return work(ms);
}

static void check(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "wrong: %s\n", what);
	exit(1);
}

static void whole(const char *file)
{
	struct ProfilerState state;
	int ms = 600;
	ProfilerGetCurrentState(&state);
	check(!state.enabled, "enabled before the start");
	check(ProfilerStart(file), "start");
	check(!ProfilerStart(file), "a second start");
	work(&ms);
	ProfilerFlush();
	work(&ms);
	ProfilerGetCurrentState(&state);
	check(state.enabled && state.samples_gathered > 20 && !strcmp(state.profile_name, file), "state");
	ProfilerStop();
	ProfilerStop();
	void *frames[2][16];
	int n = ProfilerGetStackTrace(frames[0], 16, 0, NULL);
	check(n > 2 && ProfilerGetStackTrace(frames[1], 16, 1, NULL) == n - 1 && frames[0][1] == frames[1][0], "stack");
	ProfilerGetCurrentState(&state);
	check(!state.enabled, "enabled after the end");
}

/* Of two threads one counts. */
static void filtered(const char *file)
{
	struct ProfilerOptions options = { .filter_in_thread = count_this_one };
	pthread_t counted, other;
	int ms = 600;
	check(ProfilerStartWithOptions(file, &options), "start");
	pthread_create(&counted, NULL, work_counted, &ms);
	pthread_create(&other, NULL, work, &ms);
	pthread_join(counted, NULL);
	pthread_join(other, NULL);
	ProfilerStop();
}

/* A child ends by exit() while its parent is profiled: the file is the parent's. */
static void forked(const char *file)
{
	int ms = 400, status;
	check(ProfilerStart(file), "start");
	pid_t pid = fork();
	if (!pid)
		exit(0);
	check(waitpid(pid, &status, 0) == pid && !status, "the child");
	work(&ms);
	ProfilerStop();
}

int main(int argc, char **argv)
{
	int ms = 600;
	if (argc < 3)
		work(&ms);
	else if (!strcmp(argv[1], "whole"))
		whole(argv[2]);
	else if (!strcmp(argv[1], "filtered"))
		filtered(argv[2]);
	else if (!strcmp(argv[1], "forked"))
		forked(argv[2]);
	check(!ProfilerStart("/no/such/directory/file"), "a file that cannot be made");
	puts("done");
	return 0;
}
