/*
 * Interned strings: each distinct string is stored once, with a u32 ID; ID 0 is "".
 *
 * The pointers are stable for the life of the table. Not safe for use by two threads at a time.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/idset.h"
#include "base/vector.h"

typedef uint32_t str_id;

struct strtab {
	struct arena arena;
	struct idset index;
	VEC(const char *) strings;
	VEC(uint32_t) lengths;
};

void strtab_init(struct strtab *t);
void strtab_deinit(struct strtab *t);
str_id strtab_add(struct strtab *t, const char *s);
str_id strtab_add_n(struct strtab *t, const char *s, size_t n);
/* The same without a copy: the string must live as long as the table, for example in an arena that the table's took (arena_take()). */
str_id strtab_add_borrowed(struct strtab *t, const char *s);
/* The same for a string with known length and hash_bytes(): its bytes are only compared if another has the same hash. */
str_id strtab_add_known(struct strtab *t, const char *s, size_t n, uint64_t hash);
/* So many strings are about to be added: room is made for all of them at once. */
void strtab_expect(struct strtab *t, uint32_t more);
/* The ID; IDSET_NONE: never added. */
str_id strtab_find(const struct strtab *t, const char *s);

static inline const char *strtab_get(const struct strtab *t, str_id id)
{
	return t->strings.data[id];
}

static inline size_t strtab_length(const struct strtab *t, str_id id)
{
	return t->lengths.data[id];
}
