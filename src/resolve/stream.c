/*
 * Delivers every record in order of time, with samples resolved one by one.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vector.h"
#include "resolve/chain/chain.h"
#include "resolve/step.h"

/*
 * Recently resolved chains, by hash of their words: most samples of a recording share few chains, which need no look-up or copy.
 */
#define CHAINS_KEPT 1024 /* a power of two */
typedef VEC(struct resolved_frame) frame_list;
struct kept_chain {
	uint32_t space, kernel;
	bool valid;
	VEC(uint64_t) words;
	frame_list frames;
};

struct stream {
	struct resolver *r;
	struct resolve_callbacks callbacks;
	struct sample_step step;
	VEC(struct chain_entry) entries;
	VEC(uint32_t) numbers; /* of their frames */
	bool is_joined;       /* the current chain was joined, with limits applied */
	struct kept_chain *chains;
	frame_list inner;     /* of the current chain, whose callers are known */
};

static uint32_t frame_number(struct stream *s, const struct machine_view *v, uint64_t ip, uint16_t cpumode, bool is_return)
{
	return frame_cache_find(&s->r->frames, v->space, v->kernel, cpumode, is_return, ip);
}

/* The index of each entry's frame in the cache. All are prefetched before the first is accessed, since they are scattered in memory. */
static const uint32_t *number_frames(struct stream *s, const struct machine_view *v, uint32_t n)
{
	vec_clear(&s->numbers);
	vec_reserve(&s->numbers, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		const struct chain_entry *e = &s->entries.data[i];
		bool is_return = i && !s->is_joined && e->cpumode == e[-1].cpumode;
		uint32_t number = frame_number(s, v, e->ip, e->cpumode, is_return);
		__builtin_prefetch(&s->r->frames.frames.data[number]);
		vec_push(&s->numbers, number);
	}
	return s->numbers.data;
}

static void resolve_words(struct stream *s, frame_list *to, const struct machine_view *v, const uint64_t *words, uint32_t words_nr)
{
	const struct resolve_options *o = &s->r->options;
	struct chain_options how = { .max = s->is_joined ? UINT32_MAX : o->max_stack, .outermost = o->keep_outermost };
	bool apart;
	vec_reserve(&s->entries, (size_t)words_nr + 1);
	/* ip 0: the chain as it was recorded. */
	uint32_t n = chain_expand(words, words_nr, 0, 0, how, s->entries.data, &apart);
	const uint32_t *numbers = number_frames(s, v, n);
	struct frame_cache *c = &s->r->frames;
	bool expands = o->with_inlines || o->with_lines;
	vec_clear(to);
	vec_reserve(to, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		if (!c->frames.data[numbers[i]].symbol && o->hide_unresolved)
			continue;
		struct frame_run run = expands ? frame_cache_expand(c, numbers[i], o) : (struct frame_run){ numbers[i], 1 };
		for (uint32_t k = 0; k < run.nr; k++)
			vec_push(to, c->frames.data[run.first + k]);
	}
}

static void resolve_chain(struct stream *s, struct kept_chain *k, const struct machine_view *v, const uint64_t *words,
			  uint32_t words_nr)
{
	resolve_words(s, &k->frames, v, words, words_nr);
	k->space = v->space;
	k->kernel = v->kernel;
	k->valid = true;
	vec_clear(&k->words);
	if (words_nr)
		memcpy(vec_extend(&k->words, words_nr), words, words_nr * sizeof(*words));
}

static const struct kept_chain *find_chain(struct stream *s, const struct machine_view *v, const struct sample *sample)
{
	uint32_t n = (uint32_t)sample->callchain_nr;
	uint64_t hash = hash_u64s(sample->callchain, n, (uint64_t)v->space << 32 | v->kernel);
	struct kept_chain *k = &s->chains[hash_u64(hash) & (CHAINS_KEPT - 1)];
	if (!k->valid || k->space != v->space || k->kernel != v->kernel || k->words.len != n ||
	    !raw_words_equal(k->words.data, sample->callchain, n))
		resolve_chain(s, k, v, sample->callchain, n);
	return k;
}

/* Inline: out of line, `callgrind strobe script -i flat.data` (tools/bench) counts 18.6 M instructions in the two, not 16.5 M. */
static inline __attribute__((always_inline)) void join_chain(struct stream *s, struct resolved_sample *out, const struct machine_view *v)
{
	const struct sample *x = &out->sample;
	uint32_t leaf = frame_number(s, v, x->ip, x->misc & PERF_RECORD_MISC_CPUMODE_MASK, false);
	out->leaf = s->r->frames.frames.data[leaf]; /* the look-up may have moved it */
	if (s->r->options.with_lines && out->leaf.dso)
		dso_source_line(out->leaf.dso, out->leaf.addr, &out->leaf.file, &out->leaf.line);
	if (x->callchain && s->r->options.with_chains) {
		const struct kept_chain *k = find_chain(s, v, x);
		out->chain = k->frames.data;
		out->chain_nr = (uint32_t)k->frames.len;
	}
}

