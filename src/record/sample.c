#include "record/sample.h"

/* After the counts of branches in newer kernels than our header knows (6.8). */
#define BRANCH_COUNTERS (1ull << 19)

struct sample_layout sample_layout_compile(const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;
	struct sample_layout l = {
		.sample_type = type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.user_regs_mask = attr->sample_regs_user,
		.intr_regs_mask = attr->sample_regs_intr,
	};
	uint16_t at = sizeof(struct perf_event_header);
	const struct {
		uint64_t bit;
		uint16_t *offset;
	} fixed[] = {
		{ PERF_SAMPLE_IDENTIFIER, &l.identifier },
		{ PERF_SAMPLE_IP, &l.ip },
		{ PERF_SAMPLE_TID, &l.tid },
		{ PERF_SAMPLE_TIME, &l.time },
		{ PERF_SAMPLE_ADDR, &l.addr },
		{ PERF_SAMPLE_ID, &l.id },
		{ PERF_SAMPLE_STREAM_ID, &l.stream_id },
		{ PERF_SAMPLE_CPU, &l.cpu },
		{ PERF_SAMPLE_PERIOD, &l.period },
	};
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		*fixed[i].offset = type & fixed[i].bit ? at : SAMPLE_NO_OFFSET;
		at += type & fixed[i].bit ? 8 : 0;
	}
	l.variable = at;

	if (!attr->sample_id_all)
		return l;
	const struct {
		uint64_t bit;
		uint16_t *back;
	} tail[] = { /* from the record's end */
		{ PERF_SAMPLE_IDENTIFIER, &l.tail_identifier },
		{ PERF_SAMPLE_CPU, &l.tail_cpu },
		{ PERF_SAMPLE_STREAM_ID, &l.tail_stream_id },
		{ PERF_SAMPLE_ID, &l.tail_id },
		{ PERF_SAMPLE_TIME, &l.tail_time },
		{ PERF_SAMPLE_TID, &l.tail_tid },
	};
	for (size_t i = 0; i < sizeof(tail) / sizeof(tail[0]); i++) {
		l.tail_bytes += type & tail[i].bit ? 8 : 0;
		*tail[i].back = type & tail[i].bit ? l.tail_bytes : 0;
	}
	return l;
}

bool sample_layout_equal(const struct sample_layout *a, const struct sample_layout *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->branch_sample_type == b->branch_sample_type && a->user_regs_mask == b->user_regs_mask &&
	       a->intr_regs_mask == b->intr_regs_mask && a->tail_bytes == b->tail_bytes;
}

/*
 * The variable part is walked by one bounded reader over 64-bit words. Everything in it is a multiple of 8 bytes from the
 * record's start (the kernel pads RAW so), which keeps pointers into it aligned.
 */
struct words {
	const uint64_t *at, *end;
};

static struct words words_of(const struct sample_layout *l, struct record r)
{
	return (struct words){
		.at = (const uint64_t *)((const char *)r.hdr + l->variable),
		.end = (const uint64_t *)((const char *)r.hdr + (r.hdr->size & ~7u)),
	};
}

static inline const uint64_t *take(struct words *w, uint64_t n)
{
	if (n > (uint64_t)(w->end - w->at))
		return NULL;
	const uint64_t *p = w->at;
	w->at += n;
	return p;
}

static inline bool take_word(struct words *w, uint64_t *ret)
{
	const uint64_t *p = take(w, 1);
	if (!p)
		return false;
	*ret = *p;
	return true;
}

/* Words of one value in a read: itself, its id, its lost count. */
static unsigned read_value_words(uint64_t read_format)
{
	return 1 + !!(read_format & PERF_FORMAT_ID) + !!(read_format & PERF_FORMAT_LOST);
}

