/*
 * The interface to the running system: perf_event_open(2), procfs, sysfs, tracefs, clocks.
 *
 * Functions that use the kernel take a `const struct sys *`; sys_live() is the real one. Files are read below `root`, so that a test
 * can use a directory of recorded files; system calls go through `ops`, which a test can replace (sys/faked.h). Paths are those of
 * the real system ("/proc/1/maps"), without the root.
 *
 * Calls return a file descriptor, 0 or -errno, because callers fall back by errno; file functions return errors with a message. The
 * struct is immutable: any thread may use it.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "sys/perf_abi.h"

struct sys_ops {
	/* attr points to attr->size bytes. Returns a new fd, or -errno; the kernel may write attr->size (E2BIG). */
	int (*perf_event_open)(void *ctx, void *attr, pid_t pid, int cpu, int group_fd, unsigned long flags);
	int (*ioctl)(void *ctx, int fd, unsigned long request, uintptr_t arg);
	/* MAP_FAILED with errno set, like mmap(2). */
	void *(*mmap)(void *ctx, size_t bytes, int prot, int flags, int fd, off_t offset);
	int (*munmap)(void *ctx, void *p, size_t bytes);
	int (*mount)(void *ctx, const char *source, const char *target, const char *type);
	int (*uname)(void *ctx, struct utsname *ret);
	int (*clock_gettime)(void *ctx, clockid_t clock, struct timespec *ret);
};

struct sys {
	const struct sys_ops *ops;
	void *ctx;
	/* "" or a directory without a trailing slash; with "" the environment's SYSFS_PATH replaces /sys, as in perf */
	const char *root;
};

typedef VEC(char *) sys_names; /* owned strings: sys_names_deinit() */

const struct sys *sys_live(void);

/* attr->size must be set. The caller sets FD_CLOEXEC in flags. */
int sys_perf_event_open(const struct sys *sys, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags);
/* With config3 and config4 after the attr; if both are 0 the plain size is used. */
int sys_perf_event_open_wide(const struct sys *sys, const struct perf_event_attr *attr, uint64_t config3,
			     uint64_t config4, pid_t pid, int cpu, int group_fd, unsigned long flags);
int sys_ioctl(const struct sys *sys, int fd, unsigned long request, uintptr_t arg);
void *sys_mmap(const struct sys *sys, size_t bytes, int prot, int flags, int fd, off_t offset);
int sys_munmap(const struct sys *sys, void *p, size_t bytes);
int sys_uname(const struct sys *sys, struct utsname *ret);
/* Nanoseconds of the clock; 0 if the system does not support it. */
uint64_t sys_clock_ns(const struct sys *sys, clockid_t clock);

/* The path with the root in front; owned. */
char *sys_path(const struct sys *sys, const char *path);
bool sys_exists(const struct sys *sys, const char *path);
/* open(2) with O_CLOEXEC below the root: fd or -errno. */
int sys_open(const struct sys *sys, const char *path, int flags);
/* Appends the file to *ret; max_bytes as in file_read(). */
struct strobe_error *sys_read(const struct sys *sys, const char *path, struct strbuf *ret,
			      size_t max_bytes) _must_check_;
/* The first line without its newline; owned. */
struct strobe_error *sys_read_line(const struct sys *sys, const char *path, char **ret) _must_check_;
/* Reads a file that contains one number (0x… is hex). */
struct strobe_error *sys_read_i64(const struct sys *sys, const char *path, int64_t *ret) _must_check_;
/* Names in a directory, sorted, without . and ..; appended to *ret. */
struct strobe_error *sys_list(const struct sys *sys, const char *path, sys_names *ret) _must_check_;
void sys_names_deinit(sys_names *names);
