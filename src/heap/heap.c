#include "heap/heap.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "profile/select.h"
#include "session/symbolize.h"

#define Z95 1.959963984540054

static const struct {
	const char *name, *unit;
} events[HEAP_EVENTS] = {
	[HEAP_ALLOC_OBJECTS] = { "alloc_objects", "count" }, [HEAP_ALLOC_SPACE] = { "alloc_space", "bytes" },
	[HEAP_INUSE_OBJECTS] = { "inuse_objects", "count" }, [HEAP_INUSE_SPACE] = { "inuse_space", "bytes" },
	[HEAP_PEAK_OBJECTS] = { "peak_objects", "count" },   [HEAP_PEAK_SPACE] = { "peak_space", "bytes" },
	[HEAP_SHORT_OBJECTS] = { "short_objects", "count" }, [HEAP_SHORT_SPACE] = { "short_space", "bytes" },
	[HEAP_LEAK_OBJECTS] = { "leak_objects", "count" },   [HEAP_LEAK_SPACE] = { "leak_space", "bytes" },
};

void heap_init(struct heap *h, bool is_live)
{
	*h = (struct heap){ .profile = profile_create() };
	arena_init(&h->arena);
	struct profile *p = h->profile;
	p->origin.events_are_values = true;
	p->origin.default_event = strtab_add(&p->strings, is_live ? "inuse_space" : "peak_space");
	p->origin.period_type = strtab_add(&p->strings, "space");
	p->origin.period_unit = strtab_add(&p->strings, "bytes");
	h->comm_column = profile_column(p, "comm", COLUMN_STRING);
	h->pid_column = profile_column(p, "pid", COLUMN_I64);
	for (unsigned i = 0; i < HEAP_LEAK_OBJECTS; i++)
		profile_event(p, events[i].name, events[i].unit);
}

void heap_deinit(struct heap *h)
{
	profile_destroy(h->profile);
	vec_deinit(&h->processes);
	vec_deinit(&h->points);
	arena_deinit(&h->arena);
	*h = (struct heap){};
}

double heap_margin(double variance)
{
	return Z95 * sqrt(variance);
}

/* ---- frames ---- */

/* A region that is being added to the heap. */
struct adding {
	struct heap *heap;
	const struct heap_region *region;
	mapping_id *mappings; /* by module; PROFILE_NONE: none yet */
	struct u64map frames; /* by address, for the first modules_nr modules */
	uint32_t modules_nr;
	labels_id labels;
};

static mapping_id make_mapping(struct profile *p, const struct alloc_module *m)
{
	char build_id[2 * sizeof(m->build_id) + 1];
	text_bytes_to_hex(m->build_id, m->build_id_bytes, build_id);
	struct profile_mapping mapping = {
		.path = strtab_add(&p->strings, m->path),
		.name = strtab_add(&p->strings, text_base_name(m->path)),
		.build_id = strtab_add_n(&p->strings, build_id, 2u * m->build_id_bytes),
		.start = m->text_start,
		.end = m->text_start + m->text_bytes,
		.offset = m->text_offset,
		.space = SPACE_USER,
		.order = (uint32_t)p->mappings.len,
	};
	return profile_mapping(p, &mapping);
}

static mapping_id mapping_of(struct adding *a, uint32_t module, struct alloc_module *ret)
{
	if (module == UINT32_MAX || !heap_region_module(a->region, module, ret))
		return PROFILE_NONE;
	if (a->mappings[module] == PROFILE_NONE)
		a->mappings[module] = make_mapping(a->heap->profile, ret);
	return a->mappings[module];
}

/* A return address is that of the code after the call; the byte before it belongs to the call. */
static frame_id make_frame(struct adding *a, uint64_t address)
{
	struct alloc_module m;
	uint64_t ip = address & ALLOC_FRAME_EXACT ? address & ~ALLOC_FRAME_EXACT : address - 1;
	struct profile_frame f = { .function = PROFILE_NONE, .space = SPACE_USER, .addr = ip };
	f.mapping = mapping_of(a, heap_region_find_module(a->region, a->modules_nr, ip), &m);
	if (f.mapping != PROFILE_NONE)
		f.addr = ip - m.bias;
	f.ip = f.addr;
	return profile_frame(a->heap->profile, &f);
}

