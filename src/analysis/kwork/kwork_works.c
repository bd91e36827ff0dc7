#include "analysis/kwork/kwork_works.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static const char *const kind_names[KWORK_KINDS] = { "irq", "softirq", "workqueue", "sched" };

const char *kwork_kind_name(enum kwork_kind kind)
{
	return kind_names[kind];
}

void kwork_works_deinit(struct kwork_works *w)
{
	vec_deinit(&w->works);
	idset_deinit(&w->index);
}

static bool same_work(const void *table, uint32_t id, const void *key)
{
	const struct kwork_work *a = &((const struct kwork_works *)table)->works.data[id], *b = key;
	return a->kind == b->kind && a->cpu == b->cpu && a->id == b->id;
}

static uint64_t hash_of(const struct kwork_work *k)
{
	return hash_combine(hash_u64((uint64_t)k->kind << 32 | k->cpu), k->id);
}

uint32_t kwork_works_find(struct kwork_works *w, enum kwork_kind kind, uint32_t cpu, uint64_t id, const char *name)
{
	const struct kwork_work key = { .kind = kind, .cpu = cpu, .id = id, .name = name };
	uint32_t at = idset_intern(&w->index, hash_of(&key), same_work, w, &key, w->works.len);
	if (at == w->works.len)
		vec_push(&w->works, key);
	else if (!w->works.data[at].name)
		w->works.data[at].name = name;
	return at;
}

/* ---- options ---- */

static bool add_kind(struct kwork_question *q, const char *word, size_t n)
{
	for (int k = 0; k < KWORK_KINDS; k++) {
		if (strncmp(kind_names[k], word, n) != 0 || kind_names[k][n])
			continue;
		for (uint32_t i = 0; i < q->kinds_nr; i++)
			if (q->kinds[i] == (enum kwork_kind)k)
				return true;
		q->kinds[q->kinds_nr++] = (enum kwork_kind)k;
		return true;
	}
	return false;
}

struct strobe_error *kwork_kinds_parse(const char *text, struct kwork_question *q)
{
	const char *at = text ? text : q->report == KWORK_TOP ? "sched,irq,softirq" : "irq,softirq,workqueue";
	q->kinds_nr = 0;
	while (*(at += strspn(at, ", "))) {
		size_t n = strcspn(at, ", ");
		if (!add_kind(q, at, n))
			return error_create(ERROR_USAGE, "-k: unknown kind '%.*s': expected irq, softirq, workqueue, sched", (int)n, at);
		at += n;
	}
	return q->kinds_nr ? NULL : error_create(ERROR_USAGE, "-k: specify irq, softirq, workqueue or sched");
}

/* ---- events ---- */

void kwork_raise(struct kwork_works *w, const struct kwork_question *q, uint32_t work, uint64_t time_ns)
{
	struct kwork_work *k = &w->works.data[work];
	if (q->report != KWORK_LATENCY && q->report != KWORK_TIMEHIST)
		return;
	w->skipped[KWORK_RAISE] += k->is_raised;
	k->is_raised = true;
	k->raised_ns = time_ns;
}

static void count(struct kwork_work *k, uint64_t from_ns, uint64_t to_ns)
{
	if (!from_ns || to_ns < from_ns)
		return;
	uint64_t length_ns = to_ns - from_ns;
	if (length_ns > k->max_ns || !k->max_ns) {
		k->max_ns = length_ns;
		k->max_start_ns = from_ns;
		k->max_end_ns = to_ns;
	}
	k->total_ns += length_ns;
	k->count++;
}

static void end_wait(struct kwork_work *k, uint64_t time_ns)
{
	if (k->is_raised)
		count(k, k->raised_ns, time_ns);
	else
		k->unmatched[KWORK_ENTRY]++;
	k->is_raised = false;
}

void kwork_entry(struct kwork_works *w, const struct kwork_question *q, uint32_t work, uint64_t time_ns)
{
	struct kwork_work *k = &w->works.data[work];
	if (q->report == KWORK_LATENCY) {
		end_wait(k, time_ns);
		return;
	}
	w->skipped[KWORK_ENTRY] += k->is_entered;
	k->entered_raise_ns = k->is_raised ? k->raised_ns : 0;
	k->is_raised = false;
	k->is_entered = true;
	k->entered_ns = time_ns;
}

uint32_t kwork_works_lookup(const struct kwork_works *w, enum kwork_kind kind, uint32_t cpu, uint64_t id)
{
	const struct kwork_work key = { .kind = kind, .cpu = cpu, .id = id };
	return idset_find(&w->index, hash_of(&key), same_work, w, &key);
}