static uint64_t chain_space(const struct stream *s, const struct machine_view *v)
{
	return (uint64_t)s->is_joined << 63 | (uint64_t)v->kernel << 32 | v->space;
}

/* Fills in a sample without its frames. */
static inline void describe(struct stream *s, struct resolved_sample *out, const struct machine_view *v)
{
	out->thread = v->thread;
	out->comm = strtab_get(machine_strings(s->r->machine), v->comm);
	out->chain_space = chain_space(s, v);
}

static bool join_dump(struct stream *s, const struct machine_view *v, struct sample *x)
{
	const uint64_t *words;
	if (!s->step.dumps.r)
		dumps_init(&s->step.dumps, s->r);
	uint32_t n = dumps_join(&s->step.dumps, v, x, &words);
	if (!n)
		return false;
	x->callchain = words;
	x->callchain_nr = n;
	return true;
}

void resolver_look_up(struct resolver *r, const struct sample *sample, struct resolved_sample *ret)
{
	struct stream *s = r->stream;
	const struct machine_view *v = &step_thread(&s->step, sample->pid, sample->tid, sample->time)->view;
	*ret = (struct resolved_sample){
		.sample = *sample,
		.recorded_callchain = sample->callchain,
		.recorded_callchain_nr = sample->callchain_nr,
		.recorded_period = sample->period,
	};
	s->is_joined = sample->stack_bytes && r->options.with_chains && join_dump(s, v, &ret->sample);
	describe(s, ret, v);
	join_chain(s, ret, v);
}

/* Resolves the frames that the receiver does not know yet; false: it needs all of them. */
static bool resolve_inner(struct stream *s, struct resolved_sample *out, const struct machine_view *v)
{
	const struct resolve_options *o = &s->r->options;
	uint64_t known = 0, words = out->sample.callchain_nr;
	/* If outer frames are cut off, the cut differs between chains. */
	if (!s->callbacks.known_callers || o->hide_unresolved || !o->with_chains || !out->sample.callchain || words > o->max_stack ||
	    !s->callbacks.known_callers(s->callbacks.ctx, out, &known) || known > words)
		return false;
	resolve_words(s, &s->inner, v, out->sample.callchain, (uint32_t)(words - known));
	out->chain = s->inner.data;
	out->chain_nr = (uint32_t)s->inner.len;
	return true;
}

static inline struct strobe_error *call_back(const struct stream *s, const struct resolved_sample *out)
{
	return s->callbacks.sample ? s->callbacks.sample(s->callbacks.ctx, out) : NULL;
}

static struct strobe_error *give_sample(struct stream *s, struct resolved_sample *out, const struct machine_view *v)
{
	struct resolver *r = s->r;
	describe(s, out, v);
	out->leaf = (struct resolved_frame){};
	out->chain = NULL;
	out->chain_nr = 0;
	if (s->callbacks.knows_stack && !r->options.hide_unresolved && s->callbacks.knows_stack(s->callbacks.ctx, out))
		return call_back(s, out);
	if (resolve_inner(s, out, v))
		return call_back(s, out);
	join_chain(s, out, v);
	if (r->options.hide_unresolved && !out->leaf.symbol) {
		r->stats.unresolved_samples++;
		return NULL;
	}
	return call_back(s, out);
}

static struct strobe_error *stream_sample(struct stream *s, struct record rec, uint64_t place)
{
	struct resolved_sample out; /* every field is set below: clearing it would take as long as decoding */
	struct step_sample x;
	bool more = step_begin(&s->step, rec, place, &out.sample, &x);
	if (!more)
		return NULL;
	out.record = rec;
	out.recorded_callchain = out.sample.callchain;
	out.recorded_callchain_nr = out.sample.callchain_nr;
	out.recorded_period = out.sample.period;
	out.repeated = false;
	for (; more; more = step_next(&s->step, &x)) {
		out.event = &s->r->env->events.data[x.event_index];
		out.sample.event = x.event_index;
		out.sample.callchain = x.joined ? x.joined : x.hot.callchain;
		out.sample.callchain_nr = x.joined ? x.joined_nr : x.hot.callchain_nr;
		if (x.has_members) {
			out.sample.id = x.hot.id;
			out.sample.period = x.hot.period;
		}
		s->is_joined = x.joined && !x.event->leaves; /* the limit has not been applied to a recorded chain */
		TRY(give_sample(s, &out, &x.thread->view));
		out.repeated = true;
	}
	return NULL;
}

/* Whether the receiver keeps a sample, before filters. Samples that cannot be decoded are kept, and counted by the filter. */
static struct strobe_error *filter_early(struct stream *s, struct record rec, uint64_t time_ns, bool *ret_keep)
{
	struct resolved_sample out = { .record = rec };
	uint32_t index = env_event_of_sample(s->r->env, rec);
	*ret_keep = true;
	if (index >= s->r->env->events.len)
		return NULL;
	out.event = &s->r->env->events.data[index];
	if (!sample_decode(&out.event->layout, rec, &out.sample))
		return NULL;
	out.sample.event = index;
	if (out.event->layout.period == SAMPLE_NO_OFFSET)
		out.sample.period = s->step.events[index].period;
	out.recorded_callchain = out.sample.callchain;
	out.recorded_callchain_nr = out.sample.callchain_nr;
	out.recorded_period = out.sample.period;
	describe(s, &out, &step_thread(&s->step, out.sample.pid, out.sample.tid, time_ns)->view);
	return s->callbacks.early(s->callbacks.ctx, &out, ret_keep);
}

