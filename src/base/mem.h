/*
 * Allocation that does not fail: when memory is out, these print one line and end the process with MEM_EXIT_STATUS.
 *
 * A size that was read from a file must be checked against that file before it comes here.
 */
#pragma once
#include <stdarg.h>
#include <stddef.h>

#define MEM_EXIT_STATUS 255

/*
 * What is to be done before that, without memory and from any thread; NULL: nothing. Set by the thread that owns ctx, which
 * sets it back.
 */
void mem_on_exhausted(void (*fn)(void *ctx), void *ctx);

void *xmalloc(size_t bytes) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t bytes) __attribute__((malloc, returns_nonnull));
/*
 * The same, for a table that is filled at random places at once. Pages that are looked at before they are written to would come
 * in two steps, and the second interrupts all other CPUs that run the process; here they come in one piece.
 */
void *xcalloc_hashed(size_t n, size_t bytes) __attribute__((malloc, returns_nonnull));
/*
 * The same, for elements of which each belongs to another thread: declared THREAD_OWN, no two of them share what processors
 * fetch at once, and one thread's writing does not make the others wait.
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
