#include "recording/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "object/buildid_cache.h"
#include "object/symbols_file.h"
#include "session/cached_file.h"

#define OBJECT_PAGE_BITS 12
/* Copied within a few milliseconds, whatever the file system. */
#define SMALL_BYTES (4u << 20)
/* What one recording may copy besides, where a link cannot be made (another file system, a file of another user). */
#define COPIED_BYTES_MAX (64u << 20)
/* Of all that recordings have put into the cache, and that is nowhere else. */
#define CACHE_BYTES_MAX (1ull << 30)
/* In entries that are a recorder's, and not a user's. */
#define MARK "recorded"

void record_objects_init(struct record_objects *o, const struct perf_event_attr *attr, bool all)
{
	*o = (struct record_objects){ .on = true, .all = all };
	o->ip_offset = sizeof(struct perf_event_header) + (attr->sample_type & PERF_SAMPLE_IDENTIFIER ? sizeof(uint64_t) : 0);
	arena_init(&o->arena);
}

void record_objects_deinit(struct record_objects *o)
{
	if (!o->on)
		return;
	idset_deinit(&o->index);
	vec_deinit(&o->list);
	vec_deinit(&o->mappings);
	u64map_deinit(&o->pages);
	arena_deinit(&o->arena);
	*o = (struct record_objects){};
}

/* ---- what passes ---- */

static bool is_same(const void *list, uint32_t id, const void *key)
{
	const struct record_object *a = (const struct record_object *)list + id, *b = key;
	return !strcmp(a->hex, b->hex) && !strcmp(a->path, b->path);
}

static uint32_t add_object(struct record_objects *o, const struct record_object *object)
{
	uint64_t hash = hash_bytes(object->hex, strlen(object->hex)) ^ hash_bytes(object->path, strlen(object->path));
	uint32_t id = idset_find(&o->index, hash, is_same, o->list.data, object);
	if (id != IDSET_NONE)
		return id;
	struct record_object add = *object;
	add.hex = arena_strdup(&o->arena, object->hex);
	add.path = arena_strdup(&o->arena, object->path);
	id = (uint32_t)o->list.len;
	vec_push(&o->list, add);
	idset_insert(&o->index, hash, id);
	return id;
}

static void note_mapping(struct record_objects *o, struct record r)
{
	struct record_mmap m;
	char hex[BUILDID_HEX_MAX];
	if (!record_decode_mmap(r, &m) || !m.build_id_len || m.is_data || !(m.prot & PROT_EXEC) || *m.filename != '/')
		return;
	buildid_hex(m.build_id, m.build_id_len, hex);
	struct record_object object = { .hex = hex, .path = m.filename, .pid = m.pid };
	struct record_mapping mapping = { m.start, m.start + m.len, add_object(o, &object) };
	vec_push(&o->mappings, mapping);
}

static void note_sample(struct record_objects *o, const struct perf_event_header *h)
{
	uint64_t ip;
	if (h->size < o->ip_offset + sizeof(ip))
		return;
	memcpy(&ip, (const char *)h + o->ip_offset, sizeof(ip));
	(void)u64map_put(&o->pages, ip >> OBJECT_PAGE_BITS, NULL);
}

