#include "resolve/step.h"

#include <stdlib.h>

#include "base/mem.h"
#include "resolve/chain/chain.h"

void step_init(struct sample_step *s)
{
	s->threads = xcalloc_apart(STEP_THREADS, sizeof(*s->threads));
	s->generation = 1;
	s->first_ns = UINT64_MAX;
	step_learn_events(s);
}

void step_deinit(struct sample_step *s)
{
	free(s->events);
	free(s->event_samples);
	free(s->threads);
	vec_deinit(&s->groups);
	idset_deinit(&s->group_index);
	vec_deinit(&s->words);
	vec_deinit(&s->whole);
	dumps_deinit(&s->dumps);
}

void step_clear(struct sample_step *s)
{
	s->generation++;
	vec_clear(&s->groups);
	s->groups_nr = 0;
	idset_clear(&s->group_index);
	if (s->dumps.r) {
		dumps_deinit(&s->dumps);
		dumps_init(&s->dumps, s->r);
	}
	memset(s->event_samples, 0, s->events_nr * sizeof(*s->event_samples));
	s->samples = s->bad = s->unknown_id = s->filtered = s->cut_chains = s->deep_chains = 0;
	s->first_ns = UINT64_MAX;
	s->last_ns = 0;
}

void step_join_deferred(struct sample_step *s, struct step_sample *x)
{
	if (!deferred_join(&s->r->deferred, x->hot.tid, x->hot.callchain, x->hot.callchain_nr, &s->whole))
		return;
	x->hot.callchain = s->whole.data;
	x->hot.callchain_nr = s->whole.len;
}

/* All members share the record and its layout; each has its own count. */
static bool take_member(struct sample_step *s, struct step_sample *x)
{
	const struct members *m = &s->r->members;
	for (; x->member < m->now.len; x->member++) {
		const struct member_sample *now = &m->now.data[x->member];
		x->event_index = now->event;
		x->event = &s->events[now->event];
		x->hot.id = now->id;
		x->hot.period = now->period;
		if (!step_passes(s, x, 1))
			continue;
		if (x->event->joined)
			step_join(s, x);
		return true;
	}
	return false;
}

bool step_first_member(struct sample_step *s, struct step_sample *x)
{
	members_read(&s->r->members, s->r->env, x->full);
	x->member = 0;
	return take_member(s, x);
}

bool step_next_member(struct sample_step *s, struct step_sample *x)
{
	x->member++;
	return take_member(s, x);
}

/* The recorded chain completed by the dump or a register; 0: unchanged. */
static uint32_t join_dump(struct sample_step *s, const struct step_sample *x, const uint64_t **ret)
{
	struct sample whole;
	const struct sample *from = x->full;
	if (!x->event->dumps && !x->event->leaves)
		return 0;
	if (x->hot.callchain != from->callchain) {
		whole = *from;
		whole.callchain = x->hot.callchain;
		whole.callchain_nr = x->hot.callchain_nr;
		from = &whole;
	}
	return x->event->dumps ? dumps_join(&s->dumps, &x->thread->view, from, ret) :
				 dumps_join_leaf(&s->dumps, &x->thread->view, from, ret);
}

void step_join(struct sample_step *s, struct step_sample *x)
{
	const uint64_t *words = x->hot.callchain;
	uint32_t n = join_dump(s, x, &words), max = s->r->options.max_stack;
	uint32_t words_nr = n ? n : (uint32_t)x->hot.callchain_nr;
	if (x->event->history) {
		vec_reserve(&s->words, words_nr + 2 * x->full->branch_nr + 2);
		s->words.len = chain_join_branches(words, words_nr, x->full->branches, x->full->branch_nr, max, s->words.data);
	} else if (x->event->calls) {
		(void)stitch_join_calls(&s->r->stitches, x->full, words, words_nr, max, &s->words);
	}
	if (x->event->history || x->event->calls) {
		words = s->words.data;
		n = (uint32_t)s->words.len;
	}
	x->joined = n ? words : NULL;
	x->joined_nr = n;
}

void step_count(const struct sample_step *s)
{
	struct resolver *r = s->r;
	struct resolve_stats *stats = &r->stats;
	resolver_size_stats(r);
	for (uint32_t i = 0; i < s->events_nr; i++)
		r->event_stats[i].samples += s->event_samples[i];
	stats->bad_samples += s->bad;
	stats->unknown_id_samples += s->unknown_id;
	stats->filtered_samples += s->filtered;
	stats->cut_chains += s->cut_chains;
	stats->deep_chains += s->deep_chains;
	if (s->dumps.r)
		dumps_count(&s->dumps, r);
	if (!s->samples)
		return;
	if (!stats->last_ns || s->first_ns < stats->first_ns)
		stats->first_ns = s->first_ns;
	if (s->last_ns > stats->last_ns)
		stats->last_ns = s->last_ns;
}

/* ---- counts alone ---- */

static void count_event(struct resolver *r, uint32_t event, uint64_t time_ns)
{
	if (__builtin_expect(event >= r->stats.events_nr, 0)) {
		resolver_size_stats(r); /* a stream may add events while it is read */
		if (event >= r->stats.events_nr) {
			r->stats.unknown_id_samples++;
			return;
		}
	}
	r->event_stats[event].samples++;
	if (r->no_clock)
		return;
	if (!r->stats.last_ns || time_ns < r->stats.first_ns)
		r->stats.first_ns = time_ns;
	if (time_ns > r->stats.last_ns)
		r->stats.last_ns = time_ns;
}

void resolver_count_samples(struct resolver *r, struct record rec, uint64_t time_ns)
{
	uint32_t event = env_event_of_sample(r->env, rec);
	const struct env_event *e = event < r->env->events.len ? &r->env->events.data[event] : NULL;
	struct sample sample;
	if (!e || !members_are_read(&e->attr) || !sample_decode(&e->layout, rec, &sample)) {
		count_event(r, event, time_ns);
		return;
	}
	members_read(&r->members, r->env, &sample);
	for (size_t i = 0; i < r->members.now.len; i++)
		count_event(r, r->members.now.data[i].event, time_ns);
}
