/*
 * Allocation that does not fail: out of memory, these print one line and end the process with MEM_EXIT_STATUS.
 *
 * A size that was read from a file must be checked against that file before.
 */
#pragma once
#include <stdarg.h>
#include <stddef.h>

#define MEM_EXIT_STATUS 255

/*
 * A function to call before that, which must not allocate, from any thread; NULL: none. Set and reset by the thread that owns
 * ctx.
 */
void mem_on_exhausted(void (*fn)(void *ctx), void *ctx);

void *xmalloc(size_t bytes) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t bytes) __attribute__((malloc, returns_nonnull));
/*
 * The same, with populated pages, for a table that is accessed at random. Otherwise a page that is read before it is written faults
 * twice, and the second fault interrupts all other CPUs of the process.
 */
void *xcalloc_hashed(size_t n, size_t bytes) __attribute__((malloc, returns_nonnull));
/*
 * The same, for elements that belong to different threads: declared THREAD_OWN, no two of them share cache lines that are fetched
 * together (false sharing).
 */
void *xcalloc_apart(size_t n, size_t bytes) __attribute__((malloc, returns_nonnull));
#define THREAD_OWN_BYTES 128 /* two lines: they are fetched in pairs */
#define THREAD_OWN       __attribute__((aligned(THREAD_OWN_BYTES)))
/* Resizes to n * bytes; aborts on overflow of the product. */
void *xreallocarray(void *p, size_t n, size_t bytes) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *p, size_t bytes) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), malloc, returns_nonnull));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0), malloc, returns_nonnull));
