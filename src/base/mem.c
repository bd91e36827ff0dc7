#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
	void (*fn)(void *ctx);
	void *ctx;
	pid_t by; /* the thread that ends the process */
} exhausted;

void mem_on_exhausted(void (*fn)(void *ctx), void *ctx)
{
	exhausted.ctx = ctx;
	exhausted.fn = fn;
}

static _Noreturn void end_process(void)
{
	/* The only place below cmd/ that prints: an error would need memory. */
	static const char line[] = "strobe: out of memory\n";
	pid_t first = 0, self = gettid();
	if (!__atomic_compare_exchange_n(&exhausted.by, &first, self, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		while (first != self)
			pause();
	ssize_t n = first ? 0 : write(STDERR_FILENO, line, sizeof(line) - 1);
	(void)n;
	if (exhausted.fn && !first)
		exhausted.fn(exhausted.ctx);
	_exit(MEM_EXIT_STATUS);
}

static void *check(void *p)
{
	if (!p)
		end_process();
	return p;
}

void *xmalloc(size_t bytes)
{
	return check(malloc(bytes ? bytes : 1));
}

void *xcalloc(size_t n, size_t bytes)
{
	return check(calloc(n ? n : 1, bytes ? bytes : 1));
}

/* Smaller blocks are mostly on the heap, in populated pages. */
#define HASHED_BYTES (64u << 10)

void *xcalloc_hashed(size_t n, size_t bytes)
{
	void *p = xcalloc(n, bytes);
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)p + n * bytes) & ~(page - 1);
	/* Only a hint: a kernel before 5.14 does not know it, and faults do the same. */
	if (n * bytes >= HASHED_BYTES)
		(void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
	return p;
}

void *xcalloc_apart(size_t n, size_t bytes)
{
	size_t all = (n * bytes + THREAD_OWN_BYTES - 1) / THREAD_OWN_BYTES * THREAD_OWN_BYTES;
	void *p = check(aligned_alloc(THREAD_OWN_BYTES, all ? all : THREAD_OWN_BYTES));
	return memset(p, 0, all);
}

void *xreallocarray(void *p, size_t n, size_t bytes)
{
	/* Never 0 bytes: realloc would free and give NULL. */
	return check(reallocarray(p, n ? n : 1, bytes ? bytes : 1));
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

char *xstrndup(const char *s, size_t n)
{
	n = strnlen(s, n);
	char *p = xmalloc(n + 1);
	memcpy(p, s, n);
	p[n] = 0;
	return p;
}

void *xmemdup(const void *p, size_t bytes)
{
	void *copy = xmalloc(bytes);
	if (bytes)
		memcpy(copy, p, bytes);
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s;
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return check(s);
}
