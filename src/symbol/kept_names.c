/* Linkage names of the debug information, interned, with their demangled names. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/sort.h"
#include "base/strbuf.h"
#include "demangle/demangle.h"
#include "symbol/source_priv.h"

static bool text_eq(const void *table, uint32_t id, const void *key)
{
	const char *text = ((const struct inlined_share *)table)->names.data[id]->text;
	return text && !strcmp(text, key);
}

static bool place_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct inlined_share *)table)->names.data[id]->place == *(const uint64_t *)key;
}

static struct inlined_share *share_of(struct dso *d, uint64_t hash)
{
	return inlined_share_of(atomic_load_explicit(&d->source_lines, memory_order_acquire), hash);
}

/* Under the share's lock. */
static struct kept_name *add_name(struct inlined_share *share, struct idset *index, uint64_t hash, uint64_t place)
{
	struct kept_name *k = arena_new(&share->arena, struct kept_name);
	k->place = place;
	k->share = share;
	idset_insert(index, hash, (uint32_t)share->names.len);
	vec_push(&share->names, k);
	return k;
}

const void *kept_name_of_text(void *ctx, const char *name)
{
	struct dso *d = ctx;
	size_t bytes = strlen(name);
	uint64_t hash = hash_bytes(name, bytes);
	struct inlined_share *share = share_of(d, hash);
	pthread_mutex_lock(&share->lock);
	uint32_t id = idset_find(&share->texts_index, hash, text_eq, share, name);
	struct kept_name *k = id == IDSET_NONE ? add_name(share, &share->texts_index, hash, KEPT_NO_PLACE) : share->names.data[id];
	if (!k->text)
		k->text = arena_strndup(&share->texts, name, bytes); /* copied, since the file may change */
	pthread_mutex_unlock(&share->lock);
	return k;
}

static void copy_text(void *ctx, size_t i, const char *name, size_t bytes)
{
	(void)i;
	if (name)
		strbuf_add(ctx, name, bytes);
	else
		strbuf_addstr(ctx, UNKNOWN_NAME);
}

/* The name of a place, which is added if new and its text is given, or may follow later. */
static struct kept_name *intern_place(struct dso *d, uint64_t place, const struct strbuf *text, bool may_defer)
{
	uint64_t hash = hash_u64(place);
	struct inlined_share *share = share_of(d, hash);
	struct kept_name *k = NULL;
	pthread_mutex_lock(&share->lock);
	uint32_t id = idset_find(&share->places_index, hash, place_eq, share, &place);
	if (id != IDSET_NONE)
		k = share->names.data[id];
	else if (text || may_defer)
		k = add_name(share, &share->places_index, hash, place);
	if (k && !k->text && text)
		k->text = arena_strndup(&share->texts, strbuf_str(text), text->len);
	pthread_mutex_unlock(&share->lock);
	return k;
}

/* Read before the lock is taken again, so that others need not wait for the file. */
const void *kept_name_of_place(void *ctx, uint64_t place)
{
	struct dso *d = ctx;
	const struct dso_source *s = atomic_load_explicit(&d->source_lines, memory_order_acquire);
	struct kept_name *k = intern_place(d, place, NULL, s->defers_names);
	if (k)
		return k;
	_cleanup_strbuf_ struct strbuf text = {};
	dwarf_read_names(&s->strings, &place, 1, copy_text, &text);
	return intern_place(d, place, &text, false);
}

const char *kept_name_show(struct kept_name *k, const char *fresh)
{
	struct inlined_share *share = k->share;
	pthread_mutex_lock(&share->lock);
	const char *shown = atomic_load_explicit(&k->shown, memory_order_relaxed);
	if (!shown) {
		shown = fresh ? arena_strdup(&share->texts, fresh) : k->text;
		atomic_store_explicit(&k->shown, shown, memory_order_release);
	}
	pthread_mutex_unlock(&share->lock);
	return shown;
}

void kept_names_close(struct dso_source *s)
{
	if (s->strings.bytes)
		close(s->strings.fd);
	s->strings = (struct dwarf_strings){};
}

/* ---- names, many at once ---- */

void dso_source_defer_names(struct dso *d)
{
	pthread_mutex_lock(&d->lock);
	dso_source_need(d)->defers_names = true;
	pthread_mutex_unlock(&d->lock);
}

static struct symbol_text text_of(const char *s)
{
	size_t bytes = strlen(s);
	return (struct symbol_text){ s, bytes, hash_bytes(s, bytes) };
}

#define NAMES_AT_ONCE 512

/* Names of one place that two threads met. */
struct same_names {
	struct kept_name *first, *other;
};

