#include "analysis/timechart_replay.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/timechart_states.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "decode/tracepoint.h"

/* include/linux/trace_events.h: TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ */
#define IN_INTERRUPT (0x08 | 0x10)
/* PWR_EVENT_EXIT */
#define IDLE_ENDS UINT32_MAX
#define NAME_BYTES 16

enum chart_event { NO_EVENT, SWITCH, WAKE, IDLE, SPEED, CALL_BEGIN, CALL_END };

static const struct {
	const char *system, *name;
	enum chart_event kind;
	const char *first, *second;
} events[] = {
#define EVENT(system, name, kind, first, second) { system, name, kind, first, second },
#define CALL(name, kind)
#include "analysis/timechart_events.def"
#undef EVENT
#undef CALL
};

static const struct {
	const char *name;
	enum time_io_kind kind;
} calls[] = {
#define EVENT(system, name, kind, first, second)
#define CALL(name, kind) { name, TIME_IO_##kind },
#include "analysis/timechart_events.def"
#undef EVENT
#undef CALL
};

#define NR_OF(array) (sizeof(array) / sizeof(*(array)))

/* An event of the recording, and where its fields lie. */
struct reader {
	enum chart_event kind;
	enum time_io_kind io;
	const struct tracepoint_field *first, *second, *state, *prev_name, *next_name;
};

struct replay {
	const struct timechart_replay_request *q;
	struct session session;
	struct tracepoints *formats;
	VEC(struct reader) readers; /* by event */
	bool has_events;            /* of those that are read */
	struct timechart_states states;
	struct u64map stacks; /* by hash: const char * */
};

/* ---- the recording's events ---- */

static void read_call(struct reader *d, const struct tracepoint *point)
{
	bool begins = text_has_prefix(point->name, "sys_enter_"), ends = text_has_prefix(point->name, "sys_exit_");
	const char *name = point->name + (begins ? strlen("sys_enter_") : strlen("sys_exit_"));
	if (strcmp(point->system, "syscalls") || (!begins && !ends))
		return;
	for (size_t i = 0; i < NR_OF(calls); i++) {
		if (strcmp(calls[i].name, name))
			continue;
		d->kind = begins ? CALL_BEGIN : CALL_END;
		d->io = calls[i].kind;
		d->first = tracepoint_field(point, begins ? "fd" : "ret"); /* not all calls have an fd */
	}
}

static void add_reader(struct replay *r, const struct env_event *e)
{
	struct reader d = {};
	const struct tracepoint *point = e->attr.type == PERF_TYPE_TRACEPOINT ?
		tracepoints_by_id(r->formats, (uint32_t)e->attr.config) : NULL;
	for (size_t i = 0; point && i < NR_OF(events); i++) {
		if (strcmp(point->system, events[i].system) || strcmp(point->name, events[i].name))
			continue;
		d.first = tracepoint_field(point, events[i].first);
		d.second = tracepoint_field(point, events[i].second);
		d.state = tracepoint_field(point, "prev_state");
		d.prev_name = tracepoint_field(point, "prev_comm");
		d.next_name = tracepoint_field(point, "next_comm");
		d.kind = d.first && d.second ? events[i].kind : NO_EVENT;
	}
	if (point && !d.kind)
		read_call(&d, point);
	vec_push(&r->readers, d);
	r->has_events |= d.kind != 0;
}

/* Of a stream the events are known when the first sample comes. */
static struct strobe_error *read_events(struct replay *r)
{
	const struct env *env = r->session.env;
	if (!r->formats)
		TRY(tracepoints_read(env, &r->formats));
	while (r->readers.len < env->events.len)
		add_reader(r, &env->events.data[r->readers.len]);
	return NULL;
}

static uint64_t field(const struct replay *r, const struct tracepoint_field *f, const struct sample *s)
{
	return f ? field_number(r->formats, f, s->raw, s->raw_bytes) : 0;
}

static const char *name_of(const struct replay *r, const struct tracepoint_field *f, const struct sample *s, char ret[NAME_BYTES + 1])
{
	struct field_span span = f ? field_bytes(r->formats, f, s->raw, s->raw_bytes) : (struct field_span){};
	size_t n = span.data ? strnlen((const char *)span.data, span.bytes) : 0;
	n = n < NAME_BYTES ? n : NAME_BYTES;
	if (n)
		memcpy(ret, span.data, n);
	ret[n] = '\0';
	return n ? ret : NULL;
}