/* is_plain: a sample as it is in the record. */
static struct strobe_error *plain_sample(struct stream *s, struct record rec)
{
	struct resolver *r = s->r;
	struct resolved_sample out = { .record = rec };
	uint32_t index = env_event_of_sample(r->env, rec);
	r->stats.records[PERF_RECORD_SAMPLE]++;
	if (index >= r->env->events.len) {
		r->stats.unknown_id_samples++;
		return NULL;
	}
	out.event = &r->env->events.data[index];
	if (!sample_decode(&out.event->layout, rec, &out.sample)) {
		r->stats.bad_samples++;
		return NULL;
	}
	out.sample.event = index;
	return call_back(s, &out);
}

static struct strobe_error *plain_record(void *ctx, struct record rec, uint64_t time_ns)
{
	struct stream *s = ctx;
	if (rec.hdr->type == PERF_RECORD_SAMPLE)
		return plain_sample(s, rec);
	resolver_count_record(s->r, rec);
	return s->callbacks.record ? s->callbacks.record(s->callbacks.ctx, rec, time_ns) : NULL;
}

/* time_ns: the number of the record if there is no clock. */
static struct strobe_error *stream_record(void *ctx, struct record rec, uint64_t time_ns)
{
	struct stream *s = ctx;
	if (rec.hdr->type == PERF_RECORD_SAMPLE) {
		s->r->stats.records[PERF_RECORD_SAMPLE]++;
		step_machine_changed(&s->step); /* by earlier records, or by code of jitdumps in between */
		bool is_kept = true;
		if (s->callbacks.early)
			TRY(filter_early(s, rec, time_ns, &is_kept));
		return is_kept ? stream_sample(s, rec, time_ns) : NULL;
	}
	resolver_side_band(s->r, rec, time_ns, false);
	step_machine_changed(&s->step);
	return s->callbacks.record ? s->callbacks.record(s->callbacks.ctx, rec, time_ns) : NULL;
}

static void stream_init(struct stream *s, struct resolver *r, struct resolve_callbacks callbacks)
{
	*s = (struct stream){ .r = r, .callbacks = callbacks };
	s->step = (struct sample_step){ .r = r, .decodes_full = true, .events_max = UINT32_MAX, .hold_max = 1 };
	s->chains = xcalloc(CHAINS_KEPT, sizeof(*s->chains));
	r->stream = s;
	resolver_start(r);
	step_init(&s->step);
}

static void stream_deinit(struct stream *s)
{
	for (uint32_t i = 0; i < CHAINS_KEPT; i++) {
		vec_deinit(&s->chains[i].words);
		vec_deinit(&s->chains[i].frames);
	}
	s->r->stream = NULL;
	free(s->chains);
	vec_deinit(&s->inner);
	vec_deinit(&s->entries);
	vec_deinit(&s->numbers);
	step_count(&s->step);
	dumps_finish(s->r);
	step_deinit(&s->step);
}

struct strobe_error *resolve_stream(struct resolver *r, struct resolve_callbacks callbacks)
{
	struct stream s;
	stream_init(&s, r, callbacks);
	struct strobe_error *err = resolver_read(r, callbacks.is_plain ? plain_record : stream_record, &s);
	stream_deinit(&s);
	if (!error_is(err, ERROR_STOPPED))
		return err;
	error_destroy(err);
	return NULL;
}

/* ---- record by record ---- */

struct resolve_cursor {
	struct stream stream;
	struct reading reading;
};

struct strobe_error *resolve_cursor_open(struct resolver *r, struct resolve_callbacks callbacks, struct resolve_cursor **ret)
{
	struct resolve_cursor *c = xcalloc(1, sizeof(*c));
	stream_init(&c->stream, r, callbacks);
	struct strobe_error *err = reading_open(&c->reading, r);
	if (err) {
		resolve_cursor_close(c);
		c = NULL;
	}
	*ret = c;
	return err;
}

struct strobe_error *resolve_cursor_next(struct resolve_cursor *c, uint32_t *ret_bytes, bool *ret_end)
{
	struct record rec;
	uint64_t time_ns;
	*ret_bytes = 0;
	TRY(reading_next(&c->reading, &rec, &time_ns, ret_end));
	if (*ret_end)
		return NULL;
	*ret_bytes = rec.hdr->size;
	return stream_record(&c->stream, rec, time_ns);
}

void resolve_cursor_close(struct resolve_cursor *c)
{
	if (!c)
		return;
	reading_close(&c->reading);
	stream_deinit(&c->stream);
	free(c);
}
