#include "tracing/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/syscalls.h"
#include "base/mem.h"
#include "base/text.h"
#include "bpf/trace/trace_whom.h"
#include "event/event.h"
#include "tracing/places.h"

enum point_kind { POINT_OTHER, POINT_ENTER, POINT_EXIT, POINT_LINE, POINT_MINOR_FAULT, POINT_MAJOR_FAULT };

/* Where a tracepoint keeps what; by event of the recording. */
struct point {
	enum point_kind kind;
	const struct tracepoint_field *number, *ret, *arg[SYSCALL_ARGS]; /* raw: arg[0] is the array of all six */
	bool raw;
	unsigned args_nr;
	const struct tracepoint *tracepoint; /* or NULL */
};

/* A call that has begun, or of a thread between calls. */
struct open_call {
	uint32_t tid, pid;
	uint32_t cpu;      /* of what was seen of it last */
	uint64_t start_ns; /* 0: not in a call, as far as is known */
	uint64_t number;
	bool compat; /* of a 32-bit program */
	uint64_t arg[SYSCALL_ARGS];
	bool shown;
};

struct trace_samples {
	struct trace_samples_setup setup;
	struct tracepoints *points;
	VEC(struct point) by_event;
	struct u64map at; /* tid → index of calls */
	VEC(struct open_call) calls;
	uint32_t last_tid; /* who began a call last; 0: nobody */
	uint64_t lost, damaged; /* events, samples */
};

static bool is_syscall_event(const char *name)
{
	return text_has_prefix(name, "raw_syscalls:sys_e") || text_has_prefix(name, "syscalls:sys_e");
}

static enum point_kind fault_kind(const struct perf_event_attr *a)
{
	if (a->type != PERF_TYPE_SOFTWARE)
		return POINT_OTHER;
	return a->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ ? POINT_MAJOR_FAULT :
	       a->config == PERF_COUNT_SW_PAGE_FAULTS_MIN || a->config == PERF_COUNT_SW_PAGE_FAULTS ? POINT_MINOR_FAULT : POINT_OTHER;
}

bool trace_samples_has_calls(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (is_syscall_event(env->events.data[i].name) || fault_kind(&env->events.data[i].attr) != POINT_OTHER)
			return true;
	return false;
}

bool trace_samples_want_symbols(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++) {
		const struct perf_event_attr *a = &env->events.data[i].attr;
		if (a->sample_type & PERF_SAMPLE_CALLCHAIN || fault_kind(a) != POINT_OTHER)
			return true;
	}
	return false;
}

uint64_t trace_samples_registers(void)
{
	const struct arch *a = arch_native();
	size_t calls;
	if (!a || !a->compat || !arch_syscalls(a->compat, &calls))
		return 0;
	return a->task_regs & -a->task_regs;
}

static struct point compile_point(const struct tracepoint *tp)
{
	struct point p = {};
	bool raw = tp && !strcmp(tp->system, "raw_syscalls");
	if (!tp || (!raw && strcmp(tp->system, "syscalls") != 0))
		return p;
	p.raw = raw;
	p.number = tracepoint_field(tp, raw ? "id" : "__syscall_nr");
	if (!p.number)
		p.number = tracepoint_field(tp, "nr"); /* of kernels before 4.0 */
	if (text_has_prefix(tp->name, "sys_exit")) {
		p.ret = tracepoint_field(tp, "ret");
		p.kind = p.ret ? POINT_EXIT : POINT_OTHER;
	} else if (text_has_prefix(tp->name, "sys_enter")) {
		p.kind = POINT_ENTER;
		p.arg[0] = raw ? tracepoint_field(tp, "args") : NULL;
		p.args_nr = p.arg[0] ? SYSCALL_ARGS : 0;
		bool behind = false;
		for (uint32_t i = tp->common_nr; !raw && i < tp->fields_nr && p.args_nr < SYSCALL_ARGS; i++) {
			if (behind && tp->fields[i].kind == FIELD_NUMBER)
				p.arg[p.args_nr++] = &tp->fields[i];
			behind |= &tp->fields[i] == p.number;
		}
	}
	if (!p.number)
		p.kind = POINT_OTHER;
	return p;
}

static bool is_chosen_event(const struct trace_samples *s, const char *name)
{
	const struct event_list *list = s->setup.events;
	for (size_t i = 0; list && i < list->events.len; i++)
		if (!strcmp(list->events.data[i].name, name))
			return true;
	return false;
}

