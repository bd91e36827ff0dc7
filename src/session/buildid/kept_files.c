#include "session/buildid/kept_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/vector.h"
#include "object/buildid_cache.h"
#include "object/symbols_file.h"
#include "session/buildid/cached_file.h"

/* Copied within a few milliseconds, whatever the file system. */
#define SMALL_BYTES (4u << 20)
/* Maximum size of further copies per recording, if a link is impossible (another file system, a file of another user). */
#define COPIED_BYTES_MAX (64u << 20)
/* In entries that are a recorder's, and not a user's. */
#define MARK "recorded"
/* An upper bound of the size of those, and when it was counted: with thousands of entries, counting takes as long as a short recording. */
#define BOUND_NAME ".build-id/recorded"
#define COUNTED_S  86400 /* files that links lead to may be removed meanwhile: the links then take space */

struct recorded_entry {
	char *hex;
	uint64_t bytes;
	int64_t made_ns;
};

struct recorded_entries {
	const char *dir;
	VEC(struct recorded_entry) list;
	uint64_t bytes;
};

/* A link to an existing file takes no space. */
static uint64_t entry_bytes(const char *dir, const char *hex, bool with_links)
{
	struct stat st;
	_cleanup_free_ char *elf = buildid_cache_path(dir, hex, "elf"), *symbols = buildid_cache_path(dir, hex, BUILDID_CACHE_SYMBOLS);
	uint64_t bytes = elf && !stat(elf, &st) && (with_links || st.st_nlink == 1) ? (uint64_t)st.st_size : 0;
	return bytes + (symbols && !stat(symbols, &st) ? (uint64_t)st.st_blocks * 512 : 0);
}

static bool list_recorded(void *ctx, const struct buildid_cache_entry *e)
{
	struct recorded_entries *r = ctx;
	struct stat st;
	_cleanup_free_ char *mark = buildid_cache_path(r->dir, e->hex, MARK);
	if (!mark || stat(mark, &st))
		return true;
	struct recorded_entry add = { .made_ns = st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec };
	add.bytes = entry_bytes(r->dir, e->hex, false);
	add.hex = xstrdup(e->hex);
	r->bytes += add.bytes;
	vec_push(&r->list, add);
	return true;
}

static int oldest_first(const void *pa, const void *pb)
{
	const struct recorded_entry *a = pa, *b = pb;
	return a->made_ns < b->made_ns ? -1 : a->made_ns > b->made_ns;
}

/* Removes the oldest entries, and some more, so that the next recordings have room. Returns the size of the rest. */
static uint64_t count_and_remove(const char *dir, uint64_t bytes_max)
{
	struct recorded_entries r = { .dir = dir };
	buildid_cache_each_id(dir, list_recorded, &r);
	uint64_t keep = r.bytes > bytes_max ? bytes_max - bytes_max / 8 : bytes_max;
	if (r.bytes > keep)
		qsort(r.list.data, r.list.len, sizeof(*r.list.data), oldest_first);
	for (size_t i = 0; i < r.list.len; i++) {
		if (r.bytes > keep && r.list.data[i].bytes) {
			error_destroy(buildid_cache_remove(dir, r.list.data[i].hex));
			r.bytes -= r.list.data[i].bytes;
		}
		free(r.list.data[i].hex);
	}
	vec_deinit(&r.list);
	return r.bytes;
}

static bool read_bound(const char *path, uint64_t *ret_bytes, int64_t *ret_counted_s)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = file_read(path, &text, 256);
	return !err && sscanf(strbuf_str(&text), "%" SCNu64 " %" SCNd64, ret_bytes, ret_counted_s) == 2;
}

void kept_files_limit(const struct kept_files *k, uint64_t bytes_max)
{
	uint64_t bytes;
	int64_t counted_s, now_s = time(NULL);
	if (!k->any_added)
		return;
	_cleanup_free_ char *path = xasprintf("%s/" BOUND_NAME, k->dir);
	bool is_known = read_bound(path, &bytes, &counted_s) && counted_s <= now_s && now_s - counted_s < COUNTED_S;
	if (is_known && bytes <= bytes_max && k->added <= bytes_max - bytes) {
		bytes += k->added;
	} else {
		bytes = count_and_remove(k->dir, bytes_max);
		counted_s = now_s;
	}
	_cleanup_free_ char *text = xasprintf("%" PRIu64 " %" PRId64 "\n", bytes, counted_s);
	error_destroy(new_file_write(path, text, strlen(text), 0600));
}