static unsigned read_time_words(uint64_t read_format)
{
	return !!(read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
}

const uint64_t *sample_skip_read(const struct sample_layout *l, const uint64_t *at, const uint64_t *end)
{
	struct words w = { at, end };
	uint64_t nr = 1;

	if (l->read_format & PERF_FORMAT_GROUP && !take_word(&w, &nr))
		return NULL;
	uint64_t left = (uint64_t)(w.end - w.at), times = read_time_words(l->read_format);
	unsigned each = read_value_words(l->read_format);
	if (left < times || nr > (left - times) / each)
		return NULL;
	return w.at + times + nr * each;
}

static bool decode_read(const struct sample_layout *l, struct words *w, struct sample *ret)
{
	uint64_t format = l->read_format;
	const uint64_t *end = sample_skip_read(l, w->at, w->end), *p = w->at;

	if (!end)
		return false;
	ret->read.read_format = format;
	ret->read.nr = format & PERF_FORMAT_GROUP ? *p++ : 1;
	/* The times precede the values of a group, and follow the value of a single event. */
	const uint64_t *times = format & PERF_FORMAT_GROUP ? p : p + 1;
	ret->read.values = format & PERF_FORMAT_GROUP ? p + read_time_words(format) : p;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		ret->read.time_enabled = *times++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		ret->read.time_running = *times;
	w->at = end;
	return true;
}

bool sample_read_get(const struct sample *s, uint64_t i, struct sample_read_value *ret)
{
	uint64_t format = s->read.read_format;

	*ret = (struct sample_read_value){};
	if (i >= s->read.nr)
		return false;
	const uint64_t *p = s->read.values;
	if (format & PERF_FORMAT_GROUP)
		p += i * read_value_words(format);
	ret->value = *p++;
	if (!(format & PERF_FORMAT_GROUP))
		p += read_time_words(format);
	if (format & PERF_FORMAT_ID)
		ret->id = *p++;
	if (format & PERF_FORMAT_LOST)
		ret->lost = *p;
	return true;
}

static bool decode_raw(struct words *w, struct sample *ret)
{
	uint32_t bytes;

	if (w->at >= w->end)
		return false;
	memcpy(&bytes, w->at, sizeof(bytes));
	uint64_t all = ((uint64_t)bytes + sizeof(bytes) + 7) / 8;
	const uint64_t *p = take(w, all);
	if (!p)
		return false;
	ret->raw_bytes = bytes;
	ret->raw = (const char *)p + sizeof(bytes);
	return true;
}

static bool decode_branches(const struct sample_layout *l, struct words *w, struct sample *ret)
{
	uint64_t nr;

	if (!take_word(w, &nr))
		return false;
	ret->has_branch_hw_idx = l->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX;
	if (ret->has_branch_hw_idx && !take_word(w, &ret->branch_hw_idx))
		return false;
	const uint64_t each = sizeof(struct perf_branch_entry) / 8;
	if (nr > (uint64_t)(w->end - w->at) / each)
		return false;
	ret->branch_nr = nr;
	ret->branches = (const struct perf_branch_entry *)take(w, nr * each);
	if (l->branch_sample_type & BRANCH_COUNTERS) {
		ret->branch_counters = take(w, nr);
		return ret->branch_counters != NULL;
	}
	return true;
}

static bool decode_regs(struct words *w, uint64_t mask, struct sample_regs *ret)
{
	ret->mask = mask;
	if (!take_word(w, &ret->abi))
		return false;
	if (ret->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	ret->values = take(w, (uint64_t)__builtin_popcountll(mask));
	return ret->values != NULL;
}

static bool decode_stack(struct words *w, struct sample *ret)
{
	uint64_t bytes;

	if (!take_word(w, &bytes))
		return false;
	if (!bytes)
		return true;
	if (bytes > (uint64_t)(w->end - w->at) * 8)
		return false;
	ret->stack = (const uint8_t *)take(w, (bytes + 7) / 8);
	ret->stack_bytes = bytes;
	if (!take_word(w, &ret->stack_dyn_bytes))
		return false;
	if (ret->stack_dyn_bytes > bytes)
		ret->stack_dyn_bytes = bytes;
	return true;
}

static bool decode_aux(struct words *w, struct sample *ret)
{
	uint64_t bytes;

	if (!take_word(w, &bytes) || bytes > (uint64_t)(w->end - w->at) * 8)
		return false;
	ret->aux_bytes = bytes;
	ret->aux = take(w, (bytes + 7) / 8);
	return true;
}

static bool decode_weight(const struct sample_layout *l, struct words *w, struct sample *ret)
{
	if (!take_word(w, &ret->weight))
		return false;
	if (l->sample_type & PERF_SAMPLE_WEIGHT_STRUCT) {
		ret->weight1 = (uint32_t)ret->weight;
		ret->weight2 = (uint16_t)(ret->weight >> 32);
		ret->weight3 = (uint16_t)(ret->weight >> 48);
	}
	return true;
}

bool sample_decode_full(const struct sample_layout *l, struct record r, const struct sample_hot *hot, struct sample *ret)
{
	uint64_t type = l->sample_type;

	*ret = (struct sample){
		.ip = hot->ip,
		.time = hot->time,
		.id = hot->id,
		.period = hot->period,
		.pid = hot->pid,
		.tid = hot->tid,
		.cpu = hot->cpu,
		.misc = hot->misc,
		.callchain_nr = hot->callchain_nr,
		.callchain = hot->callchain,
		.addr = l->addr != SAMPLE_NO_OFFSET ? sample_word(r, l->addr) : 0,
		.stream_id = l->stream_id != SAMPLE_NO_OFFSET ? sample_word(r, l->stream_id) : 0,
	};
	struct words w = words_of(l, r);
	if (type & PERF_SAMPLE_READ && !decode_read(l, &w, ret))
		return false;
	if (type & PERF_SAMPLE_CALLCHAIN)
		w.at = hot->callchain + hot->callchain_nr;
	if (type & PERF_SAMPLE_RAW && !decode_raw(&w, ret))
		return false;
	if (type & PERF_SAMPLE_BRANCH_STACK && !decode_branches(l, &w, ret))
		return false;
	if (type & PERF_SAMPLE_REGS_USER && !decode_regs(&w, l->user_regs_mask, &ret->user_regs))
		return false;
	if (type & PERF_SAMPLE_STACK_USER && !decode_stack(&w, ret))
		return false;
	if (type & PERF_SAMPLE_WEIGHT_TYPE && !decode_weight(l, &w, ret))
		return false;
	if (type & PERF_SAMPLE_DATA_SRC && !take_word(&w, &ret->data_src))
		return false;
	if (type & PERF_SAMPLE_TRANSACTION && !take_word(&w, &ret->transaction))
		return false;
	if (type & PERF_SAMPLE_REGS_INTR && !decode_regs(&w, l->intr_regs_mask, &ret->intr_regs))
		return false;
	if (type & PERF_SAMPLE_PHYS_ADDR && !take_word(&w, &ret->phys_addr))
		return false;
	if (type & PERF_SAMPLE_CGROUP && !take_word(&w, &ret->cgroup))
		return false;
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE && !take_word(&w, &ret->data_page_size))
		return false;
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE && !take_word(&w, &ret->code_page_size))
		return false;
	if (type & PERF_SAMPLE_AUX && !decode_aux(&w, ret))
		return false;
	return true;
}

