#include "analysis/timechart_replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/timechart_states.h"
#include "analysis/timechart_threads.h"
#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "decode/tracepoint.h"
#include "decode/wait_text.h"
#include "record/wait.h"

/* include/linux/trace_events.h: TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ */
#define IN_INTERRUPT (0x08 | 0x10)
/* PWR_EVENT_EXIT */
#define IDLE_ENDS UINT32_MAX
#define NAME_BYTES 16

enum chart_event { NO_EVENT, SWITCH, WAKEUP, WAKING, WAKE_NEW, IDLE, SPEED, CALL_BEGIN, CALL_END, WAIT, CLOCK };

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

/* An event of the recording, and the offsets of its fields. */
struct reader {
	enum chart_event kind;
	enum time_io_kind io;
	const struct tracepoint_field *first, *second, *state, *prev_name, *next_name;
	char letters[16]; /* of prev_state */
};

struct replay {
	const struct timechart_replay_request *q;
	struct session session;
	struct tracepoints *formats;
	VEC(struct reader) readers; /* by event */
	bool has_events;            /* has events that are read */
	struct timechart_states states;
	struct timechart_threads threads; /* with all_states */
	struct u64map stacks; /* by hash: struct time_stack * */
	struct u64map texts;  /* by hash of a reason: const char * */
	struct wait_events waits;
};

static bool has_event(const struct replay *r, enum chart_event kind)
{
	for (size_t i = 0; i < r->readers.len; i++)
		if (r->readers.data[i].kind == kind)
			return true;
	return false;
}

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

static void add_reader(void *ctx, const struct env_event *e)
{
	struct replay *r = ctx;
	struct reader d = {};
	const struct tracepoint *point = tracepoints_of_event(r->formats, e);
	for (size_t i = 0; point && i < NR_OF(events); i++) {
		if (strcmp(point->system, events[i].system) || strcmp(point->name, events[i].name))
			continue;
		d.first = tracepoint_field(point, events[i].first);
		d.second = tracepoint_field(point, events[i].second);
		d.state = tracepoint_field(point, "prev_state");
		d.prev_name = tracepoint_field(point, "prev_comm");
		d.next_name = tracepoint_field(point, "next_comm");
		d.kind = d.first && d.second ? events[i].kind : NO_EVENT;
		task_state_letters(point->print_fmt, d.letters, sizeof(d.letters));
	}
	if (point && !d.kind)
		read_call(&d, point);
	if (r->q->all_states && r->readers.len == r->waits.wait_event)
		d.kind = WAIT;
	if (r->q->all_states && r->readers.len == r->waits.clock_event)
		d.kind = CLOCK;
	vec_push(&r->readers, d);
	r->has_events |= d.kind != 0;
}

