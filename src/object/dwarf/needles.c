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
#define inlined static inline __attribute__((always_inline))

/* Bit i: byte i of the block is not 0. */
typedef uint32_t bits_of_block(const needle_block *block);

inlined uint32_t bits_plain(const needle_block *block)
{
	uint64_t words[sizeof(*block) / sizeof(uint64_t)];
	uint32_t bits = 0;
	memcpy(words, block, sizeof(words));
	if (!(words[0] | words[1] | words[2] | words[3]))
		return 0;
	for (unsigned i = 0; i < sizeof(*block); i++)
		bits |= (uint32_t)((*block)[i] != 0) << i;
	return bits;
}

/* Bit i: the two bytes of any needle are at place i of the next STRIDE; the byte after them is read, too. */
inlined uint64_t leads(const struct needles *s, unsigned nr, const uint8_t *at, bits_of_block *bits)
{
	const loose_block *first = (const void *)at, *second = (const void *)(at + 1);
	needle_block a = first[0], b = first[1], after_a = second[0], after_b = second[1], hits_a = {}, hits_b = {};
	for (unsigned k = 0; k < nr; k++) {
		needle_block x = s->first[k], y = s->second[k];
		hits_a |= (needle_block)((a == x) & (after_a == y));
		hits_b |= (needle_block)((b == x) & (after_b == y));
	}
	needle_block any = hits_a | hits_b;
	if (!bits(&any))
		return 0;
	return bits(&hits_a) | (uint64_t)bits(&hits_b) << sizeof(needle_block);
}

inlined size_t find(const struct needles *s, unsigned nr, const uint8_t *at, size_t n, size_t place, bits_of_block *bits, size_t *ret_next)
{
	for (; place < n && n - place > STRIDE; place += STRIDE) {
		__builtin_prefetch(at + place + PREFETCH_BYTES);
		for (uint64_t found = leads(s, nr, at + place, bits); found; found &= found - 1) {
			size_t lead = place + (unsigned)__builtin_ctzll(found), begin = begin_at(s, at, n, lead);
			*ret_next = lead + 1;
			if (begin != SIZE_MAX)
				return begin;
		}
	}
	for (; place < n; place++) {
		size_t begin = begin_at(s, at, n, place);
		*ret_next = place + 1;
		if (begin != SIZE_MAX)
			return begin;
	}
	*ret_next = n;
	return SIZE_MAX;
}

/* For few needles, their bytes stay in registers. */
inlined size_t find_any(const struct needles *s, const uint8_t *at, size_t n, size_t from, bits_of_block *bits, size_t *ret_next)
{
	switch (s->nr) {
	case 2: return find(s, 2, at, n, from, bits, ret_next);
	case 3: return find(s, 3, at, n, from, bits, ret_next);
	default: return find(s, s->nr, at, n, from, bits, ret_next);
	}
}

#ifdef __x86_64__
/* The same code, for processors with wider registers. */
__attribute__((target("avx2"))) inlined uint32_t bits_wide(const needle_block *block)
{
	typedef char bytes __attribute__((vector_size(32)));
	return (uint32_t)__builtin_ia32_pmovmskb256((bytes)*block);
}

__attribute__((target("avx2"))) static size_t find_wide(const struct needles *s, const uint8_t *at, size_t n, size_t from,
							size_t *ret_next)
{
	return find_any(s, at, n, from, bits_wide, ret_next);
}
#endif

size_t needles_find(const struct needles *s, const uint8_t *at, size_t n, size_t from, size_t *ret_next)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return find_wide(s, at, n, from, ret_next);
#endif
	return find_any(s, at, n, from, bits_plain, ret_next);
}
