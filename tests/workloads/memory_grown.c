/*
 * Functions that get memory of a known size from the kernel and use each page of it once. Prints for each its name, the bytes that it
 * requested by mmap() or brk(), and its page faults as the kernel counts them (getrusage).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE 4096L

static long faults(void)
{
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	return used.ru_minflt + used.ru_majflt;
}

#define TOUCH(p, pages)                                 \
	do {                                            \
		volatile char *at = (p);                \
		for (long i = 0; i < (pages); i++)      \
			at[i * PAGE] = 1;               \
	} while (0)

/* One fault a page: huge ones would make fewer. */
static char *map(long pages, int flags, int fd)
{
	char *p = mmap(NULL, (size_t)(pages * PAGE), PROT_READ | PROT_WRITE, flags, fd, 0);
	if (p == MAP_FAILED)
		abort();
	madvise(p, (size_t)(pages * PAGE), MADV_NOHUGEPAGE);
	return p;
}

static int new_file(long pages)
{
	char name[] = "memory_grown.XXXXXX";
	int fd = mkstemp(name);
	if (fd < 0 || ftruncate(fd, pages * PAGE))
		abort();
	unlink(name);
	return fd;
}

static void take_private(void)
{
	TOUCH(map(100, MAP_PRIVATE | MAP_ANONYMOUS, -1), 100);
}

static void take_shared(void)
{
	TOUCH(map(200, MAP_SHARED | MAP_ANONYMOUS, -1), 200);
}

static void take_heap(void)
{
	char *p = sbrk(300 * PAGE);
	madvise((void *)(((unsigned long)p + PAGE - 1) & ~(unsigned long)(PAGE - 1)), 299 * PAGE, MADV_NOHUGEPAGE);
	TOUCH(p, 300);
}

static void take_file(void)
{
	TOUCH(map(400, MAP_SHARED, new_file(400)), 400);
}

static void take_stack(void)
{
	volatile char pages[500 * PAGE];
	TOUCH(pages, 500);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*take)(void);
		long bytes;
	} all[] = {
		{ "take_private", take_private, 100 * PAGE }, { "take_shared", take_shared, 200 * PAGE },
		{ "take_heap", take_heap, 300 * PAGE }, { "take_file", take_file, 400 * PAGE }, { "take_stack", take_stack, 0 },
	};
	long used[sizeof(all) / sizeof(*all)];
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		long before = faults();
		all[i].take();
		used[i] = faults() - before;
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		printf("%s %ld %ld\n", all[i].name, all[i].bytes, used[i]);
	return 0;
}
