/*
 * Two threads on one CPU that wake each other through pipes: pingpong TURNS
 *
 * Each turn is a read() and a write() in the innermost of nine frames. Prints "cost MICROSECONDS WAITS": the CPU time of the process and
 * how often its threads left the CPU to wait, as locks.c does.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define DEPTH 8

struct side {
	int from, to;
	long turns;
};

static int there[2], back[2];

__attribute__((noinline, noclone)) static void turn(const struct side *s, int depth)
{
	char room[64] = { 0 }; /* for frames of usual size */
	if (depth)
		turn(s, depth - 1);
	else if (read(s->from, room, 1) != 1 || write(s->to, room, 1) != 1)
		exit(1);
	asm volatile("" : : "r"(room) : "memory"); /* not a tail call */
}

static void *play(void *arg)
{
	const struct side *s = arg;
	for (long i = 0; i < s->turns; i++)
		turn(s, DEPTH);
	return NULL;
}

int main(int argc, char **argv)
{
	struct rusage u;
	pthread_t other;
	cpu_set_t cpu;
	sched_getaffinity(0, sizeof(cpu), &cpu);
	for (int i = 0, found = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &cpu) && found++)
			CPU_CLR(i, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	if (argc < 2 || pipe(there) || pipe(back))
		return 1;
	struct side mine = { back[0], there[1], atol(argv[1]) }, others = { there[0], back[1], mine.turns };
	pthread_create(&other, NULL, play, &others);
	if (write(there[1], "", 1) != 1)
		return 1;
	play(&mine);
	pthread_join(other, NULL);
	getrusage(RUSAGE_SELF, &u);
	printf("cost %lld %ld\n", (long long)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec + u.ru_stime.tv_usec,
	       u.ru_nvcsw);
	return 0;
}
