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
 * The file: this header, then starts, owners, entries and names as the table has them in memory. Native byte order and
 * layout: it never leaves the machine. Anything that disagrees makes it another file, which is read anew and replaced.
 */
struct cache_header {
	char magic[8];
	uint32_t version, header_bytes, entry_bytes, reserved;
	struct kallsyms_key key;
	uint64_t text, stext;
	uint64_t segments_nr, entries_nr, names_bytes;
};

#define CACHE_MAGIC   "strobeKS"
#define CACHE_VERSION 1

/* The directory, made where it is missing; NULL where there is none, or it belongs to somebody else (sudo and $HOME). */
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
	if (stat(dir, &st) && make) {
		/* Whose the new directory would be is told by what exists of the path. */
		struct stat above = {};
		const char *base = xdg && *xdg == '/' ? xdg : home;
		if (stat(base, &above) == 0 && above.st_uid == geteuid())
			error_destroy(file_make_dirs(dir));
	}
	if (stat(dir, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022) {
		free(dir);
		return NULL;
	}
	return dir;
}

static bool same_key(const struct kallsyms_key *a, const struct kallsyms_key *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Sizes are checked one by one against what is left of the file: none of the sums can overflow. */
static bool lay_table(struct kallsyms *k, const struct cache_header *h)
{
	uint64_t left = k->cache.bytes - sizeof(*h);
	const uint8_t *at = k->cache.data + sizeof(*h);
	if (h->segments_nr > left / sizeof(uint64_t))
		return false;
	k->table.starts = (const uint64_t *)at;
	at += h->segments_nr * sizeof(uint64_t);
	left -= h->segments_nr * sizeof(uint64_t);
	if (h->entries_nr > left / sizeof(struct table_entry))
		return false;
	k->table.entries = (const struct table_entry *)at;
	at += h->entries_nr * sizeof(struct table_entry);
	left -= h->entries_nr * sizeof(struct table_entry);
	if (h->segments_nr > left / sizeof(uint32_t))
		return false;
	k->table.owners = (const uint32_t *)at;
	at += h->segments_nr * sizeof(uint32_t);
	left -= h->segments_nr * sizeof(uint32_t);
	if (h->names_bytes != left || !left || at[left - 1])
		return false;
	k->table.names[0] = (struct table_names){ .data = (const char *)at, .bytes = (size_t)left };
	k->table.segments_nr = (size_t)h->segments_nr;
	k->table.entries_nr = (size_t)h->entries_nr;
	k->text = h->text;
	k->stext = h->stext;
	return true;
}

static bool map_cache(struct kallsyms *k, const char *path, const struct kallsyms_key *key)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)
		return false;
	_cleanup_error_ struct strobe_error *err = filemap_open_fd(&k->cache, fd, path);
	if (err)
		return false;
	const struct cache_header *h = (const struct cache_header *)k->cache.data;
	if (k->cache.bytes >= sizeof(*h) && !memcmp(h->magic, CACHE_MAGIC, 8) && h->version == CACHE_VERSION &&
	    h->header_bytes == sizeof(*h) && h->entry_bytes == sizeof(struct table_entry) && same_key(&h->key, key) &&
	    lay_table(k, h))
		return true;
	memset(&k->table, 0, sizeof(k->table));
	filemap_close(&k->cache);
	return false;
}

bool kallsyms_cache_load(struct kallsyms *k, const struct kallsyms_key *key)
{
	_cleanup_free_ char *dir = *key->boot_id ? cache_dir(false) : NULL;
	if (!dir)
		return false;
	_cleanup_free_ char *path = xasprintf("%s/kallsyms", dir);
	return map_cache(k, path, key);
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
void kallsyms_cache_save(const struct kallsyms *k, const struct kallsyms_key *key)
{
	const struct table *t = &k->table;
	_cleanup_free_ char *dir = *key->boot_id && t->names[0].bytes ? cache_dir(true) : NULL;
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
		.entry_bytes = sizeof(struct table_entry),
		.key = *key,
		.text = k->text,
		.stext = k->stext,
		.segments_nr = t->segments_nr,
		.entries_nr = t->entries_nr,
		.names_bytes = t->names[0].bytes,
	};
	struct iovec v[] = {
		{ &h, sizeof(h) },
		{ (void *)t->starts, t->segments_nr * sizeof(*t->starts) },
		{ (void *)t->entries, t->entries_nr * sizeof(*t->entries) },
		{ (void *)t->owners, t->segments_nr * sizeof(*t->owners) },
		{ (void *)t->names[0].data, t->names[0].bytes },
	};
	if (!write_all(fd, v, sizeof(v) / sizeof(*v)) || rename(temporary, path))
		unlink(temporary);
}
