#include "sys/compat_vdso.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

#ifdef __x86_64__

#define MAP_VDSO_32   0x2002 /* ARCH_MAP_VDSO_32 of asm/prctl.h */
#define PLACE	      0x40000000ul
#define PAGE	      4096u
#define PAGES_MAX     16u /* for data, then the image */
#define OWN_RANGES_MAX 8

struct own_ranges {
	unsigned long start[OWN_RANGES_MAX], end[OWN_RANGES_MAX];
	unsigned nr;
};

/* The kernel's mappings in this process: [vdso], [vvar], [vvar_vclock]. */
static void find_own(struct own_ranges *ret)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	while (maps && ret->nr < OWN_RANGES_MAX && fgets(line, sizeof(line), maps)) {
		bool is_own = strstr(line, "[vdso]") || strstr(line, "[vvar");
		if (is_own && sscanf(line, "%lx-%lx", &ret->start[ret->nr], &ret->end[ret->nr]) == 2)
			ret->nr++;
	}
	if (maps)
		fclose(maps);
}

/* Runs in a child process and uses only system calls, since a process has one vdso at a time. Unreadable pages are left out. */
static void give_image(const struct own_ranges *own, int to)
{
	for (unsigned i = 0; i < own->nr; i++)
		syscall(SYS_munmap, own->start[i], own->end[i] - own->start[i]);
	long bytes = syscall(SYS_arch_prctl, MAP_VDSO_32, PLACE);
	for (unsigned i = 0; bytes > 0 && i < PAGES_MAX; i++) {
		long n = syscall(SYS_write, to, PLACE + (size_t)i * PAGE, (size_t)PAGE);
		(void)n;
	}
	_exit(0);
}

static size_t read_pages(int from, uint8_t *ret)
{
	size_t n = 0;
	for (ssize_t more; n < PAGES_MAX * PAGE && (more = read(from, ret + n, PAGES_MAX * PAGE - n)) > 0;)
		n += (size_t)more;
	return n;
}

/* The image within the pages: owned. NULL: not found. */
static void *find_image(const uint8_t *pages, size_t n, size_t *ret_bytes)
{
	static const uint8_t magic[] = { 0x7f, 'E', 'L', 'F', 1 /* 32-bit */ };
	for (size_t at = 0; at + sizeof(magic) <= n; at += PAGE) {
		if (memcmp(pages + at, magic, sizeof(magic)) != 0)
			continue;
		*ret_bytes = n - at;
		return xmemdup(pages + at, n - at);
	}
	return NULL;
}

void *compat_vdso_read(size_t *ret_bytes)
{
	struct own_ranges own = {};
	int ends[2];
	*ret_bytes = 0;
	find_own(&own);
	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	/* Like fork(2), but without a signal at its end, which would disturb code that waits for children of this process. */
	pid_t pid = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (!pid)
		give_image(&own, ends[1]);
	close(ends[1]);
	_cleanup_free_ uint8_t *pages = xcalloc(PAGES_MAX, PAGE);
	size_t n = pid > 0 ? read_pages(ends[0], pages) : 0;
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, __WALL);
	return find_image(pages, n, ret_bytes);
}

#else

void *compat_vdso_read(size_t *ret_bytes)
{
	*ret_bytes = 0;
	return NULL;
}

#endif