/* Top only counts an interrupt if the interrupted task is known. */
static bool is_of_known_task(const struct kwork_works *w, const struct kwork_work *k)
{
	return kwork_works_lookup(w, KWORK_SCHED, k->cpu, k->id) != IDSET_NONE;
}

bool kwork_exit(struct kwork_works *w, const struct kwork_question *q, uint32_t work, uint64_t time_ns)
{
	struct kwork_work *k = &w->works.data[work];
	if (q->report == KWORK_LATENCY)
		return false;
	if (!k->is_entered) {
		k->unmatched[KWORK_EXIT]++;
		return false;
	}
	k->is_entered = false;
	if (q->report != KWORK_TOP || k->kind == KWORK_SCHED || is_of_known_task(w, k))
		count(k, k->entered_ns, time_ns);
	return true;
}

/* ---- order ---- */

static uint64_t get_runtime(const struct kwork_work *k)
{
	return k->total_ns;
}

static uint64_t get_max(const struct kwork_work *k)
{
	return k->max_ns;
}

static uint64_t get_count(const struct kwork_work *k)
{
	return k->count;
}

static uint64_t get_average(const struct kwork_work *k)
{
	return k->count ? k->total_ns / k->count + 1 : 0; /* 0 without any */
}

static uint64_t get_rate(const struct kwork_work *k)
{
	return k->usage;
}

/* By thread ID; idle threads by CPU. */
static uint64_t get_tid(const struct kwork_work *k)
{
	return ~(k->id << 16 | (k->id ? 0 : k->cpu & 0xffff));
}

static uint64_t get_id(const struct kwork_work *k)
{
	return (uint64_t)k->cpu << 32 | (k->id & UINT32_MAX);
}

static const struct key {
	const char *name;
	uint64_t (*get)(const struct kwork_work *k);
} keys_known[] = {
	{ "runtime", get_runtime }, { "max", get_max }, { "count", get_count }, { "avg", get_average },
	{ "rate", get_rate },       { "tid", get_tid }, { "id", get_id },
};
#define KEYS (sizeof(keys_known) / sizeof(*keys_known))

struct key_list {
	const struct key *keys[2 * KEYS];
	size_t nr;
	const struct kwork_question *q;
};

static const char *sort_of(const struct kwork_question *q)
{
	static const char *const defaults[] = { [KWORK_RUNTIME] = "runtime,max,count", [KWORK_LATENCY] = "avg,max,count",
						[KWORK_TIMEHIST] = "id", [KWORK_TOP] = "rate,runtime" };
	return q->sort ? q->sort : defaults[q->report];
}

static struct strobe_error *parse_keys(const struct kwork_question *q, struct key_list *ret)
{
	const char *at = sort_of(q);
	*ret = (struct key_list){ .q = q };
	while (*(at += strspn(at, ", "))) {
		size_t n = strcspn(at, ", ");
		const struct key *found = NULL;
		for (size_t i = 0; i < KEYS; i++)
			if (!strncmp(keys_known[i].name, at, n) && !keys_known[i].name[n])
				found = &keys_known[i];
		if (!found)
			return error_create(ERROR_USAGE, "unknown sort key '%.*s': expected runtime, max, count, avg, rate, tid, id",
					    (int)n, at);
		if (ret->nr == sizeof(ret->keys) / sizeof(*ret->keys))
			return error_create(ERROR_USAGE, "too many sort keys");
		ret->keys[ret->nr++] = found;
		at += n;
	}
	return NULL;
}

struct strobe_error *kwork_sort_check(const struct kwork_question *q)
{
	struct key_list list;
	return parse_keys(q, &list);
}

static uint32_t rank_of(const struct kwork_question *q, enum kwork_kind kind)
{
	uint32_t i = 0;
	while (i < q->kinds_nr && q->kinds[i] != kind)
		i++;
	return i;
}

/* Equal keys: by kind, then by descending CPU and number. */
static int by_keys(const void *a, const void *b, void *ctx)
{
	const struct key_list *list = ctx;
	const struct kwork_work *x = a, *y = b;
	for (size_t i = 0; i < list->nr; i++) {
		uint64_t l = list->keys[i]->get(x), r = list->keys[i]->get(y);
		if (l != r)
			return l < r ? 1 : -1;
	}
	if (x->kind != y->kind)
		return rank_of(list->q, x->kind) < rank_of(list->q, y->kind) ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? 1 : -1;
	return x->id < y->id ? 1 : x->id > y->id ? -1 : 0;
}

void kwork_works_sort(struct kwork_works *w, const struct kwork_question *q)
{
	struct key_list list;
	error_destroy(parse_keys(q, &list));
	if (w->works.len)
		qsort_r(w->works.data, w->works.len, sizeof(*w->works.data), by_keys, &list);
}
