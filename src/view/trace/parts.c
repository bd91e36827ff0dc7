#include "view/trace/parts.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

void trace_place_text(struct out *out, const struct trace_place *place, bool with_file)
{
	if (with_file && place->file) {
		out_text(out, place->file, strlen(place->file));
		out_str(out, "@0x");
		out_hex(out, place->offset);
		return;
	}
	if (!place->symbol) {
		out_str(out, "0x");
		out_hex(out, place->address);
		return;
	}
	out_text(out, place->symbol, strlen(place->symbol));
	out_str(out, "+0x");
	out_hex(out, place->offset);
}

/* A field of type pid_t, or named pid, is followed by the task's name if known. */
static bool is_pid(const struct tracepoint_field *f)
{
	size_t n = strlen(f->name);
	return !strcmp(f->type, "pid_t") || !strcmp(f->name, "pid") || (n > 4 && !strcmp(f->name + n - 4, "_pid"));
}

uint32_t trace_array_length(const struct tracepoint_field *f)
{
	bool numbers = f->element_bytes == 2 || f->element_bytes == 4 || f->element_bytes == 8;
	return f->kind == FIELD_ARRAY && numbers && !f->is_string ? f->bytes / f->element_bytes : 0;
}

uint64_t trace_array_number(const struct trace_line *line, const struct tracepoint_field *f, uint32_t i)
{
	struct tracepoint_field element = *f;
	element.kind = FIELD_NUMBER;
	element.bytes = f->element_bytes;
	element.offset = f->offset + i * f->element_bytes;
	return field_number(line->points, &element, line->raw, line->raw_bytes);
}

static void put_numbers(struct out *out, const struct trace_line *line, const struct tracepoint_field *f)
{
	out_ch(out, '[');
	for (uint32_t i = 0; i < trace_array_length(f); i++) {
		uint64_t v = trace_array_number(line, f, i);
		out_str(out, i ? ", " : "");
		if (f->is_signed) {
			out_i64(out, (int64_t)v);
			continue;
		}
		out_str(out, "0x");
		out_hex(out, v);
	}
	out_ch(out, ']');
}

static void put_string(struct out *out, const struct trace_line *line, const struct tracepoint_field *f)
{
	struct field_span span = field_bytes(line->points, f, line->raw, line->raw_bytes);
	syscall_print_quoted(out, span.data, strnlen((const char *)span.data, span.bytes));
}

static void put_strings(struct out *out, const struct trace_line *line, const struct tracepoint_field *f)
{
	uint32_t n = field_dynamic_nr(f);
	out_str(out, n > 1 ? "[" : "");
	for (uint32_t i = 0; i < n; i++) {
		const struct tracepoint_field one = n > 1 ? field_dynamic(f, i) : *f;
		out_str(out, i ? ", " : "");
		put_string(out, line, &one);
	}
	out_str(out, n > 1 ? "]" : "");
}

static void put_array(struct out *out, const struct trace_line *line, const struct tracepoint_field *f)
{
	struct field_span span = field_bytes(line->points, f, line->raw, line->raw_bytes);
	if (trace_array_length(f)) {
		put_numbers(out, line, f);
		return;
	}
	if (f->is_string) {
		put_strings(out, line, f);
		return;
	}
	out_str(out, "0x");
	for (uint32_t i = 0; i < span.bytes && i < 32; i++)
		out_hex_width(out, span.data[i], 2, '0');
	if (span.bytes > 32)
		out_str(out, "...");
}

static void put_number(struct out *out, const struct trace_writer *p, const struct trace_line *line,
		       const struct tracepoint_field *f)
{
	uint64_t v = field_number(line->points, f, line->raw, line->raw_bytes);
	const char *name = p->enums ? enum_name(p->enums, f, v) : NULL;
	if (name) {
		out_text(out, name, strlen(name));
		return;
	}
	if (f->is_pointer) {
		out_str(out, "0x");
		out_hex(out, v);
	} else if (f->is_signed) {
		out_i64(out, (int64_t)v);
	} else {
		out_u64(out, v);
	}
	const char *comm = is_pid(f) && p->style.pid_text ? p->style.pid_text(p->style.ctx, (int)v) : NULL;
	if (comm) {
		out_str(out, " (");
		out_text(out, comm, strlen(comm));
		out_ch(out, ')');
	}
}

/* Zeros are omitted, as with system calls, unless they have a name. */
static bool is_hidden_zero(const struct trace_writer *p, const struct trace_line *line, const struct tracepoint_field *f)
{
	return !field_number(line->points, f, line->raw, line->raw_bytes) && !(p->enums && enum_name(p->enums, f, 0));
}

void trace_point_args(struct out *out, const struct trace_writer *p, const struct trace_line *line)
{
	bool any = false;
	if (line->call) {
		syscall_print_args(out, &p->style, line->call);
		return;
	}
	if (!line->point)
		return;
	if (p->display->points_as_kernel) {
		trace_text(out, line->points, line->point, line->raw, line->raw_bytes, NULL);
		return;
	}
	for (uint32_t i = line->point->common_nr; i < line->point->fields_nr; i++) {
		const struct tracepoint_field *f = &line->point->fields[i];
		bool number = f->kind == FIELD_NUMBER;
		if (number && !p->style.show_zeros && is_hidden_zero(p, line, f))
			continue;
		if (any)
			out_str(out, ", ");
		any = true;
		out_text_str(out, f->name);
		out_str(out, ": ");
		if (number)
			put_number(out, p, line, f);
		else
			put_array(out, line, f);
	}
}
