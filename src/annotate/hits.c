#include "annotate/hits.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static void join_equal(struct hits *h)
{
	size_t kept = 0;
	for (size_t i = 0; i < h->all.len; i++) {
		struct hit *at = &h->all.data[i];
		if (kept && !compare_hits(&h->all.data[kept - 1], at)) {
			h->all.data[kept - 1].samples += at->samples;
			h->all.data[kept - 1].value += at->value;
		} else {
			h->all.data[kept++] = *at;
		}
	}
	h->all.len = kept;
}

static void find_functions(struct hits *h)
{
	for (size_t i = 0; i < h->all.len; i++) {
		const struct hit *at = &h->all.data[i];
		if (!h->functions.len || vec_last(&h->functions).function != at->function)
			vec_push(&h->functions, ((struct hits_function){ .function = at->function, .first = i }));
		struct hits_function *f = &vec_last(&h->functions);
		f->nr++;
		f->samples += at->samples;
		f->value += at->value;
	}
}

void hits_create(const struct profile *p, bool (*is_selected)(void *ctx, const struct profile_function *f), void *ctx,
		 struct hits *ret)
{
	*ret = (struct hits){ .profile = p };
	/* 1: selected, 2: not; is_selected() is called once per function */
	uint8_t *known = xcalloc(p->functions.len + 1, 1);
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		frame_id id = profile_self_frame(p, row->stack);
		const struct profile_frame *f = id == PROFILE_NONE ? NULL : &p->frames.data[id];
		if (!f || f->function == PROFILE_NONE || f->flags & FRAME_ANCHOR)
			continue;
		uint8_t *k = &known[f->function];
		if (!*k)
			*k = !is_selected || is_selected(ctx, &p->functions.data[f->function]) ? 1 : 2;
		if (*k == 1)
			vec_push(&ret->all, ((struct hit){ f->function, row->event, f->addr, row->samples, row->value }));
	}
	free(known);
	if (ret->all.len)
		qsort(ret->all.data, ret->all.len, sizeof(*ret->all.data), compare_hits);
	join_equal(ret);
	find_functions(ret);
}

void hits_deinit(struct hits *h)
{
	vec_deinit(&h->all);
	vec_deinit(&h->functions);
}

struct listing_value hits_of(const struct hits *h, const struct hits_function *f, uint32_t event)
{
	struct listing_value v = { 0 };
	for (size_t i = f->first; i < f->first + f->nr; i++)
		if (h->all.data[i].event == event) {
			v.samples += h->all.data[i].samples;
			v.value += h->all.data[i].value;
		}
	return v;
}

/* ---- ranking ---- */

struct ranked {
	const struct hits *hits;
	const uint64_t *values; /* events_nr per function */
	size_t events_nr;
};

static int compare_rank(const void *a, const void *b, void *ctx)
{
	const struct ranked *r = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	for (size_t e = 0; e < r->events_nr; e++) {
		uint64_t vx = r->values[x * r->events_nr + e], vy = r->values[y * r->events_nr + e];
		if (vx != vy)
			return vx > vy ? -1 : 1;
	}
	const struct profile *p = r->hits->profile;
	const struct profile_function *fx = &p->functions.data[r->hits->functions.data[x].function];
	const struct profile_function *fy = &p->functions.data[r->hits->functions.data[y].function];
	int order = strcmp(profile_str(p, fx->name), profile_str(p, fy->name));
	return order ? order : x < y ? -1 : x > y;
}

uint32_t *hits_rank(const struct hits *h, const uint32_t *events, size_t events_nr, size_t *ret_nr)
{
	size_t n = h->functions.len, kept = 0;
	uint32_t *order = xcalloc(n + 1, sizeof(*order));
	uint64_t *values = xcalloc(n * events_nr + 1, sizeof(*values));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t samples = 0;
		for (size_t e = 0; e < events_nr; e++) {
			struct listing_value v = hits_of(h, &h->functions.data[i], events[e]);
			values[i * events_nr + e] = v.value;
			samples += v.samples;
		}
		if (samples)
			order[kept++] = i;
	}
	struct ranked r = { h, values, events_nr };
	qsort_r(order, kept, sizeof(*order), compare_rank, &r);
	free(values);
	*ret_nr = kept;
	return order;
}

uint64_t hits_apply(const struct hits *h, const struct hits_function *f, const uint32_t *events, size_t events_nr,
		    struct listing *l)
{
	uint64_t missed = 0;
	for (size_t i = f->first; i < f->first + f->nr; i++) {
		const struct hit *at = &h->all.data[i];
		for (uint32_t e = 0; e < events_nr; e++)
			if (events[e] == at->event && !listing_add_value(l, at->addr, e, at->samples, at->value))
				missed += at->samples;
	}
	return missed;
}
