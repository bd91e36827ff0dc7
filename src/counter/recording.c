#include "counter/recording.h"

#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/strbuf.h"

/* Sizes of records are 16 bits. */
#define RECORD_BYTES_MAX 65528
#define THREADS_MAX      ((RECORD_BYTES_MAX - 16) / 24)
#define CPUS_MAX         ((RECORD_BYTES_MAX - 16) / 2)

/* Tags of STAT_CONFIG, types of STAT_ROUND and of CPU_MAP. */
enum config_tag { CONFIG_AGGR_MODE, CONFIG_INTERVAL, CONFIG_SCALE };
enum round_type { ROUND_INTERVAL, ROUND_FINAL };
enum cpu_map_type { CPU_MAP_LIST, CPU_MAP_MASK, CPU_MAP_RANGE };

/* aggr_mode in perf's numbering: before 6.4, and from 6.5 on, which inserted two more. */
static const enum counts_by modes_old[] = { COUNTS_BY_CPU,  COUNTS_BY_NOTHING, COUNTS_BY_SOCKET,  COUNTS_BY_DIE,
					    COUNTS_BY_CORE, COUNTS_BY_THREAD,  COUNTS_BY_NOTHING, COUNTS_BY_NODE };
static const enum counts_by modes_new[] = { COUNTS_BY_CPU,   COUNTS_BY_NOTHING, COUNTS_BY_SOCKET, COUNTS_BY_DIE,     COUNTS_BY_CLUSTER,
					    COUNTS_BY_CACHE, COUNTS_BY_CORE,    COUNTS_BY_THREAD, COUNTS_BY_NOTHING, COUNTS_BY_NODE };

void recording_describe(struct env *env, const struct counter_set *set, bool is_stream)
{
	for (size_t i = 0; i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		uint64_t id = i + 1;
		struct perf_event_attr attr = e->attr;
		if (is_stream)
			attr.sample_type = 0;
		uint32_t index = env_add_event(env, &attr, PERF_ABI_ATTR_BYTES, e->name, &id, 1);
		struct env_event *ev = &env->events.data[index];
		ev->unit = *e->unit ? arena_strdup(&env->arena, e->unit) : NULL;
		ev->scale = e->scale;
		ev->leader = e->leader;
		if (e->event->cpus.len) {
			ev->own_cpus = arena_memdup(&env->arena, e->event->cpus.data, e->event->cpus.len * sizeof(uint32_t));
			ev->own_cpus_nr = (uint32_t)e->event->cpus.len;
		}
	}
	for (size_t i = 0; i < env->events.len; i++) {
		struct env_event *leader = &env->events.data[env->events.data[i].leader];
		leader->group_members++;
	}
	env->has_stat = true;
}

/* --- writing --- */