static frame_id frame_of(struct adding *a, uint64_t address)
{
	bool is_new;
	uint64_t *at = u64map_put(&a->frames, address, &is_new);
	if (is_new)
		*at = make_frame(a, address);
	return (frame_id)*at;
}

static stack_id stack_of(struct adding *a, const struct heap_entry *e)
{
	stack_id stack = PROFILE_NONE;
	/* Code was unloaded: the same addresses belong to other functions. */
	if (e->modules_nr != a->modules_nr) {
		u64map_deinit(&a->frames);
		a->modules_nr = e->modules_nr;
	}
	for (uint32_t i = e->depth; i--;)
		stack = profile_stack(a->heap->profile, stack, frame_of(a, e->frames[i]));
	return stack;
}

/* ---- rows ---- */

static void add_row(struct adding *a, stack_id stack, enum heap_event event, uint64_t value)
{
	if (value)
		profile_add(a->heap->profile, stack, a->labels, event, 1, value, 0);
}

static void add_entry(struct adding *a, const struct heap_entry *e, uint64_t leak_objects, uint64_t leak_bytes)
{
	const struct heap_counts *c = &e->counts;
	stack_id stack = stack_of(a, e);
	add_row(a, stack, HEAP_ALLOC_OBJECTS, c->alloc_objects);
	add_row(a, stack, HEAP_ALLOC_SPACE, c->alloc_bytes);
	add_row(a, stack, HEAP_INUSE_OBJECTS, c->in_use_objects);
	add_row(a, stack, HEAP_INUSE_SPACE, c->in_use_bytes);
	add_row(a, stack, HEAP_PEAK_OBJECTS, c->peak_objects);
	add_row(a, stack, HEAP_PEAK_SPACE, c->peak_bytes);
	add_row(a, stack, HEAP_SHORT_OBJECTS, c->short_objects);
	add_row(a, stack, HEAP_SHORT_SPACE, c->short_bytes);
	add_row(a, stack, HEAP_LEAK_OBJECTS, leak_objects);
	add_row(a, stack, HEAP_LEAK_SPACE, leak_bytes);
}

static void add_points(struct heap *h, struct heap_process *process, const struct heap_region *r)
{
	process->first_point = (uint32_t)h->points.len;
	for (uint32_t i = 0; i < r->points_nr; i++)
		vec_push(&h->points, heap_region_point(r, i));
	process->points_nr = r->points_nr;
}

static struct heap_process describe(struct heap *h, const struct heap_region *r, uint32_t pid)
{
	const struct alloc_header *header = &r->header;
	return (struct heap_process){
		.pid = pid,
		.program = arena_strdup(&h->arena, header->program),
		.comm = arena_strdup(&h->arena, text_base_name(header->program)),
		.peak_bytes = header->peak_bytes,
		.end_ns = header->last_ns,
		.dropped = header->dropped,
		.truncated = header->truncated,
		.stacks = r->entries_nr,
	};
}

static void expect_leaks(struct heap *h)
{
	if (h->knows_leaks)
		return;
	h->knows_leaks = true;
	profile_event(h->profile, events[HEAP_LEAK_OBJECTS].name, events[HEAP_LEAK_OBJECTS].unit);
	profile_event(h->profile, events[HEAP_LEAK_SPACE].name, events[HEAP_LEAK_SPACE].unit);
}

static void add_entries(struct adding *a, struct heap_process *process, const struct heap_leaks *leaks)
{
	struct heap *h = a->heap;
	for (uint32_t i = 0; i < a->region->entries_nr; i++) {
		struct heap_entry e;
		if (!heap_region_entry(a->region, i, &e))
			continue;
		bool has_leaks = leaks && i < leaks->entries_nr;
		uint64_t objects = has_leaks ? leaks->objects[i] : 0, bytes = has_leaks ? leaks->bytes[i] : 0;
		add_entry(a, &e, objects, bytes);
		heap_counts_add(&process->counts, &e.counts);
		heap_counts_add(&h->sizes[e.size_class], &e.counts);
		process->leak_objects += objects;
		process->leak_bytes += bytes;
	}
}

static struct adding begin_adding(struct heap *h, const struct heap_region *r, const struct heap_process *process)
{
	uint64_t labels[2] = {};
	labels[h->comm_column] = strtab_add(&h->profile->strings, process->comm);
	labels[h->pid_column] = process->pid;
	struct adding a = { .heap = h, .region = r, .labels = profile_labels(h->profile, labels) };
	a.mappings = xcalloc(r->modules_nr + 1, sizeof(*a.mappings));
	for (uint32_t i = 0; i < r->modules_nr; i++)
		a.mappings[i] = PROFILE_NONE;
	return a;
}

