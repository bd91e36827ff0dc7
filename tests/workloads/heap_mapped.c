/* Mappings of known number and size, and parts of them released: tests/live/heap.py has what is left of each by hand. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HERE __attribute__((noinline))
/* The call before it is not the last thing that a function does: it would leave no frame of that function. */
#define STAY() __asm__ volatile("" : : : "memory")
#define PAGE 4096
#define FLAGS (MAP_PRIVATE | MAP_ANONYMOUS)

HERE static char *map(size_t pages)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
	STAY();
	return p;
}

/* 10 of 16 pages, in use 7. */
HERE static void whole(void)
{
	for (int i = 0; i < 10; i++) {
		char *p = map(16);
		if (i < 3)
			munmap(p, 16 * PAGE);
	}
}

/* 4 of 20 pages: the first 5 go, the last 5, 10 in the middle (later what is on both sides), all in halves. In use: 2, of 15 pages. */
HERE static void parts(void)
{
	char *a = map(20), *b = map(20), *c = map(20), *d = map(20);
	munmap(a, 5 * PAGE);
	munmap(b + 15 * PAGE, 5 * PAGE);
	munmap(c + 5 * PAGE, 10 * PAGE);
	munmap(c, 5 * PAGE);
	munmap(c + 15 * PAGE, 5 * PAGE);
	munmap(d + 10 * PAGE, 10 * PAGE);
	munmap(d, 10 * PAGE);
}

/* 1 of 8 pages becomes one of 32. */
HERE static void grow(void)
{
	mremap(map(8), 8 * PAGE, 32 * PAGE, MREMAP_MAYMOVE);
	STAY();
}

/* Nothing of a reservation and of a file; a new mapping over a half of another of 12 pages. In use: 2, 12 pages. */
HERE static void others(const char *file)
{
	int fd = open(file, O_RDONLY);
	mmap(NULL, 1000 * PAGE, PROT_NONE, FLAGS, -1, 0);
	mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	char *p = map(12);
	mmap(p + 6 * PAGE, 6 * PAGE, PROT_READ, FLAGS | MAP_FIXED, -1, 0);
	STAY();
}

/* What the parent mapped is not the child's. */
HERE static void child(void)
{
	char *p = map(3);
	if (!fork()) {
		munmap(p, 3 * PAGE);
		_exit(map(2) == MAP_FAILED);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	whole();
	parts();
	grow();
	others(argv[0]);
	child();
	puts("done");
	return 0;
}
