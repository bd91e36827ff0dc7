/*
 * System calls of known number: getppid, by the main thread (7), by two threads (11 each), by a child (13), by a child of
 * the child that was started by exec from a thread that is not the first (17), and getpgrp by none. getuid is called as
 * 32-bit programs call it (5 times), where the machine can.
 *
 *	calls [exec]
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void call(long number, int times)
{
	while (times--)
		syscall(number);
}

static void *thread(void *arg)
{
	(void)arg;
	call(SYS_getppid, 11);
	return NULL;
}

static void *exec_thread(void *arg)
{
	execl("/proc/self/exe", "calls", "exec", NULL);
	return arg;
}

static void call_as_32_bit(int times)
{
#if defined(__x86_64__)
	while (times--) {
		long result = 24; /* getuid of i386 is 24 too far down to be mistaken: sched_yield of x86-64 */
		__asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
	}
#else
	(void)times;
#endif
}

static void child(void)
{
	call(SYS_getppid, 13);
	pid_t pid = fork();
	if (!pid) {
		pthread_t t;
		pthread_create(&t, NULL, exec_thread, NULL);
		pthread_join(t, NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "exec")) {
		call(SYS_getppid, 17);
		return 0;
	}
	pthread_t t[2];
	call(SYS_getppid, 7);
	call_as_32_bit(5);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	pid_t pid = fork();
	if (!pid) {
		child();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return 0;
}
