#include "sys/process_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "sys/sys.h"

#define OUR_PID  0 /* /proc/self */

/* stat(2) of a file below /proc/PID, following links. */
static bool stat_of(uint32_t pid, const char *name, struct stat *ret)
{
	_cleanup_free_ char *path = pid == OUR_PID ? xasprintf("/proc/self/%s", name) : xasprintf("/proc/%u/%s", pid, name);
	return !stat(path, ret);
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool process_has_own_files(uint32_t pid)
{
	struct stat ours, its;
	if (stat_of(OUR_PID, "ns/mnt", &ours) && stat_of(pid, "ns/mnt", &its) && !same(&ours, &its))
		return true;
	return stat_of(OUR_PID, "root", &ours) && stat_of(pid, "root", &its) && !same(&ours, &its);
}

int process_file_open(uint32_t pid, const char *path)
{
	_cleanup_free_ char *root_path = xasprintf("/proc/%u/root", pid);
	_cleanup_close_ int root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	/* A reader of /proc/PID/maps in another chroot gets paths from the root of the process's namespace. */
	char prefix[PATH_MAX];
	ssize_t n = fd < 0 && errno == ENOENT ? readlink(root_path, prefix, sizeof(prefix) - 1) : 0;
	prefix[n > 0 ? n : 0] = 0;
	if (n > 1 && text_has_prefix(path, prefix) && path[n] == '/')
		fd = (int)syscall(SYS_openat2, root, path + n, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

#define DELETED	       " (deleted)"
#define MAPS_BYTES_MAX (64u << 20)

static bool is_named(const char *name, const char *path)
{
	size_t n = strlen(path);
	if (!strncmp(name, path, n) && (!name[n] || !strcmp(name + n, DELETED)))
		return true;
	n = strlen(name);
	return text_has_suffix(path, DELETED) && n + strlen(DELETED) == strlen(path) && !strncmp(name, path, n);
}

/* Its executable, if that has this path: its owner may open it without any capability. */
static int program_open(uint32_t pid, const char *path)
{
	_cleanup_free_ char *exe = xasprintf("/proc/%u/exe", pid);
	char name[PATH_MAX];
	ssize_t n = readlink(exe, name, sizeof(name) - 1);
	if (n < 0)
		return -errno;
	name[n] = 0;
	if (!is_named(name, path))
		return -EPERM;
	int fd = open(exe, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int process_mapping_open(uint32_t pid, uint64_t start, uint64_t end)
{
	/* Unlike in maps, without zeros in front. */
	_cleanup_free_ char *file = xasprintf("/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int process_mapped_file_open(uint32_t pid, const char *path)
{
	_cleanup_free_ char *maps = xasprintf("/proc/%u/maps", pid);
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys_live(), maps, &text, MAPS_BYTES_MAX);
	for (char *line = err ? NULL : text.data, *next; line && *line; line = next) {
		char *end = strchrnul(line, '\n');
		unsigned long long from = 0, to = 0;
		int name = 0;
		next = *end ? end + 1 : end;
		*end = 0;
		(void)sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &from, &to, &name);
		if (!name || !is_named(line + name, path))
			continue;
		int fd = process_mapping_open(pid, from, to);
		return fd < 0 ? program_open(pid, path) : fd;
	}
	return -ENOENT;
}

/* Whether a line of maps ends in the path of a file that is there no more. */
static bool is_deleted(const char *line, const char *path)
{
	const char *name = strchr(line, '/');
	size_t n = strlen(path);
	return name && !strncmp(name, path, n) && !strcmp(name + n, DELETED);
}

void process_warn_if_replaced(uint32_t pid, const char *path)
{
	_cleanup_free_ char *maps = xasprintf("/proc/%u/maps", pid), *program = NULL;
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys_live(), maps, &text, MAPS_BYTES_MAX);
	char *rest = err ? NULL : text.data;
	for (char *line; rest && (line = strsep(&rest, "\n"));) {
		if (!is_deleted(line, path))
			continue;
		program = process_program_of(pid);
		if (program && is_named(program, path))
			log_warn("process %u runs an older %s, which was replaced: probes of the new one do not see it; name /proc/%u/exe, "
				 "or restart the process", pid, path, pid);
		else
			log_warn("process %u uses an older %s, which was replaced: probes of the new one do not see it; restart the "
				 "process", pid, path);
		return;
	}
}

static char *read_exe(const char *link)
{
	char path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path));
	return n > 0 ? xstrndup(path, (size_t)n) : NULL;
}

char *process_program(void)
{
	return read_exe("/proc/self/exe");
}

char *process_full_path(const char *path)
{
	char *real = realpath(path, NULL);
	int errnum = errno;
	if (!real && !access(path, R_OK))
		real = xstrdup(path);
	errno = errnum;
	return real;
}

char *process_program_link(uint32_t pid)
{
	return xasprintf("/proc/%u/exe", pid);
}

char *process_program_of(uint32_t pid)
{
	_cleanup_free_ char *link = process_program_link(pid);
	return read_exe(link);
}

char *process_file_path(uint32_t pid, int fd)
{
	_cleanup_free_ char *link = xasprintf("/proc/self/fd/%d", fd), *root_link = xasprintf("/proc/%u/root", pid);
	char path[PATH_MAX], root[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path) - 1), root_n = readlink(root_link, root, sizeof(root) - 1);
	if (n < 0)
		return xstrdup("");
	path[n] = 0;
	/* For another mount namespace the kernel gives paths from the root of that namespace. */
	if (root_n <= 1)
		return xstrdup(path);
	root[root_n] = 0;
	return xstrdup(text_has_prefix(path, root) ? path + root_n : path);
}

char *process_path_outside(uint32_t pid, const char *path)
{
	return xasprintf("/proc/%u/root%s", pid, path);
}

uint32_t process_inner_pid(uint32_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%u/status", pid);
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys_live(), path, &text, 1 << 16);
	const char *line = err ? NULL : strstr(strbuf_str(&text), "\nNSpid:"), *end = line ? strchr(line + 1, '\n') : NULL;
	if (!end)
		return pid;
	/* One number per namespace, outermost first. */
	const char *at = end;
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	unsigned long inner = strtoul(at, NULL, 10);
	return inner && inner <= UINT32_MAX ? (uint32_t)inner : pid;
}

