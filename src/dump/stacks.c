/* Texts of whole stacks, by their raw words: a stack that comes again is one look-up and one copy, and so are callers that stay. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "dump/dumper_priv.h"

/* What may be kept; when it is full all is forgotten. */
#define KEPT_BYTES_MAX (4 << 20)
/* Stacks looked at before deciding whether keeping them pays. */
#define TRIAL 4096
/* Of those that were printed once a part of the hash is noted, where no other takes its place: text is kept of what comes again. */
#define NOTED (4 * TRIAL)

void stack_texts_init(struct stack_texts *t)
{
	*t = (struct stack_texts){ .known = STACK_UNKNOWN };
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
	vec_deinit(&t->last.levels);
	free(t->last.text);
	free(t->noted);
}

/* Whether a stack of that hash was met before, or one whose hash has the same parts. */
static bool note(struct stack_texts *t, uint64_t hash)
{
	uint32_t *at, part = (uint32_t)(hash >> 32) | 1;
	if (!t->noted)
		t->noted = xcalloc(NOTED, sizeof(*t->noted));
	at = &t->noted[hash % NOTED];
	bool is_known = *at == part;
	*at = part;
	return is_known;
}

/* ---- what is known of a stack ---- */

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

/* Fields after the stack may need the place of its first frame. */
static bool is_text_alone(const struct dumper *d, unsigned kind)
{
	uint64_t of = d->options.fields.of[kind];
	return d->options.show_chains && of & DUMP_FIELD(IP) && !(of & DUMP_FIELD(SRCCODE));
}

/* The word that has so many callers. */
static uint64_t word_at(const struct sample *s, uint64_t callers)
{
	return s->callchain[s->callchain_nr - 1 - callers];
}

/* How many words from the outermost on are those of the last stack. */
static uint64_t common_words(const struct last_stack *last, const struct resolved_sample *s, unsigned kind)
{
	if (last->space != s->chain_space || last->kind != kind)
		return 0;
	uint64_t n = 0, most = last->levels.len < s->sample.callchain_nr ? last->levels.len : s->sample.callchain_nr;
	while (n < most && last->levels.data[n].word == word_at(&s->sample, n))
		n++;
	return n;
}

bool dumper_knows_stack(struct dumper *d, const struct resolved_sample *s)
{
	struct stack_texts *t = &d->stacks;
	struct stack_key key = { s, dump_kind(&s->event->attr) };
	uint64_t words = s->sample.callchain_nr;
	t->known = STACK_UNKNOWN;
	if (!(d->options.fields.of[key.kind] & (DUMP_FIELD(IP) | DUMP_FIELD(SRCCODE))))
		return true;
	if (!is_text_alone(d, key.kind) || !s->sample.callchain)
		return false;
	t->callers = common_words(&t->last, s, key.kind);
	if (words && t->callers == words && words == t->last.levels.len) {
		t->known = STACK_LAST;
		return true;
	}
	if (t->off)
		return false;
	t->hash = hash_u64s(s->sample.callchain, words, s->chain_space ^ key.kind);
	t->kept = idset_find(&t->index, t->hash, same_stack, t, &key);
	if (t->kept != IDSET_NONE) {
		t->hits++;
		t->known = STACK_KEPT;
		return true;
	}
	t->is_repeated = note(t, t->hash);
	t->hits += t->is_repeated;
	t->misses += !t->is_repeated;
	if (t->misses == TRIAL && t->hits < TRIAL) {
		t->off = true;
		forget(t);
	}
	return false;
}

/* Whether each word is an address, or says nothing but whose the addresses after it are: see chain_expand(). */
static bool is_plain(const struct sample *s)
{
	for (uint64_t i = 0; i < s->callchain_nr; i++) {
		uint64_t word = s->callchain[i];
		if (word >= PERF_CONTEXT_MAX && word != PERF_CONTEXT_USER && word != PERF_CONTEXT_KERNEL)
			return false;
	}
	return true;
}

/* The nearest marker that stands further in; 0: none. */
static uint64_t marker_of(const struct sample *s, uint64_t callers)
{
	while (callers < s->callchain_nr && word_at(s, callers) < PERF_CONTEXT_MAX)
		callers++;
	return callers < s->callchain_nr ? word_at(s, callers) : 0;
}

static uint64_t last_marker_of(const struct last_stack *last, uint64_t callers)
{
	while (callers < last->levels.len && last->levels.data[callers].word < PERF_CONTEXT_MAX)
		callers++;
	return callers < last->levels.len ? last->levels.data[callers].word : 0;
}

