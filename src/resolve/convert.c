#include "resolve/convert.h"

#include <stdlib.h>

#include "base/mem.h"
#include "resolve/resolver_priv.h"

#define RECORD_BYTES_MAX 65536 /* the size of a record has 16 bits */

struct converter {
	struct resolver *r;
	struct env env;             /* the source's, but for its events */
	struct sample_layout *from; /* by event: layout of the input */
	struct dumps dumps;
	uint64_t samples;
	char *buffer;
};

/* Whether samples have stack data: a dump, or words that complete a chain. */
static bool is_converted(const struct resolver *r, const struct perf_event_attr *a)
{
	return attr_has_dumps(a) || (a->sample_type & PERF_SAMPLE_STACK_USER && resolver_has_leaves(r, a));
}

/* Without registers and dump, with a chain that includes the user part. */
static void convert_attr(struct converter *c, struct env_event *ev)
{
	struct perf_event_attr *a = &ev->attr;
	if (!is_converted(c->r, a))
		return;
	a->sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->sample_regs_user = 0;
	a->sample_stack_user = 0;
	a->exclude_callchain_user = 0;
	env_event_changed(&c->r->arena, ev);
}

struct converter *converter_create(struct resolver *r)
{
	struct converter *c = xcalloc(1, sizeof(*c));
	size_t n = r->env->events.len;
	c->r = r;
	c->env = *r->env;
	c->env.events.data = xcalloc(n + 1, sizeof(*c->env.events.data));
	c->env.events.cap = n + 1;
	c->from = xcalloc(n + 1, sizeof(*c->from));
	c->buffer = xmalloc(RECORD_BYTES_MAX);
	c->env.one_layout = true;
	c->env.one_time = false;
	for (size_t i = 0; i < n; i++) {
		struct env_event *ev = &c->env.events.data[i];
		*ev = r->env->events.data[i];
		c->from[i] = ev->layout;
		convert_attr(c, ev);
		c->env.one_layout &= sample_layout_equal(&ev->layout, &c->env.events.data[0].layout);
	}
	dumps_init(&c->dumps, r);
	return c;
}

void converter_destroy(struct converter *c)
{
	if (!c)
		return;
	dumps_deinit(&c->dumps);
	free(c->env.events.data);
	free(c->from);
	free(c->buffer);
	free(c);
}

const struct env *converter_env(const struct converter *c)
{
	return &c->env;
}

uint64_t converter_samples(const struct converter *c)
{
	return c->samples;
}

static void join(struct converter *c, const struct perf_event_attr *a, struct record rec, struct sample *s)
{
	/* Without a clock, the order is that of the records. */
	uint64_t time_ns = c->r->no_clock ? rec.file_offset : s->time;
	struct machine_view v = machine_view(c->r->machine, s->pid, s->tid, time_ns);
	const uint64_t *words;
	uint32_t n = attr_has_dumps(a) ? dumps_join(&c->dumps, &v, s, &words) : dumps_join_leaf(&c->dumps, &v, s, &words);
	if (!n)
		return;
	s->callchain = words;
	s->callchain_nr = n;
}

struct strobe_error *converter_record(struct converter *c, struct record rec, struct record_sink *out, bool *ret_keep)
{
	struct sample s;
	if (rec.hdr->type != PERF_RECORD_SAMPLE)
		return NULL;
	uint32_t event = env_event_of_sample(c->r->env, rec);
	if (event >= c->env.events.len || !is_converted(c->r, &c->r->env->events.data[event].attr))
		return NULL;
	*ret_keep = false;
	if (!sample_decode(&c->from[event], rec, &s)) {
		/* It could not be decoded, and cannot be written in the new layout. */
		c->r->stats.bad_samples++;
		return NULL;
	}
	join(c, &c->r->env->events.data[event].attr, rec, &s);
	s.user_regs = (struct sample_regs){};
	s.stack_bytes = s.stack_dyn_bytes = 0;
	s.stack = NULL;
	size_t n = sample_encode(&c->env.events.data[event].layout, &s, c->buffer, RECORD_BYTES_MAX);
	if (!n)
		return error_create(ERROR_LIMIT, "a sample at %llu does not fit into a record with its call chain",
				    (unsigned long long)rec.file_offset);
	c->samples++;
	return sink_write(out, c->buffer, n);
}

void converter_finish(struct converter *c)
{
	dumps_count(&c->dumps, c->r);
	dumps_finish(c->r);
}
