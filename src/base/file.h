/*
 * Small files read and written whole.
 */
#pragma once
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"

/* Appends the whole content to *ret; works on procfs and sysfs. max_bytes bounds it (0 = 256 MB). */
struct strobe_error *file_read(const char *path, struct strbuf *ret, size_t max_bytes) _must_check_;
struct strobe_error *file_read_fd(int fd, const char *name, struct strbuf *ret, size_t max_bytes) _must_check_;
/* Writes bytes in full, over short writes and EINTR. */
struct strobe_error *file_write_fd(int fd, const char *name, const void *p, size_t n) _must_check_;
/* mkdir -p with mode 0700 for what is new. */
struct strobe_error *file_make_dirs(const char *path) _must_check_;