/* A linked file may be overwritten in place: symbols and unwind tables are stored, too, or, without a link, only these. */
static struct strobe_error *put_large(struct kept_files *k, const struct cached_file *f, uint64_t bytes)
{
	bool linked = buildid_cache_link(k->dir, f->hex, "elf", f->source);
	uint64_t symbols = object_symbols_bytes(f->object);
	if (!linked && k->copied + bytes <= COPIED_BYTES_MAX) {
		k->copied += bytes;
		return buildid_cache_copy(k->dir, f->hex, "elf", f->source);
	}
	if (symbols && k->copied + symbols <= COPIED_BYTES_MAX) {
		k->copied += symbols;
		return buildid_cache_put_symbols(k->dir, f->hex, f->object);
	}
	return linked ? NULL : error_create(ERROR_LIMIT, "%s is too large to copy and cannot be linked to", f->source);
}

static struct strobe_error *put_file(struct kept_files *k, const struct cached_file *f)
{
	struct stat st;
	if (stat(f->source, &st))
		return error_errno(errno, "cannot stat %s", f->source);
	uint64_t bytes = (uint64_t)st.st_size;
	if (bytes > SMALL_BYTES)
		return put_large(k, f, bytes);
	return buildid_cache_copy(k->dir, f->hex, "elf", f->source);
}

/* What is open has no path any more that a link could be made to. */
static struct strobe_error *put_open(struct kept_files *k, const char *hex, const struct object *o)
{
	size_t bytes;
	const void *file = object_file(o, &bytes);
	uint64_t symbols = object_symbols_bytes(o);
	if (object_is_cut(o))
		return error_create(ERROR_FORMAT, "%s was truncated", object_name(o));
	if (bytes <= SMALL_BYTES || k->copied + bytes <= COPIED_BYTES_MAX) {
		k->copied += bytes > SMALL_BYTES ? bytes : 0;
		return buildid_cache_put_bytes(k->dir, hex, "elf", file, bytes);
	}
	if (!symbols || k->copied + symbols > COPIED_BYTES_MAX)
		return error_create(ERROR_LIMIT, "%s is too large to copy", object_name(o));
	k->copied += symbols;
	return buildid_cache_put_symbols(k->dir, hex, o);
}

/* In our view of files, or that of the process, which may have another root. */
static struct strobe_error *open_same(const char *hex, const char *path, uint32_t pid, struct cached_file *ret)
{
	struct strobe_error *err = cached_file_open(path, 0, ret);
	if (!err && !strcmp(ret->hex, hex))
		return NULL;
	if (!err)
		cached_file_close(ret);
	error_destroy(err);
	TRY(cached_file_open(path, pid, ret));
	if (!strcmp(ret->hex, hex))
		return NULL;
	cached_file_close(ret);
	return error_create(ERROR_NOT_FOUND, "%s has been replaced since it was recorded", path);
}

/* All of an entry, or nothing: by its name where f has one, else the object. */
static struct strobe_error *put_entry(struct kept_files *k, const struct cached_file *f)
{
	struct strobe_error *err = buildid_cache_add(k->dir, f->hex, f->path);
	if (!err)
		err = f->source ? put_file(k, f) : put_open(k, f->hex, f->object);
	if (!err)
		err = buildid_cache_put_bytes(k->dir, f->hex, MARK, "", 0);
	if (err)
		error_destroy(buildid_cache_remove(k->dir, f->hex));
	k->any_added |= !err;
	k->added += err ? 0 : entry_bytes(k->dir, f->hex, true);
	return err;
}

static bool is_there(const char *dir, const char *hex)
{
	_cleanup_free_ char *elf = buildid_cache_path(dir, hex, "elf"), *symbols = buildid_cache_path(dir, hex, BUILDID_CACHE_SYMBOLS);
	return !elf || !access(elf, F_OK) || !access(symbols, F_OK);
}

struct strobe_error *kept_files_add(struct kept_files *k, const char *hex, const char *path, uint32_t pid)
{
	struct cached_file f;
	if (is_there(k->dir, hex) || !buildid_cache_is_safe(path))
		return NULL;
	TRY(open_same(hex, path, pid, &f));
	struct strobe_error *err = put_entry(k, &f);
	cached_file_close(&f);
	return err;
}

struct strobe_error *kept_files_add_open(struct kept_files *k, const char *hex, const char *path, struct object *o)
{
	struct cached_file f = { .path = (char *)path, .object = o };
	if (is_there(k->dir, hex) || !buildid_cache_is_safe(path))
		return NULL;
	snprintf(f.hex, sizeof(f.hex), "%s", hex);
	return put_entry(k, &f);
}
