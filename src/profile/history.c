#include "profile/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Rows are dropped when there are this many times the number of live rows at the last time, and at least this many. */
#define DROP_FACTOR 2
#define DROP_ROWS   20000

void history_init(struct history *h, enum history_mode mode, uint64_t remember)
{
	*h = (struct history){ .profile = profile_create(), .mode = mode, .remember = remember };
}

void history_deinit(struct history *h)
{
	for (size_t i = 0; i < h->slices.len; i++)
		free(h->slices.data[i].deltas);
	vec_deinit(&h->slices);
	vec_deinit(&h->faded);
	vec_deinit(&h->all);
	profile_destroy(h->profile);
}

static void clear_counts(struct history *h)
{
	struct profile *p = h->profile;
	for (size_t i = 0; i < p->rows.len; i++)
		p->rows.data[i].samples = p->rows.data[i].value = p->rows.data[i].weight = 0;
	for (size_t i = 0; i < p->events.len; i++)
		p->events.data[i].samples = p->events.data[i].value = 0;
}

static void set_count(struct profile *p, size_t row, const struct history_stat *s)
{
	struct profile_row *r = &p->rows.data[row];
	r->samples += s->samples;
	r->value += s->value;
	r->weight += s->weight;
	p->events.data[r->event].samples += s->samples;
	p->events.data[r->event].value += s->value;
}

static void stat_add(struct history_stat *to, const struct history_stat *add)
{
	to->samples += add->samples;
	to->value += add->value;
	to->weight += add->weight;
}

static void fade(struct history *h)
{
	for (size_t i = 0; i < h->faded.len; i++) {
		struct history_stat *s = &h->faded.data[i];
		s->samples = s->samples * 7 / 8;
		s->value = s->samples ? s->value * 7 / 8 : 0;
		s->weight = s->weight * 7 / 8;
	}
}

/* Only rows of the slice have counts now: stores them as its deltas. */
static void take_slice(struct history *h, uint64_t start_ns, uint64_t end_ns)
{
	const struct profile *p = h->profile;
	VEC(struct history_delta) deltas = {};
	struct history_slice s = { .start_ns = start_ns, .end_ns = end_ns };
	while (h->faded.len < p->rows.len)
		vec_push(&h->faded, ((struct history_stat){}));
	while (h->all.len < p->rows.len)
		vec_push(&h->all, ((struct history_stat){}));
	for (uint32_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *r = &p->rows.data[i];
		struct history_delta d = { i, { r->samples, r->value, r->weight } };
		if (!r->samples)
			continue;
		stat_add(&h->faded.data[i], &d.add);
		stat_add(&h->all.data[i], &d.add);
		s.samples += r->samples;
		vec_push(&deltas, d);
	}
	s.deltas = deltas.data;
	s.nr = (uint32_t)deltas.len;
	vec_push(&h->slices, s);
	h->remembered += s.nr;
}

static void forget_old(struct history *h)
{
	size_t drop = 0;
	while (drop + 1 < h->slices.len && h->remembered > h->remember) {
		h->remembered -= h->slices.data[drop].nr;
		free(h->slices.data[drop++].deltas);
	}
	memmove(h->slices.data, h->slices.data + drop, (h->slices.len - drop) * sizeof(*h->slices.data));
	h->slices.len -= drop;
}

static bool keeps(void *ctx, const struct profile *p, const struct profile_row *row)
{
	const bool *kept = ctx;
	return kept[row - p->rows.data];
}

/*
 * Creates a new profile of the live rows, with data by row in the same order. If most rows are live, keeps the old one.
 */
static void drop_rows(struct history *h)
{
	struct profile *p = h->profile;
	size_t n = p->rows.len;
	bool *kept = xcalloc(n + 1, sizeof(*kept));
	uint32_t *to = xcalloc(n + 1, sizeof(*to)), live = 0;
	for (size_t i = 0; i < n; i++)
		kept[i] = h->faded.data[i].samples || (h->mode == HISTORY_ALL && h->all.data[i].samples);
	for (size_t i = 0; i < h->slices.len; i++)
		for (uint32_t j = 0; j < h->slices.data[i].nr; j++)
			kept[h->slices.data[i].deltas[j].row] = true;
	for (size_t i = 0; i < n; i++)
		live += kept[i];
	h->live = live;
	if (n < DROP_FACTOR * (size_t)live) {
		free(kept);
		free(to);
		return;
	}
	live = 0;
	for (size_t i = 0; i < n; i++) {
		to[i] = live;
		if (!kept[i])
			continue;
		h->faded.data[live] = h->faded.data[i];
		h->all.data[live++] = h->all.data[i];
	}
	for (size_t i = 0; i < h->slices.len; i++)
		for (uint32_t j = 0; j < h->slices.data[i].nr; j++)
			h->slices.data[i].deltas[j].row = to[h->slices.data[i].deltas[j].row];
	h->profile = profile_filter(p, keeps, kept);
	h->faded.len = h->all.len = h->profile->rows.len;
	profile_destroy(p);
	free(kept);
	free(to);
}

void history_add(struct history *h, struct profile *slice, uint64_t start_ns, uint64_t end_ns)
{
	profile_merge(history_begin(h), slice);
	profile_destroy(slice);
	history_end(h, start_ns, end_ns);
}

struct profile *history_begin(struct history *h)
{
	clear_counts(h);
	return h->profile;
}

void history_end(struct history *h, uint64_t start_ns, uint64_t end_ns)
{
	fade(h);
	take_slice(h, start_ns, end_ns);
	forget_old(h);
	h->added++;
	if (h->profile->rows.len > DROP_ROWS && h->profile->rows.len > DROP_FACTOR * h->live)
		drop_rows(h);
	history_show(h);
}

void history_zero(struct history *h)
{
	if (h->faded.len)
		memset(h->faded.data, 0, h->faded.len * sizeof(*h->faded.data));
	if (h->all.len)
		memset(h->all.data, 0, h->all.len * sizeof(*h->all.data));
	clear_counts(h);
}

void history_show(struct history *h)
{
	if (h->mode == HISTORY_LAST) {
		if (h->slices.len)
			history_show_span(h, h->slices.len - 1, h->slices.len - 1);
		return;
	}
	const struct history_stat *stats = h->mode == HISTORY_FADE ? h->faded.data : h->all.data;
	clear_counts(h);
	for (size_t i = 0; i < h->profile->rows.len; i++)
		set_count(h->profile, i, &stats[i]);
}

void history_show_span(struct history *h, size_t first, size_t last)
{
	clear_counts(h);
	for (size_t i = first; i <= last && i < h->slices.len; i++)
		for (uint32_t j = 0; j < h->slices.data[i].nr; j++)
			set_count(h->profile, h->slices.data[i].deltas[j].row, &h->slices.data[i].deltas[j].add);
}
