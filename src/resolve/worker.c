/*
 * The hot loop: a sample becomes one added count. Nothing is allocated for a sample whose row is known.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "resolve/resolver_priv.h"

#define THREADS_CACHED    1024 /* a power of two */
#define ROWS_RESERVED_MAX 131072

static void find_trace_range(struct event_facts *e)
{
	const struct tracepoint *tp = e->tracepoint;
	e->trace_start = 0;
	e->trace_end = UINT32_MAX;
	if (!tp || !tp->common_nr)
		return;
	/* The common fields (type, flags, pid) are in no text, except where a format asks for them. */
	const struct tracepoint_field *last = &tp->fields[tp->common_nr - 1];
	if (!strstr(tp->print_fmt ? tp->print_fmt : "common_", "common_"))
		e->trace_start = last->offset + last->bytes;
	/* Behind the fields may stand padding of any content; behind dynamic ones stands what they point to. */
	uint32_t end = 0;
	for (uint32_t i = 0; i < tp->fields_nr; i++) {
		const struct tracepoint_field *f = &tp->fields[i];
		if (f->kind == FIELD_DYNAMIC || f->kind == FIELD_DYNAMIC_RELATIVE || !f->bytes)
			return;
		end = f->offset + f->bytes > end ? f->offset + f->bytes : end;
	}
	e->trace_end = end > e->trace_start ? end : UINT32_MAX;
}

static struct event_facts event_facts(struct resolver *r, uint32_t i)
{
	const struct env_event *ev = &r->env->events.data[i];
	struct event_facts e = {
		.layout = ev->layout,
		.period = ev->attr.sample_period,
		.full = r->has_full || r->options.branch_mode || r->options.mem_mode || ev->attr.sample_type & PERF_SAMPLE_WEIGHT_TYPE,
		.members = members_are_read(&ev->attr),
		.calls = attr_has_calls(&ev->attr) && r->options.with_chains,
	};
	e.dumps = attr_has_dumps(&ev->attr) && r->options.with_chains;
	e.history = r->options.branch_history && r->options.with_chains && ev->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
	e.deferred = attr_is_deferred(&ev->attr) && r->options.with_chains;
	e.leaves = resolver_has_leaves(r, &ev->attr) && r->options.with_chains;
	e.joined = e.calls || e.dumps || e.leaves || e.history;
	e.full |= e.members || e.joined;
	if (r->has_trace && ev->attr.type == PERF_TYPE_TRACEPOINT)
		e.tracepoint = tracepoints_by_id(resolver_tracepoints(r), (uint32_t)ev->attr.config);
	find_trace_range(&e);
	return e;
}

/* Events may come while a stream is read. */
static void size_events(struct worker *w)
{
	uint32_t n = (uint32_t)w->r->env->events.len;
	w->events = xreallocarray(w->events, n + 1, sizeof(*w->events));
	w->event_samples = xreallocarray(w->event_samples, n + 1, sizeof(*w->event_samples));
	for (uint32_t i = w->events_nr; i < n; i++) {
		w->events[i] = event_facts(w->r, i);
		w->event_samples[i] = 0;
		if (w->events[i].joined || w->events[i].deferred)
			w->batch_max = 1;
		if ((w->events[i].dumps || w->events[i].leaves) && !w->dumps.r)
			dumps_init(&w->dumps, w->r);
	}
	w->events_nr = n;
}

void worker_init(struct worker *w, struct resolver *r, uint64_t log_max, bool stable, uint64_t rows)
{
	*w = (struct worker){
		.r = r,
		.log_max = log_max,
		.first_ns = UINT64_MAX,
		.sub_columns = r->columns_nr - r->thread_columns,
		.path = {
			.chain = {
				.max = r->options.max_stack,
				.outermost = r->options.keep_outermost,
				.zero_is_ip = r->options.branch_mode,
			},
			.returns = true,
		},
		.batch_max = stable ? WORKER_BATCH : 1,
	};
	rawtab_init(&w->tab, w->sub_columns);
	/* Growing the index means hashing all of it anew: begin with what is likely to be needed. */
	idset_reserve(&w->tab.row_index, rows < ROWS_RESERVED_MAX ? (uint32_t)rows : ROWS_RESERVED_MAX);
	w->threads = xcalloc_apart(THREADS_CACHED, sizeof(*w->threads));
	w->generation = 1;
	w->batch = xcalloc_apart(WORKER_BATCH, sizeof(*w->batch));
	w->batch_labels = xcalloc((size_t)WORKER_BATCH * w->sub_columns + 1, sizeof(*w->batch_labels));
	size_events(w);
}

