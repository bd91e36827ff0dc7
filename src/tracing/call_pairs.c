#include "tracing/call_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/u64map.h"
#include "bpf/trace/trace_targets.h"

/* A call that has begun, or of a thread between calls. */
struct open_call {
	uint32_t tid, pid;
	uint32_t cpu;      /* of its last event */
	uint64_t start_ns; /* 0: not in a call, or unknown */
	uint64_t number;
	bool compat; /* of a 32-bit program */
	uint64_t arg[SYSCALL_ARGS];
	bool shown;
};

struct call_pairs {
	struct call_pairs_setup setup;
	const struct tracepoints *points; /* of the current sample */
	struct u64map at; /* tid → index of calls */
	VEC(struct open_call) calls;
	uint32_t last_tid; /* the thread whose call began last; 0: none */
	uint64_t damaged;  /* samples */
};

/* syscalls:sys_enter_*: what follows the number. */
static void find_args(const struct tracepoint *tp, struct call_point *p)
{
	const struct tracepoint_field *end = tp->fields + tp->fields_nr;
	for (const struct tracepoint_field *f = p->number + 1; f < end && p->args_nr < SYSCALL_ARGS; f++)
		if (f->kind == FIELD_NUMBER)
			p->arg[p->args_nr++] = f;
}

bool call_point_compile(const struct tracepoint *tp, struct call_point *ret)
{
	struct call_point p = { .raw = tp && !strcmp(tp->system, "raw_syscalls") };
	if (!tp || (!p.raw && strcmp(tp->system, "syscalls") != 0))
		return false;
	p.number = tracepoint_field(tp, p.raw ? "id" : "__syscall_nr");
	if (!p.number)
		p.number = tracepoint_field(tp, "nr"); /* of kernels before 4.0 */
	if (!p.number)
		return false;
	if (text_has_prefix(tp->name, "sys_exit")) {
		p.is_exit = true;
		p.ret = tracepoint_field(tp, "ret");
		if (!p.ret)
			return false;
	} else if (!text_has_prefix(tp->name, "sys_enter")) {
		return false;
	} else if (p.raw) {
		p.arg[0] = tracepoint_field(tp, "args");
		p.args_nr = p.arg[0] ? SYSCALL_ARGS : 0;
	} else {
		find_args(tp, &p);
	}
	*ret = p;
	return true;
}

struct call_pairs *call_pairs_create(const struct call_pairs_setup *setup)
{
	struct call_pairs *s = xcalloc(1, sizeof(*s));
	s->setup = *setup;
	return s;
}

void call_pairs_destroy(struct call_pairs *s)
{
	if (!s)
		return;
	u64map_deinit(&s->at);
	vec_deinit(&s->calls);
	free(s);
}

static struct open_call *call_of(struct call_pairs *s, uint32_t tid, uint32_t pid)
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
static const struct syscall_desc *desc_of(const struct call_pairs *s, uint64_t number, bool compat)
{
	const struct syscall_table *t = compat ? s->setup.compat_calls : s->setup.calls;
	return t ? syscall_table_get(t, number) : NULL;
}

static bool is_chosen(const struct call_pairs *s, uint64_t number, bool compat)
{
	const struct syscall_set *chosen = compat ? s->setup.compat_chosen : s->setup.chosen;
	return !chosen || syscall_set_has(chosen, number);
}

