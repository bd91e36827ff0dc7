#include "tracing/func_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64map.h"
#include "tracing/func/stats.h"

/* A call that is open for this time is shown at once. */
#define LONG_NS 100000000u

/* An open call. Its fetched memory and call graph are in the memory of its task, which is reused. */
struct frame {
	uint64_t stack, time_ns;
	uint64_t arg[TRACE_FUNC_ARGS];
	uint32_t func, cpu, pid;
	bool is_hidden;   /* excluded by the filter */
	bool is_written;  /* its first line is */
	VEC(uint8_t) fetched;
	VEC(struct resolved_frame) chain;
};

struct task {
	uint32_t tid, pid;
	VEC(struct frame) frames; /* `depth` of them are open */
	uint32_t depth;
	uint32_t written;         /* number of first ones whose opening lines have been written */
};

struct func_calls {
	struct func_calls_setup setup;
	struct u64map by_tid; /* tid → index */
	VEC(struct task) tasks;
	struct trace_func_row *rows;
	uint64_t ticked_ns;
	bool at_end;          /* the selection of lines depends on the ends of calls */
	bool finished;
};

struct func_calls *func_calls_create(const struct func_calls_setup *setup)
{
	struct func_calls *f = xcalloc(1, sizeof(*f));
	f->setup = *setup;
	f->rows = xcalloc(setup->choice->funcs.len + 1, sizeof(*f->rows));
	f->at_end = setup->by_duration || (setup->filter && func_filter_needs_result(setup->filter));
	return f;
}

void func_calls_destroy(struct func_calls *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->tasks.len; i++) {
		struct task *t = &f->tasks.data[i];
		for (size_t k = 0; k < t->frames.len; k++) {
			vec_deinit(&t->frames.data[k].fetched);
			vec_deinit(&t->frames.data[k].chain);
		}
		vec_deinit(&t->frames);
	}
	vec_deinit(&f->tasks);
	u64map_deinit(&f->by_tid);
	free(f->rows);
	free(f);
}

static struct task *task_of(struct func_calls *f, uint32_t tid, uint32_t pid)
{
	bool is_new;
	uint64_t *at = u64map_put(&f->by_tid, tid, &is_new);
	if (is_new) {
		*at = f->tasks.len;
		vec_push(&f->tasks, ((struct task){ .tid = tid, .pid = pid }));
	}
	return &f->tasks.data[*at];
}

/* --- lines --- */

static void call_of(const struct func_calls *f, const struct frame *k, struct func_call *ret)
{
	ret->func = &f->setup.choice->funcs.data[k->func];
	memcpy(ret->arg, k->arg, sizeof(ret->arg));
	ret->has_args = true;
	ret->has_ret = false;
	ret->fetched.nr = ret->result.nr = 0;
	syscall_payload_add(&ret->fetched, k->fetched.data, k->fetched.len);
}

static struct trace_line line_of(const struct task *t, const struct frame *k, const struct func_call *call, enum trace_func_part part)
{
	return (struct trace_line){
		.kind = TRACE_LINE_FUNC,
		.time_ns = k->time_ns,
		.tid = t->tid,
		.pid = k->pid,
		.cpu = k->cpu,
		.func = call,
		.func_part = part,
		.chain = part == TRACE_FUNC_CLOSES ? NULL : k->chain.data,
		.chain_nr = part == TRACE_FUNC_CLOSES ? 0 : (uint32_t)k->chain.len,
	};
}

/* The depth among the calls that are shown. */
static uint32_t depth_of(const struct task *t, uint32_t at)
{
	uint32_t depth = 0;
	for (uint32_t i = 0; i < at; i++)
		depth += !t->frames.data[i].is_hidden;
	return depth;
}

