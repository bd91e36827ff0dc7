#include "record/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/vector.h"

/*
 * Held records are an array in the order of arrival and an array of (time, index) pairs. Arrivals come in few runs that
 * are sorted in themselves (one a ring), so that merging runs beats sorting; with many runs the radix sort is better.
 *
 * Copies of an unstable input live in two arenas in turn: at the end of a round all records of the round before have been
 * given away, so that its arena is free for the next.
 */
#define RUNS_MAX 16
/* What a hostile or endless round may hold before it is given away early. */
#define HELD_BYTES_MAX (1ull << 30)

struct order {
	struct record_source source;
	struct record_source *input;
	VEC(struct record) held, held_next;
	VEC(struct sort_pair) pairs;      /* [at, ready) is being given away; the rest waits */
	size_t at, ready;
	VEC(struct sort_pair) scratch;
	VEC(size_t) runs;                 /* where each sorted run of pairs begins */
	struct arena copies[2];
	unsigned copies_now;
	uint64_t newest_ns, limit_ns, given_ns, held_bytes, late;
	bool any_given, round_over, ended;
	struct strobe_error *error; /* of the input, kept until all that was whole has been given */
};

static struct order *of(struct record_source *s)
{
	return (struct order *)s;
}

/* Merges two neighbouring sorted ranges [a, b) and [b, c) of from into to; the first wins ties. */
static void merge(const struct sort_pair *from, struct sort_pair *to, size_t a, size_t b, size_t c)
{
	size_t i = a, j = b, k = a;

	while (i < b && j < c) {
		bool second = from[j].key < from[i].key;
		to[k++] = second ? from[j++] : from[i++];
	}
	memcpy(to + k, from + i, (b - i) * sizeof(*to));
	memcpy(to + k + (b - i), from + j, (c - j) * sizeof(*to));
}

static void sort_held(struct order *o)
{
	if (o->runs.len > RUNS_MAX) {
		sort_pairs(o->pairs.data, o->pairs.len);
	} else {
		vec_reserve(&o->scratch, o->pairs.len);
		while (o->runs.len > 1) {
			size_t kept = 0, n = o->runs.len;
			for (size_t i = 0; i < n; i += 2) {
				size_t a = o->runs.data[i], b = i + 1 < n ? o->runs.data[i + 1] : o->pairs.len;
				size_t c = i + 2 < n ? o->runs.data[i + 2] : o->pairs.len;
				merge(o->pairs.data, o->scratch.data, a, b, c);
				o->runs.data[kept++] = a;
			}
			o->runs.len = kept;
			struct sort_pair *data = o->pairs.data;
			size_t cap = o->pairs.cap;
			o->pairs.data = o->scratch.data;
			o->pairs.cap = o->scratch.cap;
			o->scratch.data = data;
			o->scratch.cap = cap;
		}
	}
	vec_clear(&o->runs);
	if (o->pairs.len)
		vec_push(&o->runs, (size_t)0);
}

