/*
 * Small files read and written whole.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"

/* Appends the whole content to *ret; works on procfs and sysfs. max_bytes bounds it (0 = 256 MB). */
struct strobe_error *file_read(const char *path, struct strbuf *ret, size_t max_bytes) _must_check_;
struct strobe_error *file_read_fd(int fd, const char *name, struct strbuf *ret, size_t max_bytes) _must_check_;
/* Writes bytes in full, over short writes and EINTR. */
struct strobe_error *file_write_fd(int fd, const char *name, const void *p, size_t n) _must_check_;
/*
 * For bytes that go to a path as they come: a new file is for its owner alone, less what the umask forbids; one that is there
 * keeps its mode and is emptied, or appended to; a device or a pipe is written. The caller closes it.
 */
struct strobe_error *file_open_output(const char *path, bool append, int *ret_fd) _must_check_;
/*
 * Whoever starts us with a standard descriptor closed must not have a file that we open take its place, and be written
 * into: what is put there refuses what it is for. Programs that we start have it closed again. At the start of main().
 */
void file_occupy_standard_descriptors(void);
/* mkdir -p with mode 0700 for what is new. */
struct strobe_error *file_make_dirs(const char *path) _must_check_;
