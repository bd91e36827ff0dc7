/* The timeline above the rows: samples as bars, and a span to which the report can be limited. */
#include <stdlib.h>
#include <string.h>

#include "view/tui/browser_priv.h"

#define BARS_MOST 3     /* rows of bars, where there is room */
#define ROWS_FOR_BARS 20
#define LEVELS 8        /* of a bar in one cell */
#define LEVELS_ASCII 3

void strip_forget(struct browser *b)
{
	free(b->strip.times.samples);
	b->strip.times = (struct time_counts){};
	b->strip.columns = 0;
	b->strip.begun = false;
}

static unsigned bars(const struct browser *b)
{
	return screen_rows(b->ui.s) >= ROWS_FOR_BARS ? BARS_MOST : 1;
}

unsigned strip_height(const struct browser *b)
{
	/* The bars and the selection; leaves room for at least a title, a row and the last line. */
	return b->strip.is_shown && screen_rows(b->ui.s) >= 6 ? bars(b) + 1 : 0;
}

static struct time_range span_of(const struct row_zoom *z)
{
	return (struct time_range){ z->from_ns, z->to_ns };
}

static void close_strip(struct browser *b)
{
	b->strip.is_shown = b->strip.has_focus = false;
	strip_forget(b);
}

/* Gets the samples of the report's time, in one step per column. */
void strip_look(struct browser *b)
{
	struct strip *s = &b->strip;
	const struct browse_hooks *h = b->ui.hooks;
	unsigned columns = screen_columns(b->ui.s);
	if (!strip_height(b) || s->columns == columns)
		return;
	strip_forget(b);
	s->columns = columns;
	struct strobe_error *err = h->times(h->ctx, browser_part(b), span_of(browser_zoom_shown(b)), columns, &s->times);
	if (err) {
		close_strip(b);
		strbuf_reset(&b->message);
		strbuf_addstr(&b->message, err->message);
		error_destroy(err);
	}
	if (s->at >= s->times.nr)
		s->at = s->times.nr ? s->times.nr - 1 : 0;
}

void strip_open(struct browser *b)
{
	struct strip *s = &b->strip;
	if (!b->ui.hooks->times) {
		strbuf_addstr(&b->message, "timestamps are not available");
		return;
	}
	if (s->has_focus) {
		close_strip(b);
		return;
	}
	s->is_shown = s->has_focus = true;
	s->at = 0;
	if (!strip_height(b)) {
		close_strip(b);
		strbuf_addstr(&b->message, "the screen is too small for the timeline");
		return;
	}
	strip_look(b);
}

/* ---- the span ---- */

static void marked(const struct strip *s, unsigned *ret_first, unsigned *ret_last)
{
	unsigned begin = s->begun ? s->begin : s->at;
	*ret_first = begin < s->at ? begin : s->at;
	*ret_last = begin < s->at ? s->at : begin;
}

/* The marked steps in nanoseconds, within the span shown. */
static struct time_range marked_span(const struct strip *s)
{
	const struct time_counts *t = &s->times;
	unsigned first, last;
	marked(s, &first, &last);
	struct time_range span = {
		.from_ns = t->first_ns + first * t->step_ns,
		.to_ns = t->first_ns + (last + 1) * t->step_ns - 1,
	};
	span.from_ns = span.from_ns > t->span.from_ns ? span.from_ns : t->span.from_ns;
	span.to_ns = span.to_ns < t->span.to_ns ? span.to_ns : t->span.to_ns;
	return span;
}

bool browser_narrow(struct browser *b, struct time_range span)
{
	const struct browse_hooks *h = b->ui.hooks;
	const struct report *report = NULL;
	rows_forget(&b->rows);
	struct strobe_error *err = h->narrow(h->ctx, span, &report);
	if (err) {
		strbuf_addstr(&b->message, err->message);
		error_destroy(err);
		rows_make_lines(&b->rows);
	} else {
		/* Rows get new indexes: open ones are remembered by index, unless reports follow each other. */
		if (!h->by_name)
			rows_forget_open(&b->rows);
		b->at = b->first = 0;
		browser_set(b, report, browser_part_named(report, strbuf_str(&b->event)));
		strip_forget(b);
	}
	return report != NULL;
}

struct time_range strip_marked(const struct browser *b)
{
	return marked_span(&b->strip);
}

static void narrow(struct browser *b)
{
	struct time_range span = strip_marked(b);
	browser_push_zoom(b);
	browser_zoom(b)->from_ns = span.from_ns;
	browser_zoom(b)->to_ns = span.to_ns;
	if (browser_narrow(b, span))
		b->strip.has_focus = false;
	else
		browser_drop_zoom(b);
}

/* ---- drawing ---- */

static void draw_bars(struct browser *b, unsigned y)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii_blocks[] = { " ", ".", ":", "|" };
	bool ascii = screen_is_ascii(b->ui.s);
	const char *const *shapes = ascii ? ascii_blocks : blocks;
	const struct time_counts *t = &b->strip.times;
	unsigned levels = ascii ? LEVELS_ASCII : LEVELS, rows = bars(b), first, last;
	uint64_t most = 1;
	marked(&b->strip, &first, &last);
	for (unsigned i = 0; i < t->nr; i++)
		most = t->samples[i] > most ? t->samples[i] : most;
	for (unsigned i = 0; i < t->nr; i++) {
		double share = (double)t->samples[i] / (double)most;
		unsigned height = (unsigned)(share * rows * levels);
		height += !height && t->samples[i];
		bool is_marked = b->strip.begun && i >= first && i <= last;
		for (unsigned row = 0; row < rows; row++) {
			unsigned below = (rows - 1 - row) * levels, here = height > below ? height - below : 0;
			screen_str(b->ui.s, y + row, i, is_marked ? INK_FOUND : screen_heat(b->ui.s, share),
				   shapes[here < levels ? here : levels]);
		}
	}
}

