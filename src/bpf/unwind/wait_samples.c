/* Waits reported by the BPF program, and those left in its maps at the end → samples of their event. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "bpf/unwind/stack_unwinder_priv.h"

#define SAMPLE_BYTES_MAX 65528
/* The maximum number of stacks and ends of waits that are kept while their other half is missing. */
#define HALVES_MAX 16384

/* The end of a wait whose stack has not arrived yet. */
struct wait_record {
	struct wait_message message;
	uint64_t time_ns;
	uint32_t cpu;
	uint64_t owner[WAIT_OWNER_MAX], waker[WAIT_WAKER_MAX];
};

/* The contents of a sample. */
struct wait_facts {
	uint64_t ns, time_ns;
	uint32_t pid, tid, cpu; /* cpu: index */
	const void *ips, *waker, *owner; /* 64-bit words */
	uint32_t nr;
	bool cut;
	struct wait_raw raw;
	struct wait_lock lock;
};

#define RAW_WORDS ((sizeof(struct wait_raw) + sizeof(struct wait_lock)) / 8 + WAIT_WAKER_MAX + WAIT_OWNER_MAX)

static char *put(char *at, const void *bytes, size_t n)
{
	return n ? (char *)memcpy(at, bytes, n) + n : at;
}

/* In the order of record/wait_layout.h; the size. */
static uint32_t put_raw(const struct wait_facts *f, uint64_t *raw)
{
	struct wait_raw head = f->raw;
	struct wait_lock lock = f->lock;
	bool is_lock = head.reason == WAIT_FOR_FUTEX;
	head.waker_nr = f->raw.waker_nr < WAIT_WAKER_MAX ? f->raw.waker_nr : WAIT_WAKER_MAX;
	lock.owner_nr = f->owner && lock.owner_nr <= WAIT_OWNER_MAX ? lock.owner_nr : 0;
	head.lock_bytes = is_lock ? (uint16_t)(sizeof(lock) + lock.owner_nr * sizeof(*raw)) : 0;
	char *at = put((char *)raw, &head, sizeof(head));
	at = put(at, f->waker, head.waker_nr * sizeof(*raw));
	if (is_lock) {
		at = put(at, &lock, sizeof(lock));
		at = put(at, f->owner, lock.owner_nr * sizeof(*raw));
	}
	return (uint32_t)(at - (char *)raw);
}

static void append_sample(struct stack_unwinder *u, const struct wait_facts *f, byte_list *out)
{
	const struct wait_samples *w = &u->waits;
	uint64_t chain[WAIT_FRAMES_MAX + UNWIND_FRAMES_MAX + 1] = { PERF_CONTEXT_USER };
	uint64_t raw[RAW_WORDS];
	uint32_t nr = f->nr < w->frames_max ? f->nr : w->frames_max;
	bool cut = f->cut || nr < f->nr;
	if (nr)
		memcpy(chain + 1, f->ips, nr * sizeof(*chain));
	struct sample s = {
		.misc = (uint16_t)(PERF_RECORD_MISC_USER | (cut ? RECORD_MISC_CHAIN_CUT : 0)),
		.ip = nr ? chain[1] : 0,
		.pid = f->pid,
		.tid = f->tid,
		.time = f->time_ns,
		.id = w->ids[f->cpu],
		.stream_id = w->ids[f->cpu],
		.cpu = (uint32_t)w->cpus[f->cpu],
		.period = f->ns,
		.callchain_nr = nr ? nr + 1 : 0,
		.callchain = chain,
		.raw = raw,
		.raw_bytes = put_raw(f, raw),
	};
	size_t before = out->len;
	vec_extend(out, SAMPLE_BYTES_MAX);
	out->len = before + sample_encode(w->layout, &s, out->data + before, SAMPLE_BYTES_MAX);
	atomic_fetch_add_explicit(&u->stacks, nr > 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&u->cut, cut && nr, memory_order_relaxed);
}

/* The stack of r may be in a separate message. */
static void append_message(struct stack_unwinder *u, const struct wait_record *r, const void *ips, byte_list *out)
{
	const struct wait_message *m = &r->message;
	struct wait_facts f = { .ns = m->ns, .time_ns = r->time_ns, .pid = m->pid, .tid = m->tid, .cpu = r->cpu, .ips = ips, .nr = m->nr,
				.cut = m->flags & WAIT_CUT, .waker = r->waker, .owner = r->owner, .raw = m->raw, .lock = m->lock };
	append_sample(u, &f, out);
}

static void append_copied(struct stack_unwinder *u, const struct wait_record *r, const struct waiting_stack *stack, byte_list *out)
{
	struct wait_record whole = *r;
	whole.message.nr = stack ? stack->nr : 0;
	whole.message.flags = stack && !stack->cut ? 0 : WAIT_CUT;
	append_message(u, &whole, stack ? stack->ips : NULL, out);
}

/* ---- halves ---- */