static void finish_adding(struct adding *a)
{
	u64map_deinit(&a->frames);
	free(a->mappings);
}

void heap_add(struct heap *h, const struct heap_region *r, uint32_t pid, const struct heap_leaks *leaks)
{
	struct heap_process process = describe(h, r, pid);
	if (leaks)
		expect_leaks(h);
	struct adding a = begin_adding(h, r, &process);
	process.knows_leaks = leaks != NULL;
	add_entries(&a, &process, leaks);
	add_points(h, &process, r);
	finish_adding(&a);
	heap_counts_add(&h->total, &process.counts);
	h->leak_objects += process.leak_objects;
	h->leak_bytes += process.leak_bytes;
	h->dropped += process.dropped;
	h->truncated += process.truncated;
	h->rate = r->header.rate;
	h->profile->origin.period = (int64_t)r->header.rate;
	vec_push(&h->processes, process);
}

void heap_add_leaks(struct heap *h, const struct heap_region *r, uint32_t pid, const struct heap_leaks *leaks, bool identify)
{
	struct heap_process process = describe(h, r, pid);
	struct adding a = begin_adding(h, r, &process);
	for (size_t i = 0; i < leaks->blocks.len; i++) {
		const struct heap_leak *leak = &leaks->blocks.data[i];
		struct heap_entry e;
		if (!heap_region_entry(r, leak->entry, &e))
			continue;
		stack_id stack = stack_of(&a, &e);
		if (identify)
			stack = profile_stack(h->profile, stack, frame_of(&a, leak->address | ALLOC_FRAME_EXACT));
		add_row(&a, stack, HEAP_ALLOC_OBJECTS, 1);
		add_row(&a, stack, HEAP_ALLOC_SPACE, leak->bytes);
		add_row(&a, stack, HEAP_INUSE_OBJECTS, 1);
		add_row(&a, stack, HEAP_INUSE_SPACE, leak->bytes);
	}
	finish_adding(&a);
	h->profile->origin.period = 1;
	vec_push(&h->processes, process);
}

/* ---- the end ---- */

/* Frames of operators that call malloc and of containers that call those are skipped: their callers are of interest. */
static const char allocators[] =
	"operator new(\\[\\])?|(__gnu_cxx::new_allocator|std::__new_allocator|std::allocator|std::allocator_traits)(<.*>)?::allocate|"
	"(x|g_)?(m|c|re)alloc|strdup|__strdup|strndup";

static int compare_processes(const void *a, const void *b)
{
	const struct heap_process *x = a, *y = b;
	uint64_t vx = x->counts.alloc_bytes, vy = y->counts.alloc_bytes;
	return vx != vy ? (vx < vy ? 1 : -1) : (x->pid > y->pid) - (x->pid < y->pid);
}

struct strobe_error *heap_name(struct heap *h, const struct session_host *host)
{
	struct symbolize all = { .names = RESOLVE_SHORT };
	if (h->processes.len)
		qsort(h->processes.data, h->processes.len, sizeof(*h->processes.data), compare_processes);
	TRY(symbolize_profile(host, &all, &h->profile));
	h->profile->origin.drop_frames = strtab_add(&h->profile->strings, allocators);
	return NULL;
}

static bool keep_all(void *ctx, const struct profile *p, const struct profile_row *row)
{
	return true;
}

struct profile *heap_callers(const struct heap *h)
{
	struct profile *p;
	struct strobe_error *err = profile_drop_uninteresting(h->profile, &p);
	if (!err)
		return p;
	error_destroy(err);
	return profile_filter(h->profile, keep_all, NULL);
}

void heap_frame_name(const struct profile *p, frame_id id, struct strbuf *ret)
{
	const struct profile_frame *f = &p->frames.data[id];
	if (f->function != PROFILE_NONE)
		strbuf_addstr(ret, profile_str(p, p->functions.data[f->function].name));
	else if (f->mapping != PROFILE_NONE)
		strbuf_addf(ret, "[%s]+%#" PRIx64, profile_str(p, p->mappings.data[f->mapping].name), f->addr);
	else
		strbuf_addf(ret, "%#" PRIx64, f->addr);
}