/* Both ends in seconds from the first sample, and "[===^" for the marked span; the digits make room for it. */
static void draw_marks(struct browser *b, unsigned y)
{
	const struct strip *s = &b->strip;
	const struct time_counts *t = &s->times;
	unsigned columns = screen_columns(b->ui.s), first = columns, last = 0;
	static const char begin[] = "0 s";
	struct strbuf end = {};
	strbuf_addf(&end, "%.6f s", (double)(t->span.to_ns - t->span.from_ns) / 1e9);
	if (s->has_focus)
		marked(s, &first, &last);
	unsigned begin_len = sizeof(begin) - 1, end_len = (unsigned)end.len, begin_x = first > begin_len ? 0 : last + 2;
	unsigned end_x = last + 1 < columns - end_len || !s->has_focus ? columns - end_len : first - end_len - 1;
	bool has_begin = begin_x + begin_len + 1 < columns - end_len;
	if (has_begin)
		screen_str(b->ui.s, y, begin_x, INK_DIM, begin);
	if (end_len < columns / 2 && end_x < columns && (!has_begin || end_x > begin_x + begin_len))
		screen_str(b->ui.s, y, end_x, INK_DIM, strbuf_str(&end));
	strbuf_deinit(&end);
	if (!s->has_focus)
		return;
	for (unsigned i = first; i <= last && i < columns; i++)
		screen_str(b->ui.s, y, i, INK_NOTE, i == s->at ? "^" : i == first ? "[" : i == last ? "]" : "=");
}

void strip_status(const struct browser *b, struct strbuf *out)
{
	const struct time_counts *t = &b->strip.times;
	struct time_range span = strip_marked(b);
	uint64_t in = 0, all = 0;
	unsigned first, last;
	marked(&b->strip, &first, &last);
	for (unsigned i = 0; i < t->nr; i++) {
		all += t->samples[i];
		in += i >= first && i <= last ? t->samples[i] : 0;
	}
	strbuf_addf(out, "%llu of %llu, %.6f-%.6f s; Space %s, Enter selects, Esc: back", (unsigned long long)in,
		    (unsigned long long)all, (double)span.from_ns / 1e9, (double)span.to_ns / 1e9, b->strip.begun ? "drops" : "begins");
}

void strip_draw(struct browser *b, unsigned y)
{
	if (!strip_height(b))
		return;
	draw_bars(b, y);
	draw_marks(b, y + bars(b));
}

/* ---- keys ---- */

static void move(struct strip *s, long by)
{
	long at = (long)s->at + by, last = s->times.nr ? (long)s->times.nr - 1 : 0;
	s->at = (unsigned)(at < 0 ? 0 : at > last ? last : at);
}

/* Dragging selects the span. A click begins it, or ends one that was begun. */
static bool mouse(struct browser *b, const struct screen_key *k)
{
	struct strip *s = &b->strip;
	unsigned top = browser_top(b);
	bool inside = k->y >= top && k->y < top + strip_height(b) && s->times.nr;
	unsigned at = k->x < s->times.nr ? k->x : s->times.nr - 1;
	if (k->key == KEY_IS_CLICK && !inside)
		return false;
	if (k->key == KEY_IS_RELEASE && (!inside || !s->has_focus || !s->begun))
		return true;
	bool had_begun = s->begun && k->key == KEY_IS_CLICK;
	s->has_focus = true;
	s->at = at;
	if (had_begun || (k->key == KEY_IS_RELEASE && at != s->begin)) {
		narrow(b);
	} else if (k->key == KEY_IS_CLICK) {
		s->begun = true;
		s->begin = at;
	}
	return true;
}

static bool focused_key(struct browser *b, uint32_t key)
{
	struct strip *s = &b->strip;
	long tenth = s->times.nr / 10 + 1;
	switch (key) {
	case KEY_IS_LEFT: move(s, -1); return true;
	case KEY_IS_RIGHT: move(s, 1); return true;
	case KEY_IS_PAGE_UP: move(s, -tenth); return true;
	case KEY_IS_PAGE_DOWN: move(s, tenth); return true;
	case KEY_IS_HOME: move(s, -(long)s->times.nr); return true;
	case KEY_IS_END: move(s, s->times.nr); return true;
	case ' ':
		s->begun = !s->begun;
		s->begin = s->at;
		return true;
	case KEY_IS_ENTER: narrow(b); return true;
	case KEY_IS_ESCAPE:
		if (s->begun)
			s->begun = false;
		else
			close_strip(b);
		return true;
	case 'q': close_strip(b); return true;
	default: return false;
	}
}

bool strip_key(struct browser *b, const struct screen_key *k)
{
	if (k->key == KEY_IS_RELEASE || k->key == KEY_IS_CLICK)
		return b->strip.is_shown ? mouse(b, k) : k->key == KEY_IS_RELEASE;
	return b->strip.has_focus && focused_key(b, k->key);
}
