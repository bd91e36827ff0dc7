/* `trace`: a line for each system call, as it ends. */
#include <sched.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "bpf/stream_tracer.h"
#include "cmd/trace/lines.h"
#include "cmd/trace/run.h"

#ifndef SCHED_RESET_ON_FORK
#define SCHED_RESET_ON_FORK 0x40000000
#endif

#define TICK_MS 5

struct stream {
	struct trace_run *run;
	struct stream_tracer *tracer;
	struct trace_lines *lines;
};

static void take_call(struct stream *s, const struct trace_event *ev, size_t bytes)
{
	const struct syscall_table *table = ev->flags & TRACE_FLAG_COMPAT ? s->run->compat : s->run->native;
	const struct syscall_desc *desc = table ? syscall_table_get(table, ev->number) : NULL;
	struct syscall_desc unknown;
	char name[24];
	struct syscall_event call;
	if (!desc) {
		unknown = syscall_desc_unknown(ev->flags & TRACE_FLAG_COMPAT ? &arch_i386 : arch_native(), ev->number, &name);
		desc = &unknown;
	}
	call.desc = desc;
	const uint64_t *args = (const uint64_t *)(ev + 1);
	for (unsigned i = 0; i < SYSCALL_ARGS; i++)
		call.arg[i] = i < ev->args_nr ? args[i] : 0;
	call.ret = ev->ret;
	call.has_ret = ev->type == TRACE_EVENT_CALL;
	call.pid = ev->pid;
	call.payload.nr = 0;
	size_t head = sizeof(*ev) + ev->args_nr * sizeof(uint64_t);
	syscall_payload_add(&call.payload, (const uint8_t *)ev + head, bytes - head);
	struct trace_line line = { .kind = call.has_ret ? TRACE_LINE_CALL : TRACE_LINE_ENTERED, .tid = ev->tid, .pid = ev->pid,
				   .cpu = SAMPLE_NO_CPU, .call = &call };
	line.start_unknown = !ev->start_ns;
	line.time_ns = ev->start_ns ? ev->start_ns : ev->time_ns;
	line.has_duration = call.has_ret && ev->start_ns;
	line.duration_ns = line.has_duration ? ev->time_ns - ev->start_ns : 0;
	trace_lines_call(s->lines, &line, desc->number + (ev->flags & TRACE_FLAG_COMPAT ? TRACE_NUMBERS : 0));
}

/* The name behind the arguments. */
static void rename_task(struct stream *s, uint32_t tid, uint32_t pid, const struct trace_event *ev, size_t bytes)
{
	const char *comm = (const char *)(ev + 1) + ev->args_nr * sizeof(uint64_t);
	trace_lines_rename(s->lines, tid, pid, comm, bytes - sizeof(*ev) - ev->args_nr * sizeof(uint64_t));
}

static void take_fork(struct stream *s, const struct trace_event *ev, size_t bytes)
{
	const uint64_t *args = (const uint64_t *)(ev + 1);
	uint32_t tid = (uint32_t)args[0], pid = (uint32_t)args[1];
	struct trace_tasks *tasks = trace_lines_tasks(s->lines);
	trace_task_new(tasks, tid, pid);
	rename_task(s, tid, pid, ev, bytes);
	if (pid != ev->pid)
		trace_tasks_forget_fds(tasks, pid);
}

static bool take_event(void *ctx, const struct trace_event *ev, size_t bytes)
{
	struct stream *s = ctx;
	switch (ev->type) {
	case TRACE_EVENT_CALL:
	case TRACE_EVENT_ENTERED:
		take_call(s, ev, bytes);
		break;
	case TRACE_EVENT_FORK:
		if (ev->args_nr >= 2)
			take_fork(s, ev, bytes);
		break;
	case TRACE_EVENT_EXEC:
		trace_tasks_forget_fds(trace_lines_tasks(s->lines), ev->pid);
		rename_task(s, ev->tid, ev->pid, ev, bytes);
		break;
	case TRACE_EVENT_RENAME:
		rename_task(s, ev->tid, ev->pid, ev, bytes);
		break;
	default:
		break;
	}
	return !trace_lines_ended(s->lines);
}

/* --- the run --- */

/* First in the queue when the ring fills: at normal priority a busy CPU makes the reader late, and events are lost. */
static void raise_priority(void)
{
	struct sched_param p = { .sched_priority = 1 };
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p))
		log_info("reading at normal priority: real-time is not permitted (CAP_SYS_NICE, ulimit -r)");
}

static struct strobe_error *stream_open(struct trace_run *r)
{
	const struct trace_options *o = r->o;
	struct stream *s = xcalloc(1, sizeof(*s));
	s->run = r;
	r->state = s;
	struct trace_lines_setup setup = {
		.o = o,
		.out = &r->out,
		.sys = r->sys,
		.one_thread = o->no_inherit && !r->map.system_wide && r->map.threads.len == 1,
		/* The kernel has chosen already where no statistics are made of all. */
		.chosen_before = !o->with_summary,
	};
	s->lines = trace_lines_create(&setup);
	struct stream_options options = {
		.native = r->native,
		.compat = r->compat,
		.failures_only = o->failure && !o->with_summary,
		.longer_than_ns = o->duration_set && !o->with_summary ? (uint64_t)(o->duration_ms * 1e6) : 0,
		.str_limit = (uint32_t)o->str_limit,
		.ring_bytes = o->ring_bytes,
	};
	TRY(stream_tracer_open(&r->whom, &options, &s->tracer));
	raise_priority();
	return NULL;
}

static void stream_enable(struct trace_run *r, bool on)
{
	stream_tracer_enable(((struct stream *)r->state)->tracer, on);
}

static struct strobe_error *stream_tick(struct trace_run *r, bool last, bool *ret_end)
{
	struct stream *s = r->state;
	uint64_t before = trace_lines_count(s->lines);
	stream_tracer_drain(s->tracer, take_event, s);
	/* Somebody watches: what is here is shown; a fast stream is written in large pieces. */
	if (trace_lines_count(s->lines) - before < 1000)
		out_flush(&r->out);
	*ret_end = trace_lines_ended(s->lines);
	return NULL;
}

static struct strobe_error *stream_finish(struct trace_run *r)
{
	struct stream *s = r->state;
	bool end;
	stream_tracer_stop(s->tracer);
	TRY(stream_tick(r, true, &end));
	uint64_t lost = stream_tracer_lost(s->tracer);
	if (lost)
		cmd_say(r->ctx, "%llu events are lost: the buffer was full (make it larger with -m, or choose calls with -e)",
			(unsigned long long)lost);
	trace_lines_finish(s->lines);
	if (r->o->with_summary)
		trace_print_stats(r, trace_lines_stats(s->lines));
	return NULL;
}

static void stream_close(struct trace_run *r)
{
	struct stream *s = r->state;
	stream_tracer_close(s->tracer);
	trace_lines_destroy(s->lines);
	free(s);
}

const struct trace_hooks trace_stream_hooks = {
	.open = stream_open,
	.enable = stream_enable,
	.tick = stream_tick,
	.finish = stream_finish,
	.close = stream_close,
	.tick_ms = TICK_MS,
};
