/*
 * Reads and writes complete small files.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"

/* Appends the content to *ret; works on procfs and sysfs. max_bytes limits it (0 = 256 MB). */
struct strobe_error *file_read(const char *path, struct strbuf *ret, size_t max_bytes) _must_check_;
struct strobe_error *file_read_fd(int fd, const char *name, struct strbuf *ret, size_t max_bytes) _must_check_;
/* Writes bytes in full, over short writes and EINTR. */
struct strobe_error *file_write_fd(int fd, const char *name, const void *p, size_t n) _must_check_;
/*
 * Opens a path for streaming: a new file has mode 0600 without the bits of the umask; an existing one keeps its mode and is
 * truncated, or appended to; a device or a pipe is written. The caller closes it.
 */
struct strobe_error *file_open_output(const char *path, bool append, int *ret_fd) _must_check_;
/*
 * If a standard descriptor is closed, a file that we open must not take its place and be written to: opens a descriptor
 * there that fails on use, and is closed in programs that we start. Call it at the start of main().
 */
void file_occupy_standard_descriptors(void);
/* mkdir -p with mode 0700 for what is new. */
struct strobe_error *file_make_dirs(const char *path) _must_check_;
