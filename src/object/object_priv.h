/* What the files of object/ share. */
#pragma once
#include <pthread.h>

#include "base/arena.h"
#include "base/filemap.h"
#include "base/vector.h"
#include "object/object.h"

/* A section whose content is not what lies in the file: inflated, relocated, or both. */
struct object_inflated {
	const struct object_section *section;
	pthread_mutex_t lock; /* of what follows: several sections are made at once */
	const void *data;     /* NULL: not yet, or not possible */
	size_t bytes;
	void *made;           /* ours to free, or NULL where it is mapped: */
	struct filemap kept;
};

struct object {
	struct filemap map; /* empty where the bytes are borrowed or unpacked */
	void *unpacked;     /* or NULL */
	const uint8_t *data;
	size_t bytes;
	char *name;
	struct object_header header;
	struct object_section *sections;
	size_t sections_nr;
	struct object_segment *segments;
	size_t segments_nr;
	bool without_code; /* a file of debug information, or of symbols alone */
	pthread_mutex_t lock; /* of inflated */
	VEC(struct object_inflated *) inflated;
};

/* n bytes at offset, or NULL where they are not inside. */
static inline const uint8_t *object_range(const struct object *o, uint64_t offset, uint64_t n)
{
	return offset <= o->bytes && n <= o->bytes - offset ? o->data + offset : NULL;
}

/* Gives the sections of an ET_REL file their addresses; see object_section.addr. */
void object_lay_out(struct object *o);
/* Whether the content of a section (one that is not loaded) is only right once its relocations are applied. */
bool object_has_relocations(const struct object *o, const struct object_section *s);
/* Applies them to a copy of the content. What points outside is skipped. */
void object_relocate(const struct object *o, const struct object_section *s, void *data, size_t bytes);

void object_drop_content(struct object_inflated *of);

/* ---- section_cache.c ---- */
/* What a section of a file on disk held when it was inflated, kept by the user's cache: false where it is not there. */
bool section_cache_map(const struct object *o, const struct object_section *s, uint64_t bytes, struct object_inflated *to);
/* Keeps what was inflated, where that took long enough. */
void section_cache_save(const struct object *o, const struct object_section *s, const void *data, size_t bytes);
