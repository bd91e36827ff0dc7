/* A line of trace as a line of text, in perf's layout. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/trace/parts.h"

#define STACK_FROM 39 /* where frames begin */
#define COMM_WIDTH 14
#define MS_MAX     64 /* bytes of a time, blanks before it included */

/* The last task as written, "cat/123 ", since most lines are for the same one. */
struct task_text {
	uint32_t tid, pid;
	char comm[17];
	struct out text;
};

static void print_ms(struct out *out, uint64_t ns, size_t width)
{
	uint64_t us = (ns + 500) / 1000, ms = us / 1000;
	unsigned part = (unsigned)(us % 1000);
	if (ns % 1000 == 500) { /* as the C library rounds halves */
		out_f(out, "%*.3f", (int)width, (double)ns / 1e6);
		return;
	}
	/* Written in place, since each line has two of these. */
	char *to = out_reserve(out, MS_MAX), digits[20], *p = digits + sizeof(digits);
	do
		*--p = (char)('0' + ms % 10);
	while (ms /= 10);
	size_t n = (size_t)(digits + sizeof(digits) - p);
	for (; width > n + 4; width--)
		*to++ = ' ', out->len++;
	for (size_t i = 0; i < n; i++)
		to[i] = p[i];
	to[n] = '.';
	to[n + 1] = (char)('0' + part / 100);
	to[n + 2] = (char)('0' + part / 10 % 10);
	to[n + 3] = (char)('0' + part % 10);
	out->len += n + 4;
}

static uint64_t position(const struct out *out)
{
	return out->flushed_bytes + out->len;
}

static void print_time(const struct trace_writer *p, const struct trace_line *line)
{
	struct out *out = p->out;
	uint64_t time_ns = line->time_ns;
	/* The duration of a call that began before the trace is unknown. */
	if (line->start_unknown || (!p->display->full_time && time_ns < line->first_ns)) {
		out_str(out, "         ? ");
	} else {
		print_ms(out, p->display->full_time ? time_ns : time_ns - line->first_ns, 10);
		out_ch(out, ' ');
	}
	if (p->display->show_cpu && line->cpu == SAMPLE_NO_CPU)
		out_str(out, "[???] ");
	else if (p->display->show_cpu)
		out_f(out, "[%03u] ", line->cpu);
}

static void write_task(struct out *out, const struct trace_writer *p, const struct trace_line *line)
{
	if (!p->display->no_comm && line->comm[0]) {
		out_text(out, line->comm, strnlen(line->comm, COMM_WIDTH));
		out_ch(out, '/');
	} else if (!p->display->no_comm) {
		out_ch(out, ':');
		out_u64(out, line->pid);
		out_ch(out, '/');
	}
	out_u64(out, line->tid);
	out_ch(out, ' ');
}

static bool is_same(const char *a, const char *b)
{
	size_t i = 0;
	while (i < COMM_WIDTH && a[i] && a[i] == b[i])
		i++;
	return i == COMM_WIDTH || a[i] == b[i];
}

static void print_task(const struct trace_writer *p, const struct trace_line *line)
{
	struct task_text *task = p->state;
	size_t n;
	if (p->no_task)
		return;
	if (!task->text.len || task->tid != line->tid || task->pid != line->pid || !is_same(task->comm, line->comm)) {
		task->tid = line->tid;
		task->pid = line->pid;
		strncpy(task->comm, line->comm, COMM_WIDTH);
		task->text.len = 0;
		write_task(&task->text, p, line);
	}
	const char *text = out_mem(&task->text, &n);
	out_write(p->out, text, n);
}

static void print_head(const struct trace_writer *p, const struct trace_line *line, bool times_calls)
{
	if (!p->display->no_time)
		print_time(p, line);
	if (!times_calls || p->display->no_duration) {
		print_task(p, line);
		return;
	}
	if (line->has_duration || line->kind == TRACE_LINE_FAULT) {
		out_ch(p->out, '(');
		print_ms(p->out, line->duration_ns, 6);
		out_str(p->out, " ms): ");
	} else {
		out_str(p->out, "(         ): ");
	}
	print_task(p, line);
}

