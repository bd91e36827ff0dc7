#include "tracing/live_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vector.h"

#define RECORD_BYTES 65536

enum stage { STAGE_BEFORE, STAGE_RINGS, STAGE_BPF, STAGE_ROUND, STAGE_WAIT };

/* A stack that waits for its call. */
struct kept_stack {
	uint32_t tid; /* 0: free */
	uint32_t bytes;
	uint8_t *data; /* of RECORD_BYTES */
};

struct live_source {
	struct record_source source;
	struct trace_live *live;
	enum stage stage;
	bool last;
	uint8_t *before;
	size_t before_bytes, before_at;
	VEC(struct kept_stack) stacks;
	bool has_record;
	struct perf_event_header round;
	union {
		struct trace_live_record head;
		uint8_t bytes[RECORD_BYTES];
	} record;
};

/* --- events of the BPF programs --- */

static struct kept_stack *stack_of(struct live_source *s, uint32_t tid)
{
	for (size_t i = 0; i < s->stacks.len; i++)
		if (s->stacks.data[i].tid == tid)
			return &s->stacks.data[i];
	return NULL;
}

static void keep_stack(struct live_source *s, const struct trace_event *ev, size_t bytes)
{
	struct kept_stack *k = stack_of(s, ev->tid);
	if (!k)
		k = stack_of(s, 0);
	if (!k) {
		vec_push(&s->stacks, ((struct kept_stack){ .data = xcalloc(1, RECORD_BYTES) }));
		k = &vec_last(&s->stacks);
	}
	if (bytes > RECORD_BYTES / 2 || bytes < sizeof(*ev) + sizeof(struct trace_stack)) {
		s->live->lost++;
		return;
	}
	k->tid = ev->tid;
	k->bytes = (uint32_t)(bytes - sizeof(*ev));
	memcpy(k->data, ev + 1, k->bytes);
}

static bool put(struct live_source *s, const struct trace_event *ev, size_t bytes, const struct kept_stack *k)
{
	struct trace_live_record *r = &s->record.head;
	size_t event_bytes = (bytes + 7) & ~(size_t)7, stack_bytes = k ? k->bytes : 0;
	size_t all = (sizeof(*r) + event_bytes + stack_bytes + 7) & ~(size_t)7;
	if (all > UINT16_MAX)
		return false;
	*r = (struct trace_live_record){
		.timed = { .header = { .type = RECORD_TIMED, .size = (uint16_t)all }, .time_ns = ev->time_ns },
		.event_bytes = (uint32_t)bytes,
		.stack_bytes = (uint32_t)stack_bytes,
	};
	memcpy(r + 1, ev, bytes);
	if (k)
		memcpy((uint8_t *)(r + 1) + event_bytes, k->data, stack_bytes);
	return true;
}

static bool take_event(void *ctx, const struct trace_event *ev, size_t bytes)
{
	struct live_source *s = ctx;
	if (ev->type == TRACE_EVENT_STACK) {
		keep_stack(s, ev, bytes);
		return true;
	}
	if (ev->type == TRACE_EVENT_EXEC && !(ev->flags & TRACE_FLAG_ASIDE))
		s->live->executes(s->live->ctx, ev->pid);
	struct kept_stack *k = ev->type == TRACE_EVENT_FORK ? NULL : stack_of(s, ev->tid);
	s->has_record = put(s, ev, bytes, k);
	s->live->lost += !s->has_record;
	if (k)
		k->tid = 0;
	return !s->has_record;
}

const struct trace_stack *trace_live_stack(const struct trace_live_record *r, size_t *ret_bytes)
{
	*ret_bytes = r->stack_bytes;
	return (const void *)((const uint8_t *)(r + 1) + ((r->event_bytes + 7) & ~7U));
}

/* --- the source --- */

static struct strobe_error *wait_for_more(struct live_source *s, bool *ret_end)
{
	s->stage = STAGE_RINGS;
	*ret_end = s->last;
	if (s->last)
		return NULL;
	return s->live->wait(s->live->ctx, &s->last);
}

static void note_exec(const struct live_source *s, const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC && h->size >= sizeof(*h) + sizeof(uint32_t))
		s->live->executes(s->live->ctx, *(const uint32_t *)(h + 1));
}

static bool next_before(struct live_source *s, struct record *ret)
{
	const struct perf_event_header *h = (const struct perf_event_header *)(s->before + s->before_at);
	if (s->before_bytes - s->before_at < sizeof(*h) || h->size < sizeof(*h) || h->size > s->before_bytes - s->before_at)
		return false;
	*ret = (struct record){ .hdr = h };
	s->before_at += h->size;
	return true;
}

static struct strobe_error *live_next(struct record_source *source, struct record *ret, bool *ret_end)
{
	struct live_source *s = (struct live_source *)source;
	bool end = false;
	*ret_end = false;
	for (;;) {
		switch (s->stage) {
		case STAGE_BEFORE:
			if (next_before(s, ret))
				return NULL;
			s->stage = STAGE_RINGS;
			break;
		case STAGE_RINGS:
			TRY(source_next(s->live->rings, ret, &end));
			/* Its round ends only after the BPF ring has been read, too. */
			if (!end && ret->hdr->type != RECORD_FINISHED_ROUND) {
				note_exec(s, ret->hdr);
				return NULL;
			}
			if (end)
				s->stage = STAGE_BPF;
			break;
		case STAGE_BPF:
			s->has_record = false;
			if (s->live->tracer)
				s->live->drain(s->live->tracer, take_event, s);
			*ret = (struct record){ .hdr = &s->record.head.timed.header };
			if (s->has_record)
				return NULL;
			s->stage = STAGE_ROUND;
			break;
		case STAGE_ROUND:
			s->stage = STAGE_WAIT;
			*ret = (struct record){ .hdr = &s->round };
			return NULL;
		case STAGE_WAIT:
			TRY(wait_for_more(s, ret_end));
			if (*ret_end)
				return NULL;
			break;
		}
	}
}

static const struct env *live_env(struct record_source *source)
{
	return source_env(((struct live_source *)source)->live->rings);
}

static void live_destroy(struct record_source *source)
{
	struct live_source *s = (struct live_source *)source;
	source_destroy(s->live->rings);
	for (size_t i = 0; i < s->stacks.len; i++)
		free(s->stacks.data[i].data);
	vec_deinit(&s->stacks);
	free(s->before);
	free(s);
}

static const struct record_source_ops live_ops = {
	.next = live_next,
	.env = live_env,
	.destroy = live_destroy,
};

struct record_source *trace_live_source(struct trace_live *l, void *before, size_t before_bytes)
{
	struct live_source *s = xcalloc(1, sizeof(*s));
	s->source.ops = &live_ops;
	s->live = l;
	s->before = before;
	s->before_bytes = before_bytes;
	s->round = (struct perf_event_header){ .type = RECORD_FINISHED_ROUND, .size = sizeof(s->round) };
	return &s->source;
}
