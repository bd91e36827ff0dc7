#include "datatypes/member.h"

#include <inttypes.h>

#define DEPTH_MAX 32

/* The only member that covers the byte; NULL: none, or several of a union or of bits. */
static const struct type_member *member_at(const struct type *t, uint64_t offset)
{
	size_t n;
	const struct type_member *members = type_members(t, &n), *found = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct type_member *m = &members[i];
		uint64_t start = m->bit_offset / 8, bytes = m->bits ? (m->bit_offset % 8 + m->bits + 7) / 8 : type_bytes(m->type);
		if (offset < start || offset - start >= bytes)
			continue;
		if (found)
			return NULL;
		found = m;
	}
	return found;
}

static void add_path(const struct type *t, uint64_t offset, struct strbuf *out, size_t from, unsigned depth)
{
	t = type_strip(t);
	if (!t || depth > DEPTH_MAX)
		return;
	if (t->kind == TYPE_ARRAY) {
		uint64_t bytes = type_bytes(type_target(t));
		if (!bytes)
			return;
		strbuf_addf(out, "[%" PRIu64 "]", offset / bytes);
		add_path(type_target(t), offset % bytes, out, from, depth + 1);
	} else if (t->kind == TYPE_STRUCT || t->kind == TYPE_CLASS || t->kind == TYPE_UNION) {
		const struct type_member *m = member_at(t, offset);
		if (!m)
			return;
		if (m->name && !m->is_base)
			strbuf_addf(out, "%s%s", out->len > from ? "." : "", m->name);
		add_path(m->type, offset - m->bit_offset / 8, out, from, depth + 1);
	}
}

void member_path(const struct type *t, uint64_t offset, struct strbuf *out)
{
	add_path(t, offset, out, out->len, 0);
}

bool member_text(const struct type *t, uint64_t offset, struct strbuf *out)
{
	if (!type_text(t, out))
		return false;
	strbuf_addf(out, " +%#" PRIx64 " (", offset);
	size_t from = out->len;
	add_path(t, offset, out, from, 0);
	strbuf_addstr(out, out->len > from ? ")" : "no field)");
	return true;
}

const struct type *member_type(const struct type *t, uint64_t offset)
{
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		const struct type *of = type_strip(t);
		uint64_t bytes = of && of->kind == TYPE_ARRAY ? type_bytes(type_target(of)) : 0;
		if (bytes) {
			t = type_target(of);
			offset %= bytes;
		} else if (of && (of->kind == TYPE_STRUCT || of->kind == TYPE_CLASS || of->kind == TYPE_UNION)) {
			const struct type_member *m = member_at(of, offset);
			if (!m || m->bits)
				return NULL;
			t = m->type;
			offset -= m->bit_offset / 8;
		} else {
			return of && !offset ? t : NULL;
		}
	}
	return NULL;
}
