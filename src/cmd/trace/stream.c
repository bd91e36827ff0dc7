/* `trace`: a line for each system call, as it ends. */
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "bpf/trace/stream_tracer.h"
#include "cmd/trace/bpf.h"
#include "cmd/trace/show.h"
#include "sys/priority.h"

#define TICK_MS 5

struct stream {
	struct trace_run *run;
	struct stream_tracer *tracer;
	struct trace_bpf bpf;
};

static bool take_event(void *ctx, const struct trace_event *ev, size_t bytes)
{
	struct stream *s = ctx;
	trace_lines_begin_at(s->run->lines, stream_tracer_began_ns(s->tracer));
	if (ev->type == TRACE_EVENT_EXEC && !(ev->flags & TRACE_FLAG_ASIDE))
		trace_follow_exec(s->run, ev->pid);
	trace_calls_take(&s->bpf.calls, ev, bytes, NULL, 0);
	return !trace_lines_ended(s->run->lines);
}

/* --- the run --- */

/* First in the queue when the ring fills: at normal priority a busy CPU makes the reader late. */
void trace_raise_priority(void)
{
	/* A cgroup may have no share of real time: even root is refused then. */
	if (sys_set_realtime(1) && sys_set_nice_highest())
		log_info("reading at normal priority: real-time priority is not permitted (requires CAP_SYS_NICE)");
}

static struct strobe_error *stream_open(struct trace_run *r)
{
	struct stream *s = xcalloc(1, sizeof(*s));
	s->run = r;
	r->state = s;
	trace_bpf_init(&s->bpf, r);
	struct stream_options options = trace_stream_options(r);
	TRY(stream_tracer_open(&r->whom, &options, &s->tracer));
	TRY(trace_bpf_open_summary(&s->bpf, r));
	r->wake_fd = stream_tracer_wake_fd(s->tracer);
	trace_raise_priority();
	return NULL;
}

static void stream_enable(struct trace_run *r, bool on)
{
	struct stream *s = r->state;
	stream_tracer_enable(s->tracer, on);
	trace_bpf_enable(&s->bpf, on);
}

static void read_events(struct trace_run *r)
{
	struct stream *s = r->state;
	stream_tracer_drain(s->tracer, take_event, s);
	trace_flush_lines(r);
}

static struct strobe_error *stream_run(struct trace_run *r)
{
	while (!r->ended) {
		TRY(trace_wait(r, TICK_MS));
		if (r->ended)
			break;
		read_events(r);
		r->ended = trace_lines_ended(r->lines);
	}
	return NULL;
}

static struct strobe_error *stream_finish(struct trace_run *r)
{
	struct stream *s = r->state;
	stream_tracer_stop(s->tracer);
	read_events(r);
	trace_say_lost(r, 0, s->tracer);
	return trace_bpf_finish(&s->bpf, r, s->tracer);
}

static void stream_close(struct trace_run *r)
{
	struct stream *s = r->state;
	stream_tracer_leave_behind(s->tracer);
	stream_tracer_close(s->tracer);
	trace_bpf_deinit(&s->bpf);
	free(s);
}

const struct trace_hooks trace_stream_hooks = {
	.open = stream_open,
	.enable = stream_enable,
	.run = stream_run,
	.finish = stream_finish,
	.close = stream_close,
};
