/*
 * Any bytes as an interpreter's data in another process or in a recording. The first byte chooses: 0 a table of scripts and the lines in
 * it, 1 a str object, 2 Ruby's tables of lines, 3 names of code, 4 a file that may have an interpreter, 5 a source of V8 and positions in
 * it, 6 memory with a string of V8, 7 a table of lines of HotSpot, 8 memory with its tables.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "interp/interpreter.h"
#include "interp/script_table.h"
#include "interp/script_text.h"
#include "interp/v8_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_table(const uint8_t *data, size_t size)
{
	struct script_table t;
	script_table_read(data, size, size & 1, &t);
	for (size_t i = 0; i < t.list.len && i < 256; i++) {
		const struct script_code *c = &t.list.data[i];
		const struct script_code *found = script_table_find(&t, c->number);
		if (!found || found->number != c->number || c->name_bytes > SCRIPT_TEXT_MAX)
			abort();
		for (uint32_t offset = 0; offset < 64; offset += 2)
			if (script_line(c, offset) > INT32_MAX && script_line(c, offset) != c->first_line)
				abort();
	}
	script_table_deinit(&t);
}

static void read_text(const uint8_t *data, size_t size)
{
	const struct python_layout layouts[] = {
		{ .minor = 11, .text = 48, .text_compact = 72 },
		{ .minor = 13, .text = 40, .text_compact = 56 },
	};
	for (size_t i = 0; i < 2; i++) {
		char to[64] = "";
		if (python_text(&layouts[i], data, size, to, sizeof(to)) && (!*to || strlen(to) >= sizeof(to)))
			abort();
	}
}

static void read_file(const uint8_t *data, size_t size)
{
	struct object *o;
	struct interpreter i;
	struct strobe_error *err = object_open_memory(data, size, "python3.11", &o);
	if (err) {
		error_destroy(err);
		return;
	}
	interpreter_find(o, "python3.11", &i);
	if (i.is_known && i.kind == SCRIPT_PYTHON && (i.python.code > PYTHON_FRAME_BYTES || i.python.previous > PYTHON_FRAME_BYTES))
		abort();
	object_close(o);
}

/* Tables of Ruby: the first byte says how many positions there are, the second how many entries. */
static void read_ruby_lines(const uint8_t *data, size_t size)
{
	struct strbuf lines = {};
	if (size < 2)
		return;
	size_t positions = (size - 2) / 2;
	struct ruby_lines r = { .positions = data + 2, .positions_bytes = positions, .lines = data + 2 + positions,
				.lines_bytes = size - 2 - positions, .size = data[0] * 300u, .lines_nr = data[1], .first_line = 3 };
	ruby_lines_convert(&r, &lines);
	for (uint32_t offset = 0; offset < r.size && offset < 400; offset++)
		if (python_line(PYTHON_LINES_LNOTAB, lines.data, lines.len, 3, offset) > INT32_MAX)
			abort();
	strbuf_deinit(&lines);
}

static void read_names(const uint8_t *data, size_t size)
{
	char to[64];
	if (size < 3)
		return;
	size_t third = (size - 3) / 3;
	const char *text = (const char *)data + 3;
	struct script_parts p = { .kind = SCRIPT_PHP + data[0] % 4, .form = data[1] % 4, .name = { text, third },
				  .file = { text + third, third }, .owner = { text + 2 * third, data[2] & 1 ? third : 0 } };
	if (script_name(&p, to, sizeof(to)) != (*to != 0) || strlen(to) >= sizeof(to))
		abort();
	if (script_file(&p, to, sizeof(to)) != (*to != 0))
		abort();
}

/* The first half is a source, as long as it says; the other one positions. */
static void read_v8_lines(const uint8_t *data, size_t size)
{
	struct strbuf lines = {};
	struct v8_line_ends ends = {};
	uint32_t units = 0;
	while (units < size && !v8_line_ends_of_text(data, size / 2, units, &ends))
		units++;
	for (size_t i = 0; i < ends.len; i++)
		if (ends.data[i] >= units || v8_line_of(&ends, ends.data[i]) != i + 1)
			abort();
	v8_lines_convert(data + size / 2, size - size / 2, &ends, 3, &lines);
	for (uint32_t offset = 0; offset < 400; offset++)
		if (python_line(PYTHON_LINES_LNOTAB, lines.data, lines.len, 3, offset) > ends.len + 3)
			abort();
	strbuf_deinit(&lines);
	vec_deinit(&ends);
}

struct memory {
	const uint8_t *data;
	size_t size;
};

static bool read_memory(void *ctx, uint64_t at, void *to, size_t n)
{
	const struct memory *m = ctx;
	if (at > m->size || m->size - at < n)
		return false;
	memcpy(to, m->data + at, n);
	return true;
}

static void read_v8_string(const uint8_t *data, size_t size)
{
	static const struct v8_layout layout = { .map_type = 12, .string_length = 12, .string_chars = 16, .external_data = 24 };
	struct memory m = { data, size };
	struct v8_line_ends ends = {};
	for (uint32_t units = 0; units < 16; units++)
		if (v8_line_ends_of_string(&(struct interp_memory){ read_memory, &m }, &layout, 1, units, &ends) && ends.len > units)
			abort();
	vec_deinit(&ends);
}

static void read_hotspot_lines(const uint8_t *data, size_t size)
{
	struct strbuf lines = {};
	uint32_t first = size ? hotspot_lines_convert(data + 1, size - 1, data[0] & 1, &lines) : 0;
	for (uint32_t offset = 0; offset < 400; offset++)
		if (python_line(PYTHON_LINES_LNOTAB, lines.data, lines.len, first, offset) > INT32_MAX)
			abort();
	strbuf_deinit(&lines);
}

/* It begins with the variables that describe the tables. */
static void read_hotspot_tables(const uint8_t *data, size_t size)
{
	struct memory m = { data, size };
	struct hotspot_symbols symbols;
	struct hotspot_layout l;
	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++)
		symbols.of[i] = 8 * i + 1;
	struct interp_memory memory = { read_memory, &m };
	if (hotspot_read(&memory, &symbols, (uint64_t)-1, &l) && (!l.heaps[0].bytes || l.segment_bits > 31))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] % 9) {
	case 0:
		read_table(data + 1, size - 1);
		break;
	case 1:
		read_text(data + 1, size - 1);
		break;
	case 2:
		read_ruby_lines(data + 1, size - 1);
		break;
	case 3:
		read_names(data + 1, size - 1);
		break;
	case 4:
		read_file(data + 1, size - 1);
		break;
	case 5:
		read_v8_lines(data + 1, size - 1);
		break;
	case 6:
		read_v8_string(data + 1, size - 1);
		break;
	case 7:
		read_hotspot_lines(data + 1, size - 1);
		break;
	default:
		read_hotspot_tables(data + 1, size - 1);
	}
	return 0;
}
