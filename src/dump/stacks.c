/* Texts of whole stacks, by their raw words: a stack that comes again is one look-up and one copy. */
#include <string.h>

#include "base/hash.h"
#include "dump/dumper_priv.h"

/* What may be kept; when it is full all is forgotten. */
#define KEPT_BYTES_MAX (4 << 20)
/* Stacks looked at before deciding whether keeping them pays. */
#define TRIAL 20000

void stack_texts_init(struct stack_texts *t)
{
	*t = (struct stack_texts){ .known = IDSET_NONE };
	arena_init(&t->arena);
}

static void forget(struct stack_texts *t)
{
	vec_deinit(&t->all);
	idset_deinit(&t->index);
	t->index = (struct idset){ 0 };
	arena_deinit(&t->arena);
	arena_init(&t->arena);
}

void stack_texts_deinit(struct stack_texts *t)
{
	forget(t);
	arena_deinit(&t->arena);
}

struct stack_key {
	const struct resolved_sample *sample;
	unsigned kind;
};

static bool same_stack(const void *table, uint32_t id, const void *key)
{
	const struct stack_text *t = &((const struct stack_texts *)table)->all.data[id];
	const struct stack_key *k = key;
	const struct sample *s = &k->sample->sample;
	return t->space == k->sample->chain_space && t->kind == k->kind && t->words_nr == s->callchain_nr &&
	       !memcmp(t->words, s->callchain, t->words_nr * sizeof(*t->words));
}

bool dumper_knows_stack(struct dumper *d, const struct resolved_sample *s)
{
	struct stack_texts *t = &d->stacks;
	struct stack_key key = { s, dump_kind(&s->event->attr) };
	t->known = IDSET_NONE;
	uint64_t of = d->options.fields.of[key.kind];
	/* What stands behind the stack wants the place of its first frame. */
	bool shown = d->options.show_chains && of & DUMP_FIELD(IP) && !(of & DUMP_FIELD(SRCCODE));
	if (!shown || t->off || !s->sample.callchain)
		return false;
	t->hash = hash_u64s(s->sample.callchain, s->sample.callchain_nr, s->chain_space ^ key.kind);
	t->known = idset_find(&t->index, t->hash, same_stack, t, &key);
	if (t->known != IDSET_NONE) {
		t->hits++;
		return true;
	}
	t->misses++;
	if (t->misses == TRIAL && t->hits < TRIAL) {
		t->off = true;
		forget(t);
	}
	return false;
}

static void keep(struct dumper *d, unsigned kind, const struct resolved_sample *s, const char *text, size_t bytes)
{
	struct stack_texts *t = &d->stacks;
	size_t words = s->sample.callchain_nr;
	if (t->arena.total_bytes > KEPT_BYTES_MAX)
		forget(t);
	struct stack_text kept = {
		.space = s->chain_space,
		.kind = kind,
		.words = arena_memdup(&t->arena, s->sample.callchain, words * sizeof(uint64_t)),
		.words_nr = (uint32_t)words,
		.text = arena_memdup(&t->arena, text, bytes),
		.bytes = (uint32_t)bytes,
	};
	idset_insert(&t->index, t->hash, (uint32_t)t->all.len);
	vec_push(&t->all, kept);
}

void dump_stack(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s)
{
	struct stack_texts *t = &d->stacks;
	if (t->known != IDSET_NONE) {
		const struct stack_text *k = &t->all.data[t->known];
		out_write(out, k->text, k->bytes);
		t->known = IDSET_NONE;
		return;
	}
	if (t->off || !t->misses) { /* nobody asks, or not any more */
		dump_chain(d, out, kind, s);
		return;
	}
	struct out whole;
	size_t n;
	out_init_mem(&whole);
	dump_chain(d, &whole, kind, s);
	const char *text = out_mem(&whole, &n);
	out_write(out, text, n);
	keep(d, kind, s, text, n);
	error_destroy(out_close(&whole)); /* memory does not fail */
}
