/* A line of trace as one JSON object in a line of its own. */
#include <string.h>

#include "base/text.h"
#include "view/trace/parts.h"
#include "record/sample.h"

static void put_call(struct json *j, const struct trace_writer *p, const struct trace_line *line)
{
	json_key(j, "syscall");
	json_str(j, line->call->desc->name);
	if (!line->args_unknown) {
		json_key(j, "args");
		syscall_json_args(j, &p->style, line->call);
	}
	if (line->kind == TRACE_LINE_CALL)
		syscall_json_result(j, &p->style, line->call);
}

static void put_int(struct json *j, uint64_t v, bool is_signed)
{
	if (is_signed)
		json_i64(j, (int64_t)v);
	else
		json_u64(j, v);
}

static void put_array(struct json *j, const struct trace_line *line, const struct tracepoint_field *f)
{
	struct field_span span = field_bytes(line->points, f, line->raw, line->raw_bytes);
	if (f->is_string) {
		field_json_strings(j, line->points, f, line->raw, line->raw_bytes);
		return;
	}
	json_array(j);
	uint32_t n = trace_array_length(f);
	for (uint32_t i = 0; i < n; i++)
		put_int(j, trace_array_number(line, f, i), f->is_signed);
	for (uint32_t i = 0; !n && i < span.bytes; i++)
		json_u64(j, span.data[i]);
	json_end(j);
}

static void put_func(struct json *j, const struct trace_writer *p, const struct trace_line *line)
{
	static const char *const parts[] = { [TRACE_FUNC_WHOLE] = "call", [TRACE_FUNC_OPENS] = "begin", [TRACE_FUNC_CLOSES] = "end" };
	const struct func_style style = { .str_limit = p->style.str_limit };
	json_key(j, "function");
	json_str(j, line->func->func->name);
	json_key(j, "file");
	json_str(j, line->func->func->file);
	json_key(j, "part");
	json_str(j, parts[line->func_part]);
	json_key(j, "depth");
	json_u64(j, line->depth);
	if (line->func->has_args && line->func_part != TRACE_FUNC_CLOSES) {
		json_key(j, "args");
		func_json_args(j, &style, line->func);
	}
	if (line->func->has_ret)
		func_json_result(j, &style, line->func);
}

/* Fields as the kernel's format lists them. */
static void put_point(struct json *j, const struct trace_writer *p, const struct trace_line *line)
{
	json_key(j, "event");
	json_str(j, line->event);
	json_key(j, "args");
	if (line->call) {
		syscall_json_args(j, &p->style, line->call);
		return;
	}
	json_object(j);
	for (uint32_t i = line->point ? line->point->common_nr : 0; line->point && i < line->point->fields_nr; i++) {
		const struct tracepoint_field *f = &line->point->fields[i];
		json_key(j, f->name);
		if (f->is_string || f->kind != FIELD_NUMBER) {
			put_array(j, line, f);
			continue;
		}
		put_int(j, field_number(line->points, f, line->raw, line->raw_bytes), f->is_signed);
	}
	json_end(j);
}

static void put_place(struct json *j, const char *key, const struct trace_place *place)
{
	json_key(j, key);
	json_object(j);
	json_key(j, "address");
	json_u64(j, place->address);
	if (place->symbol) {
		json_key(j, "symbol");
		json_str(j, place->symbol);
	}
	if (place->file) {
		json_key(j, "file");
		json_str(j, place->file);
	}
	if (place->symbol || place->file) {
		json_key(j, "offset");
		json_u64(j, place->offset);
	}
	json_end(j);
}

static void put_fault(struct json *j, const struct trace_line *line)
{
	json_key(j, "fault");
	json_str(j, line->fault->major ? "major" : "minor");
	put_place(j, "from", &line->fault->from);
	put_place(j, "to", &line->fault->to);
}

static void put_signal_name(struct json *j, const char *key, uint32_t signal)
{
	const char *name = syscall_signal_name(signal);
	json_key(j, key);
	if (name)
		json_str(j, name);
	else
		json_u64(j, signal);
}

static void put_signal(struct json *j, const struct trace_writer *p, const struct trace_line *line)
{
	struct out text;
	size_t n;
	put_signal_name(j, "signal", line->signal);
	out_init_mem(&text);
	syscall_print_siginfo(&text, &p->style, line->arch, line->siginfo, line->siginfo_bytes);
	const char *info = out_mem(&text, &n);
	json_key(j, "siginfo");
	json_str_n(j, info, n);
	error_destroy(out_close(&text));
}

static void put_end(struct json *j, const struct trace_line *line)
{
	if (line->exit_code & 0x7f) {
		put_signal_name(j, "killed", line->exit_code & 0x7f);
	} else {
		json_key(j, "exited");
		json_u64(j, line->exit_code >> 8 & 0xff);
	}
}

static void put_frames(struct json *j, const struct trace_line *line)
{
	json_key(j, "stack");
	json_array(j);
	for (uint32_t i = 0; i < line->frames_nr; i++) {
		const struct trace_frame *f = &line->frames[i];
		json_object(j);
		json_key(j, "ip");
		json_u64(j, f->ip);
		if (f->symbol) {
			json_key(j, "symbol");
			json_str(j, f->symbol);
		}
		if (f->path) {
			json_key(j, "file");
			json_str(j, f->path);
		}
		json_end(j);
	}
	json_end(j);
}

static void json_line(struct trace_writer *p, const struct trace_line *line)
{
	struct json j;
	json_init(&j, p->out, false);
	json_object(&j);
	json_key(&j, "time_ns");
	json_u64(&j, line->time_ns);
	if (line->has_duration) {
		json_key(&j, "duration_ns");
		json_u64(&j, line->duration_ns);
	}
	json_key(&j, "comm");
	json_str(&j, line->comm);
	json_key(&j, "pid");
	json_u64(&j, line->pid);
	json_key(&j, "tid");
	json_u64(&j, line->tid);
	switch (line->kind) {
	case TRACE_LINE_CALL:
	case TRACE_LINE_ENTERED:
		put_call(&j, p, line);
		break;
	case TRACE_LINE_POINT:
		put_point(&j, p, line);
		break;
	case TRACE_LINE_FAULT:
		put_fault(&j, line);
		break;
	case TRACE_LINE_SIGNAL:
		put_signal(&j, p, line);
		break;
	case TRACE_LINE_FORK:
		json_key(&j, "starts");
		json_u64(&j, line->child_tid);
		json_key(&j, "in");
		json_u64(&j, line->child_pid);
		break;
	case TRACE_LINE_EXIT:
		put_end(&j, line);
		break;
	case TRACE_LINE_FUNC:
		put_func(&j, p, line);
		break;
	}
	if (line->frames)
		put_frames(&j, line);
	json_end(&j);
	out_ch(p->out, '\n');
}

static void json_begin(struct trace_writer *p)
{
	struct json j;
	if (p->no_lines)
		return;
	json_init(&j, p->out, false);
	json_object(&j);
	json_format(&j, "strobe-trace", 1);
	json_end(&j);
	out_ch(p->out, '\n');
}

const struct trace_format trace_format_json = {
	.name = "json",
	.begin = json_begin,
	.line = json_line,
};