bool process_mount_namespace(uint32_t pid, uint64_t *ret_dev, uint64_t *ret_ino)
{
	struct stat st;
	if (!stat_of(pid, "ns/mnt", &st))
		return false;
	*ret_dev = st.st_dev;
	*ret_ino = st.st_ino;
	return true;
}

uint32_t process_in_mount_namespace(uint64_t dev, uint64_t ino)
{
	sys_names names = {};
	uint32_t found = 0;
	_cleanup_error_ struct strobe_error *err = sys_list(sys_live(), "/proc", &names);
	for (size_t i = 0; i < names.len; i++) {
		uint64_t pid, its_dev, its_ino;
		if (text_to_u64(names.data[i], &pid) && pid <= UINT32_MAX && (!found || pid < found) &&
		    process_mount_namespace((uint32_t)pid, &its_dev, &its_ino) && its_dev == dev && its_ino == ino)
			found = (uint32_t)pid;
	}
	sys_names_deinit(&names);
	return found;
}

int64_t process_start_s(uint32_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%u/stat", pid);
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys_live(), path, &text, 1 << 16);
	unsigned long long ticks;
	struct timespec now, up;
	/* The name is in brackets and may contain anything; after it starttime is the twentieth field. */
	const char *at = err ? NULL : strrchr(strbuf_str(&text), ')');
	if (!at || sscanf(at + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &ticks) != 1)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	/* Rounded down to seconds only at the end: otherwise it could be after what the process wrote. */
	uint64_t boot_ns = timespec_ns(now) - timespec_ns(up);
	return (int64_t)((boot_ns + ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK))) / NS_PER_S);
}

bool process_is_called(uint32_t pid, const char *name)
{
	_cleanup_free_ char *path = xasprintf("/proc/%u/comm", pid), *comm = NULL;
	_cleanup_error_ struct strobe_error *err = sys_read_line(sys_live(), path, &comm);
	return !err && !strcmp(comm, name);
}

bool process_user(uint32_t pid, uint32_t *ret_uid)
{
	struct stat st;
	bool found = stat_of(pid, "", &st);
	*ret_uid = found ? st.st_uid : 0;
	return found;
}
