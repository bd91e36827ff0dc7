#include "resolve/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "resolve/worker.h"

/* Samples of a pass beyond this limit are counted at once, with the mappings known by then, which bounds memory. */
#define KEPT_BYTES_MAX (64ull << 20)

/*
 * Ended tasks are dropped after this many side-band records (some kilobytes for a process that maps its libraries), and later
 * if there are many running threads, since copying them takes time.
 */
#define FORGET_RECORDS    16384
/* The weight of a task, which takes as much memory as several mappings; tasks that only fork have no other records. */
#define FORGET_FORK       8
#define FORGET_PER_THREAD 8
/* Some 25 MB. Short-lived processes leave frames, long before there is enough else to drop. */
#define FRAMES_MAX (1u << 17)
/* Samples that are not counted yet are younger than the third-last pass. */
#define PASSES_KEPT 3

struct kept {
	uint8_t *data;
	size_t len, cap;
};

struct resolve_live {
	struct record_sink sink;
	struct resolver *r;
	struct worker worker;
	struct resolve_live_filter filter;
	struct resolve_live_counts counts;
	uint64_t place;
	struct kept now, before; /* samples of this pass, and of the one before */
	uint64_t side_band, forget_at; /* weight of side-band records since tasks were last dropped; limit for the next time */
	uint64_t latest_ns;       /* of those */
	uint64_t passed_ns[PASSES_KEPT]; /* the same at the ends of passes, the last one first */
	uint64_t sampled_ns, sampled_before_ns; /* time of the latest sample, so far and at the end of the pass before */
};

static void count_kept(struct resolve_live *l, struct kept *k)
{
	for (size_t at = 0; at < k->len;) {
		const struct perf_event_header *hdr = (const void *)(k->data + at);
		__builtin_prefetch(k->data + at + 512);
		worker_sample(&l->worker, (struct record){ .hdr = hdr }, ++l->place);
		at += hdr->size;
	}
	worker_flush(&l->worker);
	k->len = 0;
}

static void append(struct kept *k, const struct perf_event_header *hdr)
{
	if (k->len + hdr->size > k->cap) {
		k->cap = k->cap ? k->cap * 2 : 1 << 16;
		k->data = xreallocarray(k->data, k->cap, 1);
	}
	memcpy(k->data + k->len, hdr, hdr->size);
	k->len += hdr->size;
}

struct timed {
	VEC(struct sort_pair) all;
};

static void add_times(const struct resolve_live *l, const struct kept *k, struct timed *t)
{
	for (size_t at = 0; at < k->len;) {
		const struct perf_event_header *hdr = (const void *)(k->data + at);
		uint64_t time_ns;
		if (!env_record_time(l->r->env, (struct record){ .hdr = hdr }, &time_ns))
			time_ns = 0;
		struct sort_pair p = { .key = time_ns, .value = (uintptr_t)hdr };
		vec_push(&t->all, p);
		at += hdr->size;
	}
}

/*
 * If events switch counting on and off, samples are counted in order of time, up to a time beyond which every ring has been read. Later
 * ones are kept.
 */
static void count_in_order(struct resolve_live *l, uint64_t until_ns)
{
	struct timed t = {};
	struct kept rest = {};
	add_times(l, &l->before, &t);
	add_times(l, &l->now, &t);
	sort_pairs(t.all.data, t.all.len);
	for (size_t i = 0; i < t.all.len; i++) {
		const struct perf_event_header *hdr = (const void *)(uintptr_t)t.all.data[i].value;
		if (t.all.data[i].key <= until_ns)
			worker_sample(&l->worker, (struct record){ .hdr = hdr }, ++l->place);
		else
			append(&rest, hdr);
	}
	worker_flush(&l->worker);
	free(l->before.data);
	l->before = rest;
	l->now.len = 0;
	vec_deinit(&t.all);
}

static void keep(struct resolve_live *l, const struct perf_event_header *hdr)
{
	if (l->now.len + hdr->size > KEPT_BYTES_MAX) {
		if (l->r->is_switched) {
			count_in_order(l, UINT64_MAX);
		} else {
			count_kept(l, &l->before);
			count_kept(l, &l->now);
		}
	}
	append(&l->now, hdr);
}

static bool is_ours(const struct resolve_live *l, struct record rec, uint32_t event)
{
	uint32_t pid;
	if (!l->filter.without_pid || event >= l->r->env->events.len)
		return false;
	const struct sample_layout *layout = &l->r->env->events.data[event].layout;
	if (layout->tid == SAMPLE_NO_OFFSET || rec.hdr->size < layout->variable)
		return false;
	memcpy(&pid, (const char *)rec.hdr + layout->tid, sizeof(pid));
	return pid == l->filter.without_pid;
}

/* Samples have to be sorted by time, and those that switch are passed to the worker even if they are not shown. */
static bool note_switched(struct resolve_live *l, struct record rec, uint32_t event)
{
	uint64_t time_ns;
	if (env_record_time(l->r->env, rec, &time_ns) && time_ns > l->sampled_ns)
		l->sampled_ns = time_ns;
	return event + 1 == l->r->switches.on || event + 1 == l->r->switches.off;
}

