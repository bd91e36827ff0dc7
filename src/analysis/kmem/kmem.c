#include "analysis/kmem/kmem.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/sched/sched_window.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/text.h"
#include "decode/tracepoint.h"
#include "session/session.h"

#define NUMBERS 6
#define DEFAULT_PAGE_BYTES 4096

enum event_kind { NO_EVENT, SLAB_ALLOC, SLAB_FREE, PAGE_ALLOC, PAGE_FREE, EVENT_KINDS };

/* The events; those with a node were merged into the others in Linux 6.1. */
static const struct kmem_event {
	const char *name;
	enum event_kind kind;
} events[KMEM_ALLOCATORS][6] = {
	[KMEM_SLAB] = {
		{ "kmalloc", SLAB_ALLOC },
		{ "kmalloc_node", SLAB_ALLOC },
		{ "kfree", SLAB_FREE },
		{ "kmem_cache_alloc", SLAB_ALLOC },
		{ "kmem_cache_alloc_node", SLAB_ALLOC },
		{ "kmem_cache_free", SLAB_FREE },
	},
	[KMEM_PAGES] = { { "mm_page_alloc", PAGE_ALLOC }, { "mm_page_free", PAGE_FREE } },
};
#define EVENTS (sizeof(events[0]) / sizeof(*events[0]))

/* Fields read of each event, in the order expected by the functions that process it. */
static const char *const fields[EVENT_KINDS][NUMBERS] = {
	[SLAB_ALLOC] = { "call_site", "ptr", "bytes_req", "bytes_alloc", "node" },
	[SLAB_FREE] = { "ptr" },
	[PAGE_ALLOC] = { "pfn", "page", "order", "gfp_flags", "migratetype" },
	[PAGE_FREE] = { "pfn", "page", "order" },
};

/* An event of the recording, and the offsets of its fields. */
struct reader {
	enum event_kind kind;
	const struct tracepoint *point;
	const struct tracepoint_field *numbers[NUMBERS];
};

struct kmem {
	struct kmem_request q;
	struct session session;
	struct tracepoints *formats;
	VEC(struct reader) readers; /* by event */
	struct sched_window window;
	VEC(int32_t) nodes;         /* by CPU; -1: not known */
	struct kmem_sums sums;
};

void kmem_recorded_events(const struct sys *sys, const bool is_chosen[KMEM_ALLOCATORS], struct recorded_events *ret)
{
	for (int a = 0; a < KMEM_ALLOCATORS; a++)
		for (size_t i = 0; is_chosen[a] && i < EVENTS && events[a][i].name; i++) {
			if (i)
				recorded_events_add_known(ret, sys, "kmem", events[a][i].name);
			else
				recorded_events_add(ret, "kmem", events[a][i].name, "");
		}
}

/* ---- the recording's events ---- */

static void find_kind(const struct kmem *k, struct reader *d)
{
	for (int a = 0; a < KMEM_ALLOCATORS; a++)
		for (size_t i = 0; k->q.is_chosen[a] && i < EVENTS && events[a][i].name; i++)
			if (!strcmp(d->point->name, events[a][i].name))
				d->kind = events[a][i].kind;
}

static void add_reader(void *ctx, const struct env_event *e)
{
	struct kmem *k = ctx;
	struct reader d = { .point = tracepoints_of_event(k->formats, e) };
	if (d.point && !strcmp(d.point->system, "kmem"))
		find_kind(k, &d);
	for (size_t i = 0; d.kind && i < NUMBERS && fields[d.kind][i]; i++)
		d.numbers[i] = tracepoint_field(d.point, fields[d.kind][i]);
	if (d.kind == PAGE_ALLOC)
		k->sums.page_is_number = d.numbers[0];
	vec_push(&k->readers, d);
}

static struct strobe_error *read_events(struct kmem *k)
{
	TRY(tracepoints_learn_events(&k->formats, k->session.env, k->readers.len, add_reader, k));
	uint32_t page_bytes = k->formats ? tracepoints_page_bytes(k->formats) : 0;
	k->sums.pages.page_bytes = page_bytes ? page_bytes : DEFAULT_PAGE_BYTES;
	return NULL;
}

/* Linux 4.4 swapped the numbers of movable and reclaimable pages. */
static bool is_before_4_4(const char *release)
{
	char *end;
	unsigned long major = release ? strtoul(release, &end, 10) : 0;
	return major && (major < 4 || (major == 4 && *end == '.' && strtoul(end + 1, NULL, 10) < 4));
}

