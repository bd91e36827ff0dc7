/*
 * Every record in time order, samples resolved one by one.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vector.h"
#include "resolve/chain.h"
#include "resolve/inlines.h"
#include "resolve/resolver_priv.h"

/*
 * Chains that were resolved lately, by hash of their words: most samples of a recording share few chains, and of those that
 * are known nothing is looked up or copied.
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
	struct machine_view view; /* of the last sample's thread */
	uint32_t pid, tid;
	uint64_t generation;
	bool has_view;
	VEC(struct chain_entry) entries;
	struct dumps dumps;   /* set up where some event has them */
	stitch_words joined;  /* words of the chain at hand, where branches are joined to it; else empty */
	deferred_chain whole; /* of a sample of which a part came later */
	bool is_joined;       /* the chain at hand was put together, within its limits */
	struct kept_chain *chains;
	frame_list inner;     /* of the chain at hand, whose callers are known */
};

static const struct machine_view *view_of(struct stream *s, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct machine *m = s->r->machine;
	if (s->has_view && s->pid == pid && s->tid == tid && s->generation == machine_generation(m) &&
	    time_ns >= s->view.from_ns && time_ns < s->view.until_ns)
		return &s->view;
	s->view = machine_view(m, pid, tid, time_ns);
	s->generation = machine_generation(m);
	s->pid = pid;
	s->tid = tid;
	s->has_view = true;
	return &s->view;
}

static const struct resolved_frame *frame_of(struct stream *s, const struct machine_view *v, uint64_t ip, uint16_t cpumode,
					     bool is_return)
{
	struct frame_cache *c = &s->r->frames;
	uint32_t i = frame_cache_find(c, v->space, v->kernel, cpumode, is_return, ip);
	return &c->frames.data[i];
}

