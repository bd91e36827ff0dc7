#include "record/offcpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "record/wait_layout.h"

#define RECORD_BYTES_MAX 65536 /* the size of a record has 16 bits */

struct offcpu {
	struct record_source source;
	struct record_source *input;
	struct env env;     /* the input's, but for its events */
	struct arena arena; /* samples: of a stable input all, there is one a wait; else the last */
	char *buffer;       /* of a sample */
	uint64_t *words;    /* of its chain */
};

static struct offcpu *of(struct record_source *s)
{
	return (struct offcpu *)s;
}

static bool is_embedded(const struct env_event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_BPF_OUTPUT &&
		e->attr.sample_type & PERF_SAMPLE_RAW && e->name && !strcmp(e->name, OFFCPU_EVENT);
}

bool offcpu_is_embedded(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (is_embedded(&env->events.data[i]))
			return true;
	return false;
}

/* words: room for the addresses, which need not be aligned in the raw bytes. False where these are not whole. */
static bool take_embedded(struct sample *s, bool is_swapped, uint64_t *words)
{
	struct cursor c = cursor_make(s->raw, s->raw_bytes, is_swapped);
	s->pid = cursor_u32(&c);
	s->tid = cursor_u32(&c);
	s->period = cursor_u64(&c);
	s->callchain_nr = cursor_u64(&c);
	if (c.bad || s->callchain_nr > cursor_left(&c) / sizeof(*words))
		return false;
	for (uint64_t i = 0; i < s->callchain_nr; i++)
		words[i] = cursor_u64(&c);
	s->callchain = words;
	s->ip = s->callchain_nr > 1 ? words[1] : 0; /* after the mark of user space */
	s->cgroup = cursor_u64(&c);
	s->raw = NULL;
	s->raw_bytes = 0;
	return !c.bad;
}

/* A damaged one becomes a record that is shorter than any sample, which readers count. */
static struct record convert(struct offcpu *o, struct record r, const struct sample_layout *from, const struct sample_layout *to)
{
	struct perf_event_header damaged = { .type = PERF_RECORD_SAMPLE, .misc = r.hdr->misc, .size = sizeof(damaged) };
	struct sample s;
	if (!source_is_stable(o->input))
		arena_reset(&o->arena);
	bool is_whole = sample_decode(from, r, &s) && take_embedded(&s, o->env.swapped, o->words);
	size_t n = is_whole ? sample_encode(to, &s, o->buffer, RECORD_BYTES_MAX) : 0;
	r.hdr = n ? arena_memdup(&o->arena, o->buffer, n) : arena_memdup(&o->arena, &damaged, sizeof(damaged));
	return r;
}

/* What the input knows by now, with other events. */
static void copy_env(struct offcpu *o)
{
	const struct env *env = source_env(o->input);
	size_t n = env->events.len;
	struct env_event *events = o->env.events.data;
	if (n >= o->env.events.cap)
		events = xreallocarray(events, n + 1, sizeof(*events));
	size_t cap = n >= o->env.events.cap ? n + 1 : o->env.events.cap;
	o->env = *env;
	o->env.events.data = events;
	o->env.events.cap = cap;
	o->env.one_layout = true;
	for (size_t i = 0; i < n; i++) {
		struct env_event *e = &events[i];
		*e = env->events.data[i];
		if (is_embedded(e)) {
			e->attr.sample_type = (e->attr.sample_type & ~(uint64_t)PERF_SAMPLE_RAW) | PERF_SAMPLE_CALLCHAIN;
			e->layout = sample_layout_compile(&e->attr);
		}
		o->env.one_layout &= sample_layout_equal(&e->layout, &events[0].layout);
	}
}

static struct strobe_error *offcpu_next(struct record_source *s, struct record *ret, bool *ret_end)
{
	struct offcpu *o = of(s);
	const struct env *env = source_env(o->input);
	TRY(source_next(o->input, ret, ret_end));
	if (*ret_end)
		return NULL;
	/* A stream says more of itself as it goes on. */
	if (env->is_pipe && ret->hdr->type >= RECORD_USER_FIRST && ret->hdr->type != RECORD_FINISHED_ROUND)
		copy_env(o);
	if (ret->hdr->type != PERF_RECORD_SAMPLE)
		return NULL;
	uint32_t event = env_event_of_sample(env, *ret);
	if (event < env->events.len && event < o->env.events.len && is_embedded(&env->events.data[event]))
		*ret = convert(o, *ret, &env->events.data[event].layout, &o->env.events.data[event].layout);
	return NULL;
}

static const struct env *offcpu_env(struct record_source *s)
{
	return &of(s)->env;
}

static struct strobe_error *offcpu_rewind(struct record_source *s)
{
	struct record_source *input = of(s)->input;
	return input->ops->rewind ? input->ops->rewind(input) : error_create(ERROR_UNSUPPORTED, "a stream can be read only once");
}

static bool offcpu_stable(struct record_source *s)
{
	return source_is_stable(of(s)->input);
}

static void offcpu_destroy(struct record_source *s)
{
	struct offcpu *o = of(s);
	source_destroy(o->input);
	free(o->env.events.data);
	arena_deinit(&o->arena);
	free(o->buffer);
	free(o->words);
	free(o);
}

static const struct record_source_ops ops = {
	.next = offcpu_next, .env = offcpu_env, .rewind = offcpu_rewind, .stable = offcpu_stable, .destroy = offcpu_destroy,
};

struct record_source *offcpu_create(struct record_source *input)
{
	struct offcpu *o = xcalloc(1, sizeof(*o));
	o->source.ops = &ops;
	o->input = input;
	arena_init(&o->arena);
	o->buffer = xmalloc(RECORD_BYTES_MAX);
	o->words = xmalloc(RECORD_BYTES_MAX);
	copy_env(o);
	return &o->source;
}