/* perf takes it from the machine on which it runs; the recording has that of the recorded machine. */
static struct strobe_error *read_machine(struct kmem *k)
{
	const struct env *env = k->session.env;
	k->sums.has_old_migratetypes = is_before_4_4(env->os_release);
	for (size_t i = 0; i < env->numa.len; i++) {
		struct list_numbers cpus = {};
		TRY(list_cpus_parse(&k->sums.arena, env->numa.data[i].cpus, &cpus));
		for (uint32_t c = 0; c < cpus.nr; c++) {
			while (k->nodes.len <= cpus.data[c])
				vec_push(&k->nodes, -1);
			k->nodes.data[cpus.data[c]] = (int32_t)env->numa.data[i].node;
		}
	}
	return NULL;
}

/* ---- call sites ---- */

/* perf only has those of the first line. */
bool kmem_is_allocator(const char *name)
{
	static const char *const begins[] = {
		"alloc_page", "get_free_page", "get_zeroed_page",
		"alloc_frozen_page", "folio_alloc", "vma_alloc_folio", "get_free_frozen_page", "post_alloc_hook", "get_page_from_freelist",
		"traceiter_mm_page_alloc", /* if the event has other users than the recorder */
	};
	name += strspn(name, "_");
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (text_has_prefix(name, begins[i]))
			return true;
	return false;
}

/* A site in the kernel's code; looked up once per address. */
static const struct kmem_site *site_at(struct kmem *k, const struct sample *s, uint64_t ip)
{
	bool is_new;
	uint64_t *at = u64map_put(&k->sums.site_by_callsite, ip, &is_new);
	if (!is_new)
		return &k->sums.sites.data[*at];
	*at = k->sums.sites.len;
	const struct sample where = { .ip = ip, .misc = PERF_RECORD_MISC_KERNEL, .pid = s->pid, .tid = s->tid, .time = s->time };
	struct resolved_sample found;
	struct kmem_site site = {};
	resolver_look_up(k->session.resolver, &where, &found);
	if (found.leaf.symbol) {
		const char *name = dso_symbol_name(found.leaf.dso, found.leaf.symbol);
		site.function = arena_strdup(&k->sums.arena, name);
		site.offset = found.leaf.addr - found.leaf.symbol->start;
		site.is_allocator = kmem_is_allocator(name);
	}
	vec_push(&k->sums.sites, site);
	return &vec_last(&k->sums.sites);
}

const struct kmem_site *kmem_site(const struct kmem_sums *s, uint64_t callsite)
{
	const uint64_t *at = u64map_get(&s->site_by_callsite, callsite);
	return at ? &s->sites.data[*at] : NULL;
}

/* The innermost kernel function outside of the page allocator. */
static uint64_t page_callsite(struct kmem *k, const struct sample *s)
{
	bool is_kernel = true;
	for (uint64_t i = 0; i < s->callchain_nr; i++) {
		uint64_t ip = s->callchain[i];
		if (ip >= PERF_CONTEXT_MAX)
			is_kernel = ip == PERF_CONTEXT_KERNEL;
		else if (is_kernel && !site_at(k, s, ip)->is_allocator)
			return ip;
	}
	site_at(k, s, s->ip);
	return s->ip;
}

/* ---- events ---- */

static void take_slab_alloc(struct kmem *k, const struct sample *s, const struct reader *d, const uint64_t *n)
{
	int32_t cpu = (int32_t)s->cpu, node = (int32_t)n[4];
	if (kmem_slab_alloc(&k->sums.slab, n[0], n[1], n[2], n[3], cpu))
		site_at(k, s, n[0]);
	int32_t cpu_node = s->cpu < k->nodes.len ? k->nodes.data[s->cpu] : -1;
	if (d->numbers[4] && node != -1 && cpu_node != -1 && node != cpu_node)
		k->sums.slab.node_crossings++;
}

static void add_gfp(struct kmem *k, const struct sample *s, const struct reader *d, uint32_t flags)
{
	struct out line;
	size_t bytes;
	out_init_mem(&line);
	trace_text(&line, k->formats, d->point, s->raw, s->raw_bytes, NULL);
	const char *text = out_mem(&line, &bytes);
	gfp_texts_add(&k->sums.gfp, flags, text, bytes);
	error_destroy(out_close(&line));
}

static void take_page_alloc(struct kmem *k, const struct sample *s, const struct reader *d, const uint64_t *n)
{
	struct kmem_page_row what = {
		.page = k->sums.page_is_number ? n[0] : n[1],
		.order = (uint32_t)n[2], .gfp = (uint32_t)n[3], .migratetype = (uint32_t)n[4],
	};
	if (k->sums.page_is_number ? what.page == UINT64_MAX : !what.page) {
		kmem_pages_fail(&k->sums.pages, what.order);
		return;
	}
	if (!gfp_texts_has(&k->sums.gfp, what.gfp))
		add_gfp(k, s, d, what.gfp);
	what.callsite = page_callsite(k, s);
	kmem_pages_alloc(&k->sums.pages, &what);
}

