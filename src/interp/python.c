#include "interp/python.h"

#include <stdlib.h>
#include <string.h>

static const struct python_layout layouts[] = {
	{ .minor = 8, .entries = PYTHON_ENTRY_ALL, .interpreters = 32, .next_interpreter = 0, .threads = 8, .next_thread = 8,
	  .thread_id = 176, .frame = 24, .cframe = -1, .previous = 24, .code = 32, .instruction = 104, .file_name = 104, .name = 112,
	  .lines = 120, .first_line = 40, .text = 48, .text_compact = 72 },
	{ .minor = 9, .entries = PYTHON_ENTRY_ALL, .interpreters = 32, .next_interpreter = 0, .threads = 8, .next_thread = 8,
	  .thread_id = 176, .frame = 24, .cframe = -1, .previous = 24, .code = 32, .instruction = 104, .file_name = 104, .name = 112,
	  .lines = 120, .first_line = 40, .text = 48, .text_compact = 72 },
	{ .minor = 10, .entries = PYTHON_ENTRY_ALL, .interpreters = 32, .next_interpreter = 0, .threads = 8, .next_thread = 8,
	  .thread_id = 176, .frame = 24, .cframe = -1, .previous = 24, .code = 32, .instruction = 96, .file_name = 104, .name = 112,
	  .lines = 120, .first_line = 40, .text = 48, .text_compact = 72 },
	{ .minor = 11, .entries = PYTHON_ENTRY_FLAG, .interpreters = 40, .next_interpreter = 0, .threads = 16, .next_thread = 8,
	  .thread_id = 152, .frame = 56, .cframe = 8, .previous = 48, .code = 32, .instruction = 56, .entry = 68, .file_name = 112,
	  .name = 128, .lines = 136, .first_line = 72, .bytecode = 184, .text = 48, .text_compact = 72 },
	{ .minor = 12, .entries = PYTHON_ENTRY_SHIM, .interpreters = 40, .next_interpreter = 0, .threads = 72, .next_thread = 8,
	  .thread_id = 136, .frame = 56, .cframe = 0, .previous = 8, .code = 0, .instruction = 56, .entry = 70, .file_name = 112,
	  .name = 128, .lines = 136, .first_line = 68, .bytecode = 192, .text = 40, .text_compact = 56 },
};
#define FIRST_THAT_DESCRIBES_ITSELF 13

/* The word of _Py_DebugOffsets for a field. */
struct description {
	uint8_t minor;
	uint8_t interpreters, next_interpreter, threads, next_thread, frame, thread_id, previous, code, instruction, entry, file_name,
		name, lines, first_line, bytecode;
};

static const struct description descriptions[] = {
	{ .minor = 13, .interpreters = 5, .next_interpreter = 8, .threads = 9, .next_thread = 21, .frame = 23, .thread_id = 24,
	  .previous = 29, .code = 30, .instruction = 31, .entry = 33, .file_name = 35, .name = 37, .lines = 38, .first_line = 39,
	  .bytecode = 43 },
	{ .minor = 14, .interpreters = 5, .next_interpreter = 8, .threads = 9, .next_thread = 24, .frame = 26, .thread_id = 27,
	  .previous = 32, .code = 33, .instruction = 34, .entry = 36, .file_name = 40, .name = 42, .lines = 43, .first_line = 44,
	  .bytecode = 48 },
	{ .minor = 15, .interpreters = 5, .next_interpreter = 8, .threads = 9, .next_thread = 24, .frame = 26, .thread_id = 30,
	  .previous = 40, .code = 41, .instruction = 42, .entry = 44, .file_name = 48, .name = 50, .lines = 51, .first_line = 52,
	  .bytecode = 56 },
};
#define DESCRIPTION_WORDS 57
#define NR(array)	  (sizeof(array) / sizeof(*(array)))

unsigned python_minor_of_name(const char *name)
{
	const char *at = strstr(name, "python3.");
	return at ? (unsigned)strtoul(at + strlen("python3."), NULL, 10) : 0;
}

/* In the order of the version's description; false if a value is outside of what readers support. */
static bool take_words(const uint64_t *w, const struct description *d, struct python_layout *l)
{
	for (unsigned i = 2; i <= d->bytecode; i++)
		if (w[i] > PYTHON_OFFSET_MAX)
			return false;
	*l = (struct python_layout){
		.minor = d->minor, .entries = PYTHON_ENTRY_SHIM, .interpreters = (uint32_t)w[d->interpreters],
		.next_interpreter = (uint32_t)w[d->next_interpreter], .threads = (uint32_t)w[d->threads],
		.next_thread = (uint32_t)w[d->next_thread], .thread_id = (uint32_t)w[d->thread_id], .frame = (uint32_t)w[d->frame],
		.cframe = -1, .previous = (uint32_t)w[d->previous], .code = (uint32_t)w[d->code],
		.instruction = (uint32_t)w[d->instruction], .entry = (uint32_t)w[d->entry], .file_name = (uint32_t)w[d->file_name],
		.name = (uint32_t)w[d->name], .lines = (uint32_t)w[d->lines], .first_line = (uint32_t)w[d->first_line],
		.bytecode = (uint32_t)w[d->bytecode], .text = 40, .text_compact = 56,
	};
	return l->previous <= PYTHON_FRAME_BYTES - 8 && l->code <= PYTHON_FRAME_BYTES - 8 && l->instruction <= PYTHON_FRAME_BYTES - 8 &&
	       l->entry < PYTHON_FRAME_BYTES;
}

/* Builds without the GIL have different objects, which are not supported. */
static bool read_description(const struct object *o, uint64_t runtime, struct python_layout *ret)
{
	size_t n;
	const uint8_t *p = object_bytes_at(o, runtime, &n);
	uint64_t w[DESCRIPTION_WORDS];
	if (!p || n < sizeof(w) || memcmp(p, "xdebugpy", 8) || object_header(o)->swap)
		return false;
	memcpy(w, p, sizeof(w));
	unsigned minor = w[1] >> 16 & 0xff;
	for (size_t i = 0; i < NR(descriptions); i++)
		if (w[1] >> 24 == 3 && descriptions[i].minor == minor && !w[2])
			return take_words(w, &descriptions[i], ret);
	return false;
}

bool python_find(const struct object *o, uint64_t runtime, unsigned minor, struct python_layout *ret)
{
	if (read_description(o, runtime, ret))
		return true;
	for (size_t i = 0; minor < FIRST_THAT_DESCRIBES_ITSELF && i < NR(layouts); i++)
		if (layouts[i].minor == minor) {
			*ret = layouts[i];
			return true;
		}
	return false;
}