static struct point point_of(const struct trace_samples *s, const struct env_event *e)
{
	const struct perf_event_attr *a = &e->attr;
	const struct tracepoint *tp =
		a->type == PERF_TYPE_TRACEPOINT ? tracepoints_by_id(s->points, (uint32_t)a->config) : NULL;
	struct point p = s->setup.no_calls ? (struct point){} : compile_point(tp);
	p.tracepoint = tp;
	if (p.kind == POINT_OTHER && s->setup.resolver)
		p.kind = fault_kind(a);
	if (p.kind == POINT_OTHER && is_chosen_event(s, e->name))
		p.kind = POINT_LINE;
	return p;
}

/* Events of a stream come as records: what is new is looked at when the first sample of it is. */
static struct strobe_error *compile_points(struct trace_samples *s)
{
	const struct env *env = s->setup.env;
	if (s->by_event.len == env->events.len)
		return NULL;
	tracepoints_destroy(s->points);
	s->points = NULL;
	TRY(tracepoints_read(env, &s->points));
	vec_clear(&s->by_event);
	for (size_t i = 0; i < env->events.len; i++)
		vec_push(&s->by_event, point_of(s, &env->events.data[i]));
	return NULL;
}

struct trace_samples *trace_samples_create(const struct trace_samples_setup *setup)
{
	struct trace_samples *s = xcalloc(1, sizeof(*s));
	s->setup = *setup;
	return s;
}

void trace_samples_destroy(struct trace_samples *s)
{
	if (!s)
		return;
	tracepoints_destroy(s->points);
	vec_deinit(&s->by_event);
	u64map_deinit(&s->at);
	vec_deinit(&s->calls);
	free(s);
}

static struct open_call *call_of(struct trace_samples *s, uint32_t tid, uint32_t pid)
{
	bool is_new;
	uint64_t *at = u64map_put(&s->at, tid, &is_new);
	if (is_new) {
		*at = s->calls.len;
		vec_push(&s->calls, ((struct open_call){ .tid = tid }));
	}
	struct open_call *c = &s->calls.data[*at];
	c->pid = pid;
	return c;
}

/* --- lines --- */

struct shown {
	struct syscall_event event;
	struct syscall_desc unknown;
	char name[24];
	struct trace_line line;
};

/* NULL where it has no name. */
static const struct syscall_desc *desc_of(const struct trace_samples *s, uint64_t number, bool compat)
{
	const struct syscall_table *t = compat ? s->setup.compat_calls : s->setup.calls;
	return t ? syscall_table_get(t, number) : NULL;
}

static bool is_chosen(const struct trace_samples *s, uint64_t number, bool compat)
{
	const struct syscall_set *chosen = compat ? s->setup.compat_chosen : s->setup.chosen;
	return !chosen || syscall_set_has(chosen, number);
}

/* A call as it has been known since it began. */
static void make_line(const struct trace_samples *s, const struct open_call *c, uint64_t number, bool compat, struct shown *ret)
{
	const struct syscall_desc *desc = desc_of(s, number, compat);
	/* Not all of it: a payload has room for fifty pieces. */
	ret->event.payload.nr = 0;
	ret->event.has_ret = false;
	ret->event.ret = 0;
	if (!desc)
		ret->unknown = syscall_desc_unknown(syscall_table_arch(s->setup.calls, compat), number, &ret->name);
	ret->event.desc = desc ? desc : &ret->unknown;
	ret->event.pid = c->pid;
	for (unsigned i = 0; i < SYSCALL_ARGS; i++)
		ret->event.arg[i] = i < ret->event.desc->nargs ? c->arg[i] : 0;
	ret->line = (struct trace_line){ .kind = TRACE_LINE_ENTERED, .time_ns = c->start_ns, .tid = c->tid, .pid = c->pid,
					 .cpu = c->cpu, .call = &ret->event };
}

/* What statistics tell calls apart by. */
static uint32_t key_of(uint64_t number, bool compat)
{
	return (uint32_t)number + (compat ? SYSCALL_NUMBERS : 0);
}

static void show_entered(struct trace_samples *s, struct open_call *c)
{
	struct shown shown;
	make_line(s, c, c->number, c->compat, &shown);
	c->shown = true;
	trace_lines_call(s->setup.lines, &shown.line, key_of(c->number, c->compat));
}

/* Who began last and has not ended is shown before another line begins. */
static void show_interrupted(struct trace_samples *s, uint32_t tid)
{
	const uint64_t *at = s->last_tid ? u64map_get(&s->at, s->last_tid) : NULL;
	struct open_call *c = at ? &s->calls.data[*at] : NULL;
	if (c && c->start_ns && !c->shown)
		show_entered(s, c);
	s->last_tid = tid;
}

