/*
 * Small reads of files of the running system; a missing file is not an error.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "sys/sys.h"

/* Replaces the content of *ret; false, with an empty buffer: unreadable. */
bool host_read(const struct sys *sys, const char *path, struct strbuf *ret);
/* The first line without its newline, or NULL; to be freed. */
char *host_line(const struct sys *sys, const char *path);
bool host_number(const struct sys *sys, const char *path, int64_t *ret);
/* Up to cap - 1 bytes of a small file, NUL-terminated; their number, or -1. */
long host_small(const struct sys *sys, const char *path, char *buf, size_t cap);