/* ---- stacks ---- */

static uint64_t stack_hash(const struct resolved_sample *s)
{
	return hash_u64s(s->sample.callchain, s->sample.callchain_nr, hash_u64(s->chain_space));
}

static bool knows_stack(void *ctx, const struct resolved_sample *s)
{
	const struct replay *r = ctx;
	return !s->sample.callchain_nr || u64map_get(&r->stacks, stack_hash(s));
}

/* A line for each frame, as perf writes it; NULL: the recording has none. */
static const char *stack_of(struct replay *r, const struct resolved_sample *s)
{
	bool is_new;
	if (!s->sample.callchain_nr)
		return NULL;
	uint64_t *at = u64map_put(&r->stacks, stack_hash(s), &is_new);
	if (!is_new)
		return (const char *)(uintptr_t)*at;
	_cleanup_strbuf_ struct strbuf text = {};
	for (uint32_t i = 0; i < s->chain_nr; i++) {
		const struct resolved_frame *f = &s->chain[i];
		strbuf_addf(&text, "..... %016" PRIx64, f->ip);
		strbuf_addf(&text, f->symbol ? " %s\n" : "%s\n", f->symbol ? dso_symbol_name(f->dso, f->symbol) : "");
	}
	const char *kept = arena_strdup(&r->states.chart->arena, strbuf_str(&text));
	*at = (uintptr_t)kept;
	return kept;
}

/* ---- records ---- */

static void take_switch(struct replay *r, const struct reader *d, const struct resolved_sample *s)
{
	char prev[NAME_BYTES + 1], next[NAME_BYTES + 1];
	struct timechart_switch e = {
		.time_ns = s->sample.time,
		.cpu = s->sample.cpu,
		.prev = (int32_t)field(r, d->first, &s->sample),
		.next = (int32_t)field(r, d->second, &s->sample),
		.prev_state = field(r, d->state, &s->sample),
		.prev_name = name_of(r, d->prev_name, &s->sample, prev),
		.next_name = name_of(r, d->next_name, &s->sample, next),
		.stack = stack_of(r, s),
	};
	timechart_states_switch(&r->states, &e);
}

static void take_wake(struct replay *r, const struct reader *d, const struct resolved_sample *s)
{
	bool in_interrupt = field(r, d->second, &s->sample) & IN_INTERRUPT;
	struct time_wake e = {
		.time_ns = s->sample.time,
		.waker = in_interrupt ? -1 : (int32_t)s->sample.tid,
		.wakee = (int32_t)field(r, d->first, &s->sample),
		.stack = stack_of(r, s),
	};
	timechart_states_wake(&r->states, &e, s->sample.cpu);
}

static struct strobe_error *take_sample(void *ctx, const struct resolved_sample *s)
{
	struct replay *r = ctx;
	TRY(read_events(r));
	const struct reader *d = &r->readers.data[s->sample.event];
	uint64_t ns = s->sample.time, first = field(r, d->first, &s->sample);
	timechart_states_time(&r->states, ns);
	switch (d->kind) {
	case SWITCH:
		take_switch(r, d, s);
		break;
	case WAKE:
		take_wake(r, d, s);
		break;
	case IDLE: {
		uint32_t state = (uint32_t)field(r, d->second, &s->sample);
		timechart_states_idle(&r->states, (uint32_t)first, state, state == IDLE_ENDS, ns);
		break;
	}
	case SPEED:
		timechart_states_speed(&r->states, (uint32_t)first, field(r, d->second, &s->sample), ns);
		break;
	case CALL_BEGIN:
		timechart_states_io_begin(&r->states, (int32_t)s->sample.tid, d->io, (int32_t)first, ns);
		break;
	case CALL_END:
		timechart_states_io_end(&r->states, (int32_t)s->sample.tid, d->io, (int64_t)first, ns);
		break;
	default:
		break;
	}
	return NULL;
}

