#include "interp/v8_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vector.h"
#include "interp/lnotab.h"

#define UNITS_MAX    (64u << 20) /* in a source */
#define STRINGS_MAX  64		 /* that a source consists of */
#define PIECE	     4096
#define LINE_SEP     0x2028
#define PARAGRAPH_SEP 0x2029

struct scan {
	struct v8_line_ends *ends;
	uint32_t units;
	bool after_cr;
};

/*
 * A line ends at its terminator, for \r
 *  at the second character.
 */
static void add_unit(struct scan *s, uint32_t c)
{
	if (s->after_cr && c != '\n')
		vec_push(s->ends, s->units - 1);
	s->after_cr = c == '\r';
	if (c == '\n' || c == LINE_SEP || c == PARAGRAPH_SEP)
		vec_push(s->ends, s->units);
	s->units++;
}

static void end_scan(struct scan *s)
{
	if (s->after_cr)
		vec_push(s->ends, s->units - 1);
}

/* ---- strings of a process ---- */

struct source {
	const struct interp_memory *memory;
	const struct v8_layout *layout;
	struct scan scan;
	unsigned strings;
};

static bool read(const struct source *s, uint64_t at, void *to, size_t n)
{
	return s->memory->read(s->memory->ctx, at, to, n);
}

static bool read_word(const struct source *s, uint64_t at, uint64_t *ret)
{
	return read(s, at, ret, sizeof(*ret));
}

/* The instance type of an object; its address is the tagged pointer minus the tag. */
static bool type_of(const struct source *s, uint64_t object, uint16_t *ret)
{
	uint64_t map;
	return (object & 3) == 1 && read_word(s, object - 1, &map) && (map & 3) == 1 &&
	       read(s, map - 1 + (uint64_t)s->layout->map_type, ret, sizeof(*ret));
}

static bool add_units(struct source *s, uint64_t at, uint32_t units, bool is_wide)
{
	uint8_t piece[PIECE];
	for (uint32_t left = units, n; left; left -= n) {
		n = is_wide ? PIECE / 2 : PIECE;
		n = n < left ? n : left;
		if (!read(s, at, piece, is_wide ? 2 * n : n))
			return false;
		at += is_wide ? 2 * n : n;
		for (uint32_t i = 0; i < n; i++)
			add_unit(&s->scan, is_wide ? piece[2 * i] | (uint32_t)piece[2 * i + 1] << 8 : piece[i]);
	}
	return true;
}

/* Handles a source string: flat, in the heap or external, or a reference to such a string. Cons strings have been flattened by then. */
static bool add_string(struct source *s, uint64_t string)
{
	enum { CONS = 1, EXTERNAL = 2, THIN = 5, KIND = 7, ONE_BYTE = 8, UNCACHED = 16, NOT_STRING = 128 };
	const struct v8_layout *l = s->layout;
	for (; s->strings < STRINGS_MAX; s->strings++) {
		uint64_t at = string - 1 + (uint64_t)l->string_chars;
		uint16_t type;
		uint32_t units;
		if (!type_of(s, string, &type) || type >= NOT_STRING || !read(s, string - 1 + (uint64_t)l->string_length, &units, 4))
			return false;
		switch (type & KIND) {
		case EXTERNAL:
			if (type & UNCACHED || !read_word(s, string - 1 + (uint64_t)l->external_data, &at))
				return false;
			/* fall through */
		case 0:
			return units <= UNITS_MAX && add_units(s, at, units, !(type & ONE_BYTE));
		case CONS:
		case THIN:
			if (!read_word(s, at, &string))
				return false;
			break;
		default:
			return false;
		}
	}
	return false;
}

bool v8_line_ends_of_string(const struct interp_memory *memory, const struct v8_layout *layout, uint64_t string, uint32_t units,
			    struct v8_line_ends *ret)
{
	struct source s = { .memory = memory, .layout = layout, .scan.ends = ret };
	bool is_whole = add_string(&s, string) && s.scan.units == units;
	end_scan(&s.scan);
	if (!is_whole)
		vec_clear(ret);
	return is_whole;
}

bool v8_line_ends_of_text(const void *text, size_t n, uint32_t units, struct v8_line_ends *ret)
{
	struct scan s = { .ends = ret };
	for (size_t i = 0; i < n && s.units <= units;) {
		uint32_t c = 0xfffd;
		size_t length = utf8_decode((const char *)text + i, n - i, &c);
		add_unit(&s, c);
		if (c > 0xffff)
			add_unit(&s, 0xdc00);
		i += length ? length : 1;
	}
	end_scan(&s);
	if (s.units != units)
		vec_clear(ret);
	return s.units == units;
}

uint32_t v8_line_of(const struct v8_line_ends *ends, uint32_t position)
{
	size_t low = 0, high = ends->len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ends->data[middle] < position)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low + 1;
}

/* ---- positions of bytecode ---- */

/* Seven bits per byte, lowest first, bit 7: more follow; the lowest bit is the sign. */
static int64_t read_vlq(struct cursor *c)
{
	uint64_t v = 0;
	uint8_t byte = 0x80;
	for (unsigned shift = 0; byte & 0x80 && cursor_left(c) && shift < 63; shift += 7) {
		byte = cursor_u8(c);
		v |= (uint64_t)(byte & 0x7f) << shift;
	}
	return (int64_t)(v >> 1 ^ -(v & 1));
}

void v8_lines_convert(const void *positions, size_t n, const struct v8_line_ends *ends, uint32_t first_line, struct strbuf *to)
{
	enum { OFFSET_MAX = 65535 };
	struct lnotab_writer writer = lnotab_begin(to, first_line);
	struct cursor c = cursor_make(positions, n, false);
	int64_t offset = -1;
	uint64_t value = 0;
	while (ends->len && cursor_left(&c)) {
		int64_t step = read_vlq(&c);
		/* negative: of an expression, not a statement */
		offset += step >= 0 ? step : -(step + 1);
		value += (uint64_t)read_vlq(&c);
		uint32_t position = (uint32_t)(value >> 1 & 0x3fffffff);
		if (c.bad || offset < -1 || offset > OFFSET_MAX)
			return;
		/* -1: of the function's entry; bit 0: of a file other than the script; position 0: none */
		if (offset < 0 || value & 1 || !position)
			continue;
		if (!lnotab_put(&writer, (uint32_t)offset + V8_BYTECODE_AT, v8_line_of(ends, position - 1)))
			return;
	}
}
