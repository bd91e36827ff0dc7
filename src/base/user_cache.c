#include "base/user_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/vector.h"

/* Whether the existing part of the path is ours. */
static bool is_ours_above(const char *path)
{
	_cleanup_free_ char *above = xstrdup(path);
	struct stat st;
	for (char *slash; (slash = strrchr(above, '/')) && slash != above;) {
		*slash = 0;
		if (!stat(above, &st))
			return st.st_uid == geteuid();
	}
	return false;
}

/* The directory, created if missing; NULL: none, or it belongs to another user. */
static char *cache_dir(bool make)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *dir;
	if (xdg && *xdg == '/')
		dir = xasprintf("%s/strobe", xdg);
	else if (home && *home == '/')
		dir = xasprintf("%s/.cache/strobe", home);
	else
		return NULL;
	struct stat st;
	if (make && stat(dir, &st) && is_ours_above(dir))
		error_destroy(file_make_dirs(dir));
	if (stat(dir, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022) {
		free(dir);
		return NULL;
	}
	return dir;
}

bool user_cache_map(const char *name, struct filemap *ret)
{
	_cleanup_free_ char *dir = cache_dir(false);
	if (!dir)
		return false;
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)
		return false;
	_cleanup_error_ struct strobe_error *err = filemap_open_fd(ret, fd, path);
	return !err;
}

static bool write_all(int fd, struct iovec *v, int n)
{
	while (n) {
		ssize_t done = writev(fd, v, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		for (; n && (size_t)done >= v->iov_len; v++, n--)
			done -= (ssize_t)v->iov_len;
		if (n) {
			v->iov_base = (char *)v->iov_base + done;
			v->iov_len -= (size_t)done;
		}
	}
	return true;
}

/* Written under a temporary name, so that readers see the old or the new file. */
void user_cache_save(const char *name, struct iovec *v, int n)
{
	_cleanup_free_ char *dir = cache_dir(true);
	if (!dir)
		return;
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	char *slash = strchr(name, '/');
	if (slash) {
		_cleanup_free_ char *folder = xasprintf("%s/%.*s", dir, (int)(slash - name), name);
		if (mkdir(folder, 0700) && errno != EEXIST)
			return;
	}
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	_cleanup_error_ struct strobe_error *err = new_file_create(path, &file); /* a missing entry is not an error */
	if (!err && write_all(file.fd, v, n))
		err = new_file_keep(&file, 0600);
}

struct kept {
	char name[NAME_MAX + 1];
	uint64_t bytes;
	uint64_t written_ns;
};

static int compare_age(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;
	return x->written_ns < y->written_ns ? -1 : x->written_ns > y->written_ns;
}

void user_cache_trim(const char *folder, uint64_t max_bytes)
{
	_cleanup_free_ char *dir = cache_dir(false);
	_cleanup_free_ char *path = dir ? xasprintf("%s/%s", dir, folder) : NULL;
	DIR *d = path ? opendir(path) : NULL;
	if (!d)
		return;
	VEC(struct kept) all = {};
	uint64_t total = 0;
	struct stat st;
	for (struct dirent *e; (e = readdir(d));) {
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		struct kept k = { .bytes = (uint64_t)st.st_size, .written_ns = timespec_ns(st.st_mtim) };
		memcpy(k.name, e->d_name, strlen(e->d_name) + 1);
		vec_push(&all, k);
		total += k.bytes;
	}
	if (total > max_bytes)
		qsort(all.data, all.len, sizeof(*all.data), compare_age);
	for (size_t i = 0; i < all.len && total > max_bytes; i++) {
		total -= all.data[i].bytes;
		unlinkat(dirfd(d), all.data[i].name, 0);
	}
	vec_deinit(&all);
	closedir(d);
}
