#include "alloc/real.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#define EARLY_BYTES (256 * 1024)
#define EARLY_ALIGN 16

/* Before the real free() is known nothing can be released. */
static void release_nothing(void *p)
{
	(void)p;
}

struct real_allocator real = { .free = release_nothing };

static _Alignas(EARLY_ALIGN) char early[EARLY_BYTES];
static size_t early_used;

/* The size of each block is stored before it. */
void *early_alloc(size_t bytes, size_t alignment)
{
	if (alignment < EARLY_ALIGN)
		alignment = EARLY_ALIGN;
	if (bytes > EARLY_BYTES || alignment > EARLY_BYTES)
		return NULL;
	size_t whole = ((bytes + EARLY_ALIGN - 1) & ~(size_t)(EARLY_ALIGN - 1)) + EARLY_ALIGN + alignment;
	size_t at = __atomic_fetch_add(&early_used, whole, __ATOMIC_RELAXED);
	if (at > EARLY_BYTES || whole > EARLY_BYTES - at)
		return NULL;
	uintptr_t block = ((uintptr_t)early + at + EARLY_ALIGN + alignment - 1) & ~(uintptr_t)(alignment - 1);
	((size_t *)block)[-1] = bytes;
	return (void *)block;
}

bool early_owns(const void *p)
{
	return (const char *)p >= early && (const char *)p < early + EARLY_BYTES;
}

size_t early_size(const void *p)
{
	return ((const size_t *)p)[-1];
}

static void *find(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

void real_find(void)
{
	struct real_allocator r = {};
	/* Casts of object pointers to function pointers: POSIX allows what ISO C does not. */
	*(void **)&r.malloc = find("malloc");
	*(void **)&r.free = find("free");
	*(void **)&r.calloc = find("calloc");
	*(void **)&r.realloc = find("realloc");
	*(void **)&r.memalign = find("memalign");
	*(void **)&r.aligned_alloc = find("aligned_alloc");
	*(void **)&r.posix_memalign = find("posix_memalign");
	*(void **)&r.valloc = find("valloc");
	*(void **)&r.pvalloc = find("pvalloc");
	*(void **)&r.malloc_usable_size = find("malloc_usable_size");
	*(void **)&r.dlclose = find("dlclose");
	*(void **)&r.mmap64 = find("mmap64");
	*(void **)&r.munmap = find("munmap");
	*(void **)&r.mremap = find("mremap");
	*(void **)&r.sbrk = find("sbrk");
	*(void **)&r.prctl = find("prctl");
	*(void **)&r.syscall = find("syscall");
	real = r;
}

bool real_owns(const void *function)
{
	Dl_info mine, of_malloc;
	return function && dladdr(function, &mine) && dladdr(*(void **)&real.malloc, &of_malloc) &&
	       mine.dli_fbase == of_malloc.dli_fbase;
}
