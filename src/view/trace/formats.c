#include "view/trace/writer.h"

#include <string.h>

#define FAST_LINES 1000 /* in one round of events */

static const struct trace_format *const trace_formats[] = {
	&trace_format_text,
	&trace_format_json,
	&trace_format_chrome,
};

const struct trace_format *trace_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(trace_formats) / sizeof(*trace_formats); i++)
		if (!strcmp(trace_formats[i]->name, name))
			return trace_formats[i];
	return NULL;
}

const char *trace_format_names(void)
{
	return "text, json or chrome";
}

static bool take_line(struct trace_sink *sink, const struct trace_line *line)
{
	struct trace_writer *p = (struct trace_writer *)sink;
	p->lines++;
	p->display->format->line(p, line);
	return !out_failed(p->out);
}

/* For debugging, whatever the format. */
static void take_sample(struct trace_sink *sink, const struct trace_line *head)
{
	struct out *out = ((struct trace_writer *)sink)->out;
	out_text_str(out, head->event);
	out_f(out, " %.3f ", (double)head->time_ns / 1e6);
	out_text_str(out, head->comm);
	out_f(out, " %u/%u [%u]\n", head->pid, head->tid, head->cpu);
}

void trace_writer_begin(struct trace_writer *p)
{
	const struct trace_display *d = p->display;
	p->sink = (struct trace_sink){ .line = take_line, .sample = take_sample };
	p->style = (struct syscall_style){
		.layout = d->strace_style ? SYSCALL_STRACE : SYSCALL_NAMED,
		.show_zeros = d->show_zeros,
		.show_prefix = d->show_prefix,
		.hide_names = d->no_arg_names,
		.str_limit = (uint32_t)d->str_limit,
		.fd_text = trace_tasks_fd_text,
		.fd_netlink = trace_tasks_fd_netlink,
		.pid_text = trace_tasks_pid_text,
		.ctx = p->tasks,
	};
	p->begun = true;
	if (d->format->begin)
		d->format->begin(p);
}

void trace_writer_end(struct trace_writer *p)
{
	if (!p->begun)
		return;
	p->begun = false;
	if (p->display->format->end)
		p->display->format->end(p);
}

void trace_writer_flush(struct trace_writer *p)
{
	if (p->lines - p->flushed_lines < FAST_LINES)
		out_flush(p->out);
	p->flushed_lines = p->lines;
}
