#include "record/env.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/attr_text.h"

struct env *env_create(void)
{
	struct env *e = xcalloc(1, sizeof(*e));
	arena_init(&e->arena);
	e->file_version = 2;
	return e;
}

void env_destroy(struct env *e)
{
	if (!e)
		return;
	vec_deinit(&e->events);
	u64map_deinit(&e->event_by_id);
	vec_deinit(&e->build_ids);
	vec_deinit(&e->cpus);
	vec_deinit(&e->core_siblings);
	vec_deinit(&e->die_siblings);
	vec_deinit(&e->thread_siblings);
	vec_deinit(&e->numa);
	vec_deinit(&e->caches);
	vec_deinit(&e->pmus);
	vec_deinit(&e->pmu_caps);
	vec_deinit(&e->mem_nodes);
	vec_deinit(&e->hybrid);
	vec_deinit(&e->domains);
	vec_deinit(&e->bpf_progs);
	vec_deinit(&e->bpf_btfs);
	vec_deinit(&e->auxtrace);
	vec_deinit(&e->sections);
	arena_deinit(&e->arena);
	free(e);
}

static bool same_time(const struct sample_layout *a, const struct sample_layout *b)
{
	return a->time == b->time && a->tail_time == b->tail_time && a->tail_bytes == b->tail_bytes;
}

uint32_t env_add_event(struct env *e, const void *attr, uint32_t attr_bytes, const char *name, const uint64_t *ids,
		       uint32_t ids_nr)
{
	uint32_t index = (uint32_t)e->events.len;
	struct env_event ev = { .leader = index, .scale = 1.0, .attr_bytes = attr_bytes };

	memcpy(&ev.attr, attr, attr_bytes < sizeof(ev.attr) ? attr_bytes : sizeof(ev.attr));
	ev.attr_raw = arena_memdup(&e->arena, attr, attr_bytes);
	ev.layout = sample_layout_compile(&ev.attr);
	ev.name = name ? arena_strdup(&e->arena, name) : env_attr_name(&e->arena, &ev.attr);
	e->one_time = !index || (e->one_time && same_time(&ev.layout, &e->events.data[0].layout));
	e->one_layout = !index || (e->one_layout && sample_layout_equal(&ev.layout, &e->events.data[0].layout));
	vec_push(&e->events, ev);
	env_add_ids(e, index, ids, ids_nr);
	return index;
}

void env_add_ids(struct env *e, uint32_t event, const uint64_t *ids, uint32_t ids_nr)
{
	struct env_event *ev = &e->events.data[event];
	uint64_t *all = NULL;

	if (!ids_nr)
		return;
	uint32_t old = ev->ids_nr;
	all = arena_alloc(&e->arena, ((size_t)old + ids_nr) * sizeof(*all));
	if (old)
		memcpy(all, ev->ids, old * sizeof(*all));
	for (uint32_t i = 0; i < ids_nr; i++) {
		bool is_new;
		uint64_t *slot = u64map_put(&e->event_by_id, ids[i], &is_new);
		if (!is_new && *slot == event && old)
			continue; /* present twice: in the attr and in ID_INDEX */
		*slot = event;
		all[ev->ids_nr++] = ids[i];
	}
	ev->ids = all;
}

/* The ID of a sample, from any field; false: none in the layout. */
static bool sample_id(const struct sample_layout *l, struct record r, uint64_t *ret)
{
	uint16_t at = l->identifier != SAMPLE_NO_OFFSET ? l->identifier : l->id;

	if (at == SAMPLE_NO_OFFSET || r.hdr->size < at + 8)
		return false;
	*ret = sample_word(r, at);
	return true;
}

static bool tail_id(const struct sample_layout *l, struct record r, uint64_t *ret)
{
	uint16_t back = l->tail_identifier ? l->tail_identifier : l->tail_id;

	if (!back || r.hdr->size < sizeof(*r.hdr) + l->tail_bytes)
		return false;
	*ret = sample_word(r, r.hdr->size - back);
	return true;
}

/*
 * Tools use ID 0 for records that they synthesize, which belong to the first event. So do samples of old files without any
 * IDs.
 */
uint32_t env_event_of_sample(const struct env *e, struct record r)
{
	uint64_t id;

	if (e->events.len <= 1)
		return 0;
	const struct sample_layout *l = &e->events.data[0].layout;
	bool has_id = r.hdr->type == PERF_RECORD_SAMPLE ? sample_id(l, r, &id) : tail_id(l, r, &id);
	if (!has_id)
		return e->one_layout ? 0 : (uint32_t)e->events.len;
	if (!id)
		return 0;
	const uint64_t *event = u64map_get(&e->event_by_id, id);
	if (event)
		return (uint32_t)*event;
	return !e->events.data[0].attr.sample_id_all && e->one_layout ? 0 : (uint32_t)e->events.len;
}

static const struct sample_layout empty_layout = {
	.identifier = SAMPLE_NO_OFFSET,
	.ip = SAMPLE_NO_OFFSET,
	.tid = SAMPLE_NO_OFFSET,
	.time = SAMPLE_NO_OFFSET,
	.addr = SAMPLE_NO_OFFSET,
	.id = SAMPLE_NO_OFFSET,
	.stream_id = SAMPLE_NO_OFFSET,
	.cpu = SAMPLE_NO_OFFSET,
	.period = SAMPLE_NO_OFFSET,
	.variable = sizeof(struct perf_event_header),
};

const struct sample_layout *env_tail_layout(const struct env *e)
{
	return e->events.len ? &e->events.data[0].layout : &empty_layout;
}