void worker_deinit(struct worker *w)
{
	rawtab_deinit(&w->tab);
	free(w->events);
	free(w->event_samples);
	free(w->threads);
	free(w->batch);
	free(w->batch_labels);
	vec_deinit(&w->groups);
	idset_deinit(&w->group_index);
	vec_deinit(&w->log);
	vec_deinit(&w->joined);
	vec_deinit(&w->whole);
	dumps_deinit(&w->dumps);
}

void worker_clear(struct worker *w)
{
	rawtab_clear(&w->tab);
	w->generation++;
	vec_clear(&w->groups);
	w->groups_nr = 0;
	idset_clear(&w->group_index);
	vec_clear(&w->log);
	w->log_dropped = 0;
	if (w->dumps.r) {
		dumps_deinit(&w->dumps);
		dumps_init(&w->dumps, w->r);
	}
	memset(w->event_samples, 0, w->events_nr * sizeof(*w->event_samples));
	w->samples = w->bad = w->unknown_id = w->filtered = w->cut_chains = w->deep_chains = 0;
	w->first_ns = UINT64_MAX;
	w->last_ns = 0;
}

#define CGROUP_NAMESPACE 6 /* in the order of NAMESPACES records */

static uint64_t cgroup_label(const struct machine *m, enum key_id id, const struct thread *t)
{
	uint64_t dev = 0, ino = 0;
	(void)machine_namespace(m, t, CGROUP_NAMESPACE, &dev, &ino);
	return id == KEY_CGROUP_DEV ? dev : ino;
}

static uint64_t thread_label(const struct worker *w, enum key_id id, const struct thread_facts *t)
{
	switch (id) {
	case KEY_COMM:
		return t->view.comm;
	case KEY_PID:
		return t->pid;
	case KEY_TID:
		return t->tid;
	case KEY_CGROUP_DEV:
	case KEY_CGROUP_INO:
		return cgroup_label(w->r->machine, id, t->view.thread);
	default:
		return t->view.thread->ppid;
	}
}

static bool group_eq(const void *table, uint32_t id, const void *key)
{
	const struct worker *w = table;
	uint32_t n = w->r->thread_columns;
	return raw_words_equal(w->groups.data + (size_t)id * n, key, n);
}

/* Threads whose labels are equal are one group: rows are told apart by its number. */
static uint32_t group_of(struct worker *w, const struct thread_facts *t)
{
	uint32_t n = w->r->thread_columns;
	uint64_t *labels = vec_extend(&w->groups, n); /* kept where it is new */
	for (uint32_t i = 0; i < n; i++)
		labels[i] = thread_label(w, w->r->columns[i].key->id, t);
	uint64_t hash = hash_u64s(labels, n, 3);
	uint32_t id = idset_find(&w->group_index, hash, group_eq, w, labels);
	if (id != IDSET_NONE) {
		w->groups.len -= n;
		return id;
	}
	idset_insert(&w->group_index, hash, w->groups_nr);
	return w->groups_nr++;
}

static void learn_thread(struct worker *w, struct thread_facts *t, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct resolver *r = w->r;
	t->view = machine_view(r->machine, pid, tid, time_ns);
	t->generation = w->generation;
	t->pid = pid;
	t->tid = tid;
	t->pass = filter_thread(&r->filter, pid, tid, t->view.comm);
	t->group = group_of(w, t);
}