bool sample_decode(const struct sample_layout *l, struct record r, struct sample *ret)
{
	struct sample_hot hot;

	return sample_decode_hot(l, r, &hot) && sample_decode_full(l, r, &hot, ret);
}

bool sample_tail_decode(const struct sample_layout *l, struct record r, struct sample_tail *ret)
{
	*ret = (struct sample_tail){ .cpu = SAMPLE_NO_CPU };
	if (!l->tail_bytes)
		return true;
	if (r.hdr->size < sizeof(*r.hdr) + l->tail_bytes)
		return false;
	const char *end = (const char *)r.hdr + r.hdr->size;
	ret->present = true;
	if (l->tail_tid) {
		memcpy(&ret->pid, end - l->tail_tid, 4);
		memcpy(&ret->tid, end - l->tail_tid + 4, 4);
	}
	if (l->tail_time)
		memcpy(&ret->time, end - l->tail_time, 8);
	if (l->tail_id)
		memcpy(&ret->id, end - l->tail_id, 8);
	if (l->tail_stream_id)
		memcpy(&ret->stream_id, end - l->tail_stream_id, 8);
	if (l->tail_cpu)
		memcpy(&ret->cpu, end - l->tail_cpu, 4);
	if (l->tail_identifier)
		memcpy(&ret->id, end - l->tail_identifier, 8);
	return true;
}