static void take(struct resolve_live *l, struct record rec)
{
	uint64_t time_ns;
	if (rec.hdr->type == PERF_RECORD_SAMPLE) {
		uint16_t mode = rec.hdr->misc & PERF_RECORD_MISC_CPUMODE_MASK;
		uint32_t event = l->filter.without_pid || l->r->is_switched ? env_event_of_sample(l->r->env, rec) : 0;
		if (is_ours(l, rec, event))
			return;
		bool kernel = mode == PERF_RECORD_MISC_KERNEL;
		l->r->stats.records[PERF_RECORD_SAMPLE]++;
		l->counts.kernel += kernel;
		l->counts.exact += !!(rec.hdr->misc & PERF_RECORD_MISC_EXACT_IP);
		l->counts.samples++;
		bool shown = kernel ? !l->filter.no_kernel : !l->filter.no_user;
		if (l->r->is_switched)
			shown |= note_switched(l, rec, event);
		if (shown)
			keep(l, rec.hdr);
		return;
	}
	if (!env_record_time(l->r->env, rec, &time_ns))
		time_ns = 0;
	if (time_ns > l->latest_ns)
		l->latest_ns = time_ns;
	l->side_band += rec.hdr->type == PERF_RECORD_FORK ? FORGET_FORK : 1;
	resolver_side_band(l->r, rec, time_ns, false);
	step_machine_changed(&l->worker.step);
}

static struct strobe_error *take_records(struct record_sink *sink, const void *records, size_t bytes)
{
	struct resolve_live *l = (struct resolve_live *)sink;
	for (size_t at = 0; at < bytes;) {
		const struct perf_event_header *hdr = (const void *)((const char *)records + at);
		take(l, (struct record){ .hdr = hdr });
		at += hdr->size;
	}
	return NULL;
}

struct resolve_live *resolve_live_create(struct resolver *r, struct resolve_live_filter filter)
{
	struct resolve_live *l = xcalloc_apart(1, sizeof(*l));
	l->sink.write = take_records;
	l->r = r;
	l->filter = filter;
	resolver_start(r);
	/* Kept samples stay in place until they are counted, which permits batches. */
	worker_init(&l->worker, l->r, 0, true, 0);
	return l;
}

void resolve_live_destroy(struct resolve_live *l)
{
	if (!l)
		return;
	worker_deinit(&l->worker);
	free(l->now.data);
	free(l->before.data);
	free(l);
}

struct record_sink *resolve_live_sink(struct resolve_live *l)
{
	return &l->sink;
}

void resolve_live_pass(struct resolve_live *l)
{
	if (l->r->is_switched) {
		count_in_order(l, l->sampled_before_ns);
		l->sampled_before_ns = l->sampled_ns;
	} else {
		struct kept done = l->before;
		count_kept(l, &done);
		l->before = l->now;
		l->now = done;
	}
	memmove(l->passed_ns + 1, l->passed_ns, sizeof(l->passed_ns) - sizeof(*l->passed_ns));
	l->passed_ns[0] = l->latest_ns;
	/* Tasks from before the start are kept. */
	if (!l->forget_at)
		l->forget_at = FORGET_RECORDS + 2 * l->side_band;
}

/* Between two fillings of the worker, which is then cleared: nothing refers to the machine. */
static void forget(struct resolve_live *l)
{
	if (l->r->frames.frames.len > FRAMES_MAX)
		resolver_forget_frames(l->r);
	if (!l->forget_at || l->side_band < l->forget_at)
		return;
	resolver_forget_ended(l->r, l->passed_ns[PASSES_KEPT - 1]);
	l->side_band = 0;
	l->forget_at = FORGET_RECORDS + FORGET_PER_THREAD * machine_threads_count(l->r->machine);
}

void resolve_live_take(struct resolve_live *l, struct profile *p)
{
	worker_flush(&l->worker);
	step_count(&l->worker.step);
	fill_profile(l->r, &l->worker, 1, p);
	forget(l);
	worker_clear(&l->worker);
	l->counts = (struct resolve_live_counts){};
}

/* Labels of one CPU and one place are the same in all their samples. */
static bool is_of_place(enum key_id id)
{
	return key_is_of_thread(id) || id == KEY_CPU || id == KEY_SOCKET || id == KEY_CPUMODE || id == KEY_MACHINE;
}

bool resolve_live_takes_counts(const struct resolve_live *l)
{
	const struct resolver *r = l->r;
	for (uint32_t i = 0; i < r->columns_nr; i++)
		if (!is_of_place(r->columns[i].key->id))
			return false;
	return !r->is_switched && !r->options.branch_mode && !r->options.mem_mode && !r->options.keep_time_log &&
	       !r->filter.times_nr && worker_takes_counts(&l->worker);
}

void resolve_live_add(struct resolve_live *l, const struct resolve_live_counted *c)
{
	bool kernel = (c->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	if (l->filter.without_pid && c->pid == l->filter.without_pid)
		return;
	l->r->stats.records[PERF_RECORD_SAMPLE] += c->count;
	l->counts.kernel += kernel ? c->count : 0;
	l->counts.exact += c->misc & PERF_RECORD_MISC_EXACT_IP ? c->count : 0;
	l->counts.samples += c->count;
	if (kernel ? l->filter.no_kernel : l->filter.no_user)
		return;
	struct sample_hot hot = {
		.pid = c->pid,
		.tid = c->tid,
		.cpu = c->cpu,
		.ip = c->ip,
		.period = c->period,
		.time = c->time_ns ? c->time_ns : l->latest_ns,
		.misc = c->misc,
		.callchain = c->chain,
		.callchain_nr = c->chain_nr,
	};
	worker_counted(&l->worker, &hot, c->event, c->count, ++l->place);
}

void resolve_live_added(struct resolve_live *l)
{
	worker_flush(&l->worker);
}

struct resolve_live_counts resolve_live_counts(const struct resolve_live *l)
{
	return l->counts;
}

void resolve_live_set_filter(struct resolve_live *l, struct resolve_live_filter filter)
{
	l->filter = filter;
}
