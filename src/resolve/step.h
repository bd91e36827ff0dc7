/*
 * From a record to its samples, for files, live rings and streams:
 *
 *	for (bool more = step_begin(s, rec, place, &full, &x); more; more = step_next(s, &x))
 *		x is a sample that passes the filters; it is counted, and its stack is complete
 *
 * Looks up the event, decodes the sample, and joins a deferred part of its stack; if the record reads its group, each member is a
 * sample. Each is counted by its event and filtered, and other parts of its stack (a dump, branches) are joined to the recorded
 * chain. Properties of events and threads are computed once (facts.c).
 *
 * A step belongs to one thread; several steps of a resolver may run at once if resolver_needs_order() is false. step_count() sums up
 * their counts. The functions here are inline: they run for each sample.
 */
#pragma once
#include "base/idset.h"
#include "resolve/resolver_priv.h"

struct event_facts {
	struct sample_layout layout;
	uint64_t period; /* default, for samples without one */
	bool full;       /* samples must be decoded whole */
	bool members;    /* a record has a sample for each member of its group */
	bool calls;      /* the user part of stacks was recorded as branches */
	bool dumps;      /* stacks are unwound from a copy of the stack */
	bool leaves;     /* the caller of a function without a frame may be in a register */
	bool history;    /* branches are put in front of stacks */
	bool deferred;   /* a part may be in a separate record */
	bool joined;     /* calls, dumps, leaves or history: stacks are joined from several parts */
	bool is_wait;    /* WAIT_EVENT */
	const struct tracepoint *tracepoint;
	/* The part of the payload that determines the text of an event. */
	uint32_t trace_start, trace_end;
};

struct thread_facts {
	struct machine_view view;
	uint32_t generation; /* of the step; 0: empty */
	uint32_t pid, tid;
	uint32_t group;      /* of its labels */
	bool pass;
} __attribute__((aligned(64)));

#define STEP_THREADS 1024 /* a power of two */

struct sample_step {
	struct resolver *r;
	bool decodes_full;     /* decode all samples fully; damaged ones are counted for their event */
	bool is_switched;      /* samples are filtered by resolver.switches */
	uint32_t events_max;   /* number of events; samples of others have none */
	uint32_t hold_max;     /* maximum size of a batch; 1 if stacks are joined, whose words are only valid until the next sample */
	struct event_facts *events;
	uint32_t events_nr;    /* of env by then */
	uint32_t known_nr;     /* of these up to events_max */
	struct thread_facts *threads; /* direct-mapped by tid */
	uint64_t machine_generation;
	uint32_t generation;          /* counts the machine's */
	VEC(uint64_t) groups;         /* thread_columns labels each */
	uint32_t groups_nr;
	struct idset group_index;
	struct dumps dumps;   /* set up where some event has them */
	deferred_chain whole; /* callchain words of the current sample with its deferred part */
	stitch_words words;   /* callchain words of the current sample with branches */
	uint64_t *event_samples;
	uint64_t samples, bad, unknown_id, filtered, cut_chains, deep_chains;
	uint64_t first_ns, last_ns;
};

/* The sample at hand. */
struct step_sample {
	struct record rec;
	struct sample_hot hot; /* with the recorded chain, completed by a deferred part */
	struct sample *full;   /* all fields, with the event's period as default; NULL: not decoded */
	const struct event_facts *event;
	const struct thread_facts *thread;
	const uint64_t *joined; /* words of its joined stack; NULL: those of hot */
	uint32_t joined_nr;
	uint32_t event_index;
	uint64_t place;        /* position of the record in the input, from 1 on; also its time if there is no clock */
	uint32_t member;       /* of its record, 0 for the first; step_next() */
	bool has_members;
};

/* Fields before `events` are the caller's; zero the others. */
void step_init(struct sample_step *s);
void step_deinit(struct sample_step *s);
/* As after step_init(), but keeps memory; for use after the machine has dropped tasks. */
void step_clear(struct sample_step *s);
/* Adds its counts to the resolver's. */
void step_count(const struct sample_step *s);
/* facts.c. Events may come while a stream is read. */
void step_learn_events(struct sample_step *s);
void step_learn_thread(struct sample_step *s, struct thread_facts *t, uint32_t pid, uint32_t tid, uint64_t time_ns);

