#include "cmd/trace/show.h"

#include <inttypes.h>

#include "base/json.h"
#include "table/syscall_stats_table.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

#define FAST_LINES 1000 /* in one round of events */

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

void trace_flush_lines(struct trace_run *r)
{
	uint64_t lines = trace_lines_count(r->lines);
	if (lines - r->flushed_lines < FAST_LINES)
		out_flush(&r->out);
	r->flushed_lines = lines;
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

/* After lines of JSON: one more, whose one member has those of the document. */
static void print_stats_line(struct out *out, const struct table *t)
{
	struct json j;
	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "summary");
	json_object(&j);
	table_json_members(&j, t);
	json_end(&j);
	json_end(&j);
	out_ch(out, '\n');
}

static void print_stats_text(struct trace_run *r, const struct syscall_stats *stats)
{
	struct syscall_stats_style style = { .errnos = r->o->errnos, .histograms = r->o->histograms,
					     .max_rows = r->o->max_summary };
	out_str(&r->out, "\n Summary of events:\n\n");
	for (size_t i = 0; i < stats->threads.len && !out_failed(&r->out); i++) {
		struct table t;
		if (!stats->threads.data[i].rows.len)
			continue;
		syscall_stats_fill_block(&t, stats, &stats->threads.data[i], style);
		table_text(&r->out, &t, NULL);
		table_deinit(&t);
	}
}

void trace_print_stats(struct trace_run *r, const struct syscall_stats *stats)
{
	struct table t;
	if (r->o->format != &trace_format_json) {
		print_stats_text(r, stats);
		return;
	}
	syscall_stats_fill_tree(&t, stats);
	if (r->o->summary)
		table_json(&r->out, &t);
	else
		print_stats_line(&r->out, &t);
	table_deinit(&t);
}

void trace_say_damaged(const struct trace_run *r, const struct trace_events *e)
{
	uint64_t n = trace_events_damaged(e);
	if (n)
		cmd_say(r->ctx, "%" PRIu64 " samples are shorter than their event's format and were skipped", n);
}
