#include "datatypes/layout_rows.h"

#include "base/cleanup.h"

#define ROWS_MAX 10000
#define DEPTH_MAX 32

static const char *text_of(struct layout *l, const struct type *t)
{
	_cleanup_strbuf_ struct strbuf text = {};
	return type_text(t, &text) ? arena_strdup(&l->arena, strbuf_str(&text)) : "";
}

/* The struct whose members follow: of the type itself, or of an array's elements if no array is around it. */
static const struct type *struct_of(const struct type *t, bool is_in_array, bool *ret_is_array)
{
	*ret_is_array = false;
	t = type_strip(t);
	for (unsigned i = 0; t && t->kind == TYPE_ARRAY && !is_in_array && i < DEPTH_MAX; i++) {
		*ret_is_array = true;
		t = type_strip(type_target(t));
	}
	return t && (t->kind == TYPE_STRUCT || t->kind == TYPE_CLASS || t->kind == TYPE_UNION) ? t : NULL;
}

static void add_row(struct layout *l, const struct type *t, struct layout_row row);

static void add_members(struct layout *l, const struct type *of, const struct layout_row *parent)
{
	size_t n;
	const struct type_member *members = type_members(of, &n);
	for (size_t i = 0; i < n; i++) {
		const struct type_member *m = &members[i];
		struct layout_row row = *parent;
		row.depth = parent->depth + 1;
		row.offset = parent->offset + m->bit_offset / 8;
		row.bytes = m->bits ? (m->bit_offset % 8 + m->bits + 7) / 8 : type_bytes(m->type);
		row.name = m->name ? arena_strdup(&l->arena, m->name) : "";
		row.bits = m->bits;
		add_row(l, m->type, row);
	}
}

static void add_row(struct layout *l, const struct type *t, struct layout_row row)
{
	bool is_array = false;
	const struct type *of = row.depth < DEPTH_MAX ? struct_of(t, row.stride != 0, &is_array) : NULL;
	size_t n = 0;
	if (l->rows.len >= ROWS_MAX)
		return;
	if (of)
		type_members(of, &n);
	row.type = text_of(l, t);
	row.has_members = n > 0;
	vec_push(&l->rows, row);
	if (!n)
		return;
	if (is_array) {
		row.array_start = row.offset;
		row.array_bytes = row.bytes;
		row.stride = type_bytes(of);
	}
	if (!is_array || row.stride)
		add_members(l, of, &row);
}

void layout_rows(const struct type *t, struct layout *l)
{
	add_row(l, t, (struct layout_row){ .bytes = type_bytes(t), .name = "" });
}
