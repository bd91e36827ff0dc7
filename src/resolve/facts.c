/* Properties of events and threads, computed once for many samples. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "record/wait.h"
#include "resolve/step.h"

/* ---- events ---- */

static void find_trace_range(struct event_facts *e)
{
	const struct tracepoint *tp = e->tracepoint;
	e->trace_start = 0;
	e->trace_end = UINT32_MAX;
	if (!tp || !tp->common_nr)
		return;
	/* The common fields (type, flags, pid) are not in the text, unless the format names them. */
	const struct tracepoint_field *last = &tp->fields[tp->common_nr - 1];
	if (!strstr(tp->print_fmt ? tp->print_fmt : "common_", "common_"))
		e->trace_start = last->offset + last->bytes;
	/* Fields may be followed by arbitrary padding; the data of dynamic fields follow the fields. */
	uint32_t end = 0;
	for (uint32_t i = 0; i < tp->fields_nr; i++) {
		const struct tracepoint_field *f = &tp->fields[i];
		if (f->kind == FIELD_DYNAMIC || f->kind == FIELD_DYNAMIC_RELATIVE || !f->bytes)
			return;
		end = f->offset + f->bytes > end ? f->offset + f->bytes : end;
	}
	e->trace_end = end > e->trace_start ? end : UINT32_MAX;
}

static struct event_facts event_facts(const struct sample_step *s, uint32_t i)
{
	struct resolver *r = s->r;
	const struct env_event *ev = &r->env->events.data[i];
	const struct perf_event_attr *a = &ev->attr;
	bool with_chains = r->options.with_chains;
	struct event_facts e = {
		.layout = ev->layout,
		.period = a->sample_period,
		.members = members_are_read(a),
		.calls = attr_has_calls(a) && with_chains,
		.dumps = attr_has_dumps(a) && with_chains,
		.leaves = resolver_has_leaves(r, a) && with_chains,
		.history = r->options.branch_history && with_chains && a->sample_type & PERF_SAMPLE_BRANCH_STACK,
		.deferred = attr_is_deferred(a) && with_chains,
		.is_wait = wait_is_event(ev),
	};
	e.joined = e.calls || e.dumps || e.leaves || e.history;
	e.full = s->decodes_full || r->has_full || r->options.branch_mode || r->options.mem_mode || e.members || e.joined ||
		 e.deferred || a->sample_type & PERF_SAMPLE_WEIGHT_TYPE;
	if (r->has_trace)
		e.tracepoint = tracepoints_of_event(resolver_tracepoints(r), ev);
	find_trace_range(&e);
	return e;
}

void step_learn_events(struct sample_step *s)
{
	uint32_t n = (uint32_t)s->r->env->events.len;
	s->events = xreallocarray(s->events, n + 1, sizeof(*s->events));
	s->event_samples = xreallocarray(s->event_samples, n + 1, sizeof(*s->event_samples));
	for (uint32_t i = s->events_nr; i < n; i++) {
		s->events[i] = event_facts(s, i);
		s->event_samples[i] = 0;
		if (s->events[i].joined || s->events[i].deferred)
			s->hold_max = 1;
		if ((s->events[i].dumps || s->events[i].leaves) && !s->dumps.r)
			dumps_init(&s->dumps, s->r);
	}
	s->events_nr = n;
	s->known_nr = n < s->events_max ? n : s->events_max;
}

/* ---- threads ---- */

#define CGROUP_NAMESPACE 6 /* in the order of NAMESPACES records */

static uint64_t cgroup_label(const struct machine *m, enum key_id id, const struct thread *t)
{
	uint64_t dev = 0, ino = 0;
	(void)machine_namespace(m, t, CGROUP_NAMESPACE, &dev, &ino);
	return id == KEY_CGROUP_DEV ? dev : ino;
}

static uint64_t thread_label(const struct resolver *r, enum key_id id, const struct thread_facts *t)
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
		return cgroup_label(r->machine, id, t->view.thread);
	default:
		return t->view.thread->ppid;
	}
}

static bool group_eq(const void *table, uint32_t id, const void *key)
{
	const struct sample_step *s = table;
	uint32_t n = s->r->thread_columns;
	return raw_words_equal(s->groups.data + (size_t)id * n, key, n);
}

/* Threads with equal labels form a group, whose number is in the key of rows. */
static uint32_t group_of(struct sample_step *s, const struct thread_facts *t)
{
	uint32_t n = s->r->thread_columns;
	uint64_t *labels = vec_extend(&s->groups, n); /* kept where it is new */
	for (uint32_t i = 0; i < n; i++)
		labels[i] = thread_label(s->r, s->r->columns[i].key->id, t);
	uint64_t hash = hash_u64s(labels, n, 3);
	uint32_t id = idset_find(&s->group_index, hash, group_eq, s, labels);
	if (id != IDSET_NONE) {
		s->groups.len -= n;
		return id;
	}
	idset_insert(&s->group_index, hash, s->groups_nr);
	return s->groups_nr++;
}

void step_learn_thread(struct sample_step *s, struct thread_facts *t, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct resolver *r = s->r;
	t->view = machine_view(r->machine, pid, tid, time_ns);
	t->generation = s->generation;
	t->pid = pid;
	t->tid = tid;
	t->pass = filter_thread(&r->filter, pid, tid, t->view.comm);
	t->group = group_of(s, t);
}
