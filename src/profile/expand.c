#include "profile/expand.h"

#include <stdlib.h>

#include "base/mem.h"
#include "profile/transfer_priv.h"

/* The replacement of each frame: a run in one array, innermost first. */
struct runs {
	VEC(frame_id) frames;
	uint32_t *first, *nr; /* by old frame; nr 0: not expanded yet */
};

static void expand_frame(struct runs *r, struct profile_transfer *t, frame_id frame, profile_expand_fn expand, void *ctx)
{
	frame_id ids[PROFILE_EXPAND_MAX], moved = profile_transfer_frame(t, frame);
	const struct profile_frame copy = t->dst->frames.data[moved];
	unsigned n = expand(ctx, t->dst, &t->src->frames.data[frame], &copy, ids);
	r->first[frame] = (uint32_t)r->frames.len;
	r->nr[frame] = n ? n : 1;
	if (!n)
		vec_push(&r->frames, moved);
	for (unsigned i = 0; i < n; i++)
		vec_push(&r->frames, ids[i]);
}

/* By old stack, the new one; the ID of a stack is larger than its caller's. */
static stack_id *make_stacks(struct runs *r, struct profile_transfer *t, profile_expand_fn expand, void *ctx)
{
	const struct profile *p = t->src;
	stack_id *made = xmalloc((p->stacks.len + 1) * sizeof(*made));
	for (stack_id s = 0; s < p->stacks.len; s++) {
		const struct profile_stack *st = &p->stacks.data[s];
		if (!r->nr[st->frame])
			expand_frame(r, t, st->frame, expand, ctx);
		made[s] = st->caller == PROFILE_NONE ? PROFILE_NONE : made[st->caller];
		for (uint32_t i = r->nr[st->frame]; i--;)
			made[s] = profile_stack(t->dst, made[s], r->frames.data[r->first[st->frame] + i]);
	}
	return made;
}

struct profile *profile_expand(const struct profile *p, profile_expand_fn expand, void *ctx)
{
	struct profile *ret = profile_create();
	struct profile_transfer t;
	struct runs r = {
		.first = xcalloc(p->frames.len + 1, sizeof(uint32_t)),
		.nr = xcalloc(p->frames.len + 1, sizeof(uint32_t)),
	};
	profile_transfer_init(&t, ret, p);
	profile_transfer_origin(&t);
	for (uint32_t i = 0; i < p->events.len; i++)
		profile_transfer_event(&t, i);
	stack_id *stacks = make_stacks(&r, &t, expand, ctx);
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		profile_add(ret, row->stack == PROFILE_NONE ? PROFILE_NONE : stacks[row->stack],
			    profile_transfer_labels(&t, row->labels), profile_transfer_event(&t, row->event), row->samples,
			    row->value, row->weight);
	}
	free(stacks);
	free(r.first);
	free(r.nr);
	vec_deinit(&r.frames);
	profile_transfer_deinit(&t);
	return ret;
}