static void pad_to(struct out *out, uint64_t begin, uint64_t width)
{
	uint64_t printed = position(out) - begin;
	out_fill(out, ' ', printed < width ? (size_t)(width - printed) : 1);
}

static bool has_exit_piece(const struct syscall_payload *p, unsigned arg)
{
	for (uint32_t i = 0; i < p->nr; i++)
		if (p->piece[i].arg == arg && p->piece[i].part == SYSCALL_PART_EXIT)
			return true;
	return false;
}

/* Whether the kernel has written arguments since the last line: if the call failed, only those written in any case. */
static bool is_more_known(const struct syscall_event *call)
{
	const struct syscall_plan *plan = &call->desc->plan;
	bool failed = syscall_failed(call->ret);
	for (unsigned i = 0; i < plan->steps_nr; i++) {
		const struct syscall_fetch *f = &plan->step[i];
		bool vectors = f->what >= SYSCALL_FETCH_IOVEC;
		if (!(f->at & SYSCALL_AT_EXIT) || (!vectors && failed != !!(f->at & SYSCALL_FETCH_ON_ERROR)))
			continue;
		if (vectors ? !failed && call->payload.nr : has_exit_piece(&call->payload, f->arg))
			return true;
	}
	return false;
}

static void print_call(const struct trace_writer *p, const struct trace_line *line)
{
	struct out *out = p->out;
	const struct syscall_event *call = line->call;
	bool ended = line->kind == TRACE_LINE_CALL;
	print_head(p, line, true);
	uint64_t begin = position(out);
	out_fill(out, ' ', 2 * line->depth);
	if (line->continued || line->args_unknown)
		out_str(out, " ... [continued]: ");
	out_str(out, call->desc->name);
	out_ch(out, '(');
	if (!line->args_unknown && (!line->continued || line->args_completed || is_more_known(call)))
		syscall_print_args(out, &p->style, call);
	out_ch(out, ')');
	if (ended) {
		pad_to(out, begin, p->display->align);
		out_str(out, "= ");
		syscall_print_result(out, &p->style, call);
	} else if (call->desc->ret == SYSCALL_RET_NEVER) {
		pad_to(out, begin, p->display->align);
		out_str(out, "= ?");
	} else {
		pad_to(out, begin, p->display->align > 4 ? p->display->align - 4 : 0);
		out_str(out, " ...");
	}
}

/* "f(x: 1) {" and "} = 0 f", or "f(x: 1) = 0". */
static void print_func(const struct trace_writer *p, const struct trace_line *line)
{
	struct out *out = p->out;
	const struct func_call *call = line->func;
	const struct func_style style = { .str_limit = p->style.str_limit, .hide_names = p->style.hide_names };
	print_head(p, line, true);
	uint64_t begin = position(out);
	out_fill(out, ' ', 2 * line->depth);
	if (line->func_part == TRACE_FUNC_CLOSES) {
		out_str(out, "} ");
	} else {
		out_text_str(out, call->func->name);
		out_ch(out, '(');
		if (call->has_args)
			func_print_args(out, &style, call);
		out_str(out, line->func_part == TRACE_FUNC_OPENS ? ") {" : ")");
	}
	bool has_result = !call->func->entry_only && !(call->has_ret && func_returns_nothing(call->func));
	if (line->func_part != TRACE_FUNC_OPENS && has_result) {
		if (line->func_part == TRACE_FUNC_WHOLE)
			pad_to(out, begin, p->display->align);
		out_str(out, "= ");
		if (!call->has_ret)
			out_ch(out, '?');
		else
			func_print_result(out, &style, call);
	}
	if (line->func_part == TRACE_FUNC_CLOSES) {
		out_ch(out, ' ');
		out_text_str(out, call->func->name);
	}
}

