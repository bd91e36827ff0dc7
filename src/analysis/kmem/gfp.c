#include "analysis/kmem/gfp.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

static const struct {
	const char *name, *brief;
} names[] = {
#define GFP_NAME(name, brief) { name, brief },
#include "analysis/kmem/gfp_names.def"
#undef GFP_NAME
};

void gfp_texts_deinit(struct gfp_texts *t)
{
	arena_deinit(&t->arena);
	vec_deinit(&t->list);
	u64map_deinit(&t->by_flags);
}

bool gfp_texts_has(const struct gfp_texts *t, uint32_t flags)
{
	return u64map_get(&t->by_flags, flags);
}

static const struct gfp_text *text_of(const struct gfp_texts *t, uint32_t flags)
{
	const uint64_t *at = u64map_get(&t->by_flags, flags);
	return at ? &t->list.data[*at] : NULL;
}

const char *gfp_brief(const struct gfp_texts *t, uint32_t flags)
{
	const struct gfp_text *text = text_of(t, flags);
	return text ? text->brief : "";
}

const char *gfp_full(const struct gfp_texts *t, uint32_t flags)
{
	const struct gfp_text *text = text_of(t, flags);
	return text ? text->full : "";
}

/* A flag that perf has no short name for has its own, which perf leaves out. */
static void put_brief(struct strbuf *b, const char *name, size_t n)
{
	if (b->len)
		strbuf_addch(b, '|');
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strncmp(names[i].name, name, n) && !names[i].name[n]) {
			strbuf_addstr(b, names[i].brief);
			return;
		}
	}
	strbuf_add(b, name, n);
}

void gfp_texts_add(struct gfp_texts *t, uint32_t flags, const char *line, size_t bytes)
{
	static const char label[] = "gfp_flags=";
	_cleanup_strbuf_ struct strbuf brief = {};
	const char *end = line + bytes, *at = memmem(line, bytes, label, strlen(label));
	at = at ? at + strlen(label) : end;
	const char *stop = memchr(at, ' ', (size_t)(end - at));
	stop = stop ? stop : end;
	struct gfp_text text = { .flags = flags, .full = arena_strndup(&t->arena, at, (size_t)(stop - at)) };
	while (at < stop) {
		const char *bar = memchr(at, '|', (size_t)(stop - at));
		put_brief(&brief, at, (size_t)((bar ? bar : stop) - at));
		at = bar ? bar + 1 : stop;
	}
	text.brief = arena_strdup(&t->arena, strbuf_str(&brief));
	if (brief.len > t->brief_width)
		t->brief_width = brief.len;
	*u64map_put(&t->by_flags, flags, NULL) = t->list.len;
	vec_push(&t->list, text);
}

static int by_flags(const void *a, const void *b)
{
	const struct gfp_text *x = a, *y = b;
	return x->flags < y->flags ? -1 : x->flags > y->flags;
}

void gfp_texts_sort(struct gfp_texts *t)
{
	if (t->list.len)
		qsort(t->list.data, t->list.len, sizeof(*t->list.data), by_flags);
	for (size_t i = 0; i < t->list.len; i++)
		*u64map_put(&t->by_flags, t->list.data[i].flags, NULL) = i;
}