static void add_u16(struct strbuf *b, uint16_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void add_u64(struct strbuf *b, uint64_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void begin(struct strbuf *b, uint32_t type)
{
	struct perf_event_header h = { .type = type };
	strbuf_reset(b);
	strbuf_add(b, &h, sizeof(h));
}

static struct strobe_error *end(struct strbuf *b, struct record_sink *sink)
{
	while (b->len % 8)
		strbuf_addch(b, '\0');
	((struct perf_event_header *)(void *)b->data)->size = (uint16_t)b->len;
	return sink_write(sink, b->data, b->len);
}

static struct strobe_error *write_threads(struct strbuf *b, struct record_sink *sink, const struct target_map *m)
{
	if (m->threads.len > THREADS_MAX)
		return error_create(ERROR_LIMIT, "a recording of counts has room for %d threads, not for %zu", (int)THREADS_MAX,
				    m->threads.len);
	begin(b, RECORD_THREAD_MAP);
	add_u64(b, m->threads.len);
	for (size_t i = 0; i < m->threads.len; i++) {
		char comm[16] = "";
		memcpy(comm, m->threads.data[i].comm, strnlen(m->threads.data[i].comm, sizeof(comm) - 1));
		add_u64(b, (uint64_t)(int64_t)m->threads.data[i].tid);
		strbuf_add(b, comm, sizeof(comm));
	}
	return end(b, sink);
}

static struct strobe_error *write_cpus(struct strbuf *b, struct record_sink *sink, const struct target_map *m)
{
	size_t n = m->system_wide ? m->cpus.len : 1;
	if (n > CPUS_MAX)
		return error_create(ERROR_LIMIT, "a recording of counts has room for %d CPUs, not for %zu", CPUS_MAX, n);
	begin(b, RECORD_CPU_MAP);
	add_u16(b, CPU_MAP_LIST);
	add_u16(b, (uint16_t)n);
	for (size_t i = 0; i < n; i++)
		add_u16(b, (uint16_t)(m->system_wide ? m->cpus.data[i] : -1));
	return end(b, sink);
}

static uint64_t mode_of(enum counts_by by)
{
	for (size_t i = 0; i < sizeof(modes_old) / sizeof(*modes_old); i++)
		if (modes_old[i] == by)
			return i;
	return 0; /* by CPU: the reader may gather further */
}

struct strobe_error *recording_begin(struct record_sink *sink, const struct counter_set *set, enum counts_by by, uint64_t interval_ms,
				     bool scale)
{
	_cleanup_strbuf_ struct strbuf b = {};
	TRY(write_threads(&b, sink, set->map));
	TRY(write_cpus(&b, sink, set->map));
	begin(&b, RECORD_STAT_CONFIG);
	add_u64(&b, 3);
	add_u64(&b, CONFIG_AGGR_MODE);
	add_u64(&b, mode_of(by));
	add_u64(&b, CONFIG_INTERVAL);
	add_u64(&b, interval_ms);
	add_u64(&b, CONFIG_SCALE);
	add_u64(&b, scale);
	return end(&b, sink);
}

struct strobe_error *recording_add(struct record_sink *sink, const struct counter_set *set, uint64_t time_ns, bool final)
{
	_cleanup_strbuf_ struct strbuf b = {};
	for (size_t i = 0; i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		for (uint32_t k = 0; e->supported && k < e->slots_nr; k++) {
			const struct counter_slot *slot = &set->slots.data[e->first_slot + k];
			uint32_t cpu = (uint32_t)slot->cpu, thread = slot->thread;
			begin(&b, RECORD_STAT);
			add_u64(&b, i + 1);
			strbuf_add(&b, &cpu, sizeof(cpu));
			strbuf_add(&b, &thread, sizeof(thread));
			add_u64(&b, slot->now.value);
			add_u64(&b, slot->now.enabled_ns);
			add_u64(&b, slot->now.running_ns);
			TRY(end(&b, sink));
		}
	}
	begin(&b, RECORD_STAT_ROUND);
	add_u64(&b, final ? ROUND_FINAL : ROUND_INTERVAL);
	add_u64(&b, time_ns);
	return end(&b, sink);
}

/* --- reading --- */

static struct cursor body_of(struct record r)
{
	return cursor_make((const uint8_t *)r.hdr + sizeof(*r.hdr), r.hdr->size - sizeof(*r.hdr), false);
}

static struct strobe_error *damaged(struct record r)
{
	const char *name = record_type_name(r.hdr->type);
	return error_create(ERROR_FORMAT, "the %s record at %#llx is damaged", name ? name : "unknown",
			    (unsigned long long)r.file_offset);
}

static struct strobe_error *read_threads(struct recording *rec, struct record r)
{
	struct cursor c = body_of(r);
	uint64_t nr = cursor_u64(&c);
	if (c.bad || nr > THREADS_MAX)
		return damaged(r);
	vec_clear(&rec->map.threads);
	for (uint64_t i = 0; i < nr; i++) {
		struct thread_entry t = {};
		t.tid = t.pid = (pid_t)cursor_u64(&c);
		const void *comm = cursor_bytes(&c, sizeof(t.comm));
		if (c.bad)
			return damaged(r);
		memcpy(t.comm, comm, sizeof(t.comm) - 1);
		vec_push(&rec->map.threads, t);
	}
	return NULL;
}

static struct strobe_error *read_cpu_mask(struct recording *rec, struct record r, struct cursor *c)
{
	uint16_t nr = cursor_u16(c), long_bytes = cursor_u16(c);
	if (long_bytes == 8)
		cursor_skip(c, 4); /* the mask is aligned */
	if (c->bad || (long_bytes != 4 && long_bytes != 8))
		return damaged(r);
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t word = long_bytes == 8 ? cursor_u64(c) : cursor_u32(c);
		if (c->bad)
			return damaged(r);
		for (unsigned bit = 0; bit < 8u * long_bytes; bit++)
			if (word >> bit & 1)
				vec_push(&rec->map.cpus, (int)(i * 8 * long_bytes + bit));
	}
	return NULL;
}

static struct strobe_error *read_cpus(struct recording *rec, struct record r)
{
	struct cursor c = body_of(r);
	uint16_t type = cursor_u16(&c);
	vec_clear(&rec->map.cpus);
	if (type == CPU_MAP_MASK)
		TRY(read_cpu_mask(rec, r, &c));
	if (type == CPU_MAP_RANGE) {
		cursor_skip(&c, 2);
		uint16_t from = cursor_u16(&c), to = cursor_u16(&c);
		for (uint32_t cpu = from; !c.bad && cpu <= to; cpu++)
			vec_push(&rec->map.cpus, (int)cpu);
	}
	uint16_t nr = type == CPU_MAP_LIST ? cursor_u16(&c) : 0;
	for (uint32_t i = 0; i < nr && !c.bad; i++) {
		int16_t cpu = (int16_t)cursor_u16(&c);
		if (!c.bad)
			vec_push(&rec->map.cpus, cpu);
	}
	if (c.bad || type > CPU_MAP_RANGE || !rec->map.cpus.len)
		return damaged(r);
	rec->map.system_wide = rec->map.cpus.data[0] >= 0;
	return NULL;
}

/* perf 6.5 inserted modes for clusters and caches. */
static bool has_new_modes(const struct env *env)
{
	unsigned major = 0, minor = 0;
	if (!env->tool_version || sscanf(env->tool_version, "%u.%u", &major, &minor) != 2)
		return false;
	/* strobe writes the old numbers. */
	return major > 6 || (major == 6 && minor >= 5);
}

static struct strobe_error *read_config(struct recording *rec, struct record r, const struct env *env)
{
	struct cursor c = body_of(r);
	uint64_t nr = cursor_u64(&c);
	if (c.bad || nr > r.hdr->size / 16u)
		return damaged(r);
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t tag = cursor_u64(&c), value = cursor_u64(&c);
		bool new = has_new_modes(env);
		size_t modes = new ? sizeof(modes_new) / sizeof(*modes_new) : sizeof(modes_old) / sizeof(*modes_old);
		if (c.bad)
			return damaged(r);
		if (tag == CONFIG_AGGR_MODE && value < modes)
			rec->by = new ? modes_new[value] : modes_old[value];
		else if (tag == CONFIG_INTERVAL)
			rec->interval_ms = value;
		else if (tag == CONFIG_SCALE)
			rec->scale = value;
	}
	return NULL;
}

