#include "rewrite/mmap_ids.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/u64map.h"

#define RECORD_BYTES_MAX   65536
#define MISC_MMAP_BUILD_ID (1u << 14)

struct mmap_ids {
	struct resolver *resolver;
	const struct env *env;
	struct build_ids *ids;
	struct u64map hit; /* by key_of() */
	bool drops_unused;
	char buffer[RECORD_BYTES_MAX];
};

struct mmap_ids *mmap_ids_create(struct resolver *r, const struct env *env, struct build_ids *ids)
{
	struct mmap_ids *m = xcalloc(1, sizeof(*m));
	m->resolver = r;
	m->env = env;
	m->ids = ids;
	return m;
}

void mmap_ids_destroy(struct mmap_ids *m)
{
	if (!m)
		return;
	u64map_deinit(&m->hit);
	free(m);
}

/*
 * A mapping's start may have been cut off by a later one, and children inherit mappings without records: the key is the file and the
 * address of its first byte.
 */
static uint64_t key_of(const struct mapped_file *file, uint64_t start, uint64_t pgoff)
{
	uint64_t words[] = { file->id, start - pgoff };
	return hash_u64s(words, 2, 0);
}

static void mark(void *ctx, const struct map *map)
{
	struct mmap_ids *m = ctx;
	*u64map_put(&m->hit, key_of(map->file, map->start, map->pgoff), NULL) = 1;
}

struct strobe_error *mmap_ids_drop_unused(struct mmap_ids *m, struct record_source *source)
{
	for (size_t i = 0; i < m->env->events.len; i++)
		if (m->env->events.data[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			return NULL;
	for (;;) {
		struct record r;
		bool end;
		TRY(source_next(source, &r, &end));
		if (end)
			break;
		build_ids_each_map(m->ids, r, mark, m);
	}
	m->drops_unused = true;
	return NULL;
}

/* The body of an MMAP2 record up to the name. */
struct mmap2_body {
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	uint8_t build_id_len, reserved[3], build_id[RECORD_BUILD_ID_MAX];
	uint32_t prot, flags;
};

/* Returns the record's size; 0 if it would be too large. */
static size_t write_mmap2(struct mmap_ids *m, struct record r, const struct record_mmap *map, const uint8_t *id, uint8_t id_len)
{
	struct perf_event_header hdr = { .type = PERF_RECORD_MMAP2, .misc = r.hdr->misc | MISC_MMAP_BUILD_ID };
	struct mmap2_body body = {
		.pid = map->pid, .tid = map->tid, .start = map->start, .len = map->len, .pgoff = map->pgoff,
		.build_id_len = id_len, .prot = map->prot, .flags = map->flags,
	};
	size_t name = (strlen(map->filename) + 8) & ~(size_t)7, tail = env_tail_layout(m->env)->tail_bytes;
	size_t bytes = sizeof(hdr) + sizeof(body) + name + tail;
	if (bytes > UINT16_MAX || tail > r.hdr->size)
		return 0;
	if (!map->is_mmap2) {
		body.prot = map->is_data ? PROT_READ : PROT_READ | PROT_EXEC;
		body.flags = MAP_PRIVATE;
	}
	memcpy(body.build_id, id, id_len);
	hdr.size = (uint16_t)bytes;
	memset(m->buffer, 0, bytes);
	memcpy(m->buffer, &hdr, sizeof(hdr));
	memcpy(m->buffer + sizeof(hdr), &body, sizeof(body));
	strcpy(m->buffer + sizeof(hdr) + sizeof(body), map->filename);
	memcpy(m->buffer + bytes - tail, (const char *)r.hdr + r.hdr->size - tail, tail);
	return bytes;
}

bool mmap_ids_record(struct mmap_ids *m, struct record *r)
{
	struct record_mmap map;
	uint8_t id[RECORD_BUILD_ID_MAX];
	if ((r->hdr->type != PERF_RECORD_MMAP && r->hdr->type != PERF_RECORD_MMAP2) || !record_decode_mmap(*r, &map))
		return true;
	const struct mapped_file *file = machine_file_of(resolver_machine(m->resolver), *r);
	uint64_t pgoff = file->kind == MAPPED_VDSO ? 0 : map.pgoff;
	if (m->drops_unused && !u64map_get(&m->hit, key_of(file, map.start, pgoff)))
		return false;
	uint8_t n = map.build_id_len ? 0 : build_ids_of(m->ids, file, id);
	if (n && write_mmap2(m, *r, &map, id, n))
		r->hdr = (const struct perf_event_header *)m->buffer;
	return true;
}