static const struct reader *reader_of(const struct kmem *k, const struct sample *s)
{
	return s->event < k->readers.len && k->readers.data[s->event].kind ? &k->readers.data[s->event] : NULL;
}

static struct strobe_error *take_sample(void *ctx, const struct resolved_sample *s)
{
	struct kmem *k = ctx;
	uint64_t n[NUMBERS] = {};
	if (k->readers.len < k->session.env->events.len)
		TRY(read_events(k));
	const struct reader *d = reader_of(k, &s->sample);
	if (!d || !sched_window_has(&k->window, s->sample.time))
		return NULL;
	for (size_t i = 0; i < NUMBERS; i++)
		if (d->numbers[i])
			n[i] = field_number(k->formats, d->numbers[i], s->sample.raw, s->sample.raw_bytes);
	switch (d->kind) {
	case SLAB_ALLOC:
		take_slab_alloc(k, &s->sample, d, n);
		break;
	case SLAB_FREE:
		kmem_slab_free(&k->sums.slab, n[0], (int32_t)s->sample.cpu);
		break;
	case PAGE_ALLOC:
		take_page_alloc(k, &s->sample, d, n);
		break;
	default:
		kmem_pages_free(&k->sums.pages, k->sums.page_is_number ? n[0] : n[1], (uint32_t)n[2]);
	}
	return NULL;
}

/* Frames of programs are not looked up: call sites are the kernel's. */
static bool knows_stack(void *ctx, const struct resolved_sample *s)
{
	(void)ctx;
	(void)s;
	return true;
}

/* ---- the whole ---- */

static bool has_events(const struct kmem *k, enum event_kind kind)
{
	for (size_t i = 0; i < k->readers.len; i++)
		if (k->readers.data[i].kind == kind)
			return true;
	return false;
}

static struct strobe_error *check_events(const struct kmem *k)
{
	static const char *const words[KMEM_ALLOCATORS] = { [KMEM_SLAB] = "slab", [KMEM_PAGES] = "page" };
	for (int a = 0; a < KMEM_ALLOCATORS; a++)
		if (k->q.is_chosen[a] && !has_events(k, events[a][0].kind))
			return error_create(ERROR_NOT_FOUND,
					    "this recording has no %s allocation events: record them with 'kmem --%s record'",
					    words[a], words[a]);
	return NULL;
}

static struct strobe_error *run(struct kmem *k)
{
	const struct session_request request = {};
	struct resolve_callbacks callbacks = { .sample = take_sample, .knows_stack = knows_stack, .ctx = k };
	TRY(sched_window_parse(k->q.times, &k->window));
	TRY(session_open(&k->session, k->q.host, k->q.input, k->q.force));
	TRY(read_events(k));
	TRY(read_machine(k));
	TRY(session_resolve(&k->session, &request));
	struct strobe_error *err = resolve_stream(k->session.resolver, callbacks);
	err = error_first(err, check_events(k));
	kmem_slab_sort(&k->sums.slab.callers, &k->q.by_caller[KMEM_SLAB]);
	kmem_slab_sort(&k->sums.slab.objects, &k->q.by_address[KMEM_SLAB]);
	gfp_texts_sort(&k->sums.gfp);
	kmem_pages_finish(&k->sums.pages, &k->q.by_address[KMEM_PAGES], &k->q.by_caller[KMEM_PAGES]);
	return err;
}

struct strobe_error *kmem_run(const struct kmem_request *q, struct kmem **ret)
{
	struct kmem *k = *ret = xcalloc(1, sizeof(*k));
	k->q = *q;
	k->sums.pages.live = q->live;
	return run(k);
}

void kmem_destroy(struct kmem *k)
{
	if (!k)
		return;
	kmem_slab_deinit(&k->sums.slab);
	kmem_pages_deinit(&k->sums.pages);
	gfp_texts_deinit(&k->sums.gfp);
	u64map_deinit(&k->sums.site_by_callsite);
	vec_deinit(&k->sums.sites);
	arena_deinit(&k->sums.arena);
	vec_deinit(&k->nodes);
	vec_deinit(&k->readers);
	tracepoints_destroy(k->formats);
	session_close(&k->session);
	free(k);
}

const struct kmem_sums *kmem_sums(const struct kmem *k)
{
	return &k->sums;
}

void kmem_remarks(const struct kmem *k)
{
	session_remarks(&k->session, false);
}
