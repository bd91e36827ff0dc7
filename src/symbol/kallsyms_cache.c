#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "symbol/kallsyms.h"

/*
 * The file: this header, then starts, name offsets, types and names as the list has them in memory. Native byte order
 * and layout: it never leaves the machine. Anything that disagrees makes it another file, which is read anew and
 * replaced.
 */
struct cache_header {
	char magic[8];
	uint32_t version, header_bytes;
	struct kallsyms_key key;
	uint64_t base, text, stext;
	uint64_t count, names_bytes;
};

#define CACHE_MAGIC   "strobeKS"
#define CACHE_VERSION 1

/* Whether what exists of the path is ours: under sudo, $HOME may be somebody else's. */
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

/* The directory, made where it is missing; NULL where there is none, or it belongs to somebody else (sudo and $HOME).
 */
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

/* Sizes are checked against the file by subtraction: none of the sums can overflow. */
static bool lay_list(struct kallsyms *k, const struct cache_header *h)
{
	uint64_t left = k->cache.bytes - sizeof(*h);
	const uint8_t *at = k->cache.data + sizeof(*h);
	struct kallsyms_list *l = &k->list;
	if (!h->count || h->count > left / 9 || h->names_bytes != left - h->count * 9 || !h->names_bytes)
		return false;
	if (k->cache.data[k->cache.bytes - 1])
		return false;
	*l = (struct kallsyms_list){
		.base = h->base,
		.text = h->text,
		.stext = h->stext,
		.count = (size_t)h->count,
		.names_bytes = (size_t)h->names_bytes,
		.starts = (const uint32_t *)at,
		.name_offsets = (const uint32_t *)(at + h->count * 4),
		.types = (const char *)(at + h->count * 8),
		.names = (const char *)(at + h->count * 9),
	};
	return true;
}

static bool map_cache(struct kallsyms *k, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)
		return false;
	_cleanup_error_ struct strobe_error *err = filemap_open_fd(&k->cache, fd, path);
	if (err)
		return false;
	const struct cache_header *h = (const struct cache_header *)k->cache.data;
	if (k->cache.bytes > sizeof(*h) && !memcmp(h->magic, CACHE_MAGIC, 8) && h->version == CACHE_VERSION &&
	    h->header_bytes == sizeof(*h) && !memcmp(&h->key, &k->key, sizeof(h->key)) && lay_list(k, h))
		return true;
	filemap_close(&k->cache);
	return false;
}

bool kallsyms_cache_load(struct kallsyms *k)
{
	_cleanup_free_ char *dir = *k->key.boot_id ? cache_dir(false) : NULL;
	if (!dir)
		return false;
	_cleanup_free_ char *path = xasprintf("%s/kallsyms", dir);
	return map_cache(k, path);
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

/* Under a name of its own until it is whole, so that readers see the old one or the new one. */
void kallsyms_cache_save(const struct kallsyms *k)
{
	const struct kallsyms_list *l = &k->list;
	_cleanup_free_ char *dir = *k->key.boot_id && l->count ? cache_dir(true) : NULL;
	if (!dir)
		return;
	_cleanup_free_ char *path = xasprintf("%s/kallsyms", dir), *temporary = xasprintf("%s/kallsyms.XXXXXX", dir);
	_cleanup_close_ int fd = mkostemp(temporary, O_CLOEXEC); /* mode 0600 */
	if (fd < 0)
		return;
	struct cache_header h = {
		.magic = CACHE_MAGIC,
		.version = CACHE_VERSION,
		.header_bytes = sizeof(h),
		.key = k->key,
		.base = l->base,
		.text = l->text,
		.stext = l->stext,
		.count = l->count,
		.names_bytes = l->names_bytes,
	};
	struct iovec v[] = {
		{ &h, sizeof(h) },
		{ (void *)l->starts, l->count * sizeof(*l->starts) },
		{ (void *)l->name_offsets, l->count * sizeof(*l->name_offsets) },
		{ (void *)l->types, l->count },
		{ (void *)l->names, l->names_bytes },
	};
	if (!write_all(fd, v, sizeof(v) / sizeof(*v)) || rename(temporary, path))
		unlink(temporary);
}
