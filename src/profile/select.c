#include "profile/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "profile/pattern.h"
#include "profile/transfer_priv.h"

enum { MATCH_FOCUS = 1, MATCH_IGNORE = 2, MATCH_HIDE = 4, MATCH_SHOW = 8, MATCH_SHOW_FROM = 16, MATCH_PRUNE = 32,
       IS_PRUNED = 64, MATCH_PRUNE_FROM = 128 };

struct selector {
	const struct profile *p;
	uint8_t *frames;  /* by frame: MATCH_* */
	uint8_t *stacks;  /* by stack: MATCH_* of any of its frames; IS_PRUNED: its own frame is hidden */
	unsigned options; /* MATCH_* of the given expressions */
	bool keeps_apart;
};

static bool matches(const regex_t *re, const char *s)
{
	return *s && !regexec(re, s, 0, NULL, 0);
}

/*
 * A function's name without its arguments, and without the leading dot of some symbol tables. "(anonymous namespace)" and
 * "operator()" are parts of a name.
 */
static char *simple_name(const char *name)
{
	static const char *const reserved[] = { "(anonymous namespace)", "operator()" };
	const char *start = name + (*name == '.'), *end = start;
	while (*end) {
		size_t n = 0;
		for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved) && !n; i++)
			n = strncmp(end, reserved[i], strlen(reserved[i])) ? 0 : strlen(reserved[i]);
		if (!n && *end == '(')
			break;
		end += n ? n : 1;
	}
	return xstrndup(start, (size_t)(end - start));
}

/* Names to which an expression is applied. */
enum subject {
	SUBJECT_FRAMES,      /* names of functions, source files and objects */
	SUBJECT_SIMPLE_NAMES /* names of functions without their arguments */
};

static bool function_matches(const struct selector *sel, const struct profile_function *f, const regex_t *re, enum subject subject)
{
	const char *name = profile_str(sel->p, f->name);
	if (subject == SUBJECT_FRAMES)
		return matches(re, name) || matches(re, profile_str(sel->p, f->file));
	_cleanup_free_ char *simple = simple_name(name);
	return *name && !regexec(re, simple, 0, NULL, 0);
}

/* Matches functions and objects once each, and frames by these, since there are many more frames. */
static struct strobe_error *mark(struct selector *sel, const char *expression, uint8_t bit, enum subject subject)
{
	const struct profile *p = sel->p;
	if (!expression || !*expression)
		return NULL;
	regex_t re;
	TRY(pattern_compile(expression, &re));
	sel->options |= bit;
	bool *functions = xcalloc(p->functions.len + 1, 1), *mappings = xcalloc(p->mappings.len + 1, 1);
	for (size_t i = 0; i < p->functions.len; i++)
		functions[i] = function_matches(sel, &p->functions.data[i], &re, subject);
	for (size_t i = 0; i < p->mappings.len && subject == SUBJECT_FRAMES; i++)
		mappings[i] = matches(&re, profile_str(p, p->mappings.data[i].path));
	for (size_t i = 0; i < p->frames.len; i++) {
		const struct profile_frame *f = &p->frames.data[i];
		if ((f->function != PROFILE_NONE && functions[f->function]) ||
		    (f->mapping != PROFILE_NONE && mappings[f->mapping]))
			sel->frames[i] |= bit;
	}
	free(functions);
	free(mappings);
	regfree(&re);
	return NULL;
}

static void mark_stacks(struct selector *sel)
{
	const struct profile *p = sel->p;
	for (size_t i = 0; i < p->stacks.len; i++) {
		const struct profile_stack *s = &p->stacks.data[i];
		uint8_t callers = s->caller == PROFILE_NONE ? 0 : sel->stacks[s->caller] & (uint8_t)~IS_PRUNED;
		sel->stacks[i] |= sel->frames[s->frame] | callers;
	}
}

/* The state of DropFrames for a stack: for the location of its frame, and those outside of it. */
struct prune_state {
	bool has_user;     /* a location outside of it has no frame that matches */
	bool is_cut;       /* a location outside of it ended the stack */
	bool matches;      /* a frame of it matches, this one or one that it is inlined into */
	bool root_matches; /* the outermost one does */
};

/*
 * All frames of a location inside of its first match are removed; if that is its outermost frame, the whole location is, but only
 * below user code. After user code, all callees of such locations are removed, too.
 */
