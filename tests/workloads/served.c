/*
 * A program that serves its profiles: served [ADDRESS], until its standard input ends. heavy() does three quarters of the work and light()
 * the rest, both in inner(); three threads sleep in asleep(), one waits in waiting(). Prints the port.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profiler/serve.h"
#include "shares.h"

#define SLEEPERS 3

static volatile int early; /* sleeps that did not last */
static void *volatile kept[100];

static void *work(void *unused)
{
	for (;;) {
		heavy();
		light();
	}
	return unused;
}

static HERE void asleep(void)
{
	struct timespec long_time = { .tv_sec = 1000 };
	early += nanosleep(&long_time, NULL) != 0;
	sink++;
}

static void *sleeper(void *unused)
{
	asleep();
	return unused;
}

static HERE void waiting(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	early += poll(&p, 1, 1000000) < 0;
	sink++;
}

static void *waiter(void *fd)
{
	waiting(*(int *)fd);
	return NULL;
}

static HERE void leaf(void)
{
	for (unsigned i = 0; i < 100; i++)
		kept[i] = malloc(1000);
}

/* A child does not have the server, nor its port. */
static int child(const char *address)
{
	int status = 0;
	pid_t pid = fork();
	if (!pid)
		_exit(strobe_serve(address) < 0);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static HERE void reading(void)
{
	getchar();
	sink++;
}

int main(int argc, char **argv)
{
	const char *address = argc > 1 ? argv[1] : "127.0.0.1:0";
	int fds[2], port;
	pthread_t thread;
	if (pipe(fds))
		return 1;
	for (unsigned i = 0; i < SLEEPERS; i++)
		pthread_create(&thread, NULL, sleeper, NULL);
	pthread_create(&thread, NULL, waiter, &fds[0]);
	leaf();
	port = strobe_serve(address);
	if (port < 0) {
		printf("%s\n", strerror(errno));
		return 1;
	}
	pthread_create(&thread, NULL, work, NULL);
	int again = strobe_serve(address);
	printf("%d %d %d\n", port, again < 0 && errno == EALREADY, child("127.0.0.1:0"));
	fflush(stdout);
	reading();
	printf("%d\n", early);
	return 0;
}
