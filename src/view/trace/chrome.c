/*
 * Lines of trace as one JSON document that trace viewers open (chrome://tracing, Perfetto): an object with an array
 * traceEvents. Source: "Trace Event Format". Times are microseconds with a fraction.
 *
 * A call is a slice: "X" with its duration, or "B" when it goes to sleep and "E" when it ends, so that calls that never end are
 * shown, too. Other events are instants, "i". A task is named ("M") before its first event, and when its name changes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "view/trace/parts.h"
#include "record/sample.h"

struct chrome_task {
	char comm[17];
};

struct chrome {
	struct u64map task_of; /* tid → index */
	VEC(struct chrome_task) tasks;
	bool any;
};

static void begin_object(struct trace_writer *p, struct json *j)
{
	struct chrome *c = p->state;
	out_str(p->out, c->any ? ",\n" : "");
	c->any = true;
	json_init(j, p->out, false);
	json_object(j);
}

/* Microseconds. */
static void put_time(struct json *j, const char *key, uint64_t ns)
{
	json_key(j, key);
	json_f64(j, (double)ns / 1e3);
}

static void put_ids(struct json *j, const struct trace_line *line)
{
	json_key(j, "pid");
	json_u64(j, line->pid);
	json_key(j, "tid");
	json_u64(j, line->tid);
}

static void put_name(struct trace_writer *p, const struct trace_line *line, const char *what)
{
	struct json j;
	begin_object(p, &j);
	json_key(&j, "name");
	json_str(&j, what);
	json_key(&j, "ph");
	json_str(&j, "M");
	put_ids(&j, line);
	json_key(&j, "args");
	json_object(&j);
	json_key(&j, "name");
	json_str(&j, line->comm);
	json_end(&j);
	json_end(&j);
}

static void name_task(struct trace_writer *p, const struct trace_line *line)
{
	struct chrome *c = p->state;
	bool is_new;
	uint64_t *at = u64map_put(&c->task_of, line->tid, &is_new);
	if (is_new) {
		*at = c->tasks.len;
		vec_push(&c->tasks, (struct chrome_task){});
	}
	char *known = c->tasks.data[*at].comm;
	size_t n = strnlen(line->comm, sizeof(c->tasks.data[*at].comm) - 1);
	if (!n || (!known[n] && !memcmp(known, line->comm, n)))
		return;
	memcpy(known, line->comm, n);
	known[n] = '\0';
	put_name(p, line, "thread_name");
	if (line->pid == line->tid)
		put_name(p, line, "process_name");
}

/* The name of an event that is not a call. */
static const char *name_of(const struct trace_line *line)
{
	static const char *const names[] = {
		[TRACE_LINE_POINT] = "event", [TRACE_LINE_FAULT] = "fault", [TRACE_LINE_SIGNAL] = "signal",
		[TRACE_LINE_FORK] = "fork",   [TRACE_LINE_EXIT] = "exit",
	};
	const char *signal = line->kind == TRACE_LINE_SIGNAL ? syscall_signal_name(line->signal) : NULL;
	if (line->call)
		return line->call->desc->name;
	if (line->func)
		return line->func->func->name;
	if (line->event)
		return line->event;
	if (line->kind == TRACE_LINE_FAULT)
		return line->fault->major ? "major fault" : "minor fault";
	return signal ? signal : names[line->kind];
}

static const char *phase_of(const struct trace_line *line)
{
	static const char *const parts[] = { [TRACE_FUNC_WHOLE] = "X", [TRACE_FUNC_OPENS] = "B", [TRACE_FUNC_CLOSES] = "E" };
	if (line->kind == TRACE_LINE_FUNC)
		return line->func_part == TRACE_FUNC_WHOLE && (line->start_unknown || !line->has_duration) ? "i" : parts[line->func_part];
	if (line->kind == TRACE_LINE_ENTERED)
		return line->call->desc->ret == SYSCALL_RET_NEVER ? "i" : "B";
	if (line->kind == TRACE_LINE_CALL)
		return line->start_unknown ? "i" : line->continued ? "E" : "X";
	return "i";
}

static void put_func(struct json *j, const struct trace_writer *p, const struct trace_line *line)
{
	const struct func_style style = { .str_limit = p->style.str_limit };
	if (line->func->has_args && line->func_part != TRACE_FUNC_CLOSES) {
		json_key(j, "arguments");
		func_json_args(j, &style, line->func);
	}
	if (line->func->has_ret)
		func_json_result(j, &style, line->func);
}

static void put_args(struct json *j, const struct trace_writer *p, const struct trace_line *line)
{
	json_key(j, "args");
	json_object(j);
	if (line->call && !line->args_unknown) {
		json_key(j, "arguments");
		syscall_json_args(j, &p->style, line->call);
	}
	if (line->kind == TRACE_LINE_FUNC) {
		put_func(j, p, line);
	} else if (line->kind == TRACE_LINE_CALL) {
		syscall_json_result(j, &p->style, line->call);
	} else if (line->kind == TRACE_LINE_FORK) {
		json_key(j, "starts");
		json_u64(j, line->child_tid);
	} else if (line->kind == TRACE_LINE_EXIT) {
		json_key(j, "status");
		json_u64(j, line->exit_code);
	} else if (line->kind == TRACE_LINE_FAULT) {
		json_key(j, "address");
		json_hex(j, line->fault->to.address);
	} else if (line->kind == TRACE_LINE_POINT) {
		struct out text;
		size_t n;
		out_init_mem(&text);
		trace_point_args(&text, p, line);
		const char *args = out_mem(&text, &n);
		json_key(j, "fields");
		json_str_n(j, args, n);
		error_destroy(out_close(&text));
	}
	json_end(j);
}

static void chrome_line(struct trace_writer *p, const struct trace_line *line)
{
	struct json j;
	const char *phase = phase_of(line);
	name_task(p, line);
	begin_object(p, &j);
	json_key(&j, "name");
	json_str(&j, name_of(line));
	json_key(&j, "cat");
	json_str(&j, line->call ? "syscall" : line->func ? "function" : "event");
	json_key(&j, "ph");
	json_str(&j, phase);
	put_time(&j, "ts", line->time_ns + (*phase == 'E' ? line->duration_ns : 0));
	if (*phase == 'X')
		put_time(&j, "dur", line->duration_ns);
	if (*phase == 'i') { /* it concerns its thread */
		json_key(&j, "s");
		json_str(&j, "t");
	}
	put_ids(&j, line);
	put_args(&j, p, line);
	json_end(&j);
}

static void chrome_begin(struct trace_writer *p)
{
	p->state = xcalloc(1, sizeof(struct chrome));
	out_str(p->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

static void chrome_end(struct trace_writer *p)
{
	struct chrome *c = p->state;
	out_str(p->out, "\n]}\n");
	u64map_deinit(&c->task_of);
	vec_deinit(&c->tasks);
	free(c);
	p->state = NULL;
}

const struct trace_format trace_format_chrome = {
	.name = "chrome",
	.begin = chrome_begin,
	.line = chrome_line,
	.end = chrome_end,
};
