#include "sys/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

static int live_perf_event_open(void *ctx, void *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
	return fd < 0 ? -errno : (int)fd;
}

static int live_ioctl(void *ctx, int fd, unsigned long request, uintptr_t arg)
{
	int r = ioctl(fd, request, arg);
	return r < 0 ? -errno : r;
}

static void *live_mmap(void *ctx, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	return mmap(NULL, bytes, prot, flags, fd, offset);
}

static int live_munmap(void *ctx, void *p, size_t bytes)
{
	return munmap(p, bytes) ? -errno : 0;
}

static int live_mount(void *ctx, const char *source, const char *target, const char *type)
{
	return mount(source, target, type, MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) ? -errno : 0;
}

static int live_uname(void *ctx, struct utsname *ret)
{
	return uname(ret) ? -errno : 0;
}

static int live_clock_gettime(void *ctx, clockid_t clock, struct timespec *ret)
{
	return clock_gettime(clock, ret) ? -errno : 0;
}

const struct sys *sys_live(void)
{
	static const struct sys_ops ops = {
		.perf_event_open = live_perf_event_open,
		.ioctl = live_ioctl,
		.mmap = live_mmap,
		.munmap = live_munmap,
		.mount = live_mount,
		.uname = live_uname,
		.clock_gettime = live_clock_gettime,
	};
	static const struct sys live = { .ops = &ops, .root = "" };
	return &live;
}

int sys_perf_event_open(const struct sys *sys, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags)
{
	return sys->ops->perf_event_open(sys->ctx, attr, pid, cpu, group_fd, flags);
}

int sys_perf_event_open_wide(const struct sys *sys, const struct perf_event_attr *attr, uint64_t config3,
			     uint64_t config4, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	union {
		struct perf_event_attr attr;
		char bytes[PERF_ATTR_SIZE_VER9 > sizeof(struct perf_event_attr) ? PERF_ATTR_SIZE_VER9
										: sizeof(struct perf_event_attr)];
	} wide = { 0 };
	memcpy(wide.bytes, attr, sizeof(*attr));
	if (config3 || config4) {
		memcpy(wide.bytes + PERF_ATTR_SIZE_VER7, &config3, sizeof(config3));
		memcpy(wide.bytes + PERF_ATTR_SIZE_VER8, &config4, sizeof(config4));
		wide.attr.size = config4 ? PERF_ATTR_SIZE_VER9 : PERF_ATTR_SIZE_VER8;
	}
	return sys->ops->perf_event_open(sys->ctx, wide.bytes, pid, cpu, group_fd, flags);
}

int sys_ioctl(const struct sys *sys, int fd, unsigned long request, uintptr_t arg)
{
	return sys->ops->ioctl(sys->ctx, fd, request, arg);
}

void *sys_mmap(const struct sys *sys, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	return sys->ops->mmap(sys->ctx, bytes, prot, flags, fd, offset);
}

int sys_munmap(const struct sys *sys, void *p, size_t bytes)
{
	return sys->ops->munmap(sys->ctx, p, bytes);
}

int sys_uname(const struct sys *sys, struct utsname *ret)
{
	return sys->ops->uname(sys->ctx, ret);
}

uint64_t sys_clock_ns(const struct sys *sys, clockid_t clock)
{
	struct timespec t;
	if (sys->ops->clock_gettime(sys->ctx, clock, &t))
		return 0;
	return timespec_ns(t);
}

char *sys_path(const struct sys *sys, const char *path)
{
	const char *root = sys->root;
	const char *sysfs = !*root && text_has_prefix(path, "/sys/") ? secure_getenv("SYSFS_PATH") : NULL;
	if (sysfs && *sysfs) {
		root = sysfs;
		path += strlen("/sys");
	}
	/* Without printf, which took a third of all its calls in list. */
	size_t root_bytes = strlen(root), path_bytes = strlen(path) + 1;
	char *full = xmalloc(root_bytes + path_bytes);
	memcpy(full, root, root_bytes);
	memcpy(full + root_bytes, path, path_bytes);
	return full;
}

bool sys_exists(const struct sys *sys, const char *path)
{
	_cleanup_free_ char *full = sys_path(sys, path);
	return !access(full, F_OK);
}

int sys_open(const struct sys *sys, const char *path, int flags)
{
	_cleanup_free_ char *full = sys_path(sys, path);
	int fd = open(full, flags | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

struct strobe_error *sys_read(const struct sys *sys, const char *path, struct strbuf *ret, size_t max_bytes)
{
	_cleanup_close_ int fd = sys_open(sys, path, O_RDONLY);
	if (fd < 0)
		return error_errno(-fd, "cannot open %s", path);
	return file_read_fd(fd, path, ret, max_bytes);
}

#define LINE_BYTES     4096
#define LINE_BYTES_MAX (1u << 20)

/* A recording reads hundreds of such files: the size and end of file are not needed for a line and not read. */
struct strobe_error *sys_read_line(const struct sys *sys, const char *path, char **ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_close_ int fd = sys_open(sys, path, O_RDONLY);
	ssize_t n = 1;
	if (fd < 0)
		return error_errno(-fd, "cannot open %s", path);
	while (n && !strchr(strbuf_str(&text), '\n') && text.len < LINE_BYTES_MAX) {
		strbuf_reserve(&text, LINE_BYTES);
		n = read(fd, text.data + text.len, LINE_BYTES);
		if (n < 0 && errno != EINTR)
			return error_errno(errno, "cannot read %s", path);
		text.len += n > 0 ? (size_t)n : 0;
		text.data[text.len] = 0;
	}
	const char *s = strbuf_str(&text);
	if (text.len >= LINE_BYTES_MAX)
		return error_create(ERROR_LIMIT, "%s begins with a line of more than %u bytes", path, LINE_BYTES_MAX);
	*ret = xstrndup(s, strcspn(s, "\n"));
	return NULL;
}

struct strobe_error *sys_read_i64(const struct sys *sys, const char *path, int64_t *ret)
{
	_cleanup_free_ char *line = NULL;
	TRY(sys_read_line(sys, path, &line));
	if (!text_to_i64(line, ret))
		return error_create(ERROR_FORMAT, "%s does not contain a number: '%s'", path, line);
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct strobe_error *sys_list(const struct sys *sys, const char *path, sys_names *ret)
{
	_cleanup_free_ char *full = sys_path(sys, path);
	DIR *dir = opendir(full);
	if (!dir)
		return error_errno(errno, "cannot list %s", path);
	size_t before = ret->len;
	const struct dirent *entry;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			vec_push(ret, xstrdup(entry->d_name));
	closedir(dir);
	if (ret->len > before)
		qsort(ret->data + before, ret->len - before, sizeof(*ret->data), by_name);
	return NULL;
}

void sys_names_deinit(sys_names *names)
{
	for (size_t i = 0; i < names->len; i++)
		free(names->data[i]);
	vec_deinit(names);
}
