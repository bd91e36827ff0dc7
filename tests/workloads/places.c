/*
 * System calls from known places: places N [fork] [NEXT]...
 *
 * Reads a byte, then calls getppid() N times in near() and 3 N times in far(), with "fork" in a child. Then it executes NEXT
 * as places N NEXT..., in the same process. Compiled with other names for near() and far() it is another program at the same
 * addresses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A call without a function of libc's, which would be on the stack instead of its caller. */
static inline __attribute__((always_inline)) void call(void)
{
#if defined(__x86_64__)
	long r = SYS_getppid;
	__asm__ volatile("syscall" : "+a"(r) : : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long nr __asm__("x8") = SYS_getppid;
	register long r __asm__("x0");
	__asm__ volatile("svc 0" : "=r"(r) : "r"(nr) : "memory");
#endif
}

__attribute__((noinline)) void near(long n)
{
	for (long i = 0; i < n; i++)
		call();
}

__attribute__((noinline)) void far(long n)
{
	for (long i = 0; i < n; i++)
		call();
}

int main(int argc, char **argv)
{
	char go;
	int next = 2;
	int forks = argc > 2 && strcmp(argv[2], "fork") == 0;
	if (argc < 2 || read(STDIN_FILENO, &go, 1) != 1)
		return 2;
	next += forks;
	pid_t child = forks ? fork() : 0;
	if (!child) {
		near(atol(argv[1]));
		far(3 * atol(argv[1]));
		if (forks)
			_exit(0);
	}
	while (forks && wait(NULL) > 0)
		;
	if (next >= argc)
		return 0;
	char *file = argv[next];
	argv[next] = argv[1];
	argv[next - 1] = file;
	execv(file, argv + next - 1);
	return 1;
}
