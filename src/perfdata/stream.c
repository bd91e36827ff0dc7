/* Records that describe the recording: in a stream instead of a header, in a file for what became known later. */
#include <string.h>

#include "perfdata/reader_priv.h"

/* A few bytes can list 65536 CPUs: the total over all events is limited. */
#define OWN_CPUS_MAX (1u << 20)

static struct cursor body(struct record r)
{
	return cursor_make((const char *)r.hdr + sizeof(*r.hdr), r.hdr->size - sizeof(*r.hdr), false);
}

static void apply_attr(struct env *e, struct record r)
{
	struct cursor c = body(r);
	const uint8_t *attr = c.at;
	uint32_t bytes = PERF_ATTR_SIZE_VER0;

	if (!cursor_skip(&c, PERF_ATTR_SIZE_VER0))
		return;
	memcpy(&bytes, attr + 4, sizeof(bytes));
	if (bytes < PERF_ATTR_SIZE_VER0)
		bytes = PERF_ATTR_SIZE_VER0;
	if (!cursor_skip(&c, bytes - PERF_ATTR_SIZE_VER0))
		return;
	/* A file names its events in its header already; a tool may repeat them in its data. */
	uint32_t nr = (uint32_t)(cursor_left(&c) / 8);
	uint64_t *ids = arena_memdup(&e->arena, c.at, nr * sizeof(*ids));
	if (nr && u64map_get(&e->event_by_id, ids[0]))
		return;
	if (!nr && !e->is_pipe)
		return;
	env_add_event(e, attr, bytes, NULL, ids, nr);
}

static void apply_cpu_map(struct env *e, struct env_event *ev, struct cursor c)
{
	VEC(uint32_t) cpus = {};
	uint16_t type = cursor_u16(&c);

	if (type == 0) {
		uint16_t nr = cursor_u16(&c);
		for (uint16_t i = 0; i < nr && cursor_left(&c) >= 2; i++)
			vec_push(&cpus, cursor_u16(&c));
	} else if (type == 1) {
		uint16_t nr = cursor_u16(&c), long_bytes = cursor_u16(&c);
		if (long_bytes == 8)
			cursor_skip(&c, 4);
		for (uint32_t i = 0; i < nr && cursor_left(&c) >= long_bytes && (long_bytes == 4 || long_bytes == 8); i++) {
			uint64_t word = long_bytes == 4 ? cursor_u32(&c) : cursor_u64(&c);
			for (; word; word &= word - 1)
				vec_push(&cpus, i * long_bytes * 8 + (uint32_t)__builtin_ctzll(word));
		}
	} else if (type == 2) {
		cursor_skip(&c, 2);
		uint32_t first = cursor_u16(&c), last = cursor_u16(&c);
		for (uint32_t i = first; !c.bad && i <= last; i++)
			vec_push(&cpus, i);
	}
	size_t index = (size_t)(ev - e->events.data) + 1;
	if (!ev->own_cpus_nr && cpus.len <= OWN_CPUS_MAX / index) {
		ev->own_cpus = arena_memdup(&e->arena, cpus.data, cpus.len * sizeof(*cpus.data));
		ev->own_cpus_nr = (uint32_t)cpus.len;
	}
	vec_deinit(&cpus);
}

static void apply_event_update(struct env *e, struct record r)
{
	struct cursor c = body(r);
	uint64_t kind = cursor_u64(&c), id = cursor_u64(&c);
	const uint64_t *event = u64map_get(&e->event_by_id, id);

	if (c.bad || !event)
		return;
	struct env_event *ev = &e->events.data[*event];
	const char *text = (const char *)c.at;
	size_t length = strnlen(text, cursor_left(&c));
	switch (kind) {
	case 0:
		ev->unit = arena_strndup(&e->arena, text, length);
		break;
	case 1: {
		double scale;
		if (cursor_copy(&c, &scale, sizeof(scale)))
			ev->scale = scale;
		break;
	}
	case 2:
		ev->name = arena_strndup(&e->arena, text, length);
		break;
	case 3:
		apply_cpu_map(e, ev, c);
		break;
	}
}

static void apply_time_conv(struct env *e, struct record r)
{
	struct cursor c = body(r);

	e->time_conv.shift = cursor_u64(&c);
	e->time_conv.mult = cursor_u64(&c);
	e->time_conv.zero = cursor_u64(&c);
	e->time_conv.present = !c.bad;
	e->time_conv.cap_user_time_zero = !c.bad;
	/* 5.10 and later have more fields. */
	if (cursor_left(&c) >= 18) {
		e->time_conv.cycles = cursor_u64(&c);
		e->time_conv.mask = cursor_u64(&c);
		e->time_conv.cap_user_time_zero = cursor_u8(&c);
		e->time_conv.cap_user_time_short = cursor_u8(&c);
	}
}

static void apply_build_id(struct env *e, struct record r)
{
	struct env_build_id b = { .cpumode = r.hdr->misc & PERF_RECORD_MISC_CPUMODE_MASK };
	uint8_t id[24];
	struct cursor c = body(r);

	b.pid = (int32_t)cursor_u32(&c);
	cursor_copy(&c, id, sizeof(id));
	if (c.bad)
		return;
	memcpy(b.build_id, id, sizeof(b.build_id));
	/* The length is present since Linux 5.12, if a flag in misc says so. */
	b.build_id_len = r.hdr->misc & PERF_RECORD_MISC_EXT_RESERVED && id[20] <= sizeof(b.build_id) ? id[20] : 20;
	b.filename = arena_strndup(&e->arena, (const char *)c.at, strnlen((const char *)c.at, cursor_left(&c)));
	vec_push(&e->build_ids, b);
}

/*
 * A feature as a record. The last one is a marker without data, whose number differs between versions; features that have no data
 * are not sent like this, except for mere flags.
 */
static void apply_feature(struct env *e, struct record r)
{
	struct cursor c = body(r);
	uint64_t bit = cursor_u64(&c);
	size_t left = cursor_left(&c);

	if (c.bad || bit >= FEATURE_BITS)
		return;
	if (!left && bit != FEATURE_BRANCH_STACK && bit != FEATURE_STAT && bit != FEATURE_AUXTRACE)
		return;
	feature_decode(e, (uint32_t)bit, arena_memdup(&e->arena, c.at, left), left);
}

/* A piece of the section of scripts. */
static void apply_scripts(struct env *e, struct record r)
{
	struct cursor c = cursor_make((const char *)r.hdr + sizeof(*r.hdr), r.hdr->size - sizeof(*r.hdr), e->swapped);
	uint32_t magic = cursor_u32(&c), bytes = cursor_u32(&c);
	const void *table = cursor_bytes(&c, bytes);
	if (!c.bad && magic == ENV_SCRIPTS_MAGIC)
		env_append_section(e, ENV_SECTION_SCRIPTS, table, bytes);
}

void stream_apply(struct env *e, struct record r)
{
	switch (r.hdr->type) {
	case RECORD_HEADER_ATTR:
		apply_attr(e, r);
		break;
	case RECORD_EVENT_UPDATE:
		apply_event_update(e, r);
		break;
	case RECORD_TIME_CONV:
		apply_time_conv(e, r);
		break;
	case RECORD_HEADER_BUILD_ID:
		apply_build_id(e, r);
		break;
	case RECORD_HEADER_FEATURE:
		apply_feature(e, r);
		break;
	case RECORD_FINISHED_INIT:
		apply_scripts(e, r);
		break;
	case RECORD_AUXTRACE_INFO:
		e->has_auxtrace = true;
		break;
	}
}
