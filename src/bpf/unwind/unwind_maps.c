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
#define RULES_BYTES (UNWIND_RULES * sizeof(struct unwind_code_rule))

/* The maximum number of files; the map has room for more, so that the program can always add one that it requests. */
#define FILES_MAX (UNWIND_FILES - 1024)

struct unwind_maps {
	const struct sys *sys;
	uint32_t *words; /* the chunks one after the other, and room for all that there may be */
	unsigned chunks_nr;
	uint32_t used; /* of words */
	int chunks_fd, more_rules_fd, files_fd;
	struct code_rules rules;
	uint32_t rules_room; /* number for which there is memory */
	VEC(struct unwind_file_key) files; /* FILES_MAX at most, which are then a ring */
	size_t oldest;                     /* of files */
};

/* Reserves addresses: a table that spans two chunks is one array here, and so are the rules. */
static void *reserve(size_t bytes)
{
	void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return room == MAP_FAILED ? NULL : room;
}

static struct strobe_error *map_part(void *at, size_t bytes, int fd)
{
	if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		return error_errno(errno, "cannot map a BPF map");
	return NULL;
}

static struct strobe_error *map_first_parts(struct unwind_maps *m, const struct bpf_loaded *loaded)
{
	m->words = reserve(UNWIND_CHUNKS * CHUNK_BYTES);
	m->rules.list = reserve(RULES_BYTES);
	if (!m->words || !m->rules.list)
		return error_errno(errno, "no room for tables for unwinding");
	TRY(map_part(m->words, CHUNK_BYTES, bpf_map_of(loaded, "words")));
	m->chunks_nr = 1;
	TRY(map_part(m->rules.list, UNWIND_RULES_FIRST * sizeof(*m->rules.list), bpf_map_of(loaded, "rules")));
	m->rules_room = UNWIND_RULES_FIRST;
	return NULL;
}

struct strobe_error *unwind_maps_create(const struct sys *sys, struct bpf_loaded *loaded, struct unwind_maps **ret)
{
	struct unwind_maps *m = xcalloc(1, sizeof(*m));
	m->sys = sys;
	m->chunks_fd = bpf_map_of(loaded, "chunks");
	m->more_rules_fd = bpf_map_of(loaded, "more_rules");
	m->files_fd = bpf_map_of(loaded, "files");
	struct strobe_error *err = map_first_parts(m, loaded);
	if (err) {
		unwind_maps_destroy(m);
		return err;
	}
	code_rules_init(&m->rules, arch_native(), m->rules.list);
	*ret = m;
	return NULL;
}

void unwind_maps_destroy(struct unwind_maps *m)
{
	if (!m)
		return;
	if (m->words)
		munmap(m->words, UNWIND_CHUNKS * CHUNK_BYTES);
	if (m->rules.list)
		munmap(m->rules.list, RULES_BYTES);
	code_rules_deinit(&m->rules);
	vec_deinit(&m->files);
	free(m);
}

/* A part after the first, which is a map of its own in the map of parts. */
static struct strobe_error *add_part(const struct unwind_maps *m, const char *name, struct bpf_map_shape shape, int parts_fd,
				     uint32_t number, void *at)
{
	int fd;
	TRY(bpf_map_make(m->sys, name, shape, &fd));
	struct strobe_error *err = bpf_map_set(parts_fd, &number, &fd);
	if (!err)
		err = map_part(at, (size_t)shape.entries * shape.value_bytes, fd);
	close(fd); /* the map of maps and the mapping keep a reference */
	return err;
}

static struct strobe_error *add_chunk(struct unwind_maps *m)
{
	static const struct bpf_map_shape shape = { BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), 2 * sizeof(uint32_t), UNWIND_CHUNK_WORDS / 2,
						    BPF_F_MMAPABLE };
	uint32_t number = m->chunks_nr;
	if (number == UNWIND_CHUNKS)
		return error_create(ERROR_LIMIT, "tables for unwinding need more than %zu MB",
				    UNWIND_CHUNKS * CHUNK_BYTES >> 20);
	TRY(add_part(m, "words", shape, m->chunks_fd, number, m->words + (size_t)number * UNWIND_CHUNK_WORDS));
	m->chunks_nr++;
	return NULL;
}

static struct strobe_error *add_rules(struct unwind_maps *m)
{
	static const struct bpf_map_shape shape = { BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(struct unwind_code_rule),
						    UNWIND_RULES_FIRST, BPF_F_MMAPABLE };
	TRY(add_part(m, "rules", shape, m->more_rules_fd, m->rules_room / UNWIND_RULES_FIRST, m->rules.list + m->rules_room));
	m->rules_room += UNWIND_RULES_FIRST;
	return NULL;
}

struct strobe_error *unwind_maps_add_table(struct unwind_maps *m, const struct unwind_table *t, struct unwind_maps_table *ret)
{
	while (m->used + code_words_of(t) > (uint64_t)m->chunks_nr * UNWIND_CHUNK_WORDS)
		TRY(add_chunk(m));
	while (m->rules_room < UNWIND_RULES && m->rules.nr + t->rules_nr > m->rules_room)
		TRY(add_rules(m));
	if (!code_rows_write(&m->rules, t, m->words + m->used))
		return error_create(ERROR_LIMIT, "more than %u rules for unwinding", UNWIND_RULES);
	uint32_t pages = m->used + t->rules_nr, rows = pages + t->pages_nr + 1;
	*ret = (struct unwind_maps_table){ .base = t->base, .pages = pages, .pages_nr = t->pages_nr, .rows = rows,
					   .pages_at = m->words + pages, .rows_at = m->words + rows };
	m->used += (uint32_t)code_words_of(t);
	return NULL;
}

/* When there are too many, removes the one that was requested first; it is requested again if it is still mapped. */
static void note_file(struct unwind_maps *m, const struct unwind_file_key *key)
{
	if (m->files.len < FILES_MAX) {
		vec_push(&m->files, *key);
		return;
	}
	bpf_map_unset(m->files_fd, &m->files.data[m->oldest]);
	m->files.data[m->oldest] = *key;
	m->oldest = (m->oldest + 1) % FILES_MAX;
}

struct strobe_error *unwind_maps_set_file(struct unwind_maps *m, const struct unwind_file_key *key,
					  const struct unwind_file_code *code)
{
	note_file(m, key);
	return bpf_map_set(m->files_fd, key, code);
}
