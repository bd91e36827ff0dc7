#include "base/idset.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void idset_deinit(struct idset *s)
{
	free(s->slots);
	*s = (struct idset){ 0 };
}

/* Slots that a filling may leave unused and keep; clearing them costs about as much as filling a hundredth of them. */
#define SLOTS_PER_USED 64
#define SLOTS_KEPT     1024

void idset_clear(struct idset *s)
{
	if (s->slots && s->mask >= SLOTS_KEPT && s->mask / SLOTS_PER_USED > s->used) {
		idset_deinit(s);
		return;
	}
	if (s->slots)
		memset(s->slots, 0, ((size_t)s->mask + 1) * sizeof(*s->slots));
	s->used = 0;
}

static void place(uint64_t *slots, uint32_t mask, uint64_t slot)
{
	uint32_t i = (uint32_t)(slot >> 32) & mask;
	while (slots[i])
		i = (i + 1) & mask;
	slots[i] = slot;
}

static void resize(struct idset *s, uint64_t slots)
{
	uint64_t *fresh = xcalloc_hashed(slots, sizeof(*fresh));
	uint32_t mask = (uint32_t)(slots - 1);
	if (s->slots)
		for (uint64_t i = 0; i <= s->mask; i++)
			if (s->slots[i])
				place(fresh, mask, s->slots[i]);
	free(s->slots);
	s->slots = fresh;
	s->mask = mask;
}

void idset_grow(struct idset *s)
{
	resize(s, s->slots ? ((uint64_t)s->mask + 1) * 2 : 16);
}

void idset_reserve(struct idset *s, uint32_t n)
{
	uint64_t slots = s->slots ? (uint64_t)s->mask + 1 : 16;
	while (slots / 2 < n && slots < (uint64_t)1 << 32)
		slots *= 2;
	if (!s->slots || slots > (uint64_t)s->mask + 1)
		resize(s, slots);
}

void idset_insert(struct idset *s, uint64_t hash, uint32_t id)
{
	/* At most half full: probes stay short, and a look-up always meets an empty slot. */
	if (!s->slots || s->used >= s->mask / 2)
		idset_grow(s);
	place(s->slots, s->mask, (hash >> 32 << 32) | (uint64_t)(id + 1));
	s->used++;
}