/* A line for a call from the data at its start. */
static void make_line(const struct call_pairs *s, const struct open_call *c, uint64_t number, bool compat, struct shown *ret)
{
	const struct syscall_desc *desc = desc_of(s, number, compat);
	/* Not a full initialization: a payload has room for fifty pieces. */
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

/* The key of a call in statistics. */
static uint32_t key_of(uint64_t number, bool compat)
{
	return (uint32_t)number + (compat ? SYSCALL_NUMBERS : 0);
}

static void show_entered(struct call_pairs *s, struct open_call *c)
{
	struct shown shown;
	make_line(s, c, c->number, c->compat, &shown);
	c->shown = true;
	trace_lines_call(s->setup.lines, &shown.line, key_of(c->number, c->compat));
}

/* The last call that has begun and not ended is shown before another line begins. */
static void show_interrupted(struct call_pairs *s, uint32_t tid)
{
	const uint64_t *at = s->last_tid ? u64map_get(&s->at, s->last_tid) : NULL;
	struct open_call *c = at ? &s->calls.data[*at] : NULL;
	if (c && c->start_ns && !c->shown)
		show_entered(s, c);
	s->last_tid = tid;
}

static uint64_t field_of(const struct call_pairs *s, const struct tracepoint_field *f, const struct sample *sample)
{
	return field_number(s->points, f, sample->raw, sample->raw_bytes);
}

static void take_args(const struct call_pairs *s, const struct call_point *p, const struct sample *sample, uint64_t *arg)
{
	memset(arg, 0, SYSCALL_ARGS * sizeof(*arg));
	if (!p->raw) {
		for (unsigned i = 0; i < p->args_nr; i++)
			arg[i] = field_of(s, p->arg[i], sample);
		return;
	}
	if (!p->args_nr || !p->arg[0]->element_bytes)
		return;
	/* One element after the other, each read like the first one of the array. */
	struct tracepoint_field element = *p->arg[0];
	uint32_t n = element.bytes / element.element_bytes;
	element.bytes = element.element_bytes;
	element.kind = FIELD_NUMBER;
	for (unsigned i = 0; i < SYSCALL_ARGS && i < n; i++, element.offset += element.bytes)
		arg[i] = field_of(s, &element, sample);
}

static void take_enter(struct call_pairs *s, const struct call_point *p, const struct sample *sample, uint64_t number, bool compat)
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

static enum trace_call_kind kind_of(const struct call_pairs *s, uint64_t number, bool compat)
{
	const struct syscall_desc *desc = desc_of(s, number, compat);
	return desc ? trace_call_kind(desc) : TRACE_CALL_OTHER;
}

/* An exec of a program of the other width ends with the number for that width; on x86 execveat ends with the number of execve. */
static bool is_renumbered(const struct call_pairs *s, const struct open_call *c, uint64_t number, bool compat)
{
	if (!c->start_ns || (c->number == number && c->compat == compat))
		return false;
	return c->compat != compat || (kind_of(s, number, compat) == TRACE_CALL_EXECUTES &&
				       kind_of(s, c->number, c->compat) == TRACE_CALL_EXECUTES_AT);
}

static void take_exit(struct call_pairs *s, const struct call_point *p, const struct sample *sample, uint64_t number, bool compat,
		      const struct resolved_sample *resolved)
{
	struct open_call *c = call_of(s, sample->tid, sample->pid);
	if (is_renumbered(s, c, number, compat)) {
		number = c->number;
		compat = c->compat;
	}
	if (!is_chosen(s, number, compat))
		return;
	/* The exit of another call than the one that began, whose end was lost. */
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

void call_pairs_take(struct call_pairs *s, const struct tracepoints *points, const struct call_point *p, const struct sample *sample,
		     const struct resolved_sample *resolved)
{
	const struct tracepoint_field *last = p->is_exit ? p->ret : p->number;
	s->points = points;
	trace_lines_begin_at(s->setup.lines, sample->time);
	if (!sample->raw || sample->raw_bytes < last->offset + last->bytes) {
		s->damaged++;
		return;
	}
	uint64_t number = field_of(s, p->number, sample);
	bool compat = sample->user_regs.abi == PERF_SAMPLE_REGS_ABI_32;
	/* -1: a tracer or seccomp skipped the call. */
	if ((int64_t)number < 0)
		return;
	if (p->is_exit)
		take_exit(s, p, sample, number, compat, resolved);
	else
		take_enter(s, p, sample, number, compat);
}

void call_pairs_forget(struct call_pairs *s, uint32_t tid)
{
	const uint64_t *at = u64map_get(&s->at, tid);
	if (at)
		s->calls.data[*at].start_ns = 0;
}

void call_pairs_finish(struct call_pairs *s)
{
	for (size_t i = 0; i < s->calls.len; i++)
		if (s->calls.data[i].start_ns)
			trace_lines_count_begun(s->setup.lines, s->calls.data[i].tid, s->calls.data[i].pid);
}

uint64_t call_pairs_damaged(const struct call_pairs *s)
{
	return s->damaged;
}