static void resolve_words(struct stream *s, frame_list *to, const struct machine_view *v, const uint64_t *words, uint32_t words_nr)
{
	const struct resolve_options *o = &s->r->options;
	struct chain_options how = { .max = s->is_joined ? UINT32_MAX : o->max_stack, .outermost = o->keep_outermost };
	bool apart;
	vec_reserve(&s->entries, (size_t)words_nr + 1);
	/* ip 0: the chain is shown as it was recorded. */
	uint32_t n = chain_expand(words, words_nr, 0, 0, how, s->entries.data, &apart);
	vec_clear(to);
	vec_reserve(to, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		bool is_return = i && !s->is_joined && s->entries.data[i].cpumode == s->entries.data[i - 1].cpumode;
		const struct resolved_frame *f = frame_of(s, v, s->entries.data[i].ip, s->entries.data[i].cpumode, is_return);
		if (!f->symbol && o->hide_unresolved)
			continue;
		if (o->with_inlines || o->with_lines) {
			struct resolved_frame at[SOURCE_FRAMES_MAX];
			unsigned nr = inlines_expand(f, o, at);
			memcpy(vec_extend(to, nr), at, nr * sizeof(*at));
		} else {
			vec_push(to, *f);
		}
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

/* The user's part of the stack is in the branch records (--call-graph lbr). */
static void join_calls(struct stream *s, struct sample *x)
{
	s->is_joined = stitch_join_calls(&s->r->stitches, x, x->callchain, (uint32_t)x->callchain_nr, s->r->options.max_stack,
					 &s->joined);
	if (!s->is_joined)
		return;
	x->callchain = s->joined.data;
	x->callchain_nr = s->joined.len;
}

/* The user's part of the stack is to be unwound (--call-graph dwarf), or to be completed. */
static void join_dump(struct stream *s, struct resolved_sample *out, const struct machine_view *v, bool is_leaf)
{
	struct sample recorded = out->sample;
	const uint64_t *words;
	if (!s->dumps.r)
		dumps_init(&s->dumps, s->r);
	recorded.callchain = out->recorded_callchain;
	recorded.callchain_nr = out->recorded_callchain_nr;
	uint32_t n = is_leaf ? dumps_join_leaf(&s->dumps, v, &recorded, &words) : dumps_join(&s->dumps, v, &recorded, &words);
	if (!n)
		return;
	s->is_joined = !is_leaf; /* of a chain as it was recorded the limit is still to be kept */
	out->sample.callchain = words;
	out->sample.callchain_nr = n;
}

/* Inline: out of line, `callgrind strobe script -i flat.data` (tools/bench) counts 18.6 M instructions in the two, not 16.5 M. */
static inline __attribute__((always_inline)) void join_chain(struct stream *s, struct resolved_sample *out, const struct machine_view *v)
{
	const struct sample *x = &out->sample;
	out->leaf = *frame_of(s, v, x->ip, x->misc & PERF_RECORD_MISC_CPUMODE_MASK, false);
	if (s->r->options.with_lines && out->leaf.dso)
		dso_source_line(out->leaf.dso, out->leaf.addr, &out->leaf.file, &out->leaf.line);
	out->chain = NULL;
	out->chain_nr = 0;
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

void resolver_look_up(struct resolver *r, const struct sample *sample, struct resolved_sample *ret)
{
	struct stream *s = r->stream;
	const struct machine_view *v = view_of(s, sample->pid, sample->tid, sample->time);
	*ret = (struct resolved_sample){
		.sample = *sample,
		.thread = v->thread,
		.comm = strtab_get(machine_strings(r->machine), v->comm),
		.recorded_callchain = sample->callchain,
		.recorded_callchain_nr = sample->callchain_nr,
		.recorded_period = sample->period,
	};
	s->is_joined = false;
	if (sample->stack_bytes && r->options.with_chains)
		join_dump(s, ret, v, false);
	ret->chain_space = chain_space(s, v);
	join_chain(s, ret, v);
}

/* Frames that the receiver does not know yet; false where it wants all of them. */
static bool resolve_inner(struct stream *s, struct resolved_sample *out, const struct machine_view *v)
{
	const struct resolve_options *o = &s->r->options;
	uint64_t known = 0, words = out->sample.callchain_nr;
	/* Where frames are cut off the end, they are others in each chain. */
	if (!s->callbacks.known_callers || o->hide_unresolved || !o->with_chains || !out->sample.callchain || words > o->max_stack ||
	    !s->callbacks.known_callers(s->callbacks.ctx, out, &known) || known > words)
		return false;
	resolve_words(s, &s->inner, v, out->sample.callchain, (uint32_t)(words - known));
	out->chain = s->inner.data;
	out->chain_nr = (uint32_t)s->inner.len;
	return true;
}

static struct strobe_error *give_sample(struct stream *s, struct resolved_sample *out, uint64_t time_ns)
{
	struct resolver *r = s->r;
	struct sample *x = &out->sample;
	resolver_count_sample(r, x->event, time_ns);
	if (__builtin_expect(x->misc & RECORD_MISC_CHAIN_CUT, 0)) {
		r->stats.cut_chains++;
		r->stats.deep_chains += resolver_chain_is_deep(r, x->event, out->recorded_callchain, out->recorded_callchain_nr);
	}
	const struct machine_view *v = view_of(s, x->pid, x->tid, time_ns);
	if (!filter_thread(&r->filter, x->pid, x->tid, v->comm) ||
	    (r->filter.of_samples && !filter_sample(&r->filter, x->cpu, x->time))) {
		r->stats.filtered_samples++;
		return NULL;
	}
	out->thread = v->thread;
	out->comm = strtab_get(machine_strings(r->machine), v->comm);
	bool is_leaf = r->options.with_chains && resolver_has_leaves(r, &out->event->attr);
	if (is_leaf || (attr_has_dumps(&out->event->attr) && r->options.with_chains))
		join_dump(s, out, v, is_leaf);
	out->chain_space = chain_space(s, v);
	if (s->callbacks.knows_stack && !r->options.hide_unresolved && s->callbacks.knows_stack(s->callbacks.ctx, out))
		return s->callbacks.sample ? s->callbacks.sample(s->callbacks.ctx, out) : NULL;
	if (resolve_inner(s, out, v))
		return s->callbacks.sample ? s->callbacks.sample(s->callbacks.ctx, out) : NULL;
	join_chain(s, out, v);
	if (r->options.hide_unresolved && !out->leaf.symbol) {
		r->stats.unresolved_samples++;
		return NULL;
	}
	return s->callbacks.sample ? s->callbacks.sample(s->callbacks.ctx, out) : NULL;
}

static struct strobe_error *give_members(struct stream *s, struct resolved_sample *out, uint64_t time_ns)
{
	const struct members *m = &s->r->members;
	members_read(&s->r->members, s->r->env, &out->sample);
	for (size_t i = 0; i < m->now.len; i++) {
		out->event = &s->r->env->events.data[m->now.data[i].event];
		out->sample.event = m->now.data[i].event;
		out->sample.id = m->now.data[i].id;
		out->sample.period = m->now.data[i].period;
		out->repeated = i > 0;
		TRY(give_sample(s, out, time_ns));
	}
	return NULL;
}

static struct strobe_error *stream_sample(struct stream *s, struct record rec, uint64_t time_ns)
{
	struct resolver *r = s->r;
	struct resolved_sample out; /* every field is set below: clearing it first would cost as much as decoding */
	uint32_t event = env_event_of_sample(r->env, rec);
	if (event >= r->env->events.len) {
		r->stats.unknown_id_samples++;
		return NULL;
	}
	const struct perf_event_attr *attr = &r->env->events.data[event].attr;
	out.record = rec;
	out.event = &r->env->events.data[event];
	if (!sample_decode(&out.event->layout, rec, &out.sample)) {
		resolver_count_sample(r, event, time_ns);
		r->stats.bad_samples++;
		return NULL;
	}
	out.sample.event = event;
	if (out.event->layout.period == SAMPLE_NO_OFFSET)
		out.sample.period = attr->sample_period;
	out.recorded_callchain = out.sample.callchain;
	out.recorded_callchain_nr = out.sample.callchain_nr;
	out.recorded_period = out.sample.period;
	out.repeated = false;
	s->is_joined = false;
	if (attr_is_deferred(attr) && r->options.with_chains &&
	    deferred_join(&r->deferred, out.sample.tid, out.sample.callchain, out.sample.callchain_nr, &s->whole)) {
		out.sample.callchain = s->whole.data;
		out.sample.callchain_nr = s->whole.len;
	}
	if (attr_has_calls(attr) && r->options.with_chains)
		join_calls(s, &out.sample);
	return members_are_read(attr) ? give_members(s, &out, time_ns) : give_sample(s, &out, time_ns);
}

static struct strobe_error *stream_record(void *ctx, struct record rec, uint64_t time_ns)
{
	struct stream *s = ctx;
	if (rec.hdr->type == PERF_RECORD_SAMPLE) {
		s->r->stats.records[PERF_RECORD_SAMPLE]++;
		return stream_sample(s, rec, time_ns);
	}
	resolver_side_band(s->r, rec, time_ns, false);
	return s->callbacks.record ? s->callbacks.record(s->callbacks.ctx, rec, time_ns) : NULL;
}

static void stream_init(struct stream *s, struct resolver *r, struct resolve_callbacks callbacks)
{
	*s = (struct stream){ .r = r, .callbacks = callbacks };
	s->chains = xcalloc(CHAINS_KEPT, sizeof(*s->chains));
	r->stream = s;
	resolver_start(r);
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
	vec_deinit(&s->joined);
	vec_deinit(&s->whole);
	if (s->dumps.r)
		dumps_count(&s->dumps, s->r);
	dumps_finish(s->r);
	dumps_deinit(&s->dumps);
}

struct strobe_error *resolve_stream(struct resolver *r, struct resolve_callbacks callbacks)
{
	struct stream s;
	stream_init(&s, r, callbacks);
	struct strobe_error *err = resolver_read(r, stream_record, &s);
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