bool env_decode_sample(const struct env *e, struct record r, struct sample *ret)
{
	uint32_t event = env_event_of_sample(e, r);

	if (event >= e->events.len || !sample_decode(&e->events.data[event].layout, r, ret))
		return false;
	ret->event = event;
	return true;
}

/*
 * Trailers of events whose layouts differ in time or id are distinguished by their id; the tools make sure that the id is
 * in one place. Times may not: an event without TIME beside others with it.
 */
static const struct sample_layout *layout_of(const struct env *e, struct record r)
{
	if (e->one_layout || e->events.len <= 1)
		return env_tail_layout(e);
	uint32_t event = env_event_of_sample(e, r);
	return event < e->events.len ? &e->events.data[event].layout : env_tail_layout(e);
}

struct attr_names env_attr_names(const struct env *e, const struct env_event *ev)
{
	struct attr_names names = {};
	uint64_t extended = ev->attr.type <= PERF_TYPE_HW_CACHE ? ev->attr.config >> 32 : 0;
	for (size_t i = 0; i < e->pmus.len; i++)
		if (e->pmus.data[i].type == (extended ? extended : ev->attr.type))
			names.pmu = e->pmus.data[i].name;
	if (ev->attr.type == PERF_TYPE_TRACEPOINT && ev->name && strchr(ev->name, ':'))
		names.tracepoint = ev->name;
	return names;
}

void env_event_changed(struct arena *arena, struct env_event *ev)
{
	const struct perf_event_attr *a = &ev->attr;
	uint32_t bytes = ev->attr_bytes > sizeof(*a) ? ev->attr_bytes : sizeof(*a);
	char *raw = arena_calloc(arena, bytes);
	memcpy(raw, ev->attr_raw, ev->attr_bytes);
	memcpy(raw, a, ev->attr_bytes < sizeof(*a) ? ev->attr_bytes : sizeof(*a));
	ev->attr_raw = raw;
	ev->layout = sample_layout_compile(a);
}

bool env_record_time_of_any(const struct env *e, struct record r, uint64_t *ret_ns)
{
	if (r.hdr->type >= RECORD_USER_FIRST) {
		if (r.hdr->type != RECORD_TIMED || r.hdr->size < sizeof(struct record_timed))
			return false;
		*ret_ns = ((const struct record_timed *)r.hdr)->time_ns;
		return true;
	}
	const struct sample_layout *l = e->one_time ? env_tail_layout(e) : layout_of(e, r);
	if (r.hdr->type == PERF_RECORD_SAMPLE) {
		if (r.hdr->size < l->time + sizeof(*ret_ns))
			return false;
		*ret_ns = sample_word(r, l->time);
		return true;
	}
	if (!l->tail_time || r.hdr->size < sizeof(*r.hdr) + l->tail_bytes)
		return false;
	*ret_ns = sample_word(r, r.hdr->size - l->tail_time);
	return true;
}

bool env_counts_samples(const struct env *e, uint32_t event)
{
	return event < e->events.len && !(e->events.data[event].attr.sample_type & PERF_SAMPLE_PERIOD);
}

struct strobe_error *env_wall_offset(const struct env *e, uint64_t *ret_ns)
{
	if (!e->clock_data.present)
		return error_create(ERROR_NOT_FOUND, "the recording does not relate its clock to the time of day: --tod needs a "
						     "recording made with -k CLOCK");
	*ret_ns = e->clock_data.wall_ns - e->clock_data.clockid_ns;
	return NULL;
}

const struct env_section *env_section(const struct env *e, uint32_t bit)
{
	for (size_t i = 0; i < e->sections.len; i++)
		if (e->sections.data[i].bit == bit)
			return &e->sections.data[i];
	return NULL;
}

void env_set_section(struct env *e, uint32_t bit, const void *data, uint64_t bytes)
{
	struct env_section *s = (struct env_section *)env_section(e, bit);

	if (s)
		*s = (struct env_section){ .bit = bit, .bytes = bytes, .data = data };
	else
		vec_push(&e->sections, ((struct env_section){ .bit = bit, .bytes = bytes, .data = data }));
}

void env_append_section(struct env *e, uint32_t bit, const void *data, uint64_t bytes)
{
	if (!env_section(e, bit))
		env_set_section(e, bit, "", 0);
	struct env_section *s = (struct env_section *)env_section(e, bit);
	if (s->room < s->bytes + bytes) {
		uint64_t room = (s->bytes + bytes) * 2;
		char *larger = arena_alloc(&e->arena, room);
		memcpy(larger, s->data, s->bytes);
		s->data = larger;
		s->room = room;
	}
	memcpy((char *)s->data + s->bytes, data, bytes);
	s->bytes += bytes;
}

/* The layout of a record whose body is not swapped yet: swaps its ID. */
static const struct sample_layout *foreign_layout(const struct env *e, struct record r)
{
	uint64_t id;

	if (e->one_layout || e->events.len <= 1)
		return env_tail_layout(e);
	const struct sample_layout *l = env_tail_layout(e);
	bool has_id = r.hdr->type == PERF_RECORD_SAMPLE ? sample_id(l, r, &id) : tail_id(l, r, &id);
	const uint64_t *event = has_id ? u64map_get(&e->event_by_id, __builtin_bswap64(id)) : NULL;
	return event ? &e->events.data[*event].layout : l;
}

bool env_swap_record(const struct env *e, void *record)
{
	struct record r = { .hdr = record };

	if (r.hdr->type >= RECORD_USER_FIRST) {
		record_swap(record, 0);
		return true;
	}
	const struct sample_layout *l = foreign_layout(e, r);
	if (r.hdr->type == PERF_RECORD_SAMPLE)
		return sample_swap(l, record);
	record_swap(record, l->tail_bytes);
	sample_tail_swap(l, record);
	return true;
}
