/* Samples and trailers written as records. */
#include "record/sample.h"

#define BRANCH_COUNTERS (1ull << 19)

struct builder {
	char *start, *at, *end;
	bool full;
};

static char *room(struct builder *b, size_t n)
{
	if (b->full || n > (size_t)(b->end - b->at)) {
		b->full = true;
		return NULL;
	}
	char *p = b->at;
	b->at += n;
	return p;
}

static void put(struct builder *b, uint64_t v)
{
	char *p = room(b, sizeof(v));
	if (p)
		memcpy(p, &v, sizeof(v));
}

static void put_halves(struct builder *b, uint32_t first, uint32_t second)
{
	uint32_t half[2] = { first, second };
	char *p = room(b, sizeof(half));
	if (p)
		memcpy(p, half, sizeof(half));
}

static void put_bytes(struct builder *b, const void *from, uint64_t n)
{
	char *p = n <= UINT16_MAX ? room(b, (n + 7) & ~(size_t)7) : NULL;
	if (!p) {
		b->full = true;
		return;
	}
	memset(p, 0, (n + 7) & ~(size_t)7);
	if (n)
		memcpy(p, from, n);
}

static void put_words(struct builder *b, const uint64_t *from, uint64_t n)
{
	put_bytes(b, from, n <= UINT16_MAX ? n * 8 : n);
}

static void put_read(const struct sample_layout *l, const struct sample *s, struct builder *b)
{
	uint64_t format = l->read_format;
	bool group = format & PERF_FORMAT_GROUP;
	struct sample_read_value v;

	if (group)
		put(b, s->read.nr);
	for (uint64_t i = 0; !b->full && (!i || i < (group ? s->read.nr : 1)); i++) {
		bool have = sample_read_get(s, i, &v);
		if (!group)
			put(b, v.value);
		if (i == 0 && format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			put(b, s->read.time_enabled);
		if (i == 0 && format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			put(b, s->read.time_running);
		if (group && !have)
			break;
		if (group)
			put(b, v.value);
		if (format & PERF_FORMAT_ID)
			put(b, v.id);
		if (format & PERF_FORMAT_LOST)
			put(b, v.lost);
	}
}

static void put_raw(const struct sample *s, struct builder *b)
{
	uint64_t all = ((uint64_t)s->raw_bytes + sizeof(s->raw_bytes) + 7) & ~7ull;
	char *p = room(b, all);

	if (!p)
		return;
	memset(p, 0, all);
	memcpy(p, &s->raw_bytes, sizeof(s->raw_bytes));
	if (s->raw_bytes)
		memcpy(p + sizeof(s->raw_bytes), s->raw, s->raw_bytes);
}

static void put_branches(const struct sample_layout *l, const struct sample *s, struct builder *b)
{
	const unsigned each = sizeof(*s->branches) / 8;

	put(b, s->branch_nr);
	if (l->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		put(b, s->branch_hw_idx);
	put_words(b, (const uint64_t *)s->branches, s->branch_nr <= UINT16_MAX ? s->branch_nr * each : UINT32_MAX);
	for (uint64_t i = 0; l->branch_sample_type & BRANCH_COUNTERS && i < s->branch_nr && !b->full; i++)
		put(b, s->branch_counters ? s->branch_counters[i] : 0);
}

static void put_regs(const struct sample_regs *regs, uint64_t mask, struct builder *b)
{
	put(b, regs->abi);
	if (regs->abi && regs->values && regs->mask == mask)
		put_words(b, regs->values, (uint64_t)__builtin_popcountll(mask));
	else if (regs->abi)
		b->full = true; /* registers of another layout cannot be written truly */
}

static void put_fixed(const struct sample_layout *l, const struct sample *s, struct builder *b)
{
	uint64_t type = l->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		put(b, s->id);
	if (type & PERF_SAMPLE_IP)
		put(b, s->ip);
	if (type & PERF_SAMPLE_TID)
		put_halves(b, s->pid, s->tid);
	if (type & PERF_SAMPLE_TIME)
		put(b, s->time);
	if (type & PERF_SAMPLE_ADDR)
		put(b, s->addr);
	if (type & PERF_SAMPLE_ID)
		put(b, s->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put(b, s->stream_id);
	if (type & PERF_SAMPLE_CPU)
		put_halves(b, s->cpu, 0);
	if (type & PERF_SAMPLE_PERIOD)
		put(b, s->period);
}

static void put_variable(const struct sample_layout *l, const struct sample *s, struct builder *b)
{
	uint64_t type = l->sample_type;

	if (type & PERF_SAMPLE_READ)
		put_read(l, s, b);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		put(b, s->callchain_nr);
		put_words(b, s->callchain, s->callchain_nr);
	}
	if (type & PERF_SAMPLE_RAW)
		put_raw(s, b);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(l, s, b);
	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(&s->user_regs, l->user_regs_mask, b);
	if (type & PERF_SAMPLE_STACK_USER) {
		put(b, s->stack_bytes);
		put_bytes(b, s->stack, s->stack_bytes);
		if (s->stack_bytes)
			put(b, s->stack_dyn_bytes);
	}
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		put(b, s->weight);
	if (type & PERF_SAMPLE_DATA_SRC)
		put(b, s->data_src);
	if (type & PERF_SAMPLE_TRANSACTION)
		put(b, s->transaction);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_regs(&s->intr_regs, l->intr_regs_mask, b);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		put(b, s->phys_addr);
	if (type & PERF_SAMPLE_CGROUP)
		put(b, s->cgroup);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		put(b, s->data_page_size);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		put(b, s->code_page_size);
	if (type & PERF_SAMPLE_AUX) {
		put(b, s->aux_bytes);
		put_bytes(b, s->aux, s->aux_bytes);
	}
}

size_t sample_encode(const struct sample_layout *l, const struct sample *s, void *dst, size_t cap)
{
	if (cap > UINT16_MAX)
		cap = UINT16_MAX;
	struct builder b = { .start = dst, .at = dst, .end = (char *)dst + cap };
	struct perf_event_header hdr = { .type = PERF_RECORD_SAMPLE, .misc = s->misc };

	if (!room(&b, sizeof(hdr)))
		return 0;
	put_fixed(l, s, &b);
	put_variable(l, s, &b);
	if (b.full)
		return 0;
	hdr.size = (uint16_t)(b.at - b.start);
	memcpy(dst, &hdr, sizeof(hdr));
	return hdr.size;
}

size_t sample_tail_encode(const struct sample_layout *l, const struct sample_tail *t, void *dst, size_t cap)
{
	struct builder b = { .start = dst, .at = dst, .end = (char *)dst + cap };

	if (l->tail_tid)
		put_halves(&b, t->pid, t->tid);
	if (l->tail_time)
		put(&b, t->time);
	if (l->tail_id)
		put(&b, t->id);
	if (l->tail_stream_id)
		put(&b, t->stream_id);
	if (l->tail_cpu)
		put_halves(&b, t->cpu, 0);
	if (l->tail_identifier)
		put(&b, t->id);
	return b.full ? 0 : (size_t)(b.at - b.start);
}
