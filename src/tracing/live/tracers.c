/* The BPF programs of a live trace: the stream of calls, and statistics in the kernel. */
#include <fcntl.h>

#include "tracing/live/priv.h"

static struct stream_options stream_options_of(const struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	const struct live_trace_options *o = t->q.options;
	/* With a summary all calls are counted, and lines are selected later. */
	bool chooses = !t->q.summary->with_lines;
	return (struct stream_options){
		.failures_only = s->failure && chooses,
		.longer_than_ns = s->duration_set && chooses ? (uint64_t)(s->duration_ms * 1e6) : 0,
		.path = s->path ? &t->path.stream : NULL,
		.str_limit = t->q.str_limit,
		.files = !live_trace_sees_files(t),
		.ring_bytes = o->ring_bytes,
		.signals = trace_selects_signals(s, t->q.summary),
		.no_wait = o->no_wait,
		.only_results = t->q.summary->only,
		.sched = t->q.summary->sched,
		.stacks = t->stacks,
		.kernel_stacks = o->kernel_graph,
		.stack_bytes = o->callgraph.dump_bytes,
	};
}

/* Working directories are read before a call can change them. */
static void read_directories(const struct live_trace *t, struct trace_tasks *tasks)
{
	for (size_t i = 0; live_trace_sees_files(t) && i < t->map.threads.len; i++) {
		const pid_t pid = t->map.threads.data[i].pid;
		if (t->map.threads.data[i].tid == pid)
			open_files_path(&tasks->files, (uint32_t)pid, AT_FDCWD);
	}
}

struct strobe_error *live_trace_open_stream(struct live_trace *t)
{
	const struct callgraph_options *graph = &t->q.options->callgraph;
	t->stacks = graph->mode == CALLGRAPH_FP ? TRACE_STACKS_FP : graph->mode == CALLGRAPH_DWARF ? TRACE_STACKS_DUMP : TRACE_STACKS_NONE;
	struct stream_options options = stream_options_of(t);
	read_directories(t, trace_lines_tasks(t->lines));
	live_trace_say_function_limits(t);
	TRY(stream_tracer_open(&t->targets, &options, &t->tracer));
	t->wake_fd = stream_tracer_wake_fd(t->tracer);
	live_trace_raise_priority();
	return NULL;
}

struct strobe_error *live_trace_open_summary(struct live_trace *t)
{
	const struct trace_summary *s = t->q.summary;
	struct summary_options options = { .by = s->by, .errnos = s->errnos, .sched = s->sched };
	live_trace_say_function_limits(t);
	return summary_tracer_open(&t->targets, &options, &t->summary);
}

static bool take_event(void *ctx, const struct trace_event *ev, size_t bytes)
{
	struct live_trace *t = ctx;
	trace_lines_begin_at(t->lines, stream_tracer_began_ns(t->tracer));
	if (ev->type == TRACE_EVENT_EXEC && !(ev->flags & TRACE_FLAG_ASIDE))
		live_trace_follow_exec(t, ev->pid);
	trace_calls_take(&t->bpf_calls, ev, bytes, NULL, 0);
	return !trace_lines_ended(t->lines);
}

void live_trace_drain_stream(struct live_trace *t)
{
	stream_tracer_drain(t->tracer, take_event, t);
	live_trace_tick(t);
}

static const char *name_of(void *ctx, uint32_t call)
{
	struct live_trace *t = ctx;
	const struct syscall_desc *d = trace_targets_call(&t->targets, call);
	uint32_t number = call % TRACE_NUMBERS;
	char name[24];
	if (d)
		return d->name;
	syscall_desc_unknown(NULL, number, &name);
	/* The programs count the highest number and all above it together. */
	return arena_printf(&t->names, "%s%s", name, number == TRACE_NUMBERS - 1 ? "+" : "");
}

struct strobe_error *live_trace_read_summary(struct live_trace *t)
{
	summary_tracer_stop(t->summary);
	return summary_tracer_read(t->summary, name_of, t, &t->stats);
}

void live_trace_say_lost(const struct live_trace *t, uint64_t lost)
{
	struct stream_losses l = t->tracer ? stream_tracer_losses(t->tracer) : (struct stream_losses){};
	lost += l.events;
	if (lost)
		session_say(t->q.host, "%llu events were lost: the buffer was full (use a larger one, -m, or select system calls, -e)",
			    (unsigned long long)lost);
	if (l.missed)
		session_say(t->q.host,
			    "%llu events were missed: the kernel skipped them because a BPF program was interrupted on that CPU",
			    (unsigned long long)l.missed);
	if (l.others)
		session_say(t->q.host, "%llu other events (names, starts and exits of tasks, stacks) were lost",
			    (unsigned long long)l.others);
	if (l.unfollowed)
		session_say(t->q.host, "%llu tasks, files or arguments could not be followed: out of kernel memory",
			    (unsigned long long)l.unfollowed);
}