/* Writes the opening lines of the first n open calls. */
static void write_openings(struct func_calls *f, struct task *t, uint32_t n)
{
	for (; t->written < n; t->written++) {
		struct frame *k = &t->frames.data[t->written];
		struct func_call call;
		if (k->is_hidden)
			continue;
		call_of(f, k, &call);
		struct trace_line line = line_of(t, k, &call, TRACE_FUNC_OPENS);
		line.depth = depth_of(t, t->written);
		k->is_written = true;
		trace_lines_other(f->setup.lines, &line);
	}
}

static bool is_chosen(const struct func_calls *f, const struct frame *k, const struct func_call *call, bool has_ended,
		      uint64_t duration_ns)
{
	if (k->is_hidden || (f->setup.by_duration && (!has_ended || duration_ns <= f->setup.longer_than_ns)))
		return false;
	return !f->at_end || !f->setup.filter || func_filter_matches(f->setup.filter, call);
}

/* The top call has ended; ev: its return, or NULL: left by longjmp() or an exception. */
static void end_top(struct func_calls *f, struct task *t, const struct trace_event *ev, size_t bytes)
{
	struct frame *k = &t->frames.data[--t->depth];
	struct func_call call;
	call_of(f, k, &call);
	uint64_t duration_ns = ev && ev->time_ns > k->time_ns ? ev->time_ns - k->time_ns : 0;
	if (ev) {
		const uint64_t *words = (const uint64_t *)(ev + 1);
		size_t head = sizeof(*ev) + ev->args_nr * sizeof(*words);
		call.has_ret = !call.func->entry_only && !(ev->flags & TRACE_FLAG_NO_RESULT);
		call.ret = (uint64_t)ev->ret;
		call.ret_second = call.has_ret ? words[0] : 0;
		if (call.has_ret)
			syscall_payload_add(&call.result, (const uint8_t *)ev + head, bytes - head);
		if (!call.func->entry_only)
			func_row_add(&f->rows[k->func], duration_ns);
	}
	bool is_shown = k->is_written || is_chosen(f, k, &call, ev, duration_ns);
	if (is_shown && f->setup.by_duration)
		write_openings(f, t, t->depth);
	if (t->written > t->depth)
		t->written = t->depth;
	if (!is_shown)
		return;
	struct trace_line line = line_of(t, k, &call, k->is_written ? TRACE_FUNC_CLOSES : TRACE_FUNC_WHOLE);
	line.depth = depth_of(t, t->depth);
	line.has_duration = ev && !call.func->entry_only;
	line.duration_ns = duration_ns;
	trace_lines_other(f->setup.lines, &line);
}

/* --- events --- */

/* Whether the call was left by longjmp() or an exception before this one began. */
static bool is_dead(const struct frame *k, const struct trace_event *ev)
{
	return k->stack < ev->start_ns || (k->stack == ev->start_ns && !TRACE_FUNC_IS_JUMP((uint64_t)ev->ret));
}

static struct frame *push(struct task *t, const struct trace_event *ev)
{
	if (t->frames.len == t->depth)
		vec_push(&t->frames, (struct frame){});
	struct frame *k = &t->frames.data[t->depth++];
	k->stack = ev->start_ns;
	k->time_ns = ev->time_ns;
	k->func = ev->number;
	k->cpu = ev->cpu;
	k->pid = ev->pid;
	k->is_hidden = k->is_written = false;
	vec_clear(&k->fetched);
	vec_clear(&k->chain);
	return k;
}

static void take_entry(struct func_calls *f, struct task *t, const struct trace_event *ev, size_t bytes,
		       const struct resolved_frame *frames, uint32_t frames_nr)
{
	size_t head = sizeof(*ev) + TRACE_FUNC_ARGS * sizeof(uint64_t);
	while (t->depth && is_dead(&t->frames.data[t->depth - 1], ev))
		end_top(f, t, NULL, 0);
	struct frame *k = push(t, ev);
	memcpy(k->arg, ev + 1, sizeof(k->arg));
	memcpy(vec_extend(&k->fetched, bytes - head), (const uint8_t *)ev + head, bytes - head);
	if (frames_nr)
		memcpy(vec_extend(&k->chain, frames_nr), frames, frames_nr * sizeof(*frames));
	f->rows[ev->number].calls++;
	if (f->setup.filter && !f->at_end) {
		struct func_call call;
		call_of(f, k, &call);
		k->is_hidden = !func_filter_matches(f->setup.filter, &call);
	}
	if (!f->at_end)
		write_openings(f, t, t->depth - 1);
	if (f->setup.choice->funcs.data[ev->number].entry_only)
		end_top(f, t, ev, bytes);
}

