/*
 * Any bytes as what another process or a recording has of an interpreter. The first byte chooses: 0 a table of scripts and the lines in
 * it, 1 a str object, 2 a file that may have an interpreter.
 */
#include <stdlib.h>
#include <string.h>

#include "interp/python.h"
#include "interp/script_table.h"

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
	struct python p;
	struct strobe_error *err = object_open_memory(data, size, "python3.11", &o);
	if (err) {
		error_destroy(err);
		return;
	}
	if (python_find(o, "python3.11", &p)) {
		if (p.layout.code > PYTHON_FRAME_BYTES || p.layout.previous > PYTHON_FRAME_BYTES)
			abort();
		python_find_cold(o, &p);
	}
	object_close(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] % 3) {
	case 0:
		read_table(data + 1, size - 1);
		break;
	case 1:
		read_text(data + 1, size - 1);
		break;
	default:
		read_file(data + 1, size - 1);
	}
	return 0;
}