static void print_point(const struct trace_writer *p, const struct trace_line *line)
{
	print_head(p, line, false);
	out_text(p->out, line->event, strlen(line->event));
	out_ch(p->out, '(');
	trace_point_args(p->out, p, line);
	out_ch(p->out, ')');
}

static void print_fault(const struct trace_writer *p, const struct trace_line *line)
{
	struct out *out = p->out;
	print_head(p, line, true);
	out_str(out, line->fault->major ? "majfault [" : "minfault [");
	trace_place_text(out, &line->fault->from, false);
	out_str(out, "] => ");
	trace_place_text(out, &line->fault->to, true);
	out_str(out, " (");
	out_ch(out, line->fault->to.map);
	out_ch(out, line->fault->to.level);
	out_ch(out, ')');
}

static void print_signal_name(struct out *out, uint32_t signal)
{
	const char *name = syscall_signal_name(signal);
	if (name)
		out_str(out, name);
	else
		out_u64(out, signal);
}

static void print_signal(const struct trace_writer *p, const struct trace_line *line)
{
	struct out *out = p->out;
	print_head(p, line, true);
	out_str(out, "--- ");
	print_signal_name(out, line->signal);
	out_ch(out, ' ');
	syscall_print_siginfo(out, &p->style, line->arch, line->siginfo, line->siginfo_bytes);
	out_str(out, " ---");
}

static void print_fork(const struct trace_writer *p, const struct trace_line *line)
{
	print_head(p, line, true);
	if (line->child_pid == line->pid)
		out_f(p->out, "+++ starts thread %u +++", line->child_tid);
	else
		out_f(p->out, "+++ starts process %u +++", line->child_pid);
}

static void print_exit(const struct trace_writer *p, const struct trace_line *line)
{
	struct out *out = p->out;
	print_head(p, line, true);
	if (line->exit_code & 0x7f) {
		out_str(out, "+++ killed by ");
		print_signal_name(out, line->exit_code & 0x7f);
		out_str(out, line->exit_code & 0x80 ? " (core dumped) +++" : " +++");
	} else {
		out_f(out, "+++ exited with %u +++", line->exit_code >> 8 & 0xff);
	}
}

static void print_frames(const struct trace_writer *p, const struct trace_line *line)
{
	struct out *out = p->out;
	for (uint32_t i = 0; i < line->frames_nr; i++) {
		const struct trace_frame *f = &line->frames[i];
		out_fill(out, ' ', STACK_FROM);
		if (f->symbol)
			out_text(out, f->symbol, strlen(f->symbol));
		else
			out_f(out, "[%#llx]", (unsigned long long)f->ip);
		if (f->inlined) {
			out_str(out, " (inlined)\n");
			continue;
		}
		const char *file = f->file ? f->file : "[unknown]";
		out_str(out, " (");
		out_text(out, file, strlen(file));
		out_str(out, ")\n");
	}
}

static void text_line(struct trace_writer *p, const struct trace_line *line)
{
	static void (*const printers[])(const struct trace_writer *, const struct trace_line *) = {
		[TRACE_LINE_CALL] = print_call,	    [TRACE_LINE_ENTERED] = print_call, [TRACE_LINE_POINT] = print_point,
		[TRACE_LINE_FAULT] = print_fault,   [TRACE_LINE_SIGNAL] = print_signal, [TRACE_LINE_FORK] = print_fork,
		[TRACE_LINE_EXIT] = print_exit,	    [TRACE_LINE_FUNC] = print_func,
	};
	printers[line->kind](p, line);
	out_ch(p->out, '\n');
	print_frames(p, line);
}

static void text_begin(struct trace_writer *p)
{
	struct task_text *task = xcalloc(1, sizeof(*task));
	out_init_mem(&task->text);
	p->state = task;
}

static void text_end(struct trace_writer *p)
{
	struct task_text *task = p->state;
	error_destroy(out_close(&task->text));
	free(task);
}

const struct trace_format trace_format_text = {
	.name = "text",
	.begin = text_begin,
	.line = text_line,
	.end = text_end,
};