static inline struct thread_facts *find_thread(struct worker *w, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct thread_facts *t = &w->threads[tid & (THREADS_CACHED - 1)];
	bool known = t->generation == w->generation && t->tid == tid && t->pid == pid && time_ns >= t->view.from_ns &&
		     time_ns < t->view.until_ns;
	if (__builtin_expect(!known, 0))
		learn_thread(w, t, pid, tid, time_ns);
	return t;
}

void worker_machine_changed(struct worker *w)
{
	uint64_t now = machine_generation(w->r->machine);
	if (now == w->machine_generation)
		return;
	w->machine_generation = now;
	w->generation++;
}

/* What of a sample the labels and counts are made from. */
struct found {
	struct record rec;
	const struct sample_hot *hot;
	const struct sample *full; /* or NULL */
	const struct event_facts *event;
	uint32_t event_index;
	uint32_t space, kernel;
	const struct machine_view *view; /* of its thread */
	uint64_t time_ns, place;
};

/* The RAW part stands behind the chain, or where the chain would. */
static bool find_raw(const struct found *f, const void **ret, uint32_t *ret_bytes)
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
	if (f->hot->callchain)
		at = f->hot->callchain + f->hot->callchain_nr;
	else if (l->sample_type & PERF_SAMPLE_READ)
		at = sample_skip_read(l, at, end);
	if (!at || at >= end)
		return false;
	memcpy(ret_bytes, at, sizeof(*ret_bytes));
	*ret = (const char *)at + sizeof(*ret_bytes);
	return *ret_bytes <= (size_t)((const char *)end - (const char *)*ret);
}

/* The label of tracepoint data is the number of its bytes, + 1; 0 where the event has none. */
static uint64_t trace_label(struct worker *w, const struct found *f, uint32_t column, uint64_t *hash)
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

/* -1 where the recording does not tell. */
static int64_t socket_of(const struct env *env, uint32_t cpu)
{
	return cpu < env->cpus.len ? env->cpus.data[cpu].socket : -1;
}

static uint64_t fixed_label(const struct worker *w, enum key_id id, const struct found *f)
{
	uint64_t quantum = w->r->options.time_quantum_ns;
	uint16_t cpumode = f->hot->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	switch (id) {
	case KEY_CPU:
		return f->hot->cpu;
	case KEY_SOCKET:
		return (uint64_t)socket_of(w->r->env, f->hot->cpu);
	case KEY_CPUMODE:
		return cpumode;
	case KEY_MACHINE:
		return cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER;
	case KEY_PARALLELISM:
		return parallelism_at(&w->r->parallelism, w->r->env, f->hot->tid);
	default: /* KEY_TIME */
		return quantum ? f->time_ns - f->time_ns % quantum : f->time_ns;
	}
}

/* An address as a label is the number of its raw frame, + 1. A branch may come from 0 or go there. */
static uint64_t address_label(struct worker *w, const struct found *f, enum key_id id, uint64_t address)
{
	/* Data are looked up where the code that touched them runs, branches wherever something is mapped. */
	uint16_t cpumode = id == KEY_DADDR ? f->hot->misc & PERF_RECORD_MISC_CPUMODE_MASK : CPUMODE_UNKNOWN;
	struct frame_where where = { .space = f->space, .kernel = f->kernel, .cpumode = cpumode };
	return (uint64_t)rawtab_frame(&w->tab, address, where, f->place) + 1;
}