static enum event_kind kind_of(const struct env_event *e)
{
	if (!strcmp(e->name, "duration_time") || !strcmp(e->name, "user_time") || !strcmp(e->name, "system_time"))
		return EVENT_TOOL;
	switch (e->attr.type) {
	case PERF_TYPE_HARDWARE:
		return EVENT_HARDWARE;
	case PERF_TYPE_SOFTWARE:
		return EVENT_SOFTWARE;
	case PERF_TYPE_TRACEPOINT:
		return EVENT_TRACEPOINT;
	case PERF_TYPE_HW_CACHE:
		return EVENT_CACHE;
	case PERF_TYPE_RAW:
		return EVENT_RAW;
	case PERF_TYPE_BREAKPOINT:
		return EVENT_BREAKPOINT;
	default:
		return EVENT_PMU;
	}
}

static void take_events(struct recording *rec, const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++) {
		const struct env_event *from = &env->events.data[i];
		struct event *e = event_list_add(&rec->events, kind_of(from), from->attr.type, from->attr.config, from->name);
		e->attr = from->attr;
		e->unit = from->unit;
		e->scale = from->scale;
		e->leader = from->leader < env->events.len ? from->leader : (uint32_t)i;
		for (uint32_t k = 0; k < from->own_cpus_nr; k++)
			vec_push(&e->cpus, from->own_cpus[k]);
		/* Such times have one slot; in perf's recordings, as events of the kernel, they have one per CPU. */
		if (e->kind == EVENT_TOOL && rec->map.system_wide)
			e->kind = EVENT_SOFTWARE;
	}
}

static void take_topology(struct recording *rec, const struct env *env)
{
	arena_init(&rec->topology.arena);
	for (size_t i = 0; i < env->cpus.len; i++) {
		const struct env_cpu *from = &env->cpus.data[i];
		struct sys_cpu c = { .cpu = (uint32_t)i, .online = true, .core = from->core, .cluster = -1, .die = from->die,
				     .socket = from->socket, .node = -1 };
		for (size_t n = 0; n < env->numa.len; n++) {
			sys_cpus cpus = {};
			struct strobe_error *err = env->numa.data[n].cpus ? sys_cpus_parse(env->numa.data[n].cpus, &cpus) : NULL;
			if (!err && sys_cpus_has(&cpus, (uint32_t)i))
				c.node = (int32_t)env->numa.data[n].node;
			error_destroy(err);
			vec_deinit(&cpus);
		}
		vec_push(&rec->topology.cpus, c);
	}
	for (size_t i = 0; i < env->caches.len; i++) {
		const struct env_cache *from = &env->caches.data[i];
		struct sys_cache c = { .level = from->level, .type = from->type, .size = from->size, .cpus = from->cpus };
		if (c.type && c.cpus)
			vec_push(&rec->topology.caches, c);
	}
}

