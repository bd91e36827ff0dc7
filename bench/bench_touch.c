/*
 * The time to read a file's memory without doing anything with it: a byte of each cache line, in each way to have the file in memory. No
 * reader of recordings can be faster.
 *
 *	bench_touch FILE
 *
 * One line for each way: CPU time in milliseconds, the least of five rounds. Not installed.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES   64
#define BUFFER_BYTES (1 << 18)
#define ROUNDS	     5

static volatile uint64_t sum;

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void touch(const char *at, size_t bytes)
{
	uint64_t s = 0;
	for (size_t i = 0; i < bytes; i += LINE_BYTES)
		s += (unsigned char)at[i];
	sum += s;
}

static void map(int fd, size_t bytes, int flags, int advice, int times)
{
	char *at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | flags, fd, 0);
	if (at == MAP_FAILED)
		exit(2);
	if (advice)
		madvise(at, bytes, advice);
	for (int i = 0; i < times; i++)
		touch(at, bytes);
	munmap(at, bytes);
}

static void once(int fd, size_t bytes)
{
	map(fd, bytes, 0, 0, 1);
}

static void twice(int fd, size_t bytes)
{
	map(fd, bytes, 0, 0, 2);
}

static void populated(int fd, size_t bytes)
{
	map(fd, bytes, MAP_POPULATE, 0, 1);
}

static void advised(int fd, size_t bytes)
{
	map(fd, bytes, 0, MADV_POPULATE_READ, 1);
}

static void copied(int fd, size_t bytes)
{
	static char buffer[BUFFER_BYTES];
	for (size_t at = 0; at < bytes; at += BUFFER_BYTES) {
		ssize_t n = pread(fd, buffer, sizeof(buffer), (off_t)at);
		touch(buffer, n > 0 ? (size_t)n : 0);
	}
}

static void show(const char *name, void (*way)(int fd, size_t bytes), int fd, size_t bytes)
{
	double least = 1e9;
	for (int i = 0; i < ROUNDS; i++) {
		double before = cpu_ms();
		way(fd, bytes);
		double took = cpu_ms() - before;
		least = took < least ? took : least;
	}
	printf("%-20s %.2f ms\n", name, least);
}

int main(int argc, char **argv)
{
	struct stat st;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return 2;
	size_t bytes = (size_t)st.st_size;
	show("mapped", once, fd, bytes);
	show("mapped, twice", twice, fd, bytes);
	show("MAP_POPULATE", populated, fd, bytes);
	show("MADV_POPULATE_READ", advised, fd, bytes);
	show("read(2)", copied, fd, bytes);
	close(fd);
	return 0;
}
