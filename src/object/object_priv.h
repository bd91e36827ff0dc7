/* Shared by the files of object/. */
#pragma once
#include <pthread.h>

#include "base/arena.h"
#include "base/filemap.h"
#include "base/vector.h"
#include "object/object.h"

/* A section whose content is decompressed, relocated, or both. */
struct object_inflated {
	const struct object_section *section;
	pthread_mutex_t lock; /* protects the fields below: several sections may be made at once */
	const void *data;     /* NULL: not made yet, or impossible */
	size_t bytes;
	void *made;           /* to be freed, or NULL if mapped: */
	struct filemap kept;
};

struct object {
	struct filemap map; /* empty if the bytes are borrowed or decompressed */
	void *unpacked;     /* or NULL */
	const uint8_t *data;
	size_t bytes;
	char *name;
	struct object_header header;
	struct object_section *sections;
	size_t sections_nr;
	struct object_segment *segments;
	size_t segments_nr;
	bool without_code; /* a file with only debug information or symbols */
	pthread_mutex_t lock; /* of inflated */
	VEC(struct object_inflated *) inflated;
};

/* n bytes at offset, or NULL if they are not inside. */
static inline const uint8_t *object_range(const struct object *o, uint64_t offset, uint64_t n)
{
	return offset <= o->bytes && n <= o->bytes - offset ? o->data + offset : NULL;
}

/* Assigns addresses to the sections of an ET_REL file; see object_section.addr. */
void object_lay_out(struct object *o);
/* Whether the content of a section that is not loaded needs relocation. */
bool object_has_relocations(const struct object *o, const struct object_section *s);
/* Applies relocations to a copy of the content. Those outside of it are skipped. */
void object_relocate(const struct object *o, const struct object_section *s, void *data, size_t bytes);

void object_drop_content(struct object_inflated *of);

/* ---- section_cache.c ---- */
/* The decompressed content of a section from the user's cache; false: not cached. */
bool section_cache_map(const struct object *o, const struct object_section *s, uint64_t bytes, struct object_inflated *to);
/* Stores decompressed content in the cache if decompression took long. */
void section_cache_save(const struct object *o, const struct object_section *s, const void *data, size_t bytes);
