#include "resolve/chain/deferred.h"

#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "resolve/chain/chain.h"

/* The flag word after read_format; bit-fields begin at its lowest or highest bit, by byte order. */
#define FLAGS_OFFSET	(offsetof(struct perf_event_attr, read_format) + 8)
#define DEFER_CALLCHAIN 38

bool attr_is_deferred(const struct perf_event_attr *a)
{
	uint64_t flags;
	memcpy(&flags, (const char *)a + FLAGS_OFFSET, sizeof(flags));
	unsigned bit = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 63 - DEFER_CALLCHAIN : DEFER_CALLCHAIN;
	return a->sample_type & PERF_SAMPLE_CALLCHAIN && flags >> bit & 1;
}

bool deferred_in(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (attr_is_deferred(&env->events.data[i].attr))
			return true;
	return false;
}

/* A cookie identifies the time and CPU of a kernel entry. */
static uint64_t key_of(uint32_t tid, uint64_t cookie)
{
	return hash_combine(hash_u64(cookie), tid);
}

void deferred_note(struct deferred *d, const struct env *env, struct record r)
{
	struct sample_tail tail;
	const uint64_t *words = (const uint64_t *)(r.hdr + 1);
	size_t fit = (r.hdr->size - sizeof(*r.hdr)) / sizeof(*words);
	uint32_t event = env_event_of_sample(env, r);
	if (r.hdr->type != RECORD_CALLCHAIN_DEFERRED || event >= env->events.len)
		return;
	const struct sample_layout *layout = &env->events.data[event].layout;
	size_t trailer = layout->tail_bytes / sizeof(*words);
	if (fit < 2 + trailer || words[1] > fit - 2 - trailer || !sample_tail_decode(layout, r, &tail))
		return;
	*u64map_put(&d->at, key_of(tail.tid, words[0]), NULL) = d->words.len + 1;
	memcpy(vec_extend(&d->words, words[1] + 1), words + 1, (words[1] + 1) * sizeof(*words));
}

bool deferred_join(const struct deferred *d, uint32_t tid, const uint64_t *words, uint64_t words_nr, deferred_chain *to)
{
	uint64_t at = 0;
	while (at + 1 < words_nr && words[at] != CHAIN_CONTEXT_USER_DEFERRED)
		at++;
	if (at + 1 >= words_nr)
		return false;
	const uint64_t *place = u64map_get(&d->at, key_of(tid, words[at + 1]));
	if (!place)
		return false;
	const uint64_t *rest = d->words.data + *place - 1;
	uint64_t nr = *rest++;
	vec_clear(to);
	vec_reserve(to, at + nr + 1);
	memcpy(vec_extend(to, at), words, at * sizeof(*words));
	if (nr && rest[0] < PERF_CONTEXT_MAX)
		vec_push(to, (uint64_t)PERF_CONTEXT_USER);
	memcpy(vec_extend(to, nr), rest, nr * sizeof(*rest));
	return true;
}

void deferred_deinit(struct deferred *d)
{
	u64map_deinit(&d->at);
	vec_deinit(&d->words);
}