/* A return whose call was missed: it began before the trace, or in the parent of this process. */
static void write_lone_return(struct func_calls *f, struct task *t, const struct trace_event *ev, size_t bytes)
{
	struct frame *k = push(t, ev);
	struct func_call call = { .func = &f->setup.choice->funcs.data[ev->number], .has_ret = true, .ret = (uint64_t)ev->ret };
	size_t head = sizeof(*ev) + ev->args_nr * sizeof(uint64_t);
	syscall_payload_add(&call.result, (const uint8_t *)ev + head, bytes - head);
	struct trace_line line = line_of(t, k, &call, TRACE_FUNC_WHOLE);
	line.start_unknown = true;
	line.depth = depth_of(t, --t->depth);
	if (is_chosen(f, k, &call, true, 0))
		trace_lines_other(f->setup.lines, &line);
}

static void take_return(struct func_calls *f, struct task *t, const struct trace_event *ev, size_t bytes)
{
	uint32_t at = t->depth;
	while (at && (t->frames.data[at - 1].stack < ev->start_ns ||
		      (t->frames.data[at - 1].stack == ev->start_ns && t->frames.data[at - 1].func != ev->number)))
		at--;
	if (!at || t->frames.data[at - 1].stack != ev->start_ns) {
		write_lone_return(f, t, ev, bytes);
		return;
	}
	while (t->depth > at)
		end_top(f, t, NULL, 0);
	end_top(f, t, ev, bytes);
}

static void leave_all(struct func_calls *f, struct task *t)
{
	while (t->depth)
		end_top(f, t, NULL, 0);
}

void func_calls_take(struct func_calls *f, const struct trace_event *ev, size_t bytes, const struct resolved_frame *frames,
		     uint32_t frames_nr)
{
	struct task *t = task_of(f, ev->tid, ev->pid);
	if (ev->type == TRACE_EVENT_EXEC || ev->type == TRACE_EVENT_EXIT)
		leave_all(f, t);
	else if (ev->number >= f->setup.choice->funcs.len || ev->args_nr < TRACE_FUNC_ARGS)
		return;
	else if (ev->type == TRACE_EVENT_FUNC)
		take_entry(f, t, ev, bytes, frames, frames_nr);
	else
		take_return(f, t, ev, bytes);
}

uint32_t func_calls_open(struct func_calls *f, uint32_t tid)
{
	uint64_t *at = u64map_get(&f->by_tid, tid);
	if (!at)
		return 0;
	struct task *t = &f->tasks.data[*at];
	if (!f->at_end)
		write_openings(f, t, t->depth);
	return depth_of(t, t->depth);
}

void func_calls_tick(struct func_calls *f, uint64_t now_ns)
{
	if (f->at_end || now_ns - f->ticked_ns < LONG_NS / 2)
		return;
	f->ticked_ns = now_ns;
	for (size_t i = 0; i < f->tasks.len; i++) {
		struct task *t = &f->tasks.data[i];
		if (t->written < t->depth && now_ns > t->frames.data[t->depth - 1].time_ns + LONG_NS)
			write_openings(f, t, t->depth);
	}
}

void func_calls_finish(struct func_calls *f)
{
	if (f->finished)
		return;
	f->finished = true;
	for (size_t i = 0; i < f->tasks.len; i++)
		leave_all(f, &f->tasks.data[i]);
}

const struct trace_func_row *func_calls_rows(const struct func_calls *f)
{
	return f->rows;
}
