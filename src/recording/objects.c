#include "recording/objects.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/log.h"
#include "object/buildid_cache.h"
#include "recording/walked_stacks.h"
#include "sys/process_files.h"

/*
 * Larger than the processor's pages, for fewer entries, since each process has its code at other addresses. A file next to a sampled
 * one may be kept, too, which is harmless.
 */
#define OBJECT_PAGE_BITS 16
/* The number of pages before a look-up in mappings. A system-wide recording of builds samples hundreds of new pages per second. */
#define PAGES_MAX 8192

void record_objects_init(struct record_objects *o, const struct perf_event_attr *attr, enum record_objects_of of, const char *dir)
{
	*o = (struct record_objects){ .on = true, .of = of, .kept = { .dir = dir } };
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
	u64map_deinit(&o->before);
	arena_deinit(&o->arena);
	*o = (struct record_objects){};
}

/* ---- sampled files ---- */

static int compare_pages(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

typedef VEC(uint64_t) page_list;

static void add_pages(const struct u64map *from, page_list *ret)
{
	for (size_t i = 0; from->slots && i <= from->mask; i++)
		if (from->slots[i].used)
			vec_push(ret, from->slots[i].key);
}

/* For mappings of any process: another process rarely has a different file there, and keeping that is harmless. */
static void mark_sampled(struct record_objects *o)
{
	page_list pages = {};
	add_pages(&o->pages, &pages);
	add_pages(&o->before, &pages);
	if (pages.len)
		qsort(pages.data, pages.len, sizeof(*pages.data), compare_pages);
	for (size_t i = 0; i < o->mappings.len; i++) {
		const struct record_mapping *m = &o->mappings.data[i];
		size_t first = vec_search(&pages, page, *page < m->start >> OBJECT_PAGE_BITS);
		if (first < pages.len && pages.data[first] <= (m->end - 1) >> OBJECT_PAGE_BITS)
			o->list.data[m->object].sampled = true;
	}
	vec_deinit(&pages);
}

/*
 * Drops pages whose file is known, and its mappings. A sample may arrive from another CPU before the mapping that contains it: other
 * pages are kept until the same number of further ones has been seen.
 */
static void settle(struct record_objects *o)
{
	size_t kept = 0;
	mark_sampled(o);
	for (size_t i = 0; i < o->mappings.len; i++)
		if (!o->list.data[o->mappings.data[i].object].sampled)
			o->mappings.data[kept++] = o->mappings.data[i];
	o->mappings.len = kept;
	u64map_deinit(&o->before);
	o->before = o->pages;
	o->pages = (struct u64map){};
	memset(o->latest, 0, sizeof(o->latest));
}

/* ---- records ---- */

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

/* Files of a process with another root (a container) may be gone before the end. */
static void keep_foreign(struct record_objects *o, const struct record_object *object)
{
	if (o->of == OBJECTS_ALL && process_has_own_files(object->pid))
		error_destroy(kept_files_add(&o->kept, object->hex, object->path, object->pid));
}

void record_objects_add(struct record_objects *o, const uint8_t *build_id, size_t build_id_len, const char *path, uint32_t pid)
{
	char hex[BUILDID_HEX_MAX];
	if (!build_id_len || *path != '/')
		return;
	buildid_hex(build_id, build_id_len, hex);
	uint32_t added = add_object(o, &(struct record_object){ .hex = hex, .path = path, .pid = pid });
	o->list.data[added].sampled = true;
}

static void note_mapping(struct record_objects *o, struct record r)
{
	struct record_mmap m;
	char hex[BUILDID_HEX_MAX];
	if (!record_decode_mmap(r, &m) || !m.build_id_len || m.is_data || !(m.prot & PROT_EXEC) || *m.filename != '/')
		return;
	buildid_hex(m.build_id, m.build_id_len, hex);
	struct record_object object = { .hex = hex, .path = m.filename, .pid = m.pid };
	size_t known = o->list.len;
	struct record_mapping mapping = { m.start, m.start + m.len, add_object(o, &object) };
	if (mapping.object >= known)
		keep_foreign(o, &object);
	if (!o->list.data[mapping.object].sampled)
		vec_push(&o->mappings, mapping);
}

static void note_sample(struct record_objects *o, const struct perf_event_header *h)
{
	uint64_t ip;
	if (h->size < o->ip_offset + sizeof(ip))
		return;
	memcpy(&ip, (const char *)h + o->ip_offset, sizeof(ip));
	uint64_t page = ip >> OBJECT_PAGE_BITS, *latest = &o->latest[page % RECORD_LATEST_PAGES];
	if (page == *latest)
		return;
	*latest = page;
	(void)u64map_put(&o->pages, page, NULL);
	if (o->pages.used >= PAGES_MAX)
		settle(o);
}

static struct strobe_error *note_records(struct record_sink *sink, const void *records, size_t bytes)
{
	struct record_objects *o = (struct record_objects *)sink;
	const char *at = records, *end = at + bytes;
	while ((size_t)(end - at) >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *h = (const void *)at;
		if (h->size < sizeof(*h) || h->size > (size_t)(end - at))
			break;
		bool in_user = (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
		if (o->of == OBJECTS_SAMPLED && h->type == PERF_RECORD_SAMPLE && in_user)
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
	return o->on && o->of != OBJECTS_ADDED ? &o->sink : to;
}

void record_objects_merge(struct record_objects *o, const struct record_objects *from)
{
	for (size_t i = 0; i < from->mappings.len; i++) {
		struct record_mapping m = from->mappings.data[i];
		m.object = add_object(o, &from->list.data[m.object]);
		vec_push(&o->mappings, m);
	}
	for (size_t i = 0; i < from->list.len; i++)
		if (from->list.data[i].sampled)
			o->list.data[add_object(o, &from->list.data[i])].sampled = true;
	o->kept.any_added |= from->kept.any_added;
	o->kept.copied += from->kept.copied;
	o->kept.added += from->kept.added;
	page_list pages = {};
	add_pages(&from->pages, &pages);
	add_pages(&from->before, &pages);
	for (size_t i = 0; i < pages.len; i++)
		(void)u64map_put(&o->pages, pages.data[i], NULL);
	vec_deinit(&pages);
}

/* ---- the cache ---- */

/* If its path does not lead to it any more, the unwinder may have it open. */
static struct strobe_error *keep_one(struct kept_files *kept, const struct record_object *object, struct walked_stacks *stacks)
{
	struct strobe_error *err = kept_files_add(kept, object->hex, object->path, object->pid);
	struct object *open = err ? walked_stacks_object(stacks, object->hex) : NULL;
	if (!open)
		return err;
	error_destroy(err);
	return kept_files_add_open(kept, object->hex, object->path, open);
}

void record_objects_keep(struct record_objects *o, struct walked_stacks *stacks)
{
	if (o->of == OBJECTS_SAMPLED)
		mark_sampled(o);
	for (size_t i = 0; i < o->list.len; i++) {
		const struct record_object *object = &o->list.data[i];
		if (!(o->of == OBJECTS_ALL || object->sampled))
			continue;
		struct strobe_error *err = keep_one(&o->kept, object, stacks);
		if (err)
			log_info("not added to the build ID cache: %s", err->message);
		error_destroy(err);
	}
	kept_files_limit(&o->kept, KEPT_FILES_BYTES_MAX);
}
