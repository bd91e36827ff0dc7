/*
 * Allocation that does not fail: these print one line and abort when memory is out.
 *
 * A size that was read from a file must be checked against that file before it comes here.
 */
#pragma once
#include <stdarg.h>
#include <stddef.h>

void *xmalloc(size_t bytes) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t bytes) __attribute__((malloc, returns_nonnull));
/* Resizes to n * bytes; aborts on overflow of the product. */
void *xreallocarray(void *p, size_t n, size_t bytes) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *p, size_t bytes) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), malloc, returns_nonnull));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0), malloc, returns_nonnull));