static struct strobe_error *take_record(void *ctx, struct record rec, uint64_t time_ns)
{
	struct replay *r = ctx;
	struct record_comm comm;
	struct record_task task;
	if (rec.hdr->type == PERF_RECORD_COMM && record_decode_comm(rec, &comm) && comm.tid)
		time_chart_name(r->states.chart, (int32_t)comm.tid, comm.comm);
	if (rec.hdr->type == PERF_RECORD_FORK && record_decode_task(rec, &task)) {
		/* A thread has its process's parent, so that it stands beside it. */
		bool is_thread = task.pid == task.ppid;
		timechart_states_fork(&r->states, (int32_t)task.tid, (int32_t)(is_thread ? task.ptid : task.ppid), time_ns);
	}
	if (rec.hdr->type == PERF_RECORD_EXIT && record_decode_task(rec, &task))
		timechart_states_exit(&r->states, (int32_t)task.tid, time_ns);
	return NULL;
}

/* ---- the whole ---- */

static bool has_common(const struct list_numbers *a, const struct list_numbers *b)
{
	for (uint32_t i = 0; i < a->nr; i++)
		for (uint32_t j = 0; j < b->nr; j++)
			if (a->data[i] == b->data[j])
				return true;
	return false;
}

/* By core, and in each by thread, as the lists of siblings have them; those that are in none follow. */
static struct strobe_error *order_cpus(struct replay *r)
{
	const struct env *env = r->session.env;
	struct time_chart *c = r->states.chart;
	uint32_t next = 0, *places = arena_new_array(&c->arena, uint32_t, c->cpus_nr + 1);
	if (!r->q->by_topology)
		return NULL;
	for (uint32_t i = 0; i < c->cpus_nr; i++)
		places[i] = UINT32_MAX;
	for (size_t i = 0; i < env->core_siblings.len + env->thread_siblings.len; i++) {
		struct list_numbers core, threads;
		size_t cores = env->core_siblings.len;
		TRY(list_cpus_parse(&c->arena, i < cores ? env->core_siblings.data[i] : env->thread_siblings.data[i - cores], &core));
		for (size_t j = 0; j < env->thread_siblings.len; j++) {
			TRY(list_cpus_parse(&c->arena, env->thread_siblings.data[j], &threads));
			if (!has_common(&core, &threads))
				continue;
			for (uint32_t k = 0; k < threads.nr; k++)
				if (threads.data[k] < c->cpus_nr && places[threads.data[k]] == UINT32_MAX)
					places[threads.data[k]] = next++;
		}
	}
	for (uint32_t i = 0; i < c->cpus_nr; i++)
		if (places[i] == UINT32_MAX)
			places[i] = next++;
	c->cpu_places = places;
	return NULL;
}

static struct strobe_error *replay(struct replay *r)
{
	struct session_request request = { .symbols = r->q->symbols, .resolve = { .with_chains = true } };
	struct resolve_callbacks callbacks = { .sample = take_sample, .record = take_record, .knows_stack = knows_stack, .ctx = r };
	TRY(session_open(&r->session, r->q->host, r->q->input, r->q->force));
	TRY(session_resolve(&r->session, &request));
	if (r->session.env->cpus_available < TIMECHART_CPUS_MAX)
		r->states.chart->cpus_nr = r->session.env->cpus_available;
	struct strobe_error *err = resolve_stream(r->session.resolver, callbacks);
	timechart_states_finish(&r->states);
	err = error_first(err, read_events(r));
	if (!err && !r->has_events)
		return error_create(ERROR_NOT_FOUND, "this recording has no events of the scheduler, of power or of system calls: record "
			"them with 'timechart record'");
	session_remarks(&r->session, false);
	if (!err)
		err = order_cpus(r);
	const char *model = r->session.env->cpu_desc;
	r->states.chart->cpu_model = model ? arena_strdup(&r->states.chart->arena, model) : NULL;
	return err;
}

struct strobe_error *timechart_replay_run(const struct timechart_replay_request *q, struct time_chart *ret)
{
	struct replay r = { .q = q };
	time_chart_init(ret);
	r.states = (struct timechart_states){ .chart = ret, .io_min_ns = q->io_min_ns, .io_merge_ns = q->io_merge_ns };
	struct strobe_error *err = replay(&r);
	timechart_states_deinit(&r.states);
	tracepoints_destroy(r.formats);
	vec_deinit(&r.readers);
	u64map_deinit(&r.stacks);
	session_close(&r.session);
	return err;
}