struct name_reader {
	struct dso *dso;
	const struct dso_source *source;
	struct sort_pair *order; /* place, kept_name: each place once */
	size_t n;
	VEC(struct same_names) same;
};

/* Names whose texts belong to one share. */
struct name_piece {
	const struct name_reader *reader;
	const struct sort_pair *order;
	struct arena *texts;
};

static void take_text(void *ctx, size_t i, const char *name, size_t bytes)
{
	const struct name_piece *p = ctx;
	struct kept_name *k = (void *)(uintptr_t)p->order[i].value;
	k->text = name ? arena_strndup(p->texts, name, bytes) : UNKNOWN_NAME;
	k->linked_text = k->shown_text = text_of(k->text);
	char *shown = dso_demangles(p->reader->dso, k->text) ? demangle_name(k->text) : NULL;
	if (shown) {
		k->shown_text = text_of(shown);
		k->shown_text.s = arena_strndup(p->texts, shown, k->shown_text.bytes);
	}
	atomic_store_explicit(&k->shown, k->shown_text.s, memory_order_relaxed);
	free(shown);
}

bool dso_inlined_texts(const struct symbol *inlined, struct symbol_text *ret_shown, struct symbol_text *ret_linked)
{
	const struct kept_name *k = ((const struct made_symbol *)inlined)->kept;
	*ret_shown = k->shown_text;
	*ret_linked = k->linked_text;
	return k->linked_text.s;
}

static void read_some_names(void *ctx, size_t i, unsigned thread)
{
	const struct name_reader *r = ctx;
	size_t first = i * NAMES_AT_ONCE, n = r->n - first < NAMES_AT_ONCE ? r->n - first : NAMES_AT_ONCE;
	uint64_t places[NAMES_AT_ONCE];
	struct inlined_share *share = (struct inlined_share *)&r->source->inlined[thread % INLINED_SHARES];
	for (size_t j = 0; j < n; j++)
		places[j] = r->order[first + j].key;
	pthread_mutex_lock(&share->lock);
	struct name_piece p = { r, r->order + first, &share->texts };
	dwarf_read_names(&r->source->strings, places, n, take_text, &p);
	pthread_mutex_unlock(&share->lock);
}

static void collect_names(struct name_reader *r, const struct inlined_share *share)
{
	r->order = xreallocarray(r->order, r->n + share->names.len + 1, sizeof(*r->order));
	for (size_t i = 0; i < share->names.len; i++)
		if (!share->names.data[i]->text)
			r->order[r->n++] = (struct sort_pair){ share->names.data[i]->place, (uintptr_t)share->names.data[i] };
}

static void sort_names(struct name_reader *r)
{
	size_t n = 0;
	sort_pairs(r->order, r->n);
	for (size_t i = 0; i < r->n; i++)
		if (n && r->order[i].key == r->order[n - 1].key)
			vec_push(&r->same, ((struct same_names){ (void *)(uintptr_t)r->order[n - 1].value,
								 (void *)(uintptr_t)r->order[i].value }));
		else
			r->order[n++] = r->order[i];
	r->n = n;
}

static void share_texts(const struct same_names *s)
{
	s->other->text = s->first->text;
	s->other->linked_text = s->first->linked_text;
	s->other->shown_text = s->first->shown_text;
	atomic_store_explicit(&s->other->shown, s->first->shown_text.s, memory_order_relaxed);
}

uint32_t dso_source_read_names(struct dso *d, unsigned threads)
{
	struct dso_source *s = atomic_load_explicit(&d->source_lines, memory_order_acquire);
	uint32_t symbols = 0;
	if (!s || !s->defers_names)
		return 0;
	struct name_reader r = { .dso = d, .source = s };
	for (unsigned i = 0; i < INLINED_SHARES; i++)
		collect_names(&r, &s->inlined[i]);
	sort_names(&r);
	pool_run((r.n + NAMES_AT_ONCE - 1) / NAMES_AT_ONCE, threads, read_some_names, &r);
	for (size_t i = 0; i < r.same.len; i++)
		share_texts(&r.same.data[i]);
	free(r.order);
	vec_deinit(&r.same);
	for (unsigned i = 0; i < INLINED_SHARES; i++) {
		symbols += (uint32_t)s->inlined[i].all.len;
		for (size_t j = 0; j < s->inlined[i].all.len; j++)
			s->inlined[i].all.data[j]->symbol.raw_name = s->inlined[i].all.data[j]->kept->text;
	}
	s->defers_names = false;
	if (!s->dwarf)
		kept_names_close(s);
	return symbols;
}
