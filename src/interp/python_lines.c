/* Lines of code objects, in CPython's three encodings. */
#include "base/cursor.h"
#include "interp/python.h"

enum python_lines python_lines_of(unsigned minor)
{
	return minor >= 11 ? PYTHON_LINES_LOCATIONS : minor == 10 ? PYTHON_LINES_LINETABLE : PYTHON_LINES_LNOTAB;
}

/* Pairs: increments of the offset and of the line. */
static int64_t by_lnotab(struct cursor *c, int64_t line, uint32_t offset)
{
	uint64_t at = 0;
	while (cursor_left(c) >= 2) {
		at += cursor_u8(c);
		int8_t change = (int8_t)cursor_u8(c);
		if (at > offset)
			break;
		line += change;
	}
	return line;
}

/* Pairs: increments of the line and of the offset; -128: no line. */
static int64_t by_linetable(struct cursor *c, int64_t line, uint32_t offset)
{
	uint64_t end = 0;
	while (cursor_left(c) >= 2) {
		end += cursor_u8(c);
		int8_t change = (int8_t)cursor_u8(c);
		line += change == -128 ? 0 : change;
		if (offset < end)
			break;
	}
	return line;
}

/* Six bits per byte, lowest first; bit 6: more follow. */
static uint64_t read_varint(struct cursor *c)
{
	uint64_t v = 0;
	uint8_t byte = 0x40;
	for (unsigned shift = 0; byte & 0x40 && cursor_left(c) && shift < 60; shift += 6) {
		byte = cursor_u8(c);
		v |= (uint64_t)(byte & 0x3f) << shift;
	}
	return v;
}

static int64_t read_signed(struct cursor *c)
{
	uint64_t v = read_varint(c);
	return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

/* An entry: bit 7, its kind, number of 2-byte code units minus one; then data by kind. */
static int64_t by_locations(struct cursor *c, int64_t line, uint32_t offset)
{
	enum { ONE_LINE = 10, NO_COLUMN = 13, LONG = 14, NONE = 15 };
	uint64_t end = 0;
	while (cursor_left(c)) {
		uint8_t head = cursor_u8(c), kind = head >> 3 & 15;
		end += 2u * ((head & 7u) + 1);
		if (kind == LONG || kind == NO_COLUMN)
			line += read_signed(c);
		else if (kind >= ONE_LINE && kind < NO_COLUMN)
			line += kind - ONE_LINE;
		if (kind == LONG)
			for (int i = 0; i < 3; i++)
				read_varint(c);
		else if (kind < ONE_LINE)
			cursor_skip(c, 1);
		else if (kind < NO_COLUMN)
			cursor_skip(c, 2);
		if (offset < end)
			break;
	}
	return line;
}

uint32_t python_line(enum python_lines kind, const void *lines, size_t n, uint32_t first_line, uint32_t offset)
{
	struct cursor c = cursor_make(lines, n, false);
	int64_t line = kind == PYTHON_LINES_LOCATIONS ? by_locations(&c, first_line, offset) :
		       kind == PYTHON_LINES_LINETABLE ? by_linetable(&c, first_line, offset) :
							by_lnotab(&c, first_line, offset);
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : first_line;
}
