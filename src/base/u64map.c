#include "base/u64map.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

void u64map_deinit(struct u64map *m)
{
	free(m->slots);
	*m = (struct u64map){ 0 };
}

/* The slot of key, or the empty slot where it would go. */
static size_t find_slot(const struct u64map *m, uint64_t key)
{
	size_t i = hash_u64(key) & m->mask;
	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return i;
}

uint64_t *u64map_get(const struct u64map *m, uint64_t key)
{
	if (!m->slots)
		return NULL;
	struct u64map_slot *slot = &m->slots[find_slot(m, key)];
	return slot->used ? &slot->value : NULL;
}

static void grow(struct u64map *m)
{
	struct u64map old = *m;
	size_t slots = old.slots ? (old.mask + 1) * 2 : 16;
	m->slots = xcalloc_hashed(slots, sizeof(*m->slots));
	m->mask = slots - 1;
	if (old.slots)
		for (size_t i = 0; i <= old.mask; i++)
			if (old.slots[i].used)
				m->slots[find_slot(m, old.slots[i].key)] = old.slots[i];
	free(old.slots);
}

uint64_t *u64map_put(struct u64map *m, uint64_t key, bool *ret_new)
{
	if (!m->slots || m->used >= (m->mask + 1) / 2)
		grow(m);
	struct u64map_slot *slot = &m->slots[find_slot(m, key)];
	if (ret_new)
		*ret_new = !slot->used;
	if (!slot->used) {
		*slot = (struct u64map_slot){ .key = key, .used = true };
		m->used++;
	}
	return &slot->value;
}

void u64map_remove(struct u64map *m, uint64_t key)
{
	if (!m->slots)
		return;
	size_t hole = find_slot(m, key);
	if (!m->slots[hole].used)
		return;
	m->used--;
	/* Later members of the cluster move up where their home allows it, so that no tombstones are needed. */
	for (size_t i = (hole + 1) & m->mask; m->slots[i].used; i = (i + 1) & m->mask) {
		size_t home = hash_u64(m->slots[i].key) & m->mask;
		if (((i - home) & m->mask) >= ((i - hole) & m->mask)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole] = (struct u64map_slot){ 0 };
}