/*
 * Of a stack that has so many words in common with the last one, those whose frames are the same: addresses of the same mode, which
 * both stacks called something of that mode from.
 */
static uint64_t same_callers(const struct last_stack *last, const struct sample *s, uint64_t common)
{
	uint64_t callers = 0;
	while (callers < common && word_at(s, callers) < PERF_CONTEXT_MAX)
		callers++;
	bool is_called_from = callers < last->levels.len && callers < s->callchain_nr &&
			      last->levels.data[callers].word < PERF_CONTEXT_MAX && word_at(s, callers) < PERF_CONTEXT_MAX;
	if (!is_called_from && callers)
		callers--;
	return marker_of(s, callers) == last_marker_of(last, callers) ? callers : 0;
}

bool dumper_known_callers(struct dumper *d, const struct resolved_sample *s, uint64_t *ret_words)
{
	struct stack_texts *t = &d->stacks;
	unsigned kind = dump_kind(&s->event->attr);
	if (!is_text_alone(d, kind) || !s->sample.callchain || !is_plain(&s->sample))
		return false;
	*ret_words = t->callers = same_callers(&t->last, &s->sample, t->callers);
	t->known = STACK_CALLERS;
	return true;
}

/* ---- the text of the stack that is printed ---- */

static void make_room(struct last_stack *l, size_t bytes)
{
	size_t cap = 2 * l->cap + bytes + 4096;
	char *fresh = xmalloc(cap);
	if (l->used)
		memcpy(fresh + cap - l->used, l->text + l->cap - l->used, l->used);
	free(l->text);
	l->text = fresh;
	l->cap = cap;
}

static void prepend(struct last_stack *l, const struct resolved_frame *f, const struct frame_text *t)
{
	size_t bytes = dump_frame_bytes(f, t);
	if (l->cap - l->used < bytes)
		make_room(l, bytes);
	l->used += bytes;
	dump_write_frame(l->text + l->cap - l->used, '\t', f, t);
}

/* The frames of an address precede *end: what is inlined there, and the function around it last. */
static void add_level(struct dumper *d, unsigned kind, const struct resolved_sample *s, uint64_t word, uint32_t *end)
{
	struct last_stack *l = &d->stacks.last;
	struct stack_level level = { .word = word, .end = l->levels.len ? vec_last(&l->levels).end : 0 };
	bool is_more = word < PERF_CONTEXT_MAX;
	while (is_more && *end) {
		const struct resolved_frame *f = &s->chain[--*end];
		const struct frame_text *t = dump_frame_text(d, f, kind);
		if (t->stops)
			level.end = l->used;
		prepend(l, f, t);
		is_more = *end && s->chain[*end - 1].inlined;
	}
	level.start = l->used;
	vec_push(&l->levels, level);
}

/* Makes it the last stack. */
static void build(struct dumper *d, unsigned kind, const struct resolved_sample *s)
{
	struct last_stack *l = &d->stacks.last;
	uint32_t end = s->chain_nr;
	l->space = s->chain_space;
	l->kind = kind;
	l->levels.len = d->stacks.callers;
	l->used = l->levels.len ? vec_last(&l->levels).start : 0;
	for (uint64_t i = l->levels.len; i < s->sample.callchain_nr; i++)
		add_level(d, kind, s, word_at(&s->sample, i), &end);
}

static const char *last_text(const struct last_stack *l, size_t *ret_bytes)
{
	const struct stack_level *top = l->levels.len ? &vec_last(&l->levels) : NULL;
	*ret_bytes = top ? top->start - top->end : 0;
	return top ? l->text + l->cap - top->start : "";
}

static void keep(struct stack_texts *t, const struct resolved_sample *s)
{
	size_t words = s->sample.callchain_nr, bytes;
	const char *text = last_text(&t->last, &bytes);
	if (t->arena.total_bytes > KEPT_BYTES_MAX)
		forget(t);
	struct stack_text kept = {
		.space = s->chain_space,
		.kind = t->last.kind,
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
	enum stack_known known = t->known;
	t->known = STACK_UNKNOWN;
	if (known == STACK_UNKNOWN) { /* it was not looked up */
		dump_chain(d, out, kind, s);
		return;
	}
	if (known == STACK_KEPT) {
		out_write(out, t->all.data[t->kept].text, t->all.data[t->kept].bytes);
		return;
	}
	if (known == STACK_CALLERS) {
		build(d, kind, s);
		if (!t->off && t->is_repeated)
			keep(t, s);
	}
	size_t bytes;
	const char *text = last_text(&t->last, &bytes);
	out_write(out, text, bytes);
}
