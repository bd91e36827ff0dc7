#include "heap/region.h"

#include <string.h>

static bool check_table(const struct heap_region *r, const struct alloc_table *t, size_t element, uint32_t *ret_nr)
{
	*ret_nr = t->nr < t->most ? t->nr : t->most;
	return t->at % 8 == 0 && t->at <= r->bytes_nr && (uint64_t)t->most * element <= r->bytes_nr - t->at;
}

struct strobe_error *heap_region_open(struct heap_region *r, const void *bytes, size_t n, const char *name)
{
	*r = (struct heap_region){ .bytes = bytes, .bytes_nr = n };
	struct alloc_header *h = &r->header;
	if (n < sizeof(*h) || memcmp(bytes, ALLOC_MAGIC, sizeof(h->magic)))
		return error_create(ERROR_FORMAT, "%s: not a region of libstrobe_alloc.so", name);
	memcpy(h, bytes, sizeof(*h));
	if (h->version != ALLOC_VERSION || h->header_bytes != sizeof(*h))
		return error_create(ERROR_FORMAT, "%s: it was recorded by the libstrobe_alloc.so of another version of strobe", name);
	h->program[sizeof(h->program) - 1] = 0;
	if (!check_table(r, &h->entries, sizeof(struct alloc_entry), &r->entries_nr) ||
	    !check_table(r, &h->frames, sizeof(uint64_t), &r->frames_nr) ||
	    !check_table(r, &h->modules, sizeof(struct alloc_module), &r->modules_nr) ||
	    !check_table(r, &h->points, sizeof(struct alloc_point), &r->points_nr) ||
	    !check_table(r, &h->leaves, sizeof(struct alloc_leaf), &r->leaves_nr) || h->objects_shift > 32)
		return error_create(ERROR_FORMAT, "%s: the region of libstrobe_alloc.so is damaged", name);
	return NULL;
}

static const void *element(const struct heap_region *r, const struct alloc_table *t, uint32_t n, size_t bytes)
{
	return r->bytes + t->at + (size_t)n * bytes;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* The number of objects, which estimates have in fractions. */
static uint64_t objects(const struct heap_region *r, uint64_t n)
{
	unsigned shift = r->header.objects_shift;
	return shift ? (n + ((uint64_t)1 << (shift - 1))) >> shift : n;
}

static struct heap_counts counts_of(const struct heap_region *r, const struct alloc_entry *e)
{
	struct heap_counts c = {
		.alloc_objects = objects(r, e->allocs),
		.alloc_bytes = e->alloc_bytes,
		.in_use_objects = objects(r, less(e->allocs, e->frees)),
		.in_use_bytes = less(e->alloc_bytes, e->free_bytes),
		.short_objects = objects(r, e->short_objects),
		.short_bytes = e->short_bytes,
		.alloc_variance = e->alloc_variance > 0 ? e->alloc_variance : 0,
		.in_use_variance = e->alloc_variance > e->free_variance ? e->alloc_variance - e->free_variance : 0,
	};
	bool changed = e->generation == r->header.generation;
	c.peak_objects = changed ? objects(r, e->peak_objects) : c.in_use_objects;
	c.peak_bytes = changed ? e->peak_bytes : c.in_use_bytes;
	return c;
}

bool heap_region_entry(const struct heap_region *r, uint32_t n, struct heap_entry *ret)
{
	struct alloc_entry e;
	if (n >= r->entries_nr)
		return false;
	memcpy(&e, element(r, &r->header.entries, n, sizeof(e)), sizeof(e));
	if (e.state != ALLOC_ENTRY_WHOLE || e.frames > r->frames_nr || e.depth > r->frames_nr - e.frames)
		return false;
	*ret = (struct heap_entry){
		.counts = counts_of(r, &e),
		.frames = (const uint64_t *)element(r, &r->header.frames, (uint32_t)e.frames, sizeof(uint64_t)),
		.depth = e.depth,
		.modules_nr = e.modules < r->modules_nr ? e.modules : r->modules_nr,
		.size_class = e.size_class,
	};
	return true;
}

bool heap_region_module(const struct heap_region *r, uint32_t n, struct alloc_module *ret)
{
	if (n >= r->modules_nr)
		return false;
	memcpy(ret, element(r, &r->header.modules, n, sizeof(*ret)), sizeof(*ret));
	ret->path[sizeof(ret->path) - 1] = 0;
	return ret->start < ret->end && ret->build_id_bytes <= sizeof(ret->build_id);
}

uint32_t heap_region_find_module(const struct heap_region *r, uint32_t modules_nr, uint64_t address)
{
	for (uint32_t i = modules_nr < r->modules_nr ? modules_nr : r->modules_nr; i--;) {
		const struct alloc_module *m = element(r, &r->header.modules, i, sizeof(*m));
		if (address >= m->start && address < m->end)
			return i;
	}
	return UINT32_MAX;
}

struct alloc_point heap_region_point(const struct heap_region *r, uint32_t n)
{
	struct alloc_point p = {};
	if (n < r->points_nr)
		memcpy(&p, element(r, &r->header.points, n, sizeof(p)), sizeof(p));
	return p;
}

struct alloc_leaf heap_region_leaf(const struct heap_region *r, uint32_t n)
{
	struct alloc_leaf l = {};
	if (n < r->leaves_nr)
		memcpy(&l, element(r, &r->header.leaves, n, sizeof(l)), sizeof(l));
	return l;
}

void heap_counts_add(struct heap_counts *a, const struct heap_counts *b)
{
	a->alloc_objects += b->alloc_objects;
	a->alloc_bytes += b->alloc_bytes;
	a->in_use_objects += b->in_use_objects;
	a->in_use_bytes += b->in_use_bytes;
	a->peak_objects += b->peak_objects;
	a->peak_bytes += b->peak_bytes;
	a->short_objects += b->short_objects;
	a->short_bytes += b->short_bytes;
	a->alloc_variance += b->alloc_variance;
	a->in_use_variance += b->in_use_variance;
}
