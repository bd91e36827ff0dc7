/*
 * Known allocations of the kernel: kernel_memory EVENTFDS KEPT PAGES. Makes and closes file descriptors of eventfd(2), leaves some
 * open, and touches pages; prints "done", and holds all until it is killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	int made = atoi(argv[1]), kept = atoi(argv[2]);
	size_t bytes = (size_t)atoi(argv[3]) * (size_t)sysconf(_SC_PAGESIZE);
	struct rlimit files = { (rlim_t)kept + 64, (rlim_t)kept + 64 };
	setrlimit(RLIMIT_NOFILE, &files);
	for (int i = 0; i < made; i++) {
		int fd = eventfd(0, 0);
		if (fd < 0)
			return 1;
		if (i >= kept)
			close(fd);
	}
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return 1;
	madvise(p, bytes, MADV_NOHUGEPAGE);
	memset(p, 1, bytes);
	puts("done");
	fflush(stdout);
	pause();
	return 0;
}
