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

/* So many that a program can always put one there which it requests. */
#define FILES_MAX (UNWIND_FILES - 1024)

struct unwind_maps {
	const struct sys *sys;
	uint32_t *words; /* the chunks one after the other, and room for all that there may be */
	unsigned chunks_nr;
	uint32_t used; /* of words */
	int chunks_fd, files_fd;
	struct code_rules rules;
	VEC(struct unwind_file_key) files; /* FILES_MAX at most, which are then a ring */
	size_t oldest;                     /* of files */
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
	void *rules;
	TRY(bpf_map_memory(loaded, "rules", UNWIND_RULES * sizeof(struct unwind_code_rule), &rules));
	struct unwind_maps *m = xcalloc(1, sizeof(*m));
	m->sys = sys;
	m->chunks_fd = bpf_map_of(loaded, "chunks");
	m->files_fd = bpf_map_of(loaded, "files");
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
	vec_deinit(&m->files);
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

/* When there are too many, the one that was requested first is removed; it is requested again where it is still mapped. */
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
