#include "cmd/trace/merged.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "record/sample.h"
#include "sys/perf_abi.h"

#define TICK_MS 5
/* No id of the kernel's: those count from 1. */
#define BPF_EVENT_ID 0x7472616365627066ULL
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
	uint64_t chain[2 * TRACE_STACK_FRAMES + 2], regs[64];
	bool has_record;
	struct perf_event_header round;
	uint8_t record[RECORD_BYTES] __attribute__((aligned(8)));
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

static void add_addresses(struct merged_source *s, struct sample *x, uint64_t context, const uint8_t *from, uint32_t bytes)
{
	uint32_t n = bytes / 8;
	if (!n)
		return;
	s->chain[x->callchain_nr++] = context;
	memcpy(s->chain + x->callchain_nr, from, n * sizeof(uint64_t));
	x->callchain_nr += n;
}

static void add_dump(struct merged_source *s, struct sample *x, const struct trace_stack *head, const uint8_t *stack)
{
	const struct arch *a = arch_native();
	unsigned n = 0;
	for (unsigned bit = 0; bit < 64; bit++)
		if (a->task_regs >> bit & 1)
			s->regs[n++] = head->regs[a->ptrace_regs ? a->ptrace_regs[bit] : bit];
	x->user_regs = (struct sample_regs){ .abi = PERF_SAMPLE_REGS_ABI_64, .mask = a->task_regs, .values = s->regs };
	x->stack = stack;
	x->stack_bytes = x->stack_dyn_bytes = head->user_bytes & ~7U;
	/* Less than was asked for: the stack ends there. */
	if (head->user_bytes < s->m->stack_bytes)
		x->stack_bytes += 8;
}

static void add_stack(struct merged_source *s, struct sample *x, const struct kept_stack *k)
{
	const struct trace_stack *head = (const struct trace_stack *)k->data;
	const uint8_t *data = k->data + sizeof(*head);
	if ((uint64_t)head->kernel_bytes + head->user_bytes > k->bytes - sizeof(*head) ||
	    head->kernel_bytes > TRACE_STACK_FRAMES * 8)
		return;
	add_addresses(s, x, PERF_CONTEXT_KERNEL, data, head->kernel_bytes);
	if (s->m->stacks == TRACE_STACKS_FP && head->user_bytes <= TRACE_STACK_FRAMES * 8)
		add_addresses(s, x, PERF_CONTEXT_USER, data + head->kernel_bytes, head->user_bytes);
	else if (s->m->stacks == TRACE_STACKS_DUMP)
		add_dump(s, x, head, data + head->kernel_bytes);
}

static bool take_event(void *ctx, const struct trace_event *ev, size_t bytes)
{
	struct merged_source *s = ctx;
	if (ev->type == TRACE_EVENT_STACK) {
		keep_stack(s, ev, bytes);
		return true;
	}
	struct sample x = { .id = BPF_EVENT_ID, .time = ev->time_ns, .pid = ev->pid, .tid = ev->tid, .cpu = ev->cpu,
			    .misc = PERF_RECORD_MISC_USER, .raw = ev, .raw_bytes = (uint32_t)bytes, .callchain = s->chain };
	struct kept_stack *k = ev->type == TRACE_EVENT_FORK ? NULL : stack_of(s, ev->tid);
	if (k) {
		add_stack(s, &x, k);
		k->tid = 0;
	}
	const struct env *env = capture_env(s->m->capture);
	s->has_record = sample_encode(&env->events.data[s->m->bpf_event].layout, &x, s->record, sizeof(s->record)) > 0;
	s->m->lost += !s->has_record;
	return !s->has_record;
}

/* --- the source --- */

static struct strobe_error *wait(struct merged_source *s, bool *ret_end)
{
	struct trace_merged *m = s->m;
	s->stage = STAGE_RINGS;
	*ret_end = s->last;
	if (s->last)
		return NULL;
	out_flush(&m->run->out);
	TRY(trace_wait(m->run, TICK_MS));
	if (!m->run->ended)
		return NULL;
	/* One more round over what is left. */
	s->last = true;
	capture_disable(m->capture);
	if (m->tracer)
		stream_tracer_stop(m->tracer);
	return NULL;
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
			if (!end && ret->hdr->type != RECORD_FINISHED_ROUND)
				return NULL;
			if (end)
				s->stage = STAGE_BPF;
			break;
		case STAGE_BPF:
			s->has_record = false;
			if (s->m->tracer)
				stream_tracer_drain(s->m->tracer, take_event, s);
			*ret = (struct record){ .hdr = (const struct perf_event_header *)s->record };
			if (s->has_record)
				return NULL;
			s->stage = STAGE_ROUND;
			break;
		case STAGE_ROUND:
			s->stage = STAGE_WAIT;
			*ret = (struct record){ .hdr = &s->round };
			return NULL;
		case STAGE_WAIT:
			TRY(wait(s, ret_end));
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

static uint32_t add_bpf_event(const struct trace_merged *m)
{
	const uint64_t id = BPF_EVENT_ID;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
	};
	if (m->stacks == TRACE_STACKS_DUMP) {
		attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr.sample_regs_user = arch_native()->task_regs;
		attr.sample_stack_user = m->stack_bytes;
	}
	return env_add_event(capture_env(m->capture), &attr, sizeof(attr), "bpf", &id, 1);
}

struct record_source *trace_merged_source(struct trace_merged *m, void *before, size_t before_bytes)
{
	struct merged_source *s = xcalloc(1, sizeof(*s));
	s->source.ops = &merged_ops;
	s->m = m;
	s->rings = capture_source(m->capture);
	s->before = before;
	s->before_bytes = before_bytes;
	s->round = (struct perf_event_header){ .type = RECORD_FINISHED_ROUND, .size = sizeof(s->round) };
	m->bpf_event = m->tracer ? add_bpf_event(m) : UINT32_MAX;
	return &s->source;
}
