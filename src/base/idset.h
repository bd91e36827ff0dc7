/*
 * The index of interning tables: finds the ID of an element that the caller stores in an array.
 *
 * A slot holds 32 bits of hash and id + 1; the caller's eq() compares the key with its element. IDs are chosen by the caller,
 * normally 0, 1, 2 …; elements cannot be removed. A zeroed set is empty and valid.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDSET_NONE UINT32_MAX

struct idset {
	uint64_t *slots;
	uint32_t mask; /* slots - 1, or 0 when nothing is allocated */
	uint32_t used;
};

typedef bool (*idset_eq_fn)(const void *table, uint32_t id, const void *key);

void idset_deinit(struct idset *s);
/* Empties it for reuse with a similar size: keeps its memory unless that is far too much. */
void idset_clear(struct idset *s);
void idset_grow(struct idset *s);
/* Makes room for n elements at once. */
void idset_reserve(struct idset *s, uint32_t n);

/* The id whose element equals key, or IDSET_NONE. Inline, so that eq is inlined too. */
static inline uint32_t idset_find(const struct idset *s, uint64_t hash, idset_eq_fn eq, const void *table, const void *key)
{
	if (!s->slots)
		return IDSET_NONE;
	uint32_t tag = (uint32_t)(hash >> 32);
	for (uint32_t i = tag & s->mask;; i = (i + 1) & s->mask) {
		uint64_t slot = s->slots[i];
		if (!slot)
			return IDSET_NONE;
		if ((uint32_t)(slot >> 32) == tag && eq(table, (uint32_t)slot - 1, key))
			return (uint32_t)slot - 1;
	}
}

/*
 * Adds id under hash; it must not be there yet. The high 32 bits of the hash are stored and also select the slot, so that the
 * table can grow without recomputing hashes.
 */
void idset_insert(struct idset *s, uint64_t hash, uint32_t id);

/*
 * The ID whose element equals key. If there is none, it is next, which is added here and by the caller:
 *
 *	name_id id = idset_intern(&t->index, hash, name_eq, t, name, t->names.len);
 *	if (id == t->names.len)
 *		vec_push(&t->names, *name);
 */
static inline uint32_t idset_intern(struct idset *s, uint64_t hash, idset_eq_fn eq, const void *table, const void *key, size_t next)
{
	uint32_t id = idset_find(s, hash, eq, table, key);
	if (id != IDSET_NONE)
		return id;
	idset_insert(s, hash, (uint32_t)next);
	return (uint32_t)next;
}
