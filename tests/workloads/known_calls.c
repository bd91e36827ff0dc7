/*
 * System calls whose arguments, strings, structs and results are known, one of each kind: known_calls FOLDER
 *
 * A file is made and written to, the second time from inner(), which is called by outer(); a name is not found; a port of this
 * machine refuses (where the loopback device is up); a signal is handled; a child ends with status 3.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Without a function of libc's, which need not keep a frame. */
static inline __attribute__((always_inline)) long write_from_here(long fd, const char *bytes, long n)
{
#if defined(__x86_64__)
	long r = SYS_write;
	__asm__ volatile("syscall" : "+a"(r) : "D"(fd), "S"(bytes), "d"(n) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long nr __asm__("x8") = SYS_write;
	register long r __asm__("x0") = fd;
	register const char *from __asm__("x1") = bytes;
	register long size __asm__("x2") = n;
	__asm__ volatile("svc 0" : "+r"(r) : "r"(nr), "r"(from), "r"(size) : "memory");
#endif
	return r;
}

__attribute__((noinline)) long inner(int fd)
{
	long n;
	getppid(); /* it is no leaf, which may do without a frame */
	n = write_from_here(fd, "eleven more", 11);
	__asm__ volatile("" ::: "memory");
	return n;
}

__attribute__((noinline)) long outer(int fd)
{
	long n = inner(fd);
	__asm__ volatile("" ::: "memory");
	return n;
}

static void handle(int number)
{
	(void)number;
}

static void refuse(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(4711), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	connect(fd, (struct sockaddr *)&to, sizeof(to));
	close(fd);
}

int main(int argc, char **argv)
{
	struct timespec wait = { 0, 3000000 };
	struct iovec two[] = { { "ab", 2 }, { "cde", 3 } };
	if (argc != 2 || chdir(argv[1]))
		return 2;
	int fd = openat(AT_FDCWD, "known_calls.txt", O_WRONLY | O_CREAT | O_TRUNC, 0640);
	write(fd, "seven\n\1", 7);
	writev(fd, two, 2);
	outer(fd);
	close(fd);
	openat(AT_FDCWD, "/missing/name", O_RDONLY);
	refuse();
	nanosleep(&wait, NULL);
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	pid_t child = fork();
	if (!child)
		_exit(3);
	waitpid(child, NULL, 0);
	return 0;
}