/* For the inline functions below. */
void step_join_deferred(struct sample_step *s, struct step_sample *x);
bool step_first_member(struct sample_step *s, struct step_sample *x);
bool step_next_member(struct sample_step *s, struct step_sample *x);
void step_join(struct sample_step *s, struct step_sample *x);

/* Call it after side-band records between samples: drops cached properties that may have changed. */
static inline void step_machine_changed(struct sample_step *s)
{
	uint64_t now = machine_generation(s->r->machine);
	if (now == s->machine_generation)
		return;
	s->machine_generation = now;
	s->generation++;
}

static inline struct thread_facts *step_thread(struct sample_step *s, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct thread_facts *t = &s->threads[tid & (STEP_THREADS - 1)];
	bool known = t->generation == s->generation && t->tid == tid && t->pid == pid && time_ns >= t->view.from_ns &&
		     time_ns < t->view.until_ns;
	if (__builtin_expect(!known, 0))
		step_learn_thread(s, t, pid, tid, time_ns);
	return t;
}

/* Counts samples of x's event; false: they are filtered. */
static inline bool step_passes(struct sample_step *s, struct step_sample *x, uint64_t samples)
{
	const struct sample_hot *hot = &x->hot;
	struct resolver *r = s->r;
	s->samples += samples;
	s->event_samples[x->event_index] += samples;
	if (__builtin_expect(hot->misc & RECORD_MISC_CHAIN_CUT, 0)) {
		s->cut_chains++;
		s->deep_chains += resolver_chain_is_deep(r, x->event_index, hot->callchain, hot->callchain_nr);
	}
	s->first_ns = hot->time < s->first_ns ? hot->time : s->first_ns;
	s->last_ns = hot->time > s->last_ns ? hot->time : s->last_ns;
	if (__builtin_expect(s->is_switched, 0) && event_switches_leave_out(&r->switches, x->event_index)) {
		s->filtered += samples;
		return false;
	}
	const struct thread_facts *t = step_thread(s, hot->pid, hot->tid, r->no_clock ? x->place : hot->time);
	if (!t->pass || (r->filter.of_samples && !filter_sample(&r->filter, hot->cpu, hot->time))) {
		s->filtered += samples;
		return false;
	}
	x->thread = t;
	return true;
}

/* Looks up the event of x->rec and decodes the sample; false: failed, which is counted. */
static inline bool step_decode(struct sample_step *s, struct sample *full, struct step_sample *x)
{
	if (__builtin_expect(s->events_nr != s->r->env->events.len, 0))
		step_learn_events(s);
	x->event_index = s->events_nr == 1 ? 0 : env_event_of_sample(s->r->env, x->rec);
	if (__builtin_expect(x->event_index >= s->known_nr, 0)) {
		s->unknown_id++;
		return false;
	}
	x->event = &s->events[x->event_index];
	x->full = x->event->full ? full : NULL;
	if (__builtin_expect(!sample_decode_hot(&x->event->layout, x->rec, &x->hot) ||
			     (x->event->full && !sample_decode_full(&x->event->layout, x->rec, &x->hot, full)), 0)) {
		s->bad++;
		s->event_samples[x->event_index] += s->decodes_full;
		return false;
	}
	if (x->full && x->event->layout.period == SAMPLE_NO_OFFSET)
		full->period = x->event->period;
	return true;
}

/* full: memory for a fully decoded sample. False: no sample of the record passes. */
static inline bool step_begin(struct sample_step *s, struct record rec, uint64_t place, struct sample *full, struct step_sample *x)
{
	x->rec = rec;
	x->place = place;
	x->joined = NULL;
	if (!step_decode(s, full, x))
		return false;
	if (__builtin_expect(x->event->deferred, 0))
		step_join_deferred(s, x);
	x->has_members = x->event->members;
	if (__builtin_expect(x->has_members, 0))
		return step_first_member(s, x);
	if (!step_passes(s, x, 1))
		return false;
	if (__builtin_expect(x->event->joined, 0))
		step_join(s, x);
	return true;
}

static inline bool step_next(struct sample_step *s, struct step_sample *x)
{
	return __builtin_expect(x->has_members, 0) && step_next_member(s, x);
}
