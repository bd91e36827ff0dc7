/*
 * mmap and its relatives, and sbrk, interposed before those of the C library: without settings.mmap they only call these. With
 * settings.logs_mmap calls are logged in libtcmalloc's format.
 *
 * Released addresses are removed from the list before the kernel can reuse them for another thread.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc/dumps.h"
#include "alloc/mappings.h"
#include "alloc/real.h"
#include "alloc/record.h"
#include "alloc/region.h"

#define EXPORT __attribute__((visibility("default")))
#define PAGE   ((uint64_t)4096)
#define LONG(p)	((unsigned long)(uintptr_t)(p))
#if defined(SYS_mmap2)
#define MMAP_CALL	SYS_mmap2 /* its offset is in pages */
#define MMAP_OFFSET(at) ((at) / (off64_t)PAGE)
#else
#define MMAP_CALL	SYS_mmap
#define MMAP_OFFSET(at) (at)
#endif

static uint64_t end_of(const void *p, size_t bytes)
{
	return ((uint64_t)(uintptr_t)p + bytes + PAGE - 1) & ~(PAGE - 1);
}

static __attribute__((format(printf, 1, 2))) void log_call(const char *format, ...)
{
	char text[256];
	int saved = errno;
	if (!settings.logs_mmap || !dumps_are_on || thread.is_busy)
		return;
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	(void)!write(STDERR_FILENO, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
	errno = saved;
}

/* False for calls by this library and by the allocator, whose blocks are counted. */
static bool counts(const void *caller)
{
	return record_begin() && settings.mmap && !thread.is_busy && !real_owns(caller);
}

/* Removes the range from p on; returns the number of its counted parts. */
static unsigned forget(const void *p, uint64_t end)
{
	thread.is_busy = true;
	unsigned parts = mappings_take((uint64_t)(uintptr_t)p, end, record_unmap);
	if (dumps_are_on)
		dumps_check(0, 0);
	thread.is_busy = false;
	return parts;
}

/* Used before the real function is known, and if the C library has none of that name. */
static void *call_mmap(void *at, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
	if (real.mmap64)
		return real.mmap64(at, bytes, protection, flags, fd, offset);
	return (void *)syscall(MMAP_CALL, at, bytes, protection, flags, fd, MMAP_OFFSET(offset));
}

EXPORT void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
	bool is_counted = counts(__builtin_return_address(0));
	if (is_counted && flags & MAP_FIXED)
		forget(at, end_of(at, bytes));
	void *p = call_mmap(at, bytes, protection, flags, fd, offset);
	log_call("mmap(start=0x%lx, len=%zu, prot=0x%x, flags=0x%x, fd=%d, offset=0x%llx) = 0x%lx\n", LONG(at), bytes, protection, flags,
		 fd, (long long)offset, LONG(p));
	if (is_counted && p != MAP_FAILED && flags & MAP_ANONYMOUS && protection != PROT_NONE)
		record_map(p, end_of(p, bytes) - (uint64_t)(uintptr_t)p, WALK_FRAME);
	return p;
}

#if defined(__LP64__)
/* With 64-bit file offsets the header redirects the name to mmap64. */
EXPORT void *mmap_of_long(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) __asm__("mmap")
	__attribute__((alias("mmap64"), leaf, nothrow));
#endif

EXPORT int munmap(void *p, size_t bytes)
{
	if (counts(__builtin_return_address(0)) && (uintptr_t)p % PAGE == 0)
		forget(p, end_of(p, bytes));
	log_call("munmap(start=0x%lx, len=%zu)\n", LONG(p), bytes);
	return real.munmap ? real.munmap(p, bytes) : (int)syscall(SYS_munmap, p, bytes);
}

EXPORT void *mremap(void *p, size_t bytes, size_t new_bytes, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	void *at = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	bool is_counted = counts(__builtin_return_address(0));
	void *moved = real.mremap ? real.mremap(p, bytes, new_bytes, flags, at) :
		(void *)syscall(SYS_mremap, p, bytes, new_bytes, flags, at);
	log_call("mremap(old_addr=0x%lx, old_size=%zu, new_size=%zu, flags=0x%x, new_addr=0x%lx) = 0x%lx\n", LONG(p), bytes, new_bytes,
		 flags, LONG(at), LONG(moved));
	if (!is_counted || moved == MAP_FAILED)
		return moved;
	if (flags & MREMAP_FIXED)
		forget(at, end_of(at, new_bytes));
	if (forget(p, end_of(p, bytes)))
		record_map(moved, end_of(moved, new_bytes) - (uint64_t)(uintptr_t)moved, WALK_FRAME);
	return moved;
}

/* Only the end moves: the memory at the end is released. */
EXPORT void *sbrk(intptr_t by)
{
	bool is_counted = counts(__builtin_return_address(0));
	if (!real.sbrk) {
		errno = ENOMEM;
		return (void *)-1;
	}
	if (is_counted && by < 0) {
		uint64_t end = (uint64_t)(uintptr_t)real.sbrk(0);
		forget((const void *)(uintptr_t)(end + (uint64_t)by), end);
	}
	void *p = real.sbrk(by);
	log_call("sbrk(inc=%zd) = 0x%lx\n", (ssize_t)by, LONG(p));
	if (is_counted && by > 0 && p != (void *)-1)
		record_map(p, (uint64_t)by, WALK_FRAME);
	return p;
}