static struct prune_state prune_step(const struct prune_state *outer, bool matches, bool begins_location)
{
	struct prune_state s = *outer;
	if (begins_location) {
		s.is_cut |= outer->matches && outer->has_user;
		s.has_user |= !outer->matches;
		s.matches = s.root_matches = matches;
	}
	s.matches |= matches;
	return s;
}

static void prune_stacks(struct selector *sel)
{
	const struct profile *p = sel->p;
	struct prune_state *states = xcalloc(p->stacks.len + 1, sizeof(*states));
	/* no code lies outside of the outermost location */
	const struct prune_state none = { .matches = true };
	for (size_t i = 0; i < p->stacks.len; i++) {
		const struct profile_stack *s = &p->stacks.data[i];
		bool is_outermost = s->caller == PROFILE_NONE;
		bool begins = is_outermost || !(p->frames.data[s->frame].flags & FRAME_INLINED);
		struct prune_state *at = &states[i];
		*at = prune_step(is_outermost ? &none : &states[s->caller], sel->frames[s->frame] & MATCH_PRUNE, begins);
		if (at->is_cut || (at->root_matches ? at->has_user : at->matches))
			sel->stacks[i] |= IS_PRUNED;
	}
	free(states);
}

/* Whether the innermost frame of a stack is shown, which also depends on its callers. */
static bool is_shown(const struct selector *sel, stack_id stack)
{
	uint8_t frame = sel->frames[sel->p->stacks.data[stack].frame], all = sel->stacks[stack];
	return !(frame & MATCH_HIDE) && !(all & IS_PRUNED) && (!(sel->options & MATCH_SHOW) || frame & MATCH_SHOW) &&
	       (!(sel->options & MATCH_SHOW_FROM) || all & MATCH_SHOW_FROM);
}

static bool is_selected(const struct selector *sel, stack_id stack)
{
	uint8_t all = stack == PROFILE_NONE ? 0 : sel->stacks[stack];
	return (!(sel->options & MATCH_FOCUS) || all & MATCH_FOCUS) && !(all & MATCH_IGNORE);
}

/* The end of a stack after prune_from. */
static stack_id pruned(const struct selector *sel, stack_id stack)
{
	if (stack == PROFILE_NONE || !(sel->stacks[stack] & MATCH_PRUNE_FROM))
		return stack;
	while (!(sel->frames[sel->p->stacks.data[stack].frame] & MATCH_PRUNE_FROM))
		stack = sel->p->stacks.data[stack].caller;
	return stack;
}

/* Stacks that a selected row ends in, and their callers. */
static bool *used_stacks(const struct selector *sel)
{
	const struct profile *p = sel->p;
	bool *used = xcalloc(p->stacks.len + 1, 1);
	for (size_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].stack != PROFILE_NONE && is_selected(sel, p->rows.data[i].stack))
			used[p->rows.data[i].stack] = true;
	for (stack_id s = (stack_id)p->stacks.len; s--;)
		if (used[s] && p->stacks.data[s].caller != PROFILE_NONE)
			used[p->stacks.data[s].caller] = true;
	return used;
}

static stack_id add_stack(const struct selector *sel, struct profile *to, stack_id caller, frame_id frame)
{
	if (!sel->keeps_apart)
		return profile_stack(to, caller, frame);
	uint32_t depth = caller == PROFILE_NONE ? 1 : to->stacks.data[caller].depth + 1;
	vec_push(&to->stacks, ((struct profile_stack){ .caller = caller, .frame = frame, .depth = depth }));
	return (stack_id)to->stacks.len - 1;
}

/* By old stack, the new one; hidden and unused ones map to their callers. */
static stack_id *make_stacks(const struct selector *sel, struct profile_transfer *t)
{
	const struct profile *p = sel->p;
	bool *used = used_stacks(sel);
	stack_id *ret = xmalloc((p->stacks.len + 1) * sizeof(*ret));
	for (stack_id s = 0; s < p->stacks.len; s++) {
		const struct profile_stack *st = &p->stacks.data[s];
		stack_id caller = st->caller == PROFILE_NONE ? PROFILE_NONE : ret[st->caller];
		ret[s] = used[s] && is_shown(sel, s) ? add_stack(sel, t->dst, caller, profile_transfer_frame(t, st->frame)) : caller;
	}
	free(used);
	return ret;
}

