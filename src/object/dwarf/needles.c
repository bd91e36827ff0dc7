#include "object/dwarf/needles.h"

#include <string.h>

bool needles_add(struct needles *s, const void *bytes, size_t n, size_t lead)
{
	if (s->nr == NEEDLES_MAX || n < 2 || lead > n - 2)
		return false;
	const uint8_t *b = bytes;
	s->list[s->nr] = (struct needle){ b, n, lead };
	s->first[s->nr] = (needle_block){} + b[lead];
	s->second[s->nr++] = (needle_block){} + b[lead + 1];
	return true;
}

/* The beginning of a needle whose lead is at `place`, or SIZE_MAX. */
static size_t begin_at(const struct needles *s, const uint8_t *at, size_t n, size_t place)
{
	for (unsigned k = 0; k < s->nr; k++) {
		const struct needle *needle = &s->list[k];
		bool has_lead = at[place] == s->first[k][0] && place + 1 < n && at[place + 1] == s->second[k][0];
		if (!has_lead || place < needle->lead || needle->n > n - (place - needle->lead))
			continue;
		if (!memcmp(at + place - needle->lead, needle->bytes, needle->n))
			return place - needle->lead;
	}
	return SIZE_MAX;
}

typedef needle_block loose_block __attribute__((aligned(1), may_alias));

#define PREFETCH_BYTES 2048 /* hardware prefetchers stop at the end of a page */
#define STRIDE (2 * sizeof(needle_block))

/* Whether two bytes of any needle are at one of STRIDE places; the byte after them is read, too. */
static inline __attribute__((always_inline)) bool has_lead(const struct needles *s, const uint8_t *at)
{
	const loose_block *first = (const void *)at, *second = (const void *)(at + 1);
	needle_block a = first[0], b = first[1], after_a = second[0], after_b = second[1], hits = {};
	for (unsigned k = 0; k < s->nr; k++) {
		needle_block x = s->first[k], y = s->second[k];
		hits |= (needle_block)(((a == x) & (after_a == y)) | ((b == x) & (after_b == y)));
	}
	uint64_t words[sizeof(hits) / sizeof(uint64_t)];
	memcpy(words, &hits, sizeof(words));
	return words[0] | words[1] | words[2] | words[3];
}

static inline __attribute__((always_inline)) size_t find(const struct needles *s, const uint8_t *at, size_t n, size_t place,
							 size_t *ret_next)
{
	while (place < n) {
		size_t end = n;
		if (n - place > STRIDE) {
			end = place + STRIDE;
			__builtin_prefetch(at + place + PREFETCH_BYTES);
			if (!has_lead(s, at + place)) {
				place = end;
				continue;
			}
		}
		for (; place < end; place++) {
			size_t begin = begin_at(s, at, n, place);
			if (begin != SIZE_MAX) {
				*ret_next = place + 1;
				return begin;
			}
		}
	}
	*ret_next = n;
	return SIZE_MAX;
}

#ifdef __x86_64__
/* The same code, for processors with wider registers. */
__attribute__((target("avx2"))) static size_t find_wide(const struct needles *s, const uint8_t *at, size_t n, size_t from,
							size_t *ret_next)
{
	return find(s, at, n, from, ret_next);
}
#endif

size_t needles_find(const struct needles *s, const uint8_t *at, size_t n, size_t from, size_t *ret_next)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return find_wide(s, at, n, from, ret_next);
#endif
	return find(s, at, n, from, ret_next);
}
