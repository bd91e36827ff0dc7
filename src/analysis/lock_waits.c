#include "analysis/lock_waits.h"

#include "base/hash.h"

/* States of a sequence; zero: unknown. */
enum { UNKNOWN, RELEASED, ACQUIRING, ACQUIRED, READ_ACQUIRED, CONTENDED };

void lock_waits_deinit(struct lock_waits *w)
{
	vec_deinit(&w->stats);
	vec_deinit(&w->sequences);
	u64map_deinit(&w->by_key);
	u64map_deinit(&w->lives);
	idset_deinit(&w->by_thread_and_lock);
}

size_t lock_waits_stat(struct lock_waits *w, uint64_t key, bool *ret_new)
{
	uint64_t *at = u64map_put(&w->by_key, key, ret_new);
	if (*ret_new) {
		*at = w->stats.len;
		vec_push(&w->stats, ((struct lock_stat){ .key = key, .min_ns = UINT64_MAX }));
	}
	return *at;
}

static bool same_sequence(const void *table, uint32_t id, const void *key)
{
	const struct lock_sequence *a = &((const struct lock_waits *)table)->sequences.data[id], *b = key;
	return a->tid == b->tid && a->life == b->life && a->address == b->address;
}

static struct lock_sequence *sequence_of(struct lock_waits *w, uint32_t tid, uint64_t address)
{
	const uint64_t *life = u64map_get(&w->lives, tid);
	const struct lock_sequence key = { .address = address, .tid = tid, .life = life ? (uint32_t)*life : 0 };
	uint64_t hash = hash_combine(hash_combine(hash_u64(tid), key.life), address);
	uint32_t id = idset_intern(&w->by_thread_and_lock, hash, same_sequence, w, &key, w->sequences.len);
	if (id == w->sequences.len)
		vec_push(&w->sequences, key);
	return &w->sequences.data[id];
}

static void begin_wait(struct lock_waits *w, struct lock_sequence *q, size_t stat, uint64_t time_ns)
{
	q->state = CONTENDED;
	q->since_ns = time_ns;
	q->stat = (uint32_t)stat;
	w->open++;
	w->stats.data[stat].contended++;
}

/* The length is unknown if the clock went back. */
static void end_wait(struct lock_waits *w, const struct lock_sequence *q, struct lock_stat *s, uint64_t time_ns)
{
	w->open--;
	if (time_ns < q->since_ns) {
		w->unknown++;
		return;
	}
	uint64_t length = time_ns - q->since_ns;
	s->total_ns += length;
	s->min_ns = length < s->min_ns ? length : s->min_ns;
	s->max_ns = length > s->max_ns ? length : s->max_ns;
}

void lock_waits_begin(struct lock_waits *w, size_t stat, uint32_t tid, uint64_t address, uint64_t time_ns)
{
	struct lock_sequence *q = sequence_of(w, tid, address);
	if (q->state != CONTENDED)
		begin_wait(w, q, stat, time_ns);
}

void lock_waits_end(struct lock_waits *w, uint32_t tid, uint64_t address, uint64_t time_ns)
{
	struct lock_sequence *q = sequence_of(w, tid, address);
	if (q->state != CONTENDED)
		return;
	struct lock_stat *s = &w->stats.data[q->stat];
	end_wait(w, q, s, time_ns);
	q->state = ACQUIRED;
	s->acquired++;
	s->average_ns = s->total_ns / s->acquired;
}

/* ---- lockdep ---- */

static void forget(struct lock_waits *w, struct lock_sequence *q)
{
	if (q->state == CONTENDED) {
		w->open--;
		w->unknown++;
	}
	q->state = UNKNOWN;
	q->reads = 0;
}

static void break_off(struct lock_waits *w, struct lock_sequence *q, size_t stat, enum lock_break at)
{
	struct lock_stat *s = &w->stats.data[stat];
	w->broken[at] += !s->is_broken;
	s->is_broken = true;
	forget(w, q);
}

void lock_waits_acquire(struct lock_waits *w, size_t stat, uint32_t tid, uint64_t address, uint64_t time_ns, uint32_t flags)
{
	struct lock_sequence *q = sequence_of(w, tid, address);
	struct lock_stat *s = &w->stats.data[stat];
	if (q->state == READ_ACQUIRED && flags & LOCK_ACQUIRE_READ) {
		q->reads++;
		s->acquired++;
		return;
	}
	if (q->state != UNKNOWN && q->state != RELEASED) {
		break_off(w, q, stat, LOCK_BREAK_ACQUIRE);
		return;
	}
	q->state = flags ? READ_ACQUIRED : ACQUIRING;
	q->since_ns = time_ns;
	if (!flags)
		return;
	q->reads = 1;
	s->acquired++;
}

void lock_waits_contended(struct lock_waits *w, size_t stat, uint32_t tid, uint64_t address, uint64_t time_ns)
{
	struct lock_sequence *q = sequence_of(w, tid, address);
	struct lock_stat *s = &w->stats.data[stat];
	if (q->state == UNKNOWN)
		return;
	if (q->state != ACQUIRING) {
		break_off(w, q, stat, LOCK_BREAK_CONTENDED);
		return;
	}
	begin_wait(w, q, stat, time_ns);
	s->average_ns = s->total_ns / s->contended;
}

void lock_waits_acquired(struct lock_waits *w, size_t stat, uint32_t tid, uint64_t address, uint64_t time_ns)
{
	struct lock_sequence *q = sequence_of(w, tid, address);
	struct lock_stat *s = &w->stats.data[stat];
	if (q->state == UNKNOWN)
		return;
	if (q->state != ACQUIRING && q->state != CONTENDED) {
		break_off(w, q, stat, LOCK_BREAK_ACQUIRED);
		return;
	}
	if (q->state == CONTENDED)
		end_wait(w, q, s, time_ns);
	q->state = ACQUIRED;
	q->since_ns = time_ns;
	s->acquired++;
	s->average_ns = s->contended ? s->total_ns / s->contended : 0;
}

void lock_waits_release(struct lock_waits *w, size_t stat, uint32_t tid, uint64_t address)
{
	struct lock_sequence *q = sequence_of(w, tid, address);
	if (q->state == UNKNOWN)
		return;
	if (q->state != ACQUIRED && q->state != READ_ACQUIRED) {
		break_off(w, q, stat, LOCK_BREAK_RELEASE);
		return;
	}
	w->stats.data[stat].released++;
	if (q->state == READ_ACQUIRED && --q->reads)
		return;
	forget(w, q);
}

/* ---- what ends ---- */

void lock_waits_thread_ended(struct lock_waits *w, uint32_t tid)
{
	++*u64map_put(&w->lives, tid, NULL);
}

void lock_waits_gap(struct lock_waits *w)
{
	for (size_t i = 0; i < w->sequences.len; i++)
		forget(w, &w->sequences.data[i]);
}

void lock_waits_finish(struct lock_waits *w)
{
	w->unknown += w->open;
	w->open = 0;
}