/* By old stack, the stack of its rows. A stack that lost its innermost frames becomes equal to others: if kept apart, it gets its own
 * one. */
static stack_id *make_ends(const struct selector *sel, struct profile *to, const stack_id *stacks)
{
	const struct profile *p = sel->p;
	stack_id *ret = xmalloc((p->stacks.len + 1) * sizeof(*ret));
	for (stack_id s = 0; s < p->stacks.len; s++) {
		stack_id end = pruned(sel, s);
		ret[s] = stacks[end];
		if (sel->keeps_apart && ret[s] != PROFILE_NONE && (end != s || !is_shown(sel, end)))
			ret[s] = add_stack(sel, to, to->stacks.data[ret[s]].caller, to->stacks.data[ret[s]].frame);
	}
	return ret;
}

static struct profile *make(const struct selector *sel)
{
	const struct profile *p = sel->p;
	struct profile *ret = profile_create();
	struct profile_transfer t;
	profile_transfer_init(&t, ret, p);
	profile_transfer_origin(&t);
	for (uint32_t i = 0; i < p->events.len; i++)
		profile_transfer_event(&t, i);
	stack_id *stacks = make_stacks(sel, &t), *ends = make_ends(sel, ret, stacks);
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		stack_id stack = row->stack == PROFILE_NONE ? PROFILE_NONE : ends[row->stack];
		bool has_lost_all = row->stack != PROFILE_NONE && stack == PROFILE_NONE;
		if (is_selected(sel, row->stack) && !has_lost_all)
			profile_add(ret, stack, profile_transfer_labels(&t, row->labels), profile_transfer_event(&t, row->event),
				    row->samples, row->value, row->weight);
	}
	free(stacks);
	free(ends);
	profile_transfer_deinit(&t);
	return ret;
}

static struct selector selector_make(const struct profile *p)
{
	return (struct selector){
		.p = p,
		.frames = xcalloc(p->frames.len + 1, 1),
		.stacks = xcalloc(p->stacks.len + 1, 1),
	};
}

static struct strobe_error *selector_finish(struct selector *sel, struct strobe_error *err, struct profile **ret)
{
	*ret = NULL;
	if (!err) {
		mark_stacks(sel);
		*ret = make(sel);
	}
	free(sel->frames);
	free(sel->stacks);
	return err;
}

static struct strobe_error *mark_all(struct selector *sel, const struct profile_select *s)
{
	TRY(mark(sel, s->focus, MATCH_FOCUS, SUBJECT_FRAMES));
	TRY(mark(sel, s->ignore, MATCH_IGNORE, SUBJECT_FRAMES));
	TRY(mark(sel, s->hide, MATCH_HIDE, SUBJECT_FRAMES));
	TRY(mark(sel, s->show, MATCH_SHOW, SUBJECT_FRAMES));
	TRY(mark(sel, s->show_from, MATCH_SHOW_FROM, SUBJECT_FRAMES));
	return mark(sel, s->prune_from, MATCH_PRUNE_FROM, SUBJECT_SIMPLE_NAMES);
}

struct strobe_error *profile_select(const struct profile *p, const struct profile_select *select, struct profile **ret)
{
	struct selector sel = selector_make(p);
	sel.keeps_apart = select->keeps_apart;
	return selector_finish(&sel, mark_all(&sel, select), ret);
}

struct strobe_error *profile_drop_uninteresting(const struct profile *p, struct profile **ret)
{
	struct selector sel = selector_make(p);
	/* the expressions match whole names */
	char *drop = xasprintf("^(%s)$", profile_str(p, p->origin.drop_frames));
	char *keep = xasprintf("^(%s)$", profile_str(p, p->origin.keep_frames));
	struct strobe_error *err = mark(&sel, drop, MATCH_PRUNE, SUBJECT_SIMPLE_NAMES);
	if (!err && p->origin.keep_frames)
		err = mark(&sel, keep, MATCH_SHOW, SUBJECT_SIMPLE_NAMES);
	for (size_t i = 0; i < p->frames.len; i++)
		if (sel.frames[i] & MATCH_SHOW)
			sel.frames[i] &= (uint8_t)~(MATCH_SHOW | MATCH_PRUNE);
	sel.options = 0;
	if (!err)
		prune_stacks(&sel);
	free(drop);
	free(keep);
	return selector_finish(&sel, err, ret);
}
