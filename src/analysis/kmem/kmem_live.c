#include "analysis/kmem/kmem_live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kmem/kmem.h"
#include "analysis/kmem/kmem_slab.h"
#include "analysis/lock_symbols.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "capture/workload.h"
#include "sys/signals.h"

#define TICK_MS 100
#define SITES   16384
#define OBJECTS (1U << 21)

struct kmem_live {
	struct kmem_live_request q;
	struct kmem_keys keys; /* none: of what is still allocated */
	struct kmem_counts *counts;
	struct workload workload;
	struct signals signals;
	struct symbols *symbols;
	struct lock_symbols kernel;
	struct u64map by_site[KMEM_ALLOCATORS]; /* index of the row */
	struct kmem_live_sums sums;
};

_Static_assert(KMEM_COUNTS_SLAB == (int)KMEM_SLAB && KMEM_COUNTS_PAGES == (int)KMEM_PAGES, "allocators have the same numbers");

static const struct mapped_file kernel_file = { .kind = MAPPED_KERNEL, .path = "[kernel.kallsyms]", .name = "[kernel.kallsyms]" };

/* ---- opening ---- */

static struct strobe_error *open_all(struct kmem_live *l)
{
	static const int more[] = { SIGCHLD, 0 };
	const struct kmem_counts_options o = {
		.sys = l->q.sys,
		.of_slab = l->q.is_chosen[KMEM_SLAB],
		.of_pages = l->q.is_chosen[KMEM_PAGES],
		.with_stacks = l->q.with_stacks,
		.sites = SITES,
		.objects = OBJECTS,
	};
	if (l->q.sort)
		TRY(kmem_keys_parse(KMEM_SLAB, l->q.sort, &l->keys));
	l->symbols = symbols_create(NULL, (struct symbols_options){});
	lock_symbols_load(&l->kernel, symbols_dso(l->symbols, &kernel_file));
	TRY(signals_open(&l->signals, more));
	if (l->q.command)
		TRY(workload_fork(l->q.command, workload_options_of(&l->signals), &l->workload));
	return kmem_counts_open(&o, &l->counts);
}

/* ---- waiting ---- */

static struct strobe_error *count(struct kmem_live *l)
{
	uint64_t first_ns = sys_clock_ns(l->q.sys, CLOCK_MONOTONIC);
	kmem_counts_enable(l->counts, true);
	if (l->workload.pid)
		TRY(workload_start(&l->workload));
	while (!workload_is_over(&l->workload, &l->signals))
		signals_wait(&l->signals, TICK_MS);
	kmem_counts_enable(l->counts, false);
	l->sums.seconds = (double)(sys_clock_ns(l->q.sys, CLOCK_MONOTONIC) - first_ns) * 1e-9;
	return NULL;
}

/* ---- reading ---- */

const char *kmem_live_function(const struct kmem_live *l, uint64_t address, uint64_t *ret_offset)
{
	const struct symbol *function = lock_symbols_at(&l->kernel, address);
	if (!function)
		return NULL;
	*ret_offset = address - function->start;
	return dso_symbol_name(l->kernel.kernel, function);
}

static bool is_of_allocator(const struct kmem_live *l, uint64_t address)
{
	uint64_t offset;
	const char *name = kmem_live_function(l, address, &offset);
	return name && kmem_is_allocator(name);
}

/* The first frame of the caller, after those of the tracepoint and the allocator. */
static uint32_t first_frame(const struct kmem_live *l, const struct kmem_count *n)
{
	uint32_t i = 0;
	if (n->call_site) {
		while (i < n->frames_nr && n->frames[i] != n->call_site)
			i++;
		return i < n->frames_nr ? i : 0;
	}
	while (i < n->frames_nr && !is_of_allocator(l, n->frames[i]))
		i++;
	while (i < n->frames_nr && is_of_allocator(l, n->frames[i]))
		i++;
	return i < n->frames_nr || !i ? i : i - 1;
}

static void add(struct kmem_counts_sum *to, const struct kmem_counts_sum *sum)
{
	to->hits += sum->hits;
	to->requested += sum->requested;
	to->given += sum->given;
	to->pingpongs += sum->pingpongs;
}

/* With stacks a row for each stack, else for each call site. */
static struct kmem_live_row *row_of(struct kmem_live *l, const struct kmem_live_row *what)
{
	bool is_new = true;
	uint64_t *at = l->q.with_stacks ? NULL : u64map_put(&l->by_site[what->allocator], what->callsite + 1, &is_new);
	if (!is_new)
		return &l->sums.rows.data[*at];
	if (at)
		*at = l->sums.rows.len;
	vec_push(&l->sums.rows, *what);
	return &vec_last(&l->sums.rows);
}

