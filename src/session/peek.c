/*
 * A stream has its environment as records, and a report needs the events before it reads samples: this source reads up to
 * the first record that is not part of the environment, and then delivers the earlier ones, too.
 */
#include "session/peek.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/mem.h"

struct peek {
	struct record_source source;
	struct record_source *real;
	struct arena arena;
	VEC(struct record) early; /* copies; the last one is borrowed from the real source */
	size_t at;
	struct strobe_error *error; /* that the real source met early */
	bool ended;
	struct thread_reads *reads;
};

static struct peek *peek_of(struct record_source *s)
{
	return (struct peek *)s;
}

/* A READ record: pid, tid, and the counter in the event's read_format. */
static void note_read(struct peek *p, struct record r)
{
	const struct env *env = source_env(p->real);
	struct cursor c = cursor_make(r.hdr, r.hdr->size, false);
	if (!p->reads || r.hdr->type != PERF_RECORD_READ || !env->events.len)
		return;
	cursor_skip(&c, sizeof(*r.hdr));
	struct thread_read read = { .pid = cursor_u32(&c), .tid = cursor_u32(&c) };
	read.value = cursor_u64(&c);
	uint64_t format = env->events.data[0].attr.read_format;
	cursor_skip(&c, 8 * (!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING)));
	if (format & PERF_FORMAT_ID) {
		uint64_t *event = u64map_get(&env->event_by_id, cursor_u64(&c));
		read.event = event ? (uint32_t)*event : UINT32_MAX;
	}
	if (!c.bad && !(format & PERF_FORMAT_GROUP) && read.event < env->events.len)
		vec_push(&p->reads->all, read);
}

static struct strobe_error *peek_next(struct record_source *s, struct record *ret, bool *ret_end)
{
	struct peek *p = peek_of(s);
	*ret_end = false;
	if (p->at < p->early.len) {
		*ret = p->early.data[p->at++];
		note_read(p, *ret);
		return NULL;
	}
	if (p->error)
		return take_ptr(p->error);
	if (p->ended) {
		*ret_end = true;
		return NULL;
	}
	TRY(source_next(p->real, ret, ret_end));
	if (!*ret_end)
		note_read(p, *ret);
	return NULL;
}

static const struct env *peek_env(struct record_source *s)
{
	return source_env(peek_of(s)->real);
}

static bool peek_stable(struct record_source *s)
{
	return false;
}

static void peek_destroy(struct record_source *s)
{
	struct peek *p = peek_of(s);
	error_destroy(p->error);
	source_destroy(p->real);
	vec_deinit(&p->early);
	arena_deinit(&p->arena);
	free(p);
}

static const struct record_source_ops peek_ops = {
	.next = peek_next,
	.env = peek_env,
	.stable = peek_stable,
	.destroy = peek_destroy,
};

static bool is_about_env(uint32_t type)
{
	switch (type) {
	case RECORD_HEADER_ATTR:
	case RECORD_HEADER_EVENT_TYPE:
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_HEADER_BUILD_ID:
	case RECORD_ID_INDEX:
	case RECORD_EVENT_UPDATE:
	case RECORD_TIME_CONV:
	case RECORD_THREAD_MAP:
	case RECORD_CPU_MAP:
	case RECORD_HEADER_FEATURE:
		return true;
	default:
		return false;
	}
}

void peek_source(struct record_source **source, struct thread_reads *reads)
{
	struct peek *p = xcalloc(1, sizeof(*p));
	p->reads = reads;
	p->source.ops = &peek_ops;
	p->real = *source;
	arena_init(&p->arena);
	*source = &p->source;
	for (;;) {
		struct record r;
		p->error = source_next(p->real, &r, &p->ended);
		if (p->error || p->ended)
			break;
		bool more = is_about_env(r.hdr->type);
		if (more)
			r.hdr = arena_memdup(&p->arena, r.hdr, r.hdr->size);
		vec_push(&p->early, r);
		if (!more)
			break;
	}
}
