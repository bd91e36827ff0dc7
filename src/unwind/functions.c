#include "unwind/functions.h"

#include <stdlib.h>

#include "unwind/bare_code.h"
#include "unwind/cfi_priv.h"

static void add_fdes(struct object *o, const struct object_frames *frames, struct unwind_functions *to)
{
	const struct object_header *h = object_header(o);
	struct cfi_section s = { .frames = *frames, .is_64bit = h->is_64bit, .swap = h->swap };
	struct cfi_fdes fdes = {};
	cfi_read_cies(&s);
	cfi_read_fdes(&s, 0, &fdes);
	for (size_t i = 0; i < fdes.list.len; i++)
		vec_push(&to->list, ((struct unwind_function){ fdes.list.data[i].start, fdes.list.data[i].end }));
	vec_deinit(&s.cies);
	vec_deinit(&fdes.list);
}

static void add_frames(struct object *o, struct unwind_functions *to)
{
	struct object_frames frames[2];
	unsigned n = object_frames(o, frames);
	for (unsigned i = 0; i < n; i++)
		add_fdes(o, &frames[i], to);
}

/* A word that is an offset of 31 bits from where it lies. */
static uint64_t prel31(uint32_t word, uint64_t at)
{
	return (uint32_t)(at + (uint64_t)(int64_t)((int32_t)(word << 1) >> 1));
}

/* Entries are sorted, of two words each; the last one leads to the end of the code. */
static void add_exidx(struct object *o, struct unwind_functions *to)
{
	const struct object_section *s = object_find_section(o, ".ARM.exidx");
	if (!s || object_header(o)->is_64bit)
		return;
	struct cursor c = object_section_cursor(o, s);
	for (uint64_t before = 0; cursor_left(&c) >= 8;) {
		uint64_t start = prel31(cursor_u32(&c), s->addr + cursor_offset(&c) - 4);
		cursor_skip(&c, 4);
		if (before && start > before)
			vec_push(&to->list, ((struct unwind_function){ before, start }));
		before = start;
	}
}

static bool is_code(const struct object *o, const struct unwind_function *f)
{
	for (size_t i = 0; i < object_segments_count(o); i++) {
		const struct object_segment *s = object_segment(o, i);
		if (s->type == 1 /* PT_LOAD */ && s->flags & 1 /* PF_X */ && f->start >= s->vaddr &&
		    f->start - s->vaddr < s->memory_bytes && f->end - s->vaddr <= s->memory_bytes)
			return true;
	}
	return false;
}

static int by_start(const void *a, const void *b)
{
	const struct unwind_function *x = a, *y = b;
	return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->end < y->end ? -1 : x->end > y->end;
}

/* Of ranges that overlap, a later one ends an earlier one; of those with one start the shortest remains. */
static void make_disjoint(const struct object *o, struct unwind_functions *f)
{
	size_t n = 0;
	if (f->list.len)
		qsort(f->list.data, f->list.len, sizeof(*f->list.data), by_start);
	for (size_t i = 0; i < f->list.len; i++) {
		struct unwind_function one = f->list.data[i];
		struct unwind_function *last = n ? &f->list.data[n - 1] : NULL;
		if (one.end <= one.start || !is_code(o, &one) || (last && last->start == one.start))
			continue;
		if (last && last->end > one.start)
			last->end = one.start;
		f->list.data[n++] = one;
	}
	f->list.len = n;
}

/* Those of code that no unwind information covers. */
static void add_bare(struct object *o, struct object *debug, struct unwind_functions *to)
{
	struct bare_code bare = {};
	if (!bare_code_is_known(o))
		return;
	bare_code_read_starts(&bare, o, debug);
	bare_code_analyse_rest(&bare, o, to);
	for (size_t i = 0; i < bare.functions.len; i++)
		vec_push(&to->list, bare.functions.data[i]);
	bare_code_deinit(&bare);
}

void unwind_functions_of(struct object *o, struct object *debug, struct unwind_functions *ret)
{
	*ret = (struct unwind_functions){};
	add_frames(o, ret);
	if (debug && object_header(debug)->is_64bit == object_header(o)->is_64bit)
		add_frames(debug, ret);
	add_exidx(o, ret);
	make_disjoint(o, ret);
	add_bare(o, debug, ret);
	make_disjoint(o, ret);
}

const struct unwind_function *unwind_function_at(const struct unwind_functions *f, uint64_t vaddr)
{
	size_t i = vec_search(&f->list, one, one->start <= vaddr);
	return i && vaddr < f->list.data[i - 1].end ? &f->list.data[i - 1] : NULL;
}