static struct strobe_error *read_events(struct replay *r)
{
	const struct env *env = r->session.env;
	if (r->readers.len < env->events.len)
		r->waits = wait_events_of(env);
	return tracepoints_learn_events(&r->formats, env, r->readers.len, add_reader, r);
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

/* NULL: no stack. The state machine compares stacks by address. */
static const struct time_stack *stack_of(struct replay *r, const struct resolved_sample *s)
{
	bool is_new;
	if (!s->sample.callchain_nr)
		return NULL;
	uint64_t *at = u64map_put(&r->stacks, stack_hash(s), &is_new);
	if (!is_new)
		return (const struct time_stack *)(uintptr_t)*at;
	struct time_stack *stack = time_chart_stack(r->states.chart, s->chain_nr);
	*at = (uintptr_t)stack;
	for (uint32_t i = 0; i < s->chain_nr; i++) {
		const struct resolved_frame *f = &s->chain[i];
		const char *name = f->symbol ? dso_symbol_name(f->dso, f->symbol) : "";
		stack->frames[i] = (struct time_frame){ .ip = f->ip, .name = arena_strdup(&r->states.chart->arena, name) };
	}
	return stack;
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
	if (!r->q->all_states) {
		timechart_states_switch(&r->states, &e);
		return;
	}
	timechart_threads_switch(&r->threads, &e, task_state_letter(d->letters, e.prev_state));
	if (e.prev && (uint32_t)e.prev == s->sample.tid)
		time_chart_task(r->states.chart, e.prev)->process = (int32_t)s->sample.pid;
}

/* sched_waking occurs in the waker's context; sched_wakeup may come later, in an interrupt on another CPU. perf's charts only use the
 * second. */
static bool is_left_out(const struct replay *r, enum chart_event kind)
{
	if (!r->q->all_states)
		return kind != WAKEUP;
	return kind == WAKEUP && has_event(r, WAKING);
}

static void take_wake(struct replay *r, const struct reader *d, const struct resolved_sample *s)
{
	bool in_interrupt = field(r, d->second, &s->sample) & IN_INTERRUPT;
	if (is_left_out(r, d->kind))
		return;
	struct time_wake e = {
		.time_ns = s->sample.time,
		.waker = in_interrupt ? -1 : (int32_t)s->sample.tid,
		.wakee = (int32_t)field(r, d->first, &s->sample),
		.stack = stack_of(r, s),
	};
	if (r->q->all_states)
		timechart_threads_wake(&r->threads, &e, s->sample.cpu, d->kind == WAKE_NEW);
	else
		timechart_states_wake(&r->states, &e, s->sample.cpu);
}

/* Interned, since there are few. */
static const char *text_of_wait(struct replay *r, enum wait_part part, const struct sample *s)
{
	bool is_new;
	_cleanup_strbuf_ struct strbuf text = {};
	wait_text(part, arch_or_native(r->session.env->arch), s->raw, s->raw_bytes, &text);
	uint64_t *at = u64map_put(&r->texts, hash_bytes(strbuf_str(&text), text.len), &is_new);
	if (is_new)
		*at = (uintptr_t)arena_strdup(&r->states.chart->arena, strbuf_str(&text));
	return (const char *)(uintptr_t)*at;
}

/* The waker's addresses, which follow, belong to its process. */
static void take_waker(struct replay *r, const struct resolved_sample *s, const struct wait_raw *raw)
{
	uint64_t chain[1 + WAIT_WAKER_MAX] = { PERF_CONTEXT_USER };
	struct wait_waker_stack waker;
	struct time_wake wake = { .time_ns = s->sample.time, .wakee = (int32_t)s->sample.tid,
				  .waker = raw->waker == WAIT_WAKER_TASK ? (int32_t)raw->waker_tid : -1 };
	wait_waker_stack(s->sample.raw, s->sample.raw_bytes, &waker);
	memcpy(chain + 1, waker.ips, waker.nr * sizeof(*chain));
	if (waker.nr) {
		struct resolved_sample resolved;
		struct sample sample = { .pid = waker.pid, .tid = waker.tid, .time = s->sample.time, .misc = PERF_RECORD_MISC_USER,
					 .ip = chain[1], .callchain = chain, .callchain_nr = waker.nr + 1 };
		resolver_look_up(r->session.resolver, &sample, &resolved);
		wake.stack = stack_of(r, &resolved);
	}
	vec_push(&r->states.chart->wakes, wake);
}

static const uint8_t kinds_of_waits[WAIT_STATES] = {
	[WAIT_SLEEPING] = TIME_SPAN_SLEEPING,
	[WAIT_BLOCKED] = TIME_SPAN_BLOCKED,
	[WAIT_RUNNABLE] = TIME_SPAN_WAITING,
	[WAIT_STOPPED] = TIME_SPAN_STOPPED,
};

/* `record --wall`: a wait that has ended, or the sum of several at one place; or a sample of a clock: a period in which it ran. */
static void take_wait(struct replay *r, const struct reader *d, const struct resolved_sample *s)
{
	struct wait_raw raw;
	uint64_t ns = s->sample.period, end_ns = s->sample.time;
	struct timechart_thread_span e = {
		.tid = (int32_t)s->sample.tid,
		.name = s->comm,
		.span = { .start_ns = ns < end_ns ? end_ns - ns : 0, .end_ns = end_ns, .stack = stack_of(r, s), .cpu = TIME_NO_CPU,
			  .kind = TIME_SPAN_RUNNING },
	};
	if (d->kind == CLOCK) {
		e.span.cpu = s->sample.cpu == SAMPLE_NO_CPU ? TIME_NO_CPU : s->sample.cpu;
		r->states.chart->is_sampled = true;
	} else {
		if (s->sample.raw_bytes < sizeof(raw))
			return;
		memcpy(&raw, s->sample.raw, sizeof(raw));
		if (raw.magic != WAIT_MAGIC || raw.state >= WAIT_STATES)
			return;
		e.span.kind = kinds_of_waits[raw.state];
		e.span.reason = text_of_wait(r, WAIT_PART_REASON, &s->sample);
		e.span.waits = raw.waits > 1 ? raw.waits : 0;
		e.span.is_preempted = raw.reason == WAIT_PREEMPTED;
		e.is_after_wake = raw.reason == WAIT_FOR_CPU;
	}
	timechart_threads_span(&r->threads, &e);
	time_chart_task(r->states.chart, e.tid)->process = (int32_t)s->sample.pid;
	if (d->kind == WAIT && raw.waker && raw.state != WAIT_RUNNABLE)
		take_waker(r, s, &raw);
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
	case WAKEUP:
	case WAKING:
	case WAKE_NEW:
		take_wake(r, d, s);
		break;
	case WAIT:
	case CLOCK:
		take_wait(r, d, s);
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

/* --switch-events: not used if the recording has sched_switch, which has more information. */
static void take_switch_record(struct replay *r, struct record rec)
{
	const struct sample_layout *layout = env_tail_layout(r->session.env);
	struct record_switch sw;
	struct sample_tail tail;
	if (!r->q->all_states || has_event(r, SWITCH) || has_event(r, WAIT) || !layout || !(layout->sample_type & PERF_SAMPLE_TID) ||
	    !(layout->sample_type & PERF_SAMPLE_TIME) || !record_decode_switch(rec, &sw) || !sample_tail_decode(layout, rec, &tail))
		return;
	int32_t other = rec.hdr->type == PERF_RECORD_SWITCH_CPU_WIDE ? (int32_t)sw.next_prev_tid : 0;
	struct timechart_switch e = { .time_ns = tail.time, .cpu = tail.cpu, .prev = (int32_t)tail.tid, .next = other };
	if (!sw.out) {
		e.prev = other;
		e.next = (int32_t)tail.tid;
	}
	timechart_states_time(&r->states, e.time_ns);
	if (tail.cpu != SAMPLE_NO_CPU)
		timechart_threads_record(&r->threads, &e, sw.out && sw.preempt);
	else if (sw.out)
		timechart_threads_go(&r->threads, (int32_t)tail.tid, tail.time, sw.preempt);
	else
		timechart_threads_come(&r->threads, (int32_t)tail.tid, tail.time);
	if (tail.tid)
		time_chart_task(r->states.chart, (int32_t)tail.tid)->process = (int32_t)tail.pid;
}

static bool has_switch_records_without_cpu(const struct replay *r)
{
	const struct sample_layout *layout = env_tail_layout(r->session.env);
	bool has_records = false;
	for (size_t i = 0; i < r->session.env->events.len; i++)
		has_records |= r->session.env->events.data[i].attr.context_switch;
	return has_records && layout && !(layout->sample_type & PERF_SAMPLE_CPU) && !has_event(r, SWITCH) && !has_event(r, WAIT);
}

/*
 * With all states, these records also add threads to the state machine. A recording enabled by an exec does not contain the switch that
 * started the thread.
 */
static void take_record_of_task(struct replay *r, struct record rec, uint64_t time_ns)
{
	struct record_comm comm;
	struct record_task task;
	struct task_states *s = &r->threads.states;
	if (rec.hdr->type == PERF_RECORD_COMM && record_decode_comm(rec, &comm) && comm.exec && has_switch_records_without_cpu(r) &&
	    time_chart_task(r->states.chart, (int32_t)comm.tid)->state == TIME_SPAN_NONE)
		timechart_threads_come(&r->threads, (int32_t)comm.tid, time_ns);
	if (rec.hdr->type == PERF_RECORD_FORK && record_decode_task(rec, &task)) {
		task_states_fork(s, task.pid, task.tid);
		time_chart_task(r->states.chart, (int32_t)task.tid)->process = (int32_t)task.pid;
	} else if (rec.hdr->type == PERF_RECORD_EXIT && record_decode_task(rec, &task)) {
		timechart_threads_end(&r->threads, (int32_t)task.tid, time_ns);
	} else if (rec.hdr->type == PERF_RECORD_LOST) {
		task_states_gap(s, TASK_NO_CPU, time_ns);
	}
}

static struct strobe_error *take_record(void *ctx, struct record rec, uint64_t time_ns)
{
	struct replay *r = ctx;
	TRY(read_events(r));
	if (rec.hdr->type == PERF_RECORD_SWITCH || rec.hdr->type == PERF_RECORD_SWITCH_CPU_WIDE)
		take_switch_record(r, rec);
	else if (r->q->all_states)
		take_record_of_task(r, rec, time_ns);
	struct record_comm comm;
	struct record_task task;
	if (rec.hdr->type == PERF_RECORD_COMM && record_decode_comm(rec, &comm) && comm.tid)
		time_chart_name(r->states.chart, (int32_t)comm.tid, comm.comm);
	if (rec.hdr->type == PERF_RECORD_FORK && record_decode_task(rec, &task)) {
		/* A thread has the parent of its process, so that it is placed beside it. */
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

bool timechart_has_states(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++) {
		const struct env_event *e = &env->events.data[i];
		if (e->attr.context_switch || (e->attr.type == PERF_TYPE_TRACEPOINT && !strcmp(e->name, "sched:sched_switch")))
			return true;
	}
	return wait_events_of(env).wait_event != UINT32_MAX;
}

static bool has_events(const struct replay *r)
{
	return r->has_events || r->threads.states.tasks.len || (r->q->all_states && timechart_has_states(r->session.env));
}

/* By core, and in each by thread, in the order of the sibling lists; CPUs that are in none follow. */
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

/* Neither stacks nor reasons of waits, which need the tasks and mappings of their time. */
static bool is_plain(const struct replay *r)
{
	const struct env *env = r->session.env;
	for (size_t i = 0; i < env->events.len; i++)
		if (env->events.data[i].layout.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_READ))
			return false;
	return !env->is_pipe && env->events.len && !has_event(r, WAIT) && !has_event(r, CLOCK);
}

static struct strobe_error *replay(struct replay *r)
{
	struct session_request request = { .symbols = r->q->symbols, .resolve = { .with_chains = true, .with_inlines = r->q->all_states } };
	struct resolve_callbacks callbacks = { .sample = take_sample, .record = take_record, .knows_stack = knows_stack, .ctx = r };
	TRY(session_open(&r->session, r->q->host, r->q->input, r->q->force));
	TRY(session_resolve(&r->session, &request));
	TRY(read_events(r));
	callbacks.is_plain = is_plain(r);
	timechart_threads_init(&r->threads, r->states.chart, has_event(r, WAKEUP) || has_event(r, WAKING));
	if (r->session.env->cpus_available < TIMECHART_CPUS_MAX)
		r->states.chart->cpus_nr = r->session.env->cpus_available;
	struct strobe_error *err = resolve_stream(r->session.resolver, callbacks);
	timechart_states_finish(&r->states);
	if (r->q->all_states)
		timechart_threads_finish(&r->threads);
	err = error_first(err, read_events(r));
	if (!err && !has_events(r))
		return error_create(ERROR_NOT_FOUND, "this recording has no scheduler, power or system call events: record "
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
	timechart_threads_deinit(&r.threads);
	tracepoints_destroy(r.formats);
	vec_deinit(&r.readers);
	u64map_deinit(&r.stacks);
	u64map_deinit(&r.texts);
	session_close(&r.session);
	return err;
}

struct strobe_error *timechart_time_parse(const char *text, uint64_t *ret_ns)
{
	uint64_t unit = text_has_suffix(text, "us") ? 1000 : 1;
	if (unit > 1 && sscanf(text, "%" SCNu64, ret_ns) == 1) {
		*ret_ns *= unit;
		return NULL;
	}
	if (text_to_u64(text, ret_ns) || text_to_duration_ns(text, ret_ns))
		return NULL;
	return error_create(ERROR_USAGE, "invalid time \"%s\": expected nanoseconds, or 10us, 5ms, 1s", text);
}
