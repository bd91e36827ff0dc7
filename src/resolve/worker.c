/*
 * The hot loop: a sample becomes one added count. Nothing is allocated for a sample whose row is known.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/wait_text.h"
#include "resolve/worker.h"

#define ROWS_RESERVED_MAX 131072

void worker_init(struct worker *w, struct resolver *r, uint64_t log_max, bool stable, uint64_t rows)
{
	*w = (struct worker){
		.r = r,
		.step = {
			.r = r,
			.is_switched = r->is_switched,
			.events_max = RAW_EVENTS_MAX + 1,
			.hold_max = stable ? WORKER_BATCH : 1,
		},
		.log_max = log_max,
		.sub_columns = r->columns_nr - r->thread_columns,
		.path = {
			.chain = {
				.max = r->options.max_stack,
				.outermost = r->options.keep_outermost,
				.zero_is_ip = r->options.branch_mode,
			},
			.returns = true,
		},
	};
	rawtab_init(&w->tab, w->sub_columns);
	/* Growing the index rehashes everything: start with the expected size. */
	idset_reserve(&w->tab.row_index, rows < ROWS_RESERVED_MAX ? (uint32_t)rows : ROWS_RESERVED_MAX);
	w->batch = xcalloc_apart(WORKER_BATCH, sizeof(*w->batch));
	w->batch_labels = xcalloc((size_t)WORKER_BATCH * w->sub_columns + 1, sizeof(*w->batch_labels));
	step_init(&w->step);
}

void worker_deinit(struct worker *w)
{
	rawtab_deinit(&w->tab);
	step_deinit(&w->step);
	free(w->batch);
	free(w->batch_labels);
	vec_deinit(&w->log);
}

void worker_clear(struct worker *w)
{
	rawtab_clear(&w->tab);
	step_clear(&w->step);
	vec_clear(&w->log);
	w->log_dropped = 0;
}

/* The RAW part follows the chain, or takes its place. */
static bool find_raw(const struct step_sample *f, const void **ret, uint32_t *ret_bytes)
{
	const struct sample_layout *l = &f->event->layout;
	if (f->full) {
		*ret = f->full->raw;
		*ret_bytes = f->full->raw_bytes;
		return f->full->raw != NULL;
	}
	if (!(l->sample_type & PERF_SAMPLE_RAW))
		return false;
	const uint64_t *end = (const uint64_t *)((const char *)f->rec.hdr + (f->rec.hdr->size & ~7u));
	const uint64_t *at = (const uint64_t *)((const char *)f->rec.hdr + l->variable);
	if (f->hot.callchain)
		at = f->hot.callchain + f->hot.callchain_nr;
	else if (l->sample_type & PERF_SAMPLE_READ)
		at = sample_skip_read(l, at, end);
	if (!at || at >= end)
		return false;
	memcpy(ret_bytes, at, sizeof(*ret_bytes));
	*ret = (const char *)at + sizeof(*ret_bytes);
	return *ret_bytes <= (size_t)((const char *)end - (const char *)*ret);
}

/* The label of tracepoint data: the number of its bytes, + 1; 0: none. */
static uint64_t trace_label(struct worker *w, const struct step_sample *f, uint32_t column, uint64_t *hash)
{
	struct raw_bytes b = { .event = f->event_index, .column = column };
	if (!f->event->tracepoint || !find_raw(f, &b.payload, &b.payload_bytes))
		return 0;
	if (w->r->columns[column].key->id == KEY_TRACE_FIELD) {
		const struct tracepoint_field *field = tracepoint_field(f->event->tracepoint, w->r->columns[column].field);
		if (!field)
			return 0;
		struct field_span span = field_bytes(w->r->tracepoints, field, b.payload, b.payload_bytes);
		b.key = span.data ? span.data : b.payload;
		b.key_bytes = span.bytes;
	} else {
		uint32_t end = b.payload_bytes < f->event->trace_end ? b.payload_bytes : f->event->trace_end;
		uint32_t start = f->event->trace_start < end ? f->event->trace_start : end;
		b.key = (const char *)b.payload + start;
		b.key_bytes = end - start;
	}
	*hash = hash_combine(*hash, raw_bytes_hash(&b));
	return (uint64_t)rawtab_bytes(&w->tab, &b) + 1;
}

/* Likewise for a wait; 0: not a wait. */
static uint64_t wait_label(struct worker *w, const struct step_sample *f, uint32_t column, uint64_t *hash)
{
	struct raw_bytes b = { .event = f->event_index, .column = column };
	if (!f->event->is_wait || !find_raw(f, &b.payload, &b.payload_bytes) ||
	    !wait_part(key_wait_part(w->r->columns[column].key->id), b.payload, b.payload_bytes, &b.key, &b.key_bytes))
		return 0;
	*hash = hash_combine(*hash, raw_bytes_hash(&b));
	return (uint64_t)rawtab_bytes(&w->tab, &b) + 1;
}