static void take(void *ctx, const struct kmem_count *n)
{
	struct kmem_live *l = ctx;
	if (!n->sum.hits || (unsigned)n->allocator >= KMEM_ALLOCATORS)
		return;
	uint32_t first = first_frame(l, n);
	struct kmem_live_row what = { .allocator = (enum kmem_allocator)n->allocator };
	what.callsite = n->call_site ? n->call_site : first < n->frames_nr ? n->frames[first] : 0;
	struct kmem_live_row *row = row_of(l, &what);
	if (l->q.with_stacks && first < n->frames_nr) {
		row->frames_nr = n->frames_nr - first;
		row->frames = xmemdup(n->frames + first, row->frames_nr * sizeof(*row->frames));
	}
	add(&row->sum, &n->sum);
	add(&l->sums.total[what.allocator], &n->sum);
	row->live_hits += n->live_hits;
	row->live_bytes += n->live_bytes;
	l->sums.live_hits[what.allocator] += n->live_hits;
	l->sums.live_bytes[what.allocator] += n->live_bytes;
}

static int by_key(const struct kmem_live_row *a, const struct kmem_live_row *b, enum kmem_key key)
{
	double x, y;
	switch (key) {
	case KMEM_FRAGMENTATION:
		x = kmem_slab_fragmentation(a->sum.requested, a->sum.given);
		y = kmem_slab_fragmentation(b->sum.requested, b->sum.given);
		return x < y ? 1 : x > y ? -1 : 0;
	case KMEM_HIT:
		return kmem_order(a->sum.hits, b->sum.hits);
	case KMEM_BYTES:
		return kmem_order(a->sum.given, b->sum.given);
	case KMEM_PINGPONG:
		return kmem_order(a->sum.pingpongs, b->sum.pingpongs);
	default:
		return kmem_order(a->callsite, b->callsite);
	}
}

static int by_keys(const void *a, const void *b, void *ctx)
{
	const struct kmem_live_row *x = a, *y = b;
	const struct kmem_keys *keys = ctx;
	int order = keys->nr ? 0 : kmem_order(x->live_bytes, y->live_bytes);
	for (uint32_t i = 0; i < keys->nr && !order; i++)
		order = by_key(x, y, keys->keys[i]);
	if (!order)
		order = kmem_order(x->sum.given, y->sum.given);
	return order ? order : kmem_order(x->callsite, y->callsite);
}

static void read_all(struct kmem_live *l)
{
	kmem_counts_read(l->counts, take, l);
	l->sums.control = *kmem_counts_control(l->counts);
	if (l->sums.rows.len)
		qsort_r(l->sums.rows.data, l->sums.rows.len, sizeof(*l->sums.rows.data), by_keys, &l->keys);
	uint64_t no_site = l->sums.control.no_site, no_object = l->sums.control.no_object, missed = kmem_counts_missed(l->counts);
	if (no_site)
		session_say(l->q.host, "%" PRIu64 " allocations are not counted: no room for more %s", no_site,
			    l->q.with_stacks ? "stacks" : "call sites");
	if (missed)
		session_say(l->q.host, "%" PRIu64 " events are not counted: they interrupted the counting of another", missed);
	if (no_object)
		session_say(l->q.host, "%" PRIu64 " allocations are not among those that are still there: no room for more objects",
			    no_object);
}

/* ---- the whole ---- */

static struct strobe_error *run(struct kmem_live *l)
{
	TRY(open_all(l));
	TRY(count(l));
	read_all(l);
	return NULL;
}

struct strobe_error *kmem_live_run(const struct kmem_live_request *q, struct kmem_live **ret)
{
	struct kmem_live *l = *ret = xcalloc(1, sizeof(*l));
	l->q = *q;
	l->signals = SIGNALS_NONE;
	struct strobe_error *err = run(l);
	workload_end(&l->workload);
	signals_close(&l->signals);
	return err;
}

void kmem_live_destroy(struct kmem_live *l)
{
	if (!l)
		return;
	kmem_counts_close(l->counts);
	for (size_t i = 0; i < l->sums.rows.len; i++)
		free(l->sums.rows.data[i].frames);
	vec_deinit(&l->sums.rows);
	for (int a = 0; a < KMEM_ALLOCATORS; a++)
		u64map_deinit(&l->by_site[a]);
	symbols_destroy(l->symbols);
	free(l);
}

const struct kmem_live_sums *kmem_live_sums(const struct kmem_live *l)
{
	return &l->sums;
}
