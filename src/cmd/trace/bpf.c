#include "cmd/trace/bpf.h"

#include <fcntl.h>

#include "cmd/trace/show.h"

struct stream_options trace_stream_options(const struct trace_run *r)
{
	const struct trace_options *o = r->o;
	/* With -S all are counted, and lines are chosen later. */
	return (struct stream_options){
		.failures_only = o->failure && !o->with_summary,
		.longer_than_ns = o->duration_set && !o->with_summary ? (uint64_t)(o->duration_ms * 1e6) : 0,
		.path = o->path ? &r->path.stream : NULL,
		.str_limit = (uint32_t)o->str_limit,
		.files = !trace_sees_files(r),
		.ring_bytes = o->ring_bytes,
		.signals = trace_shows_signals(o),
		.no_wait = o->no_wait,
		.only_results = o->summary,
		.sched = o->sched,
	};
}

/* What is there is read before anything happens: what tasks are called, and where processes stand. */
static void ask_before(const struct trace_run *r, struct trace_tasks *tasks)
{
	bool sees_files = trace_sees_files(r);
	trace_ask_targets(r, tasks);
	for (size_t i = 0; i < r->map.threads.len; i++) {
		const pid_t pid = r->map.threads.data[i].pid;
		if (r->map.threads.data[i].tid == pid && sees_files)
			open_files_path(&tasks->files, (uint32_t)pid, AT_FDCWD);
	}
}

void trace_bpf_init(struct trace_bpf *b, struct trace_run *r)
{
	const struct trace_options *o = r->o;
	bool sees_files = trace_sees_files(r);
	struct trace_lines *lines = trace_begin_lines(r, (struct trace_source_facts){
		.live = true,
		.chosen_before = !o->with_summary && !r->by_rings,
		.files = sees_files ? OPEN_FILES_FOLLOWED : r->by_rings ? OPEN_FILES_ASKED : OPEN_FILES_GIVEN,
	});
	*b = (struct trace_bpf){ .calls = { .native = r->native, .compat = r->compat, .path = &r->path, .lines = lines,
					    .signals = trace_shows_signals(o), .processes = trace_shows_processes(o),
					    .sched = o->sched } };
	ask_before(r, trace_lines_tasks(lines));
}

struct strobe_error *trace_bpf_open_summary(struct trace_bpf *b, struct trace_run *r)
{
	bool by_kernel = r->o->with_summary && r->o->by == SYSCALL_STATS_BY_CGROUP;
	return by_kernel ? trace_summary_open(r, &b->summary) : NULL;
}

void trace_bpf_enable(struct trace_bpf *b, bool on)
{
	if (b->summary)
		summary_tracer_enable(b->summary, on);
}

void trace_bpf_deinit(struct trace_bpf *b)
{
	summary_tracer_close(b->summary);
}

static void print_tool_stats(struct trace_run *r, const struct stream_tracer *tracer)
{
	const struct trace_tasks *t = trace_lines_tasks(r->lines);
	struct stream_losses l = tracer ? stream_tracer_losses(tracer) : (struct stream_losses){};
	out_f(&r->out, "Stats:\n lines             : %llu\n tasks             : %zu\n name lookups      : %llu\n fd lookups    "
		"    : %llu\n events lost       : %llu\n",
	      (unsigned long long)trace_lines_count(r->lines), t->all.len, (unsigned long long)t->asked_names,
	      (unsigned long long)t->files.asked,
	      (unsigned long long)(l.events + l.missed));
	if (tracer)
		out_f(&r->out, " calls delayed     : %llu\n", (unsigned long long)stream_tracer_waits(tracer));
}

struct strobe_error *trace_bpf_finish(struct trace_bpf *b, struct trace_run *r, struct stream_tracer *tracer)
{
	trace_end_lines(r);
	if (b->summary)
		TRY(trace_summary_print(r, b->summary));
	else
		trace_show_stats(r);
	if (r->o->tool_stats)
		print_tool_stats(r, tracer);
	if (r->o->map_dump && tracer)
		stream_tracer_dump(tracer, r->o->map_dump, &r->out);
	return NULL;
}

void trace_say_lost(struct trace_run *r, uint64_t lost, const struct stream_tracer *tracer)
{
	struct stream_losses l = tracer ? stream_tracer_losses(tracer) : (struct stream_losses){};
	lost += l.events;
	if (lost)
		cmd_say(r->ctx, "%llu events were lost: the buffer was full (use a larger one, -m, or select system calls, -e)",
			(unsigned long long)lost);
	if (l.missed)
		cmd_say(r->ctx, "%llu events were missed: the kernel skipped them because a BPF program was interrupted on that CPU",
			(unsigned long long)l.missed);
	if (l.others)
		cmd_say(r->ctx, "%llu other events (names, starts and exits of tasks, stacks) were lost", (unsigned long long)l.others);
	if (l.unfollowed)
		cmd_say(r->ctx, "%llu tasks, files or arguments could not be followed: out of kernel memory",
			(unsigned long long)l.unfollowed);
}
