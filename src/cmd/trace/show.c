#include "cmd/trace/show.h"

#include <inttypes.h>

#include "view/data/syscall_stats_json.h"
#include "view/text/syscall_stats_text.h"

static void set_style(struct trace_run *r)
{
	const struct trace_options *o = r->o;
	r->style = (struct syscall_style){
		.layout = o->strace_style ? SYSCALL_STRACE : SYSCALL_NAMED,
		.show_zeros = o->show_zeros,
		.show_prefix = o->show_prefix,
		.hide_names = o->no_arg_names,
		.str_limit = (uint32_t)o->str_limit,
		.fd_text = trace_tasks_fd_text,
		.fd_netlink = trace_tasks_fd_netlink,
		.pid_text = trace_tasks_pid_text,
		.ctx = trace_lines_tasks(r->lines),
	};
}

static void set_paper(struct trace_run *r, bool live)
{
	const struct trace_options *o = r->o;
	r->paper = (struct trace_paper){
		.format = o->format,
		.out = &r->out,
		.style = &r->style,
		.full_time = o->full_time,
		.no_comm = o->no_comm,
		.show_cpu = o->show_cpu,
		.no_task = live && o->no_inherit && !r->map.system_wide && r->map.threads.len == 1,
		.no_lines = o->summary,
		.points_as_kernel = o->points_as_kernel,
		.no_time = o->no_time,
		.no_duration = o->no_duration,
		.align = o->align,
		/* Another kernel may have others. */
		.enums = live ? enum_names_create(r->sys) : NULL,
	};
}

struct trace_lines *trace_begin_lines(struct trace_run *r, struct trace_source_facts facts)
{
	const struct trace_options *o = r->o;
	struct trace_lines_setup setup = {
		.sink = &r->paper.sink,
		.sys = facts.live ? r->sys : NULL,
		/* The kernel counts by cgroup. */
		.counts = o->summary || (o->with_summary && o->by != SYSCALL_STATS_BY_CGROUP),
		.only_stats = o->summary,
		.by = o->by,
		.sched = o->sched,
		.all_new = r->traces_command,
		.files = facts.files,
		.failures_only = o->failure && !facts.chosen_before,
		.by_duration = o->duration_set && !facts.chosen_before,
		.longer_than_ns = (uint64_t)(o->duration_ms * 1e6),
		.max_lines = o->max_events,
	};
	r->lines = trace_lines_create(&setup);
	set_style(r);
	set_paper(r, facts.live);
	return r->lines;
}

void trace_begin_output(struct trace_run *r)
{
	if (!r->lines)
		return;
	trace_paper_begin(&r->paper);
	r->shows_lines = true;
}

void trace_end_lines(struct trace_run *r)
{
	if (r->shows_lines)
		trace_paper_end(&r->paper);
	r->shows_lines = false;
	if (r->lines)
		trace_lines_finish(r->lines);
}

void trace_forget_lines(struct trace_run *r)
{
	trace_end_lines(r);
	enum_names_destroy(r->paper.enums);
	trace_lines_destroy(r->lines);
	r->paper.enums = NULL;
	r->lines = NULL;
}

void trace_show_stats(struct trace_run *r)
{
	if (r->o->summary || r->o->with_summary)
		trace_print_stats(r, trace_lines_stats(r->lines));
}

void trace_print_stats(struct trace_run *r, const struct syscall_stats *stats)
{
	struct syscall_stats_style style = { .errnos = r->o->errnos, .histograms = r->o->histograms,
					     .max_rows = r->o->max_summary };
	if (r->o->format == &trace_format_json && r->o->summary)
		syscall_stats_json(&r->out, stats);
	else if (r->o->format == &trace_format_json)
		syscall_stats_json_line(&r->out, stats);
	else
		syscall_stats_text(&r->out, stats, style);
}

void trace_say_damaged(const struct trace_run *r, const struct trace_samples *s)
{
	uint64_t n = trace_samples_damaged(s);
	if (n)
		cmd_say(r->ctx, "%" PRIu64 " samples are shorter than their event's format and were skipped", n);
}
