#include "heap/attach.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "heap/leaks.h"
#include "heap/stopped.h"
#include "sys/process_memory.h"

#define REGION_MOST ((uint64_t)1 << 32)

/* The start of the region; 0: none. */
static uint64_t find_region(const struct stopped *s)
{
	for (size_t i = 0; i < s->maps.len; i++)
		if (text_has_prefix(s->maps.data[i].path, "/memfd:" ALLOC_MEMFD_NAME) && s->maps.data[i].is_shared)
			return s->maps.data[i].start;
	return 0;
}

static void copy_table(struct heap_copy *c, const struct alloc_table *t, size_t element)
{
	uint64_t bytes = (uint64_t)(t->nr < t->most ? t->nr : t->most) * element;
	if (t->at <= c->header.bytes && bytes <= c->header.bytes - t->at)
		process_read(c->pid, c->address + t->at, c->bytes + t->at, bytes);
}

static struct strobe_error *copy_region(struct heap_copy *c)
{
	struct alloc_header *h = &c->header;
	if (process_read(c->pid, c->address, h, sizeof(*h)) != sizeof(*h))
		return error_errno(errno, "cannot read its memory");
	if (h->bytes < sizeof(*h) || h->bytes > REGION_MOST)
		return error_create(ERROR_FORMAT, "the region of libstrobe_alloc.so is damaged");
	c->bytes = mmap(NULL, h->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (c->bytes == MAP_FAILED) {
		c->bytes = NULL;
		return error_errno(errno, "cannot map %llu bytes", (unsigned long long)h->bytes);
	}
	memcpy(c->bytes, h, sizeof(*h));
	copy_table(c, &h->points, sizeof(struct alloc_point));
	copy_table(c, &h->leaves, sizeof(struct alloc_leaf));
	copy_table(c, &h->modules, sizeof(struct alloc_module));
	copy_table(c, &h->entries, sizeof(struct alloc_entry));
	copy_table(c, &h->frames, sizeof(uint64_t));
	return NULL;
}

struct strobe_error *heap_copy(struct heap_copy *c, uint32_t pid)
{
	struct stopped process = {};
	*c = (struct heap_copy){ .pid = (pid_t)pid };
	struct strobe_error *err = process_maps(c->pid, &process);
	if (!err && !(c->address = find_region(&process)))
		err = error_create(ERROR_NOT_FOUND, "libstrobe_alloc.so is not loaded, or has nothing to count yet: start it with "
				   "strobe heap, or with LD_PRELOAD=" ALLOC_LIBRARY);
	process_maps_deinit(&process);
	if (!err)
		err = copy_region(c);
	if (!err)
		err = heap_region_open(&c->region, c->bytes, c->header.bytes, "its region");
	return error_prefix(err, "process %u", pid);
}

void heap_copy_deinit(struct heap_copy *c)
{
	if (c->bytes)
		munmap(c->bytes, c->header.bytes);
	c->bytes = NULL;
}

struct strobe_error *heap_attach(struct heap *heap, uint32_t pid, bool leaks)
{
	static const struct heap_leaks_options all;
	struct heap_copy copy;
	struct heap_leaks found = {};
	struct strobe_error *err = heap_copy(&copy, pid);
	if (!err && leaks)
		err = error_prefix(heap_leaks_find(pid, &copy.region, &all, &found), "process %u", pid);
	if (!err)
		heap_add(heap, &copy.region, pid, leaks ? &found : NULL);
	heap_leaks_deinit(&found);
	heap_copy_deinit(&copy);
	return err;
}