/* Removes and returns the entry of a number. */
static void *take_half(struct u64map *halves, uint64_t number)
{
	uint64_t *at = u64map_get(halves, number);
	void *ret = at ? (void *)(uintptr_t)*at : NULL;
	if (at)
		u64map_remove(halves, number);
	return ret;
}

static void *keep_half(struct u64map *halves, uint64_t number, const void *bytes, size_t n)
{
	if (halves->used >= HALVES_MAX)
		return NULL;
	void *copy = xmalloc(n);
	memcpy(copy, bytes, n);
	uint64_t *at = u64map_put(halves, number, NULL);
	free((void *)(uintptr_t)*at);
	*at = (uintptr_t)copy;
	return copy;
}

static void free_halves(struct u64map *halves)
{
	for (size_t i = 0; halves->used && i <= halves->mask; i++)
		if (halves->slots[i].used)
			free((void *)(uintptr_t)halves->slots[i].value);
	u64map_deinit(halves);
}

void wait_samples_take_stack(struct stack_unwinder *u, uint64_t number, const struct waiting_stack *stack, byte_list *out)
{
	struct wait_samples *w = &u->waits;
	if (!w->layout)
		return;
	pthread_mutex_lock(&w->lock);
	struct wait_record *end = take_half(&w->messages, number);
	if (!end)
		keep_half(&w->stacks, number, stack, sizeof(*stack));
	pthread_mutex_unlock(&w->lock);
	if (end)
		append_copied(u, end, stack, out);
	free(end);
}

/* A wait that becomes two samples, one for its reason and one for the time runnable, has one stack: the first sample leaves it in the
 * map. */
static void take_copied(struct stack_unwinder *u, const struct wait_record *end, byte_list *out)
{
	struct wait_samples *w = &u->waits;
	struct waiting_stack stack;
	uint64_t *at, number = end->message.number;
	pthread_mutex_lock(&w->lock);
	at = u64map_get(&w->stacks, number);
	if (at)
		memcpy(&stack, (void *)(uintptr_t)*at, sizeof(stack));
	else
		keep_half(&w->messages, number, end, sizeof(*end));
	pthread_mutex_unlock(&w->lock);
	if (at)
		append_copied(u, end, &stack, out);
}

void wait_samples_take(struct stack_unwinder *u, uint32_t cpu, const struct sample *carrier, byte_list *out)
{
	struct wait_samples *w = &u->waits;
	struct wait_record r = { .time_ns = carrier->time, .cpu = cpu };
	struct wait_message *m = &r.message;
	if (!w->layout || carrier->raw_bytes < sizeof(*m))
		return;
	memcpy(m, carrier->raw, sizeof(*m));
	size_t fit = (carrier->raw_bytes - sizeof(*m)) / sizeof(uint64_t), owners = m->lock.owner_nr, wakers = m->raw.waker_nr;
	uint64_t ips[WAIT_FRAMES_MAX];
	if (m->nr > WAIT_FRAMES_MAX || owners > WAIT_OWNER_MAX || wakers > WAIT_WAKER_MAX || m->nr + owners + wakers > fit)
		return;
	const char *after = (const char *)carrier->raw + sizeof(*m);
	memcpy(ips, after, m->nr * sizeof(*ips));
	memcpy(r.owner, after + m->nr * sizeof(*ips), owners * sizeof(*ips));
	memcpy(r.waker, after + (m->nr + owners) * sizeof(*ips), wakers * sizeof(*ips));
	if (m->flags & WAIT_COPIED)
		take_copied(u, &r, out);
	else
		append_message(u, &r, ips, out);
}

/* ---- the end ---- */

static void append_orphans(struct stack_unwinder *u, byte_list *out)
{
	struct u64map *halves = &u->waits.messages;
	for (size_t i = 0; halves->used && i <= halves->mask; i++)
		if (halves->slots[i].used)
			append_copied(u, (void *)(uintptr_t)halves->slots[i].value, NULL, out);
}

static void append_sums(struct stack_unwinder *u, byte_list *out)
{
	int sums = bpf_map_of(u->loaded, "sums"), stacks = bpf_map_of(u->loaded, "stacks");
	struct wait_place place, *last = NULL;
	while (bpf_map_next(sums, last, &place)) {
		struct wait_sum sum;
		struct wait_stack stack, owner;
		last = &place;
		if (!bpf_map_get(sums, &place, &sum) || !sum.ns || !bpf_map_get(stacks, &place.stack, &stack))
			continue;
		struct wait_facts f = {
			.ns = sum.ns,
			.time_ns = u->waits.last_ns,
			.pid = sum.pid,
			.tid = place.tid,
			.ips = stack.ips,
			.nr = stack.nr < WAIT_FRAMES_MAX ? stack.nr : WAIT_FRAMES_MAX,
			.cut = stack.cut,
			.raw = { .magic = WAIT_MAGIC, .state = place.state, .reason = place.reason, .call = place.call,
				 .object = place.object, .waits = sum.waits },
			.lock = sum.lock,
			.owner = sum.lock.owner_nr && bpf_map_get(stacks, &sum.owner_stack, &owner) ? owner.ips : NULL,
		};
		memcpy(f.raw.name, sum.name, sizeof(f.raw.name));
		append_sample(u, &f, out);
	}
}