/* The raw frames of its waker, which belong to another process; 0: none. */
static uint64_t waker_label(struct worker *w, const struct step_sample *f, uint32_t column, uint64_t *hash)
{
	const void *payload;
	uint32_t bytes, frames[WAIT_WAKER_MAX];
	struct wait_waker_stack waker;
	if (!f->event->is_wait || !find_raw(f, &payload, &bytes))
		return 0;
	wait_waker_stack(payload, bytes, &waker);
	if (!waker.nr)
		return 0;
	struct machine_view view = machine_view(w->r->machine, waker.pid, waker.tid, w->r->no_clock ? f->place : f->hot.time);
	struct frame_where where = { .space = view.space, .kernel = view.kernel, .cpumode = PERF_RECORD_MISC_USER };
	for (uint32_t i = 0; i < waker.nr; i++) {
		where.call_site = i > 0;
		frames[i] = rawtab_frame(&w->tab, waker.ips[i], where, f->place);
	}
	struct raw_bytes b = { .key = frames, .payload = frames, .key_bytes = waker.nr * (uint32_t)sizeof(*frames),
			       .payload_bytes = waker.nr * (uint32_t)sizeof(*frames), .event = f->event_index, .column = column };
	*hash = hash_combine(*hash, raw_bytes_hash(&b));
	return (uint64_t)rawtab_bytes(&w->tab, &b) + 1;
}

/* -1: not in the recording. */
static int64_t socket_of(const struct env *env, uint32_t cpu)
{
	return cpu < env->cpus.len ? env->cpus.data[cpu].socket : -1;
}

static uint64_t fixed_label(const struct worker *w, enum key_id id, const struct step_sample *f)
{
	uint64_t quantum = w->r->options.time_quantum_ns;
	uint16_t cpumode = f->hot.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	switch (id) {
	case KEY_CPU:
		return f->hot.cpu;
	case KEY_SOCKET:
		return (uint64_t)socket_of(w->r->env, f->hot.cpu);
	case KEY_CPUMODE:
		return cpumode;
	case KEY_MACHINE:
		return cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER;
	case KEY_PARALLELISM:
		return parallelism_at(&w->r->parallelism, w->r->env, f->hot.tid);
	default: /* KEY_TIME */
		return quantum ? f->hot.time - f->hot.time % quantum : f->hot.time;
	}
}

/* An address as a label: the number of its raw frame, + 1. Address 0 is valid for branches. */
static uint64_t address_label(struct worker *w, const struct step_sample *f, enum key_id id, uint64_t address)
{
	/* Data addresses are looked up in the context of the sample, branches in whichever has a mapping. */
	uint16_t cpumode = id == KEY_DADDR ? f->hot.misc & PERF_RECORD_MISC_CPUMODE_MASK : CPUMODE_UNKNOWN;
	struct frame_where where = { .space = f->thread->view.space, .kernel = f->thread->view.kernel, .cpumode = cpumode };
	return (uint64_t)rawtab_frame(&w->tab, address, where, f->place) + 1;
}

/* Labels of the sample itself; returns their hash. */
static uint64_t sample_labels(struct worker *w, const struct step_sample *f, const struct perf_branch_entry *branch, uint64_t *labels)
{
	const struct resolver *r = w->r;
	uint64_t hash = 3;
	for (uint32_t i = r->thread_columns; i < r->columns_nr; i++, labels++) {
		enum key_id id = r->columns[i].key->id;
		if (id == KEY_TRACE || id == KEY_TRACE_FIELD) {
			*labels = trace_label(w, f, i, &hash);
			continue;
		}
		if (key_is_of_wait(id)) {
			*labels = wait_label(w, f, i, &hash);
			continue;
		}
		if (id == KEY_WAKER_STACK) {
			*labels = waker_label(w, f, i, &hash);
			continue;
		}
		*labels = key_needs_full_decode(id) ? key_extract(id, f->full, branch) : fixed_label(w, id, f);
		if (key_is_address(r->columns[i].key))
			*labels = address_label(w, f, id, *labels);
		hash = hash_combine(hash, *labels);
	}
	return hash;
}

static void log_sample(struct worker *w, const struct raw_sample *s, uint32_t row)
{
	if (w->log.len >= w->log_max) {
		w->log_dropped++;
		return;
	}
	struct profile_log_entry e = { .time_ns = s->time_ns, .cpu = s->cpu, .tid = s->tid, .row = row };
	vec_push(&w->log, e);
}

static inline void count(struct worker *w, const struct raw_sample *s, const uint64_t *labels)
{
	uint32_t id = rawtab_find(&w->tab, &s->key);
	if (__builtin_expect(id == IDSET_NONE, 0))
		id = rawtab_add(&w->tab, &s->key, s->kernel, &w->path, s->place);
	if (__builtin_expect(w->sub_columns != 0, 0)) {
		id = rawtab_sub(&w->tab, id, labels, s->labels_hash, s->place);
		struct raw_sub *sub = &w->tab.subs.data[id];
		sub->samples += s->samples;
		sub->value += s->value;
		sub->weight += s->weight;
	} else {
		struct raw_row *row = rawtab_row(&w->tab, id);
		row->samples += s->samples;
		row->value += s->value;
		row->weight += s->weight;
	}
	if (__builtin_expect(w->log_max != 0, 0))
		log_sample(w, s, id);
}

