/*
 * Every record in time order, samples resolved one by one.
 */
#include "base/vector.h"
#include "resolve/chain.h"
#include "resolve/resolver_priv.h"

struct stream {
	struct resolver *r;
	struct resolve_callbacks callbacks;
	struct machine_view view; /* of the last sample's thread */
	uint32_t pid, tid;
	uint64_t generation;
	bool has_view;
	VEC(struct chain_entry) entries;
	VEC(struct resolved_frame) chain;
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

static struct resolved_frame frame_of(struct stream *s, const struct machine_view *v, struct chain_entry e, bool is_caller)
{
	struct frame_cache *c = &s->r->frames;
	struct frame_where where = {
		.space = v->space,
		.kernel = v->kernel,
		.cpumode = e.cpumode,
		.call_site = is_caller && s->r->options.call_sites,
	};
	uint32_t i = frame_cache_find(c, where, e.ip);
	return c->frames.data[i];
}

static void resolve_chain(struct stream *s, struct resolved_sample *out, const struct machine_view *v)
{
	const struct sample *sample = &out->sample;
	const struct resolve_options *o = &s->r->options;
	uint32_t max = o->max_stack < sample->callchain_nr ? o->max_stack : (uint32_t)sample->callchain_nr;
	vec_reserve(&s->entries, max + 1);
	/* ip 0: the chain is shown as it was recorded. */
	uint32_t n = chain_expand(sample->callchain, (uint32_t)sample->callchain_nr, 0, 0, max, s->entries.data);
	vec_clear(&s->chain);
	vec_reserve(&s->chain, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		struct resolved_frame f = frame_of(s, v, s->entries.data[i], i > 0);
		if (f.symbol || !o->hide_unresolved)
			vec_push(&s->chain, f);
	}
	out->chain = s->chain.data;
	out->chain_nr = (uint32_t)s->chain.len;
}

static struct strobe_error *stream_sample(struct stream *s, struct record rec, uint64_t time_ns)
{
	struct resolver *r = s->r;
	struct resolved_sample out = { .record = rec };
	uint32_t event = env_event_of_sample(r->env, rec);
	if (event >= r->env->events.len) {
		r->stats.unknown_id_samples++;
		return NULL;
	}
	resolver_count_sample(r, rec);
	out.event = &r->env->events.data[event];
	if (!sample_decode(&out.event->layout, rec, &out.sample)) {
		r->stats.bad_samples++;
		return NULL;
	}
	out.sample.event = event;
	if (out.event->layout.period == SAMPLE_NO_OFFSET)
		out.sample.period = out.event->attr.sample_period;
	const struct machine_view *v = view_of(s, out.sample.pid, out.sample.tid, time_ns);
	if (!filter_thread(&r->filter, out.sample.pid, out.sample.tid, v->comm) ||
	    (r->filter.of_samples && !filter_sample(&r->filter, out.sample.cpu, out.sample.time))) {
		r->stats.filtered_samples++;
		return NULL;
	}
	out.thread = v->thread;
	out.comm = strtab_get(machine_strings(r->machine), v->comm);
	uint16_t cpumode = out.sample.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	out.leaf = frame_of(s, v, (struct chain_entry){ .ip = out.sample.ip, .cpumode = cpumode }, false);
	if (out.sample.callchain && r->options.with_chains)
		resolve_chain(s, &out, v);
	if (r->options.hide_unresolved && !out.leaf.symbol) {
		r->stats.unresolved_samples++;
		return NULL;
	}
	return s->callbacks.sample ? s->callbacks.sample(s->callbacks.ctx, &out) : NULL;
}

static struct strobe_error *stream_record(void *ctx, struct record rec, uint64_t time_ns)
{
	struct stream *s = ctx;
	if (rec.hdr->type == PERF_RECORD_SAMPLE) {
		s->r->stats.records[PERF_RECORD_SAMPLE]++;
		return stream_sample(s, rec, time_ns);
	}
	resolver_side_band(s->r, rec, time_ns);
	return s->callbacks.record ? s->callbacks.record(s->callbacks.ctx, rec, time_ns) : NULL;
}

struct strobe_error *resolve_stream(struct resolver *r, struct resolve_callbacks callbacks)
{
	struct stream s = { .r = r, .callbacks = callbacks };
	resolver_start(r);
	struct strobe_error *err = resolver_read(r, stream_record, &s);
	vec_deinit(&s.entries);
	vec_deinit(&s.chain);
	if (!error_is(err, ERROR_STOPPED))
		return err;
	error_destroy(err);
	return NULL;
}
