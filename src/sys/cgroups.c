#include "sys/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define DEPTH_MAX 32
/* Groups nested deeper are shown by ID. */
#define PATH_DEPTH_MAX 16

static bool is_octal(const char *p)
{
	return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' && p[2] >= '0' && p[2] <= '7';
}

/* In place: the kernel escapes blanks and backslashes as \ooo. */
static void unescape(char *text)
{
	char *to = text;
	for (const char *p = text; *p;) {
		if (*p == '\\' && is_octal(p + 1)) {
			*to++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 4;
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
}

static bool has_option(const char *options, const char *name)
{
	size_t len = strlen(name);
	for (const char *p = options; (p = strstr(p, name)); p += len)
		if ((p == options || p[-1] == ',') && (p[len] == ',' || !p[len]))
			return true;
	return false;
}

/* The first mount points, or NULL; owned. */
struct hierarchies {
	char *v1, *v2; /* of the controller perf_event, and of version 2 */
};

static struct hierarchies read_mounts(const struct sys *sys)
{
	struct hierarchies found = {};
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys, "/proc/self/mounts", &text, 0);
	/* source target type options … */
	char *rest = err || !text.len ? NULL : text.data;
	for (char *line; (line = strsep(&rest, "\n"));) {
		strsep(&line, " ");
		char *target = strsep(&line, " "), *type = strsep(&line, " "), *options = strsep(&line, " ");
		if (!type)
			continue;
		bool is_v1 = !strcmp(type, "cgroup") && options && has_option(options, "perf_event");
		char **place = is_v1 ? &found.v1 : !strcmp(type, "cgroup2") ? &found.v2 : NULL;
		if (!place || *place)
			continue;
		unescape(target);
		*place = xstrdup(target);
	}
	return found;
}

char *sys_cgroup2_root(const struct sys *sys)
{
	struct hierarchies found = read_mounts(sys);
	free(found.v1);
	return found.v2;
}

/* The path below `at`, which is closed, of the group with this ID. */
static bool find_below(int at, uint64_t id, unsigned depth, char **ret)
{
	bool found = false;
	DIR *dir = fdopendir(at);
	if (!dir) {
		close(at);
		return false;
	}
	for (struct dirent *e; !found && (e = readdir(dir));) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		_cleanup_free_ char *below = NULL;
		int sub = e->d_ino == id ? -1 : openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		found = e->d_ino == id || (sub >= 0 && depth && find_below(sub, id, depth - 1, &below));
		if (found)
			*ret = xasprintf("/%s%s", e->d_name, below ? below : "");
	}
	closedir(dir);
	return found;
}

char *sys_cgroup2_path(const struct sys *sys, uint64_t id)
{
	_cleanup_free_ char *root = sys_cgroup2_root(sys);
	struct stat st;
	char *path = NULL;
	if (root && !stat(root, &st) && st.st_ino == id)
		return xstrdup("/");
	int fd = root ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd >= 0 && find_below(fd, id, PATH_DEPTH_MAX, &path))
		return path;
	return xasprintf("cgroup %llu", (unsigned long long)id);
}

struct strobe_error *sys_cgroup2_id(const struct sys *sys, const char *path, uint64_t *ret)
{
	_cleanup_free_ char *root = sys_cgroup2_root(sys);
	struct stat st;
	if (!root)
		return error_create(ERROR_NOT_FOUND, "no access to cgroup %s: no hierarchy of version 2 is mounted; run mount -t cgroup2 "
				    "cgroup2 /sys/fs/cgroup", path);
	_cleanup_free_ char *full = xasprintf("%s/%s/.", root, path);
	if (stat(full, &st))
		return error_errno(errno, "no access to cgroup %s below %s", path, root);
	*ret = st.st_ino;
	return NULL;
}

char *sys_cgroup_perf_root(const struct sys *sys, unsigned *ret_version)
{
	struct hierarchies found = read_mounts(sys);
	*ret_version = found.v1 ? 1 : 2;
	if (!found.v1)
		return found.v2;
	free(found.v2);
	return found.v1;
}

struct strobe_error *sys_cgroup_open(const struct sys *sys, const char *path, int *ret_fd)
{
	unsigned version;
	_cleanup_free_ char *root = sys_cgroup_perf_root(sys, &version);
	if (!root)
		return error_create(ERROR_NOT_FOUND, "no access to cgroup %s: no hierarchy for perf events is mounted; run mount -t "
				    "cgroup2 cgroup2 /sys/fs/cgroup", path);
	_cleanup_free_ char *full = xasprintf("%s/%s", root, path);
	int fd = sys_open(sys, full, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return error_errno(-fd, "no access to cgroup %s below %s", path, root);
	*ret_fd = fd;
	return NULL;
}

static void match_below(const struct sys *sys, const char *root, const char *below, const regex_t *re, unsigned depth, sys_names *ret)
{
	_cleanup_free_ char *path = xasprintf("%s%s%s", root, *below ? "/" : "", below);
	sys_names names = {};
	_cleanup_error_ struct strobe_error *err = sys_list(sys, path, &names);
	for (size_t i = 0; !err && depth < DEPTH_MAX && i < names.len; i++) {
		_cleanup_free_ char *inner = xasprintf("%s%s%s", below, *below ? "/" : "", names.data[i]);
		_cleanup_free_ char *directory = xasprintf("%s/%s/.", root, inner);
		if (!sys_exists(sys, directory))
			continue;
		if (!regexec(re, inner, 0, NULL, 0))
			vec_push(ret, xstrdup(inner));
		match_below(sys, root, inner, re, depth + 1, ret);
	}
	sys_names_deinit(&names);
}

bool sys_cgroups_matching(const struct sys *sys, const char *regex, sys_names *ret)
{
	regex_t re;
	unsigned version;
	if (regcomp(&re, regex, REG_EXTENDED | REG_NOSUB))
		return false;
	_cleanup_free_ char *root = sys_cgroup_perf_root(sys, &version);
	if (root)
		match_below(sys, root, "", &re, 0, ret);
	regfree(&re);
	return true;
}