void worker_flush(struct worker *w)
{
	for (uint32_t i = 0; i < w->batch_nr; i++)
		rawtab_prefetch_row(&w->tab, w->batch[i].key.hash.a);
	for (uint32_t i = 0; i < w->batch_nr; i++)
		count(w, &w->batch[i], w->batch_labels + (size_t)i * w->sub_columns);
	w->batch_nr = 0;
}

/* The labels of the sample have been stored before. */
static inline void enqueue(struct worker *w, struct raw_sample *s)
{
	s->key.hash = raw_hash(&s->key);
	rawtab_prefetch_slot(&w->tab, s->key.hash.a);
	if (++w->batch_nr == w->step.hold_max)
		worker_flush(w);
}

/* branch_mode: each branch is a row at its target, with count 1. */
static void add_branches(struct worker *w, const struct step_sample *f, const struct raw_sample *proto)
{
	for (uint64_t i = 0; i < f->full->branch_nr; i++) {
		const struct perf_branch_entry *b = &f->full->branches[i];
		struct raw_sample *s = &w->batch[w->batch_nr];
		*s = *proto;
		s->labels_hash = sample_labels(w, f, b, w->batch_labels + (size_t)w->batch_nr * w->sub_columns);
		s->key.ip = b->to;
		s->key.context = raw_context(raw_context_space(proto->key.context), CPUMODE_UNKNOWN);
		s->key.chain_nr = 0;
		s->value = 1;
		s->weight = b->cycles ? b->cycles : 1;
		enqueue(w, s);
	}
}

/* Joined words are only valid for the current sample: it is not batched (hold_max), and has its own path. */
static void enqueue_joined(struct worker *w, const struct step_sample *f, struct raw_sample *s)
{
	struct chain_options limited = w->path.chain;
	s->key.chain = f->joined;
	s->key.chain_nr = f->joined_nr;
	if (!f->event->leaves) /* limits were applied to the parts */
		w->path.chain.max = UINT32_MAX;
	w->path.returns = f->event->leaves; /* other walked addresses, and branches, are those of calls */
	enqueue(w, s);
	w->path.chain = limited;
	w->path.returns = true;
}

/* So many samples at once. */
static inline void put_samples(struct worker *w, const struct step_sample *f, uint64_t samples)
{
	const struct sample_hot *hot = &f->hot;
	const struct thread_facts *t = f->thread;
	const struct resolver *r = w->r;
	/* Field by field: an assignment of the struct would be written twice. */
	struct raw_sample *s = &w->batch[w->batch_nr];
	s->key.ip = hot->ip;
	s->key.context = raw_context(t->view.space, hot->misc & PERF_RECORD_MISC_CPUMODE_MASK);
	s->key.chain = hot->callchain;
	s->key.chain_nr = r->options.with_chains ? (uint32_t)hot->callchain_nr : 0;
	s->key.event = f->event_index;
	s->key.group = t->group;
	s->samples = samples;
	s->value = f->event->layout.period != SAMPLE_NO_OFFSET ? hot->period : samples * f->event->period;
	if (r->options.mem_mode && f->full) /* the value is the weight of the access */
		s->value = f->full->weight1 ? f->full->weight1 : f->full->weight ? f->full->weight : 1;
	s->weight = !f->full ? 0 : f->full->weight1 ? f->full->weight1 : f->full->weight;
	s->place = f->place;
	s->time_ns = hot->time;
	s->cpu = hot->cpu;
	s->tid = hot->tid;
	s->kernel = t->view.kernel;
	if (r->options.branch_mode && f->full && f->full->branches) {
		struct raw_sample proto = *s;
		add_branches(w, f, &proto);
		return;
	}
	if (w->sub_columns)
		s->labels_hash = sample_labels(w, f, NULL, w->batch_labels + (size_t)w->batch_nr * w->sub_columns);
	if (__builtin_expect(f->joined != NULL, 0))
		enqueue_joined(w, f, s);
	else
		enqueue(w, s);
}

void worker_sample(struct worker *w, struct record rec, uint64_t place)
{
	struct step_sample x;
	struct sample full;
	for (bool more = step_begin(&w->step, rec, place, &full, &x); more; more = step_next(&w->step, &x))
		put_samples(w, &x, 1);
}

bool worker_takes_counts(const struct worker *w)
{
	for (uint32_t i = 0; i < w->step.events_nr; i++)
		if (w->step.events[i].full)
			return false;
	return true;
}

void worker_counted(struct worker *w, const struct sample_hot *hot, uint32_t event, uint64_t count, uint64_t place)
{
	if (w->step.events_nr != w->r->env->events.len)
		step_learn_events(&w->step);
	struct step_sample x = { .hot = *hot, .event = &w->step.events[event], .event_index = event, .place = place };
	if (step_passes(&w->step, &x, count))
		put_samples(w, &x, count);
}