/* The wait of a thread that has not ended. */
static void append_open(struct stack_unwinder *u, const struct wait_thread *t, byte_list *out)
{
	uint64_t ended_ns = u->waits.ended_ns;
	struct wait_record r = { .message = t->out, .time_ns = u->waits.last_ns };
	struct wait_message *m = &r.message;
	if (m->nr > WAIT_FRAMES_MAX || m->lock.owner_nr > WAIT_OWNER_MAX || ended_ns <= t->since_ns || t->is_left_out)
		return;
	memcpy(r.owner, t->ips + m->nr, m->lock.owner_nr * sizeof(*r.owner));
	m->ns = m->lock.max_ns = m->lock.min_ns = ended_ns - t->since_ns;
	m->raw.magic = WAIT_MAGIC;
	m->raw.state = t->place.state;
	m->raw.reason = t->place.reason;
	m->raw.call = t->place.call;
	m->raw.object = t->place.object;
	m->raw.waits = 1;
	m->raw.waker_nr = 0;
	uint64_t *copied = m->flags & WAIT_COPIED ? u64map_get(&u->waits.stacks, m->number) : NULL;
	if (m->flags & WAIT_COPIED)
		append_copied(u, &r, copied ? (void *)(uintptr_t)*copied : NULL, out);
	else
		append_message(u, &r, t->ips, out);
}

static void append_open_waits(struct stack_unwinder *u, byte_list *out)
{
	int threads = bpf_map_of(u->loaded, "threads");
	uint32_t tid, *last = NULL;
	while (bpf_map_next(threads, last, &tid)) {
		struct wait_thread t;
		last = &tid;
		if (bpf_map_get(threads, &tid, &t) && t.since_ns > u->waits.begun_ns)
			append_open(u, &t, out);
	}
}

static uint64_t count_records(const byte_list *records)
{
	uint64_t n = 0;
	struct perf_event_header h = {};
	for (size_t at = 0; at + sizeof(h) <= records->len; at += h.size, n++)
		memcpy(&h, records->data + at, sizeof(h));
	return n;
}

struct strobe_error *stack_unwinder_finish_waits(struct stack_unwinder *u, struct record_sink *sink)
{
	struct wait_samples *w = &u->waits;
	byte_list out = {};
	if (!w->layout || !w->begun_ns)
		return NULL;
	if (!w->last_ns)
		w->last_ns = w->ended_ns;
	append_orphans(u, &out);
	append_sums(u, &out);
	append_open_waits(u, &out);
	atomic_store_explicit(&u->waits_at_end, count_records(&out), memory_order_relaxed);
	w->begun_ns = 0;
	struct strobe_error *err = out.len ? sink_write(sink, out.data, out.len) : NULL;
	vec_deinit(&out);
	return err;
}

/* ---- beginning ---- */

void stack_unwinder_enable_waits(struct stack_unwinder *u, bool on)
{
	struct wait_samples *w = u ? &u->waits : NULL;
	if (!w || !w->control || on == (w->control->enabled_ns != 0))
		return;
	uint64_t now_ns = sys_clock_ns(u->options.sys, CLOCK_MONOTONIC);
	*(on ? &w->begun_ns : &w->ended_ns) = now_ns;
	__atomic_store_n(&w->control->enabled_ns, on ? now_ns : 0, __ATOMIC_RELEASE);
}

struct strobe_error *wait_samples_attach(struct stack_unwinder *u, struct capture *c)
{
	struct wait_samples *w = &u->waits;
	const struct event_set *set = capture_events(c);
	const struct target_map *map = capture_target(c);
	size_t threads = map->threads.len;
	void *control;
	pthread_mutex_init(&w->lock, NULL);
	for (size_t i = 0; i < set->events.len && !w->layout; i++) {
		const struct capture_event *e = &set->events.data[i];
		if (strcmp(e->name, WAIT_EVENT) && strcmp(e->name, OFFCPU_EVENT))
			continue;
		w->layout = &capture_env(c)->events.data[i].layout;
		w->frames_max = e->attr.sample_max_stack ? e->attr.sample_max_stack : UNWIND_FRAMES_MAX;
		w->cpus = map->cpus.data;
		w->ids = xcalloc(map->cpus.len, sizeof(*w->ids));
		for (size_t cpu = 0; cpu < map->cpus.len; cpu++)
			w->ids[cpu] = e->ids[cpu * threads];
		capture_env(c)->events.data[i].attr.exclude_callchain_user = 0;
	}
	TRY(bpf_map_memory(u->loaded, ".bss", sizeof(struct wait_control), &control));
	w->control = control;
	return bpf_attach(u->loaded);
}

void wait_samples_deinit(struct stack_unwinder *u)
{
	struct wait_samples *w = &u->waits;
	free_halves(&w->stacks);
	free_halves(&w->messages);
	free(w->ids);
	if (w->layout)
		pthread_mutex_destroy(&w->lock);
}