/* How many of the sorted pairs are not later than limit. */
static size_t count_until(const struct order *o, uint64_t limit_ns)
{
	size_t lo = 0, hi = o->pairs.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (o->pairs.data[mid].key <= limit_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Drops what was given away; the rest moves to the front, in order of time: one sorted run. */
static void compact(struct order *o)
{
	if (o->round_over) {
		o->round_over = false;
		o->copies_now ^= 1;
		arena_reset(&o->copies[o->copies_now]);
	}
	if (!o->ready)
		return;
	vec_clear(&o->held_next);
	for (size_t i = o->ready; i < o->pairs.len; i++) {
		struct sort_pair p = o->pairs.data[i];
		o->pairs.data[o->held_next.len] = (struct sort_pair){ p.key, o->held_next.len };
		vec_push(&o->held_next, o->held.data[p.value]);
	}
	__typeof__(o->held) given = o->held;
	o->held.data = o->held_next.data;
	o->held.len = o->pairs.len = o->held_next.len;
	o->held.cap = o->held_next.cap;
	o->held_next.data = given.data;
	o->held_next.cap = given.cap;
	o->at = o->ready = 0;
	vec_clear(&o->runs);
	if (o->pairs.len)
		vec_push(&o->runs, (size_t)0);
}

static void flush(struct order *o, uint64_t limit_ns)
{
	sort_held(o);
	o->at = 0;
	o->ready = count_until(o, limit_ns);
	o->held_bytes = 0;
	if (o->ready) {
		o->given_ns = o->pairs.data[o->ready - 1].key;
		o->any_given = true;
	}
}

static void finish_round(struct order *o)
{
	flush(o, o->limit_ns);
	o->limit_ns = o->newest_ns;
	o->round_over = true; /* copies of the round before are free once the ready ones are given */
}

static void hold(struct order *o, struct record r, uint64_t time, bool stable)
{
	if (!stable) {
		r.hdr = arena_memdup(&o->copies[o->copies_now], r.hdr, r.hdr->size);
		o->held_bytes += r.hdr->size;
	}
	if (!o->pairs.len || time < vec_last(&o->pairs).key)
		vec_push(&o->runs, o->pairs.len);
	vec_push(&o->pairs, ((struct sort_pair){ time, o->held.len }));
	vec_push(&o->held, r);
	if (time > o->newest_ns)
		o->newest_ns = time;
}

static struct strobe_error *order_next(struct record_source *s, struct record *ret, bool *ret_end)
{
	struct order *o = of(s);

	*ret_end = false;
	for (;;) {
		if (o->at < o->ready) {
			*ret = o->held.data[o->pairs.data[o->at++].value];
			return NULL;
		}
		compact(o);
		if (o->ended) {
			*ret_end = !o->error;
			return take_ptr(o->error);
		}
		struct record r;
		bool end;
		struct strobe_error *err = source_next(o->input, &r, &end);
		if (err || end) {
			flush(o, UINT64_MAX);
			o->ended = true;
			o->error = err;
			continue;
		}
		uint64_t time;
		if (!env_record_time(source_env(o->input), r, &time) || !time || time == UINT64_MAX) {
			if (r.hdr->type == RECORD_FINISHED_ROUND)
				finish_round(o);
			*ret = r;
			return NULL;
		}
		if (o->any_given && time < o->given_ns) {
			o->late++;
			*ret = r;
			return NULL;
		}
		hold(o, r, time, source_is_stable(o->input));
		if (o->held_bytes > HELD_BYTES_MAX) {
			log_warn("more than %llu MB of records between two rounds: their order in time is not certain",
				 HELD_BYTES_MAX >> 20);
			flush(o, UINT64_MAX);
		}
	}
}

static const struct env *order_env(struct record_source *s)
{
	return source_env(of(s)->input);
}

static void order_reset(struct order *o)
{
	vec_clear(&o->held);
	vec_clear(&o->pairs);
	vec_clear(&o->runs);
	arena_reset(&o->copies[0]);
	arena_reset(&o->copies[1]);
	o->at = o->ready = 0;
	o->newest_ns = o->limit_ns = o->given_ns = o->held_bytes = o->late = 0;
	o->any_given = o->round_over = o->ended = false;
	error_destroy(o->error);
	o->error = NULL;
}

static struct strobe_error *order_rewind(struct record_source *s)
{
	struct order *o = of(s);

	if (!o->input->ops->rewind)
		return error_create(ERROR_UNSUPPORTED, "a stream can be read only once");
	TRY(o->input->ops->rewind(o->input));
	order_reset(o);
	return NULL;
}

static bool order_stable(struct record_source *s)
{
	return source_is_stable(of(s)->input);
}

static void order_destroy(struct record_source *s)
{
	struct order *o = of(s);

	source_destroy(o->input);
	error_destroy(o->error);
	vec_deinit(&o->held);
	vec_deinit(&o->held_next);
	vec_deinit(&o->pairs);
	vec_deinit(&o->scratch);
	vec_deinit(&o->runs);
	arena_deinit(&o->copies[0]);
	arena_deinit(&o->copies[1]);
	free(o);
}

static const struct record_source_ops ops = {
	.next = order_next,
	.env = order_env,
	.rewind = order_rewind,
	.stable = order_stable,
	.destroy = order_destroy,
};

struct record_source *order_create(struct record_source *input)
{
	struct order *o = xcalloc(1, sizeof(*o));

	o->source.ops = &ops;
	o->input = input;
	arena_init(&o->copies[0]);
	arena_init(&o->copies[1]);
	return &o->source;
}

uint64_t order_late(const struct record_source *order)
{
	return ((const struct order *)order)->late;
}