/* Labels of the sample itself; returns their hash. */
static uint64_t sample_labels(struct worker *w, const struct found *f, const struct perf_branch_entry *branch, uint64_t *labels)
{
	const struct resolver *r = w->r;
	uint64_t hash = 3;
	for (uint32_t i = r->thread_columns; i < r->columns_nr; i++, labels++) {
		enum key_id id = r->columns[i].key->id;
		if (id == KEY_TRACE || id == KEY_TRACE_FIELD) {
			*labels = trace_label(w, f, i, &hash);
			continue;
		}
		*labels = key_needs_full_decode(id) ? key_extract(id, f->full, branch) : fixed_label(w, id, f);
		if (r->columns[i].key->type == COLUMN_FRAME)
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

/* The labels of the sample are in their place already. */
static inline void enqueue(struct worker *w, struct raw_sample *s)
{
	s->key.hash = raw_hash(&s->key);
	rawtab_prefetch_slot(&w->tab, s->key.hash.a);
	if (++w->batch_nr == w->batch_max)
		worker_flush(w);
}

/* branch_mode: each branch is a row of its own, at its target, and counts one. */
static void add_branches(struct worker *w, const struct found *f, const struct raw_sample *proto)
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

static bool find_event(struct worker *w, struct found *f)
{
	if (__builtin_expect(w->events_nr != w->r->env->events.len, 0))
		size_events(w);
	f->event_index = w->events_nr == 1 ? 0 : env_event_of_sample(w->r->env, f->rec);
	if (f->event_index >= w->events_nr || f->event_index > RAW_EVENTS_MAX) {
		w->unknown_id++;
		return false;
	}
	f->event = &w->events[f->event_index];
	return true;
}

/*
 * The words of a stack of which a part was recorded as branches, or is to be unwound, or which the branches before it belong
 * to. They are joined in one place, so that batches are of one sample. 0: the recorded words are all.
 */
static uint32_t join_words(struct worker *w, const struct found *f, const uint64_t **ret)
{
	const struct sample *x = f->full;
	const uint64_t *words = x->callchain;
	uint32_t n = f->event->dumps ? dumps_join(&w->dumps, f->view, x, &words) :
		     f->event->leaves ? dumps_join_leaf(&w->dumps, f->view, x, &words) : 0;
	uint32_t words_nr = n ? n : (uint32_t)x->callchain_nr, max = w->r->options.max_stack;
	*ret = words;
	if (!f->event->calls && !f->event->history)
		return n;
	if (f->event->history) {
		vec_reserve(&w->joined, words_nr + 2 * x->branch_nr + 2);
		w->joined.len = chain_join_branches(words, words_nr, x->branches, x->branch_nr, max, w->joined.data);
	} else {
		(void)stitch_join_calls(&w->r->stitches, x, words, words_nr, max, &w->joined);
	}
	*ret = w->joined.data;
	return (uint32_t)w->joined.len;
}

static void enqueue_joined(struct worker *w, const struct found *f, struct raw_sample *s)
{
	const uint64_t *words = NULL;
	uint32_t n = join_words(w, f, &words);
	if (!n) {
		enqueue(w, s);
		return;
	}
	struct chain_options limited = w->path.chain;
	s->key.chain = words;
	s->key.chain_nr = n;
	if (!f->event->leaves) /* the limit is of the parts, which kept to it */
		w->path.chain.max = UINT32_MAX;
	w->path.returns = f->event->leaves; /* what is walked else, or was a branch, is the call itself */
	enqueue(w, s);
	w->path.chain = limited;
	w->path.returns = true;
}

/* So many samples of the event that f names. */
static inline void put_samples(struct worker *w, struct found *f, uint64_t samples)
{
	const struct sample_hot *hot = f->hot;
	struct resolver *r = w->r;
	w->samples += samples;
	w->event_samples[f->event_index] += samples;
	if (__builtin_expect(hot->misc & RECORD_MISC_CHAIN_CUT, 0)) {
		w->cut_chains++;
		w->deep_chains += resolver_chain_is_deep(r, f->event_index, hot->callchain, hot->callchain_nr);
	}
	w->first_ns = hot->time < w->first_ns ? hot->time : w->first_ns;
	w->last_ns = hot->time > w->last_ns ? hot->time : w->last_ns;
	if (__builtin_expect(r->is_switched, 0) && event_switches_leave_out(&r->switches, f->event_index)) {
		w->filtered += samples;
		return;
	}
	const struct thread_facts *t = find_thread(w, hot->pid, hot->tid, r->no_clock ? f->place : hot->time);
	if (!t->pass || (r->filter.of_samples && !filter_sample(&r->filter, hot->cpu, hot->time))) {
		w->filtered += samples;
		return;
	}
	f->space = t->view.space;
	f->kernel = t->view.kernel;
	f->view = &t->view;
	/* Field by field: a whole struct at once would be written twice. */
	struct raw_sample *s = &w->batch[w->batch_nr];
	s->key.ip = hot->ip;
	s->key.context = raw_context(t->view.space, hot->misc & PERF_RECORD_MISC_CPUMODE_MASK);
	s->key.chain = hot->callchain;
	s->key.chain_nr = r->options.with_chains ? (uint32_t)hot->callchain_nr : 0;
	s->key.event = f->event_index;
	s->key.group = t->group;
	s->samples = samples;
	s->value = f->event->layout.period != SAMPLE_NO_OFFSET ? hot->period : samples * f->event->period;
	if (r->options.mem_mode && f->full) /* what an access took is what counts */
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
	if (__builtin_expect(f->event->joined, 0))
		enqueue_joined(w, f, s);
	else
		enqueue(w, s);
}

/* The record is of one layout for all members; what is counted is each one's own. */
static void put_members(struct worker *w, struct found *f, struct sample_hot *hot)
{
	struct members *m = &w->r->members;
	members_read(m, w->r->env, f->full);
	for (size_t i = 0; i < m->now.len; i++) {
		f->event_index = m->now.data[i].event;
		f->event = &w->events[f->event_index];
		hot->period = m->now.data[i].period;
		put_samples(w, f, 1);
	}
}

void worker_sample(struct worker *w, struct record rec, uint64_t place)
{
	struct found f = { .rec = rec, .place = place };
	struct sample_hot hot;
	struct sample full;
	if (!find_event(w, &f))
		return;
	if (!sample_decode_hot(&f.event->layout, rec, &hot) ||
	    (f.event->full && !sample_decode(&f.event->layout, rec, &full))) {
		w->bad++;
		return;
	}
	if (__builtin_expect(f.event->deferred, 0) &&
	    deferred_join(&w->r->deferred, hot.tid, hot.callchain, hot.callchain_nr, &w->whole)) {
		hot.callchain = w->whole.data;
		hot.callchain_nr = w->whole.len;
		full.callchain = hot.callchain; /* of use where it was decoded */
		full.callchain_nr = hot.callchain_nr;
	}
	f.hot = &hot;
	f.full = f.event->full ? &full : NULL;
	f.time_ns = hot.time;
	if (__builtin_expect(f.event->members, 0))
		put_members(w, &f, &hot);
	else
		put_samples(w, &f, 1);
}

bool worker_takes_counts(const struct worker *w)
{
	for (uint32_t i = 0; i < w->events_nr; i++)
		if (w->events[i].full || w->events[i].joined || w->events[i].deferred)
			return false;
	return true;
}

void worker_counted(struct worker *w, const struct sample_hot *hot, uint32_t event, uint64_t count, uint64_t place)
{
	if (w->events_nr != w->r->env->events.len)
		size_events(w);
	struct found f = {
		.hot = hot,
		.event = &w->events[event],
		.event_index = event,
		.time_ns = hot->time,
		.place = place,
	};
	put_samples(w, &f, count);
}

void worker_count(const struct worker *w, struct resolver *r)
{
	struct resolve_stats *s = &r->stats;
	resolver_size_stats(r);
	for (uint32_t i = 0; i < w->events_nr; i++)
		r->event_stats[i].samples += w->event_samples[i];
	s->bad_samples += w->bad;
	s->unknown_id_samples += w->unknown_id;
	s->filtered_samples += w->filtered;
	s->cut_chains += w->cut_chains;
	s->deep_chains += w->deep_chains;
	if (w->dumps.r)
		dumps_count(&w->dumps, r);
	if (!w->samples)
		return;
	if (!s->last_ns || w->first_ns < s->first_ns)
		s->first_ns = w->first_ns;
	if (w->last_ns > s->last_ns)
		s->last_ns = w->last_ns;
}