static uint64_t field_of(const struct trace_samples *s, const struct tracepoint_field *f, const struct sample *sample)
{
	return field_number(s->points, f, sample->raw, sample->raw_bytes);
}

static void take_args(const struct trace_samples *s, const struct point *p, const struct sample *sample, uint64_t *arg)
{
	memset(arg, 0, SYSCALL_ARGS * sizeof(*arg));
	if (!p->raw) {
		for (unsigned i = 0; i < p->args_nr; i++)
			arg[i] = field_of(s, p->arg[i], sample);
		return;
	}
	if (!p->args_nr || !p->arg[0]->element_bytes)
		return;
	/* One element after the other, each read as the array's first is. */
	struct tracepoint_field element = *p->arg[0];
	uint32_t n = element.bytes / element.element_bytes;
	element.bytes = element.element_bytes;
	element.kind = FIELD_NUMBER;
	for (unsigned i = 0; i < SYSCALL_ARGS && i < n; i++, element.offset += element.bytes)
		arg[i] = field_of(s, &element, sample);
}

static void take_enter(struct trace_samples *s, const struct point *p, const struct sample *sample, uint64_t number, bool compat)
{
	const struct syscall_desc *desc = desc_of(s, number, compat);
	if (!is_chosen(s, number, compat))
		return;
	show_interrupted(s, sample->tid);
	struct open_call *c = call_of(s, sample->tid, sample->pid);
	c->start_ns = sample->time;
	c->cpu = sample->cpu;
	c->number = number;
	c->compat = compat;
	c->shown = false;
	take_args(s, p, sample, c->arg);
	if (desc && desc->ret == SYSCALL_RET_NEVER && text_has_prefix(desc->name, "exit")) {
		show_entered(s, c);
		c->start_ns = 0;
	}
}

static enum trace_call_kind kind_of(const struct trace_samples *s, uint64_t number, bool compat)
{
	const struct syscall_desc *desc = desc_of(s, number, compat);
	return desc ? trace_call_kind(desc) : TRACE_CALL_OTHER;
}

/* An exec of a program of the other width ends with that one's number; on x86 execveat ends with the number of execve. */
static bool is_renumbered(const struct trace_samples *s, const struct open_call *c, uint64_t number, bool compat)
{
	if (!c->start_ns || (c->number == number && c->compat == compat))
		return false;
	return c->compat != compat || (kind_of(s, number, compat) == TRACE_CALL_EXECUTES &&
				       kind_of(s, c->number, c->compat) == TRACE_CALL_EXECUTES_AT);
}

static void take_exit(struct trace_samples *s, const struct point *p, const struct sample *sample, uint64_t number, bool compat,
		      const struct resolved_sample *resolved)
{
	struct open_call *c = call_of(s, sample->tid, sample->pid);
	if (is_renumbered(s, c, number, compat)) {
		number = c->number;
		compat = c->compat;
	}
	if (!is_chosen(s, number, compat))
		return;
	/* An exit of another call than the one that began: that one's end was lost. */
	bool known = c->start_ns && c->number == number;
	c->cpu = sample->cpu;
	struct shown shown;
	make_line(s, c, number, compat, &shown);
	shown.event.has_ret = true;
	shown.event.ret = (int64_t)field_of(s, p->ret, sample);
	shown.line.kind = TRACE_LINE_CALL;
	shown.line.start_unknown = shown.line.args_unknown = !known;
	shown.line.has_duration = known;
	shown.line.duration_ns = known && sample->time > c->start_ns ? sample->time - c->start_ns : 0;
	if (!known)
		shown.line.time_ns = sample->time;
	c->start_ns = 0;
	uint32_t kernel = 0;
	while (resolved && s->setup.user_frames && kernel < resolved->chain_nr && (int64_t)resolved->chain[kernel].ip < 0)
		kernel++;
	if (resolved && resolved->chain_nr > kernel) {
		shown.line.chain = resolved->chain + kernel;
		shown.line.chain_nr = resolved->chain_nr - kernel;
	}
	trace_lines_call(s->setup.lines, &shown.line, key_of(number, compat));
}