/* At the first count, when all data that it depends on has been read. */
static void start(struct recording *rec, const struct env *env)
{
	rec->started = true;
	if (!rec->map.threads.len) {
		struct thread_entry all = { .pid = -1, .tid = -1 };
		vec_push(&rec->map.threads, all);
	}
	if (!rec->map.cpus.len)
		vec_push(&rec->map.cpus, -1);
	take_events(rec, env);
	take_topology(rec, env);
	counter_init(&rec->set, sys_live(), &rec->events, &rec->map, (struct counter_options){});
	/* An event is unsupported until there is a count of it. */
	for (size_t i = 0; i < rec->set.events.len; i++) {
		struct counter_event *e = &rec->set.events.data[i];
		e->supported = false;
		e->attr = e->event->attr;
		e->scale = env->events.data[i].scale;
		e->unit = env->events.data[i].unit ? env->events.data[i].unit : "";
	}
}

static struct strobe_error *read_count(struct recording *rec, struct record r, const struct env *env)
{
	struct cursor c = body_of(r);
	uint64_t id = cursor_u64(&c);
	int32_t cpu = (int32_t)cursor_u32(&c);
	uint32_t thread = cursor_u32(&c);
	struct count_reading reading;
	reading.value = cursor_u64(&c);
	reading.enabled_ns = cursor_u64(&c);
	reading.running_ns = cursor_u64(&c);
	const uint64_t *index = u64map_get(&env->event_by_id, id);
	if (c.bad)
		return damaged(r);
	/* Counts of events that are not in the header are skipped. */
	if (!index || *index >= rec->set.events.len)
		return NULL;
	struct counter_event *e = &rec->set.events.data[*index];
	for (uint32_t k = 0; k < e->slots_nr; k++) {
		struct counter_slot *slot = &rec->set.slots.data[e->first_slot + k];
		if ((slot->cpu != cpu && e->event->kind != EVENT_TOOL) || slot->thread != thread)
			continue;
		slot->now = reading;
		e->supported = true;
		break;
	}
	return NULL;
}

void recording_open(struct recording *rec)
{
	*rec = (struct recording){ .scale = true };
	event_list_init(&rec->events);
}

static struct strobe_error *take_round(struct recording *rec, struct record r)
{
	struct cursor c = body_of(r);
	rec->final = cursor_u64(&c) == ROUND_FINAL;
	rec->time_ns = cursor_u64(&c);
	return c.bad ? damaged(r) : NULL;
}

struct strobe_error *recording_take(struct recording *rec, struct record r, const struct env *env, bool *ret_round)
{
	*ret_round = r.hdr->type == RECORD_STAT_ROUND;
	if (!rec->started && (*ret_round || r.hdr->type == RECORD_STAT))
		start(rec, env);
	switch (r.hdr->type) {
	case RECORD_THREAD_MAP:
		return rec->started ? NULL : read_threads(rec, r);
	case RECORD_CPU_MAP:
		return rec->started ? NULL : read_cpus(rec, r);
	case RECORD_STAT_CONFIG:
		return read_config(rec, r, env);
	case RECORD_STAT:
		return read_count(rec, r, env);
	case RECORD_STAT_ROUND:
		return take_round(rec, r);
	default:
		return NULL;
	}
}

struct strobe_error *recording_next(struct recording *rec, struct record_source *source, bool *ret_end)
{
	struct record r;
	for (size_t i = 0; i < rec->set.slots.len; i++)
		rec->set.slots.data[i].before = rec->set.slots.data[i].now;
	for (;;) {
		TRY(source_next(source, &r, ret_end));
		if (*ret_end)
			return rec->started ? NULL : error_create(ERROR_FORMAT,
					   "the recording has no counts: it was not made by stat record");
		bool round;
		TRY(recording_take(rec, r, source_env(source), &round));
		if (round)
			return NULL;
	}
}

void recording_close(struct recording *rec)
{
	if (rec->started) {
		counter_deinit(&rec->set);
		sys_topology_deinit(&rec->topology);
	}
	target_map_deinit(&rec->map);
	event_list_deinit(&rec->events);
}
