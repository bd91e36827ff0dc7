#include "bpf/unwind/unwind_maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vector.h"
#include "bpf/load/kernel.h"
#include "bpf/unwind/code_rows.h"

#define CHUNK_BYTES ((size_t)UNWIND_CHUNK_WORDS * sizeof(uint32_t))

/* Where the mappings of a process are. */
struct place {
	uint32_t pid, first, nr;
};

struct unwind_maps {
	const struct sys *sys;
	uint32_t *words; /* the chunks one after the other, and room for all that there may be */
	unsigned chunks_nr;
	uint32_t used; /* of words */
	int chunks_fd, processes_fd;
	struct code_rules rules;
	struct unwind_mapping *mappings;
	uint32_t next; /* of mappings */
	VEC(struct place) places;
};

static struct strobe_error *map_chunk(struct unwind_maps *m, int fd)
{
	uint32_t *at = m->words + (size_t)m->chunks_nr * UNWIND_CHUNK_WORDS;
	if (mmap(at, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		return error_errno(errno, "cannot map a BPF map");
	m->chunks_nr++;
	return NULL;
}

/* A table may lie in two chunks, and is one array here. */
static struct strobe_error *map_words(struct unwind_maps *m, int first_fd)
{
	void *room = mmap(NULL, UNWIND_CHUNKS * CHUNK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return error_errno(errno, "no room for tables for unwinding");
	m->words = room;
	return map_chunk(m, first_fd);
}

struct strobe_error *unwind_maps_create(const struct sys *sys, struct bpf_loaded *loaded, struct unwind_maps **ret)
{
	void *rules, *mappings;
	TRY(bpf_map_memory(loaded, "rules", UNWIND_RULES * sizeof(struct unwind_code_rule), &rules));
	TRY(bpf_map_memory(loaded, "mappings", UNWIND_MAPPINGS * sizeof(struct unwind_mapping), &mappings));
	struct unwind_maps *m = xcalloc(1, sizeof(*m));
	m->sys = sys;
	m->mappings = mappings;
	m->chunks_fd = bpf_map_of(loaded, "chunks");
	m->processes_fd = bpf_map_of(loaded, "processes");
	code_rules_init(&m->rules, arch_native(), rules);
	struct strobe_error *err = map_words(m, bpf_map_of(loaded, "words"));
	if (err) {
		unwind_maps_destroy(m);
		return err;
	}
	*ret = m;
	return NULL;
}

void unwind_maps_destroy(struct unwind_maps *m)
{
	if (!m)
		return;
	if (m->words)
		munmap(m->words, UNWIND_CHUNKS * CHUNK_BYTES);
	code_rules_deinit(&m->rules);
	vec_deinit(&m->places);
	free(m);
}

static struct strobe_error *add_chunk(struct unwind_maps *m)
{
	struct bpf_map_shape shape = { BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), 2 * sizeof(uint32_t), UNWIND_CHUNK_WORDS / 2,
				       BPF_F_MMAPABLE };
	uint32_t number = m->chunks_nr;
	int fd;
	if (number == UNWIND_CHUNKS)
		return error_create(ERROR_LIMIT, "tables for unwinding need more than %zu MB",
				    UNWIND_CHUNKS * CHUNK_BYTES >> 20);
	TRY(bpf_map_make(m->sys, "words", shape, &fd));
	struct strobe_error *err = bpf_map_set(m->chunks_fd, &number, &fd);
	if (!err)
		err = map_chunk(m, fd);
	close(fd); /* the map of maps holds it, and so does the mapping */
	return err;
}

struct strobe_error *unwind_maps_add_table(struct unwind_maps *m, const struct unwind_table *t, struct unwind_maps_table *ret)
{
	while (m->used + code_words_of(t) > (uint64_t)m->chunks_nr * UNWIND_CHUNK_WORDS)
		TRY(add_chunk(m));
	if (!code_rows_write(&m->rules, t, m->words + m->used))
		return error_create(ERROR_LIMIT, "more than %u rules for unwinding", UNWIND_RULES);
	uint32_t pages = m->used + t->rules_nr, rows = pages + t->pages_nr + 1;
	*ret = (struct unwind_maps_table){ .base = t->base, .pages = pages, .pages_nr = t->pages_nr, .rows = rows,
					   .pages_at = m->words + pages, .rows_at = m->words + rows };
	m->used += (uint32_t)code_words_of(t);
	return NULL;
}

static void remove_place(struct unwind_maps *m, size_t i)
{
	m->places.data[i] = vec_last(&m->places);
	m->places.len--;
}

void unwind_maps_forget_process(struct unwind_maps *m, uint32_t pid)
{
	bpf_map_unset(m->processes_fd, &pid);
	for (size_t i = m->places.len; i-- > 0;)
		if (m->places.data[i].pid == pid)
			remove_place(m, i);
}

/* Room for n that no process has. */
static uint32_t take_place(struct unwind_maps *m, uint32_t n)
{
	if (m->next + n > UNWIND_MAPPINGS)
		m->next = 0;
	uint32_t first = m->next;
	for (size_t i = m->places.len; i-- > 0;) {
		struct place p = m->places.data[i];
		if (p.first >= first + n || first >= p.first + p.nr)
			continue;
		bpf_map_unset(m->processes_fd, &p.pid);
		remove_place(m, i);
	}
	m->next += n;
	return first;
}

struct strobe_error *unwind_maps_set_process(struct unwind_maps *m, uint32_t pid, uint64_t mm, const struct unwind_mapping *list,
					     size_t n)
{
	if (n > UNWIND_MAPPINGS / 4)
		n = UNWIND_MAPPINGS / 4;
	uint32_t nr = (uint32_t)n, first = take_place(m, nr);
	if (nr)
		memcpy(m->mappings + first, list, nr * sizeof(*list));
	struct unwind_process p = { .mm = mm, .first = first, .nr = nr, .state = UNWIND_PROCESS_READY };
	TRY(bpf_map_set(m->processes_fd, &pid, &p));
	for (size_t i = m->places.len; i-- > 0;)
		if (m->places.data[i].pid == pid)
			remove_place(m, i);
	struct place place = { pid, first, nr };
	vec_push(&m->places, place);
	return NULL;
}
