#include "interp/script_table.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "interp/python.h"

#define VERSION 1

static void put32(struct strbuf *to, uint32_t v)
{
	strbuf_add(to, &v, sizeof(v));
}

void script_table_put_head(struct strbuf *to, uint32_t entries)
{
	put32(to, VERSION);
	put32(to, entries);
}

void script_table_put(struct strbuf *to, const struct script_code *code)
{
	put32(to, code->number);
	put32(to, code->first_line);
	strbuf_add(to, (const uint8_t[]){ code->lines_form, 0, 0, 0 }, 4);
	put32(to, code->name_bytes);
	put32(to, code->file_bytes);
	put32(to, code->lines_bytes);
	strbuf_add(to, code->name, code->name_bytes);
	strbuf_add(to, code->file, code->file_bytes);
	strbuf_add(to, code->lines, code->lines_bytes);
}

static bool read_code(struct cursor *c, struct script_code *ret)
{
	ret->number = cursor_u32(c);
	ret->first_line = cursor_u32(c);
	ret->lines_form = cursor_u8(c);
	cursor_skip(c, 3);
	ret->name_bytes = cursor_u32(c);
	ret->file_bytes = cursor_u32(c);
	ret->lines_bytes = cursor_u32(c);
	if (c->bad || ret->name_bytes > SCRIPT_TEXT_MAX || ret->file_bytes > SCRIPT_TEXT_MAX || ret->number >= SCRIPT_CODES_MAX)
		return false;
	ret->name = cursor_bytes(c, ret->name_bytes);
	ret->file = cursor_bytes(c, ret->file_bytes);
	ret->lines = cursor_bytes(c, ret->lines_bytes);
	return !c->bad;
}

static int by_number(const void *a, const void *b)
{
	const struct script_code *x = a, *y = b;
	return x->number < y->number ? -1 : x->number > y->number;
}

void script_table_read(const void *bytes, size_t n, bool swap, struct script_table *ret)
{
	struct cursor c = cursor_make(bytes, n, swap);
	struct script_code code;
	*ret = (struct script_table){};
	while (cursor_left(&c) && cursor_u32(&c) == VERSION)
		for (uint32_t left = cursor_u32(&c); left && read_code(&c, &code); left--)
			vec_push(&ret->list, code);
	if (ret->list.len)
		qsort(ret->list.data, ret->list.len, sizeof(*ret->list.data), by_number);
}

void script_table_deinit(struct script_table *t)
{
	vec_deinit(&t->list);
}

const struct script_code *script_table_find(const struct script_table *t, uint32_t number)
{
	size_t i = vec_search(&t->list, one, one->number < number);
	return i < t->list.len && t->list.data[i].number == number ? &t->list.data[i] : NULL;
}

uint32_t script_line(const struct script_code *code, uint32_t offset)
{
	if (code->lines_form == SCRIPT_LINES_ABSOLUTE)
		return offset ? offset : code->first_line;
	return python_line((enum python_lines)code->lines_form, code->lines, code->lines_bytes, code->first_line, offset);
}
