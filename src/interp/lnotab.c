#include "interp/lnotab.h"

enum { STEP = 127, PIECE = 255, BYTES_MAX = 1 << 16 };

static void put_pair(struct strbuf *to, uint32_t bytes, int32_t lines)
{
	strbuf_addch(to, (char)bytes);
	strbuf_addch(to, (char)lines);
}

struct lnotab_writer lnotab_begin(struct strbuf *to, uint32_t first_line)
{
	return (struct lnotab_writer){ .to = to, .before = to->len, .line = first_line };
}

static bool has_room(const struct lnotab_writer *w)
{
	return w->to->len - w->before < BYTES_MAX;
}

bool lnotab_put(struct lnotab_writer *w, uint32_t offset, uint32_t line)
{
	int64_t change = (int64_t)line - w->line;
	if (!change || offset < w->last)
		return has_room(w);
	for (; offset - w->last > PIECE && has_room(w); w->last += PIECE)
		put_pair(w->to, PIECE, 0);
	do {
		int64_t step = change > STEP ? STEP : change < -STEP ? -STEP : change;
		put_pair(w->to, offset - w->last, (int32_t)step);
		change -= step;
		w->last = offset;
	} while (change && has_room(w));
	w->line = line;
	return has_room(w);
}
