#include "tracing/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define RECORD_BYTES 65536

enum stage { STAGE_BEFORE, STAGE_RINGS, STAGE_BPF, STAGE_ROUND, STAGE_WAIT };

/* A stack that waits for its call. */
struct kept_stack {
	uint32_t tid; /* 0: free */
	uint32_t bytes;
	uint8_t *data; /* of RECORD_BYTES */
};

struct merged_source {
	struct record_source source;
	struct trace_merged *m;
	struct record_source *rings;
	enum stage stage;
	bool last;
	uint8_t *before;
	size_t before_bytes, before_at;
	VEC(struct kept_stack) stacks;
	bool has_record;
	struct perf_event_header round;
	union {
		struct trace_merged_record head;
		uint8_t bytes[RECORD_BYTES];
	} record;
};

/* --- events of the BPF programs --- */

static struct kept_stack *stack_of(struct merged_source *s, uint32_t tid)
{
	for (size_t i = 0; i < s->stacks.len; i++)
		if (s->stacks.data[i].tid == tid)
			return &s->stacks.data[i];
	return NULL;
}

static void keep_stack(struct merged_source *s, const struct trace_event *ev, size_t bytes)
{
	struct kept_stack *k = stack_of(s, ev->tid);
	if (!k)
		k = stack_of(s, 0);
	if (!k) {
		vec_push(&s->stacks, ((struct kept_stack){ .data = xcalloc(1, RECORD_BYTES) }));
		k = &vec_last(&s->stacks);
	}
	if (bytes > RECORD_BYTES / 2 || bytes < sizeof(*ev) + sizeof(struct trace_stack)) {
		s->m->lost++;
		return;
	}
	k->tid = ev->tid;
	k->bytes = (uint32_t)(bytes - sizeof(*ev));
	memcpy(k->data, ev + 1, k->bytes);
}

static bool put(struct merged_source *s, const struct trace_event *ev, size_t bytes, const struct kept_stack *k)
{
	struct trace_merged_record *r = &s->record.head;
	size_t event_bytes = (bytes + 7) & ~(size_t)7, stack_bytes = k ? k->bytes : 0;
	size_t all = (sizeof(*r) + event_bytes + stack_bytes + 7) & ~(size_t)7;
	if (all > UINT16_MAX)
		return false;
	*r = (struct trace_merged_record){
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
	struct merged_source *s = ctx;
	if (ev->type == TRACE_EVENT_STACK) {
		keep_stack(s, ev, bytes);
		return true;
	}
	if (ev->type == TRACE_EVENT_EXEC && !(ev->flags & TRACE_FLAG_ASIDE))
		s->m->executes(s->m->ctx, ev->pid);
	struct kept_stack *k = ev->type == TRACE_EVENT_FORK ? NULL : stack_of(s, ev->tid);
	s->has_record = put(s, ev, bytes, k);
	s->m->lost += !s->has_record;
	if (k)
		k->tid = 0;
	return !s->has_record;
}

const struct trace_stack *trace_merged_stack(const struct trace_merged_record *r, size_t *ret_bytes)
{
	*ret_bytes = r->stack_bytes;
	return (const void *)((const uint8_t *)(r + 1) + ((r->event_bytes + 7) & ~7U));
}

/* --- the source --- */

static struct strobe_error *wait_for_more(struct merged_source *s, bool *ret_end)
{
	const struct trace_merged *m = s->m;
	s->stage = STAGE_RINGS;
	*ret_end = s->last;
	if (s->last)
		return NULL;
	TRY(m->wait(m->ctx, &s->last));
	if (!s->last)
		return NULL;
	capture_disable(m->capture);
	if (m->tracer)
		stream_tracer_stop(m->tracer);
	return NULL;
}

static void note_exec(const struct merged_source *s, const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC && h->size >= sizeof(*h) + sizeof(uint32_t))
		s->m->executes(s->m->ctx, *(const uint32_t *)(h + 1));
}

static bool next_before(struct merged_source *s, struct record *ret)
{
	const struct perf_event_header *h = (const struct perf_event_header *)(s->before + s->before_at);
	if (s->before_bytes - s->before_at < sizeof(*h) || h->size < sizeof(*h) || h->size > s->before_bytes - s->before_at)
		return false;
	*ret = (struct record){ .hdr = h };
	s->before_at += h->size;
	return true;
}

static struct strobe_error *merged_next(struct record_source *source, struct record *ret, bool *ret_end)
{
	struct merged_source *s = (struct merged_source *)source;
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
			TRY(source_next(s->rings, ret, &end));
			/* Its rounds are ours only when the BPF ring has been read too. */
			if (!end && ret->hdr->type != RECORD_FINISHED_ROUND) {
				note_exec(s, ret->hdr);
				return NULL;
			}
			if (end)
				s->stage = STAGE_BPF;
			break;
		case STAGE_BPF:
			s->has_record = false;
			if (s->m->tracer)
				stream_tracer_drain(s->m->tracer, take_event, s);
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

static const struct env *merged_env(struct record_source *source)
{
	return capture_env(((struct merged_source *)source)->m->capture);
}

static bool merged_stable(struct record_source *source)
{
	return false;
}

static void merged_destroy(struct record_source *source)
{
	struct merged_source *s = (struct merged_source *)source;
	source_destroy(s->rings);
	for (size_t i = 0; i < s->stacks.len; i++)
		free(s->stacks.data[i].data);
	vec_deinit(&s->stacks);
	free(s->before);
	free(s);
}

static const struct record_source_ops merged_ops = {
	.next = merged_next,
	.env = merged_env,
	.stable = merged_stable,
	.destroy = merged_destroy,
};

struct record_source *trace_merged_source(struct trace_merged *m, void *before, size_t before_bytes)
{
	struct merged_source *s = xcalloc(1, sizeof(*s));
	s->source.ops = &merged_ops;
	s->m = m;
	s->rings = capture_source(m->capture);
	s->before = before;
	s->before_bytes = before_bytes;
	s->round = (struct perf_event_header){ .type = RECORD_FINISHED_ROUND, .size = sizeof(s->round) };
	return &s->source;
}