/* What is no system call. */
static void take_other(struct trace_samples *s, const struct point *p, const struct sample *sample,
		       const struct resolved_sample *resolved)
{
	const char *event = s->setup.env->events.data[sample->event].name;
	struct trace_line line = { .kind = TRACE_LINE_POINT, .time_ns = sample->time, .tid = sample->tid, .pid = sample->pid,
				   .cpu = sample->cpu, .event = event, .points = s->points, .point = p->tracepoint,
				   .raw = sample->raw, .raw_bytes = sample->raw_bytes };
	struct trace_fault fault;
	if (p->kind != POINT_LINE)
		trace_fault_line(s->setup.resolver, resolved, p->kind == POINT_MAJOR_FAULT, &fault, &line);
	if (resolved && resolved->chain_nr) {
		line.chain = resolved->chain;
		line.chain_nr = resolved->chain_nr;
	}
	trace_lines_other(s->setup.lines, &line);
}

static bool is_excluded(const struct trace_samples *s, const struct sample *sample)
{
	for (size_t i = 0; i < s->setup.excluded_nr; i++)
		if ((uint32_t)s->setup.excluded[i] == sample->pid || (uint32_t)s->setup.excluded[i] == sample->tid)
			return true;
	return false;
}

/* resolved: NULL where nobody has looked at it. */
static struct strobe_error *take_sample(struct trace_samples *s, const struct sample *sample, const struct resolved_sample *resolved)
{
	TRY(compile_points(s));
	if (sample->event >= s->by_event.len)
		return NULL;
	const struct point *p = &s->by_event.data[sample->event];
	if (p->kind == POINT_OTHER || is_excluded(s, sample))
		return NULL;
	trace_lines_begin_at(s->setup.lines, sample->time);
	if (p->kind != POINT_ENTER && p->kind != POINT_EXIT) {
		take_other(s, p, sample, resolved);
		return NULL;
	}
	const struct tracepoint_field *last = p->kind == POINT_EXIT ? p->ret : p->number;
	if (!sample->raw || sample->raw_bytes < last->offset + last->bytes) {
		s->damaged++;
		return NULL;
	}
	uint64_t number = field_of(s, p->number, sample);
	bool compat = sample->user_regs.abi == PERF_SAMPLE_REGS_ABI_32;
	/* -1: the kernel was told to make no call (a tracer, seccomp). */
	if ((int64_t)number < 0)
		return NULL;
	if (p->kind == POINT_ENTER)
		take_enter(s, p, sample, number, compat);
	else
		take_exit(s, p, sample, number, compat, resolved);
	return NULL;
}

struct strobe_error *trace_samples_take_resolved(struct trace_samples *s, const struct resolved_sample *r)
{
	return take_sample(s, &r->sample, r);
}

static struct strobe_error *take_record(struct trace_samples *s, struct record r)
{
	struct sample sample;
	if (env_decode_sample(s->setup.env, r, &sample))
		return take_sample(s, &sample, NULL);
	s->damaged++;
	return NULL;
}

/* --- tasks --- */

static void take_gone(struct trace_samples *s, struct record r)
{
	struct record_task task;
	const uint64_t *at = record_decode_task(r, &task) ? u64map_get(&s->at, task.tid) : NULL;
	if (at)
		s->calls.data[*at].start_ns = 0;
}

struct strobe_error *trace_samples_take(struct trace_samples *s, struct record r)
{
	struct record_lost lost;
	switch (r.hdr->type) {
	case PERF_RECORD_SAMPLE:
		return take_record(s, r);
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
		trace_lines_take_task(s->setup.lines, r);
		break;
	case PERF_RECORD_EXIT:
		take_gone(s, r);
		break;
	case PERF_RECORD_LOST:
		if (record_decode_lost(r, &lost))
			s->lost += lost.lost;
		break;
	default:
		break;
	}
	return NULL;
}

struct strobe_error *trace_samples_read(struct trace_samples *s, struct record_source *ordered)
{
	while (!trace_lines_ended(s->setup.lines)) {
		struct record record;
		bool end;
		TRY(source_next(ordered, &record, &end));
		if (end)
			return NULL;
		TRY(trace_samples_take(s, record));
	}
	return NULL;
}

void trace_samples_finish(struct trace_samples *s)
{
	for (size_t i = 0; i < s->calls.len; i++)
		if (s->calls.data[i].start_ns)
			trace_lines_count_begun(s->setup.lines, s->calls.data[i].tid, s->calls.data[i].pid);
}

uint64_t trace_samples_lost(const struct trace_samples *s)
{
	return s->lost;
}

uint64_t trace_samples_damaged(const struct trace_samples *s)
{
	return s->damaged;
}