static struct strobe_error *note_records(struct record_sink *sink, const void *records, size_t bytes)
{
	struct record_objects *o = (struct record_objects *)sink;
	const char *at = records, *end = at + bytes;
	while ((size_t)(end - at) >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *h = (const void *)at;
		if (h->size < sizeof(*h) || h->size > (size_t)(end - at))
			break;
		if (!o->all && h->type == PERF_RECORD_SAMPLE && (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER)
			note_sample(o, h);
		else if (h->type == PERF_RECORD_MMAP2)
			note_mapping(o, (struct record){ .hdr = h });
		at += h->size;
	}
	return sink_write(o->to, records, bytes);
}

struct record_sink *record_objects_sink(struct record_objects *o, struct record_sink *to)
{
	o->to = to;
	o->sink.write = note_records;
	return o->on ? &o->sink : to;
}

void record_objects_merge(struct record_objects *o, const struct record_objects *from)
{
	for (size_t i = 0; i < from->mappings.len; i++) {
		struct record_mapping m = from->mappings.data[i];
		m.object = add_object(o, &from->list.data[m.object]);
		vec_push(&o->mappings, m);
	}
	for (size_t i = 0; from->pages.slots && i <= from->pages.mask; i++)
		if (from->pages.slots[i].used)
			(void)u64map_put(&o->pages, from->pages.slots[i].key, NULL);
}

/* ---- what was sampled ---- */

static int compare_pages(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

/* Whoever's address it was: that a file of another process lies there as well is rare, and keeping it no harm. */
static void mark_sampled(struct record_objects *o)
{
	VEC(uint64_t) pages = {};
	for (size_t i = 0; o->pages.slots && i <= o->pages.mask; i++)
		if (o->pages.slots[i].used)
			vec_push(&pages, o->pages.slots[i].key);
	if (pages.len)
		qsort(pages.data, pages.len, sizeof(*pages.data), compare_pages);
	for (size_t i = 0; i < o->mappings.len; i++) {
		const struct record_mapping *m = &o->mappings.data[i];
		size_t low = 0, high = pages.len;
		while (low < high) {
			size_t middle = (low + high) / 2;
			if (pages.data[middle] < m->start >> OBJECT_PAGE_BITS)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < pages.len && pages.data[low] <= (m->end - 1) >> OBJECT_PAGE_BITS)
			o->list.data[m->object].sampled = true;
	}
	vec_deinit(&pages);
}

/* ---- the cache ---- */

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

static bool list_recorded(void *ctx, const struct buildid_cache_entry *e)
{
	struct recorded_entries *r = ctx;
	struct stat st;
	_cleanup_free_ char *mark = buildid_cache_path(r->dir, e->hex, MARK), *elf = buildid_cache_path(r->dir, e->hex, "elf"),
			    *symbols = buildid_cache_path(r->dir, e->hex, BUILDID_CACHE_SYMBOLS);
	if (!mark || stat(mark, &st))
		return true;
	struct recorded_entry add = { .made_ns = st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec };
	/* A link to a file that is still there takes no room. */
	add.bytes = elf && !stat(elf, &st) && st.st_nlink == 1 ? (uint64_t)st.st_size : 0;
	add.bytes += symbols && !stat(symbols, &st) ? (uint64_t)st.st_blocks * 512 : 0;
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

static void limit_cache(const char *dir)
{
	struct recorded_entries r = { .dir = dir };
	buildid_cache_each(dir, list_recorded, &r);
	if (r.bytes > CACHE_BYTES_MAX)
		qsort(r.list.data, r.list.len, sizeof(*r.list.data), oldest_first);
	for (size_t i = 0; i < r.list.len; i++) {
		if (r.bytes > CACHE_BYTES_MAX && r.list.data[i].bytes) {
			error_destroy(buildid_cache_remove(dir, r.list.data[i].hex));
			r.bytes -= r.list.data[i].bytes;
		}
		free(r.list.data[i].hex);
	}
	vec_deinit(&r.list);
}

/* What a link leads to may be written over in place: its symbols and unwind tables are kept besides, or, without a link, alone. */
static struct strobe_error *put_large(const char *dir, const struct cached_file *f, uint64_t bytes, uint64_t *copied)
{
	bool linked = buildid_cache_link(dir, f->hex, "elf", f->source);
	uint64_t symbols = object_symbols_bytes(f->object);
	if (!linked && *copied + bytes <= COPIED_BYTES_MAX) {
		*copied += bytes;
		return buildid_cache_copy(dir, f->hex, "elf", f->source);
	}
	if (symbols && *copied + symbols <= COPIED_BYTES_MAX) {
		*copied += symbols;
		return buildid_cache_put_symbols(dir, f->hex, f->object);
	}
	return linked ? NULL : error_create(ERROR_LIMIT, "%s is too large to copy and cannot be linked to", f->source);
}

static struct strobe_error *put_file(const char *dir, const struct cached_file *f, uint64_t *copied)
{
	struct stat st;
	if (stat(f->source, &st))
		return error_errno(errno, "cannot stat %s", f->source);
	uint64_t bytes = (uint64_t)st.st_size;
	if (bytes > SMALL_BYTES)
		return put_large(dir, f, bytes, copied);
	return buildid_cache_copy(dir, f->hex, "elf", f->source);
}

static struct strobe_error *keep(const char *dir, const struct record_object *o, uint64_t *copied)
{
	struct cached_file f;
	struct strobe_error *err = cached_file_open(o->path, 0, &f);
	bool same = !err && !strcmp(f.hex, o->hex);
	if (!same) { /* another file, or none: a process may have another root */
		if (!err)
			cached_file_close(&f);
		error_destroy(err);
		TRY(cached_file_open(o->path, o->pid, &f));
	}
	if (!same && strcmp(f.hex, o->hex))
		err = error_create(ERROR_NOT_FOUND, "%s has been replaced since it was recorded", o->path);
	else
		err = buildid_cache_add(dir, o->hex, f.path);
	if (!err)
		err = put_file(dir, &f, copied);
	if (err)
		error_destroy(buildid_cache_remove(dir, o->hex));
	else
		err = buildid_cache_put_bytes(dir, o->hex, MARK, "", 0);
	cached_file_close(&f);
	return err;
}

static bool is_there(const char *dir, const char *hex)
{
	_cleanup_free_ char *elf = buildid_cache_path(dir, hex, "elf"), *symbols = buildid_cache_path(dir, hex, BUILDID_CACHE_SYMBOLS);
	return !elf || !access(elf, F_OK) || !access(symbols, F_OK);
}

void record_objects_keep(struct record_objects *o, const char *dir)
{
	uint64_t copied = 0;
	bool added = false;
	if (!o->all)
		mark_sampled(o);
	for (size_t i = 0; i < o->list.len; i++) {
		const struct record_object *object = &o->list.data[i];
		if (!(o->all || object->sampled) || is_there(dir, object->hex) || !buildid_cache_is_safe(object->path))
			continue;
		struct strobe_error *err = keep(dir, object, &copied);
		if (err)
			log_info("not added to the build ID cache: %s", err->message);
		else
			added = true;
		error_destroy(err);
	}
	if (added)
		limit_cache(dir);
}
