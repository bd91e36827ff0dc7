/* The browser on the screen. */
#include <string.h>

#include "view/cells.h"
#include "view/tui/browser_priv.h"

#define STEP 3 /* columns from one level of a call tree to the next */
#define DELTA 9 /* columns of a difference */

static void add_title(const struct browser *b, bool is_short, struct strbuf *out)
{
	const struct report_part *p = browser_part(b);
	const struct row_zoom *z = browser_zoom_shown(b);
	uint64_t samples = p->samples;
	char unit = cell_shorten(&samples);
	strbuf_addf(out, "Samples: %llu%c of event%s '%s'", (unsigned long long)samples, unit, p->is_group ? "s" : "", p->event_name);
	if (b->ui.hooks->status)
		b->ui.hooks->status(b->ui.hooks->ctx, out);
	ui_add_count(out, p->period, is_short);
	if (z->dso)
		strbuf_addf(out, ", DSO: %s", z->dso);
	if (z->kernel)
		strbuf_addstr(out, ", Kernel");
	if (z->by_tid)
		strbuf_addf(out, ", Thread: %s(%llu)", z->name ? z->name : "", (unsigned long long)z->tid);
	else if (z->comm)
		strbuf_addf(out, ", Thread: %s", z->comm);
	if (z->by_socket)
		strbuf_addf(out, ", Processor Socket: %llu", (unsigned long long)z->socket);
	if (z->symbol)
		strbuf_addf(out, ", Filter: %s", z->symbol);
	if (z->to_ns)
		strbuf_addf(out, ", Time: %llu.%09llu-%llu.%09llu", (unsigned long long)z->from_ns / 1000000000,
			    (unsigned long long)z->from_ns % 1000000000, (unsigned long long)z->to_ns / 1000000000,
			    (unsigned long long)z->to_ns % 1000000000);
	/* A long path would leave no room for the rest. */
	const char *slash = strrchr(strbuf_str(&b->base_name), '/');
	if (b->base_name.len)
		strbuf_addf(out, ", Compared with %s", slash ? slash + 1 : strbuf_str(&b->base_name));
	if (b->own.percent_limit > 0)
		strbuf_addf(out, ", Limit: %.2f%%", b->own.percent_limit);
}

void browser_title(const struct browser *b, unsigned columns, struct strbuf *out)
{
	strbuf_reset(out);
	add_title(b, false, out);
	if (screen_width(strbuf_str(out), out->len) <= columns)
		return;
	strbuf_reset(out);
	add_title(b, true, out);
}

static enum ink ink_of(double percent)
{
	return percent >= 5 ? INK_HIGH : percent > 0.5 ? INK_MEDIUM : INK_NORMAL;
}

struct pen {
	struct browser *b;
	struct strbuf *text; /* or to the screen: */
	unsigned y, x;
	bool selected;
};

static void put(struct pen *p, enum ink ink, const char *s, size_t n)
{
	if (p->text)
		strbuf_add(p->text, s, n);
	else
		p->x += screen_line_text(p->b->ui.s, p->y, p->x, p->selected ? INK_SELECTED : ink, s, n);
}

static void put_blanks(struct pen *p, unsigned n)
{
	for (; n; n--)
		put(p, INK_NORMAL, " ", 1);
}

static enum ink bar_ink_of(double percent)
{
	return percent >= 5 ? INK_BAR_HIGH : percent > 0.5 ? INK_BAR_MEDIUM : INK_BAR;
}

/* A percentage on a bar, which fills its cell for the largest one of its column. */
static void put_percent(struct pen *p, uint32_t field, double percent, const struct strbuf *cell)
{
	double largest = p->b->largest[field], share = largest > 0 && percent > 0 ? percent / largest : 0;
	size_t bar = (size_t)((double)cell->len * (share < 1 ? share : 1) + 0.5);
	put(p, bar_ink_of(percent), strbuf_str(cell), bar);
	put(p, ink_of(percent), strbuf_str(cell) + bar, cell->len - bar);
}

static void put_value(struct pen *p, uint32_t field, const struct hist_stat *stats)
{
	struct browser *b = p->b;
	const struct hist_key *k = &b->own.fields[field];
	const struct report_part *part = browser_part(b);
	uint32_t events = part->is_group ? part->hist->options.events_nr : 1;
	unsigned used = 0, width = cell_header_width(&b->own, part, k, b->widths[field]);
	for (uint32_t j = 0; j < events; j++) {
		struct strbuf cell = {};
		double percent = report_percent(hist_value(&stats[j], k->column),
						report_column_total(&b->own, part, j, k->column));
		cell_value(&b->own, part, k, &stats[j], j, b->widths[field], &cell);
		if (cell_is_percent(k))
			put_percent(p, field, percent, &cell);
		else
			put(p, INK_NORMAL, strbuf_str(&cell), cell.len);
		used += (unsigned)cell.len;
		strbuf_deinit(&cell);
	}
	if (used < width)
		put_blanks(p, width - used);
}

static enum ink name_ink(const struct browser *b, const struct hist_key *k, const char *cell, size_t n)
{
	if (k->column->id == COLUMN_SYMBOL && b->search.len && memmem(cell, n, b->search.data, b->search.len))
		return INK_FOUND;
	return INK_NORMAL;
}

/* Blank values, for a row that only the base has. */
static void put_missing(struct pen *p, const struct row_missing *m)
{
	struct browser *b = p->b;
	bool first = true;
	for (uint32_t i = 0; i < b->own.fields_nr; i++) {
		const struct hist_key *k = &b->own.fields[i];
		const char *cell = browser_missing_cell(b, m, k);
		unsigned width = cell_header_width(&b->own, browser_part(b), k, b->widths[i]);
		if (k->elided)
			continue;
		put_blanks(p, first ? 1 : 2);
		first = false;
		size_t n = cell ? strlen(cell) : 0;
		unsigned used = !cell ? 0 : p->text ? (unsigned)n : screen_width(cell, n);
		bool right = cell_is_right(k);
		put_blanks(p, right && used < width ? width - used : 0);
		put(p, INK_DIM, cell ? cell : "", n);
		put_blanks(p, !right && i + 1 < b->own.fields_nr && used < width ? width - used : 0);
	}
}

static void put_entry(struct pen *p, const struct hist_entry *e)
{
	struct browser *b = p->b;
	const struct hist *h = browser_part(b)->hist;
	struct strbuf cell = {};
	bool first = true;
	for (uint32_t i = 0; i < b->own.fields_nr; i++) {
		const struct hist_key *k = &b->own.fields[i];
		if (k->elided)
			continue;
		put_blanks(p, first ? 1 : 2); /* the mark of rows that can be opened takes the place of the first blank */
		first = false;
		if (cell_is_value(k)) {
			put_value(p, i, hist_stats(h, e));
			continue;
		}
		strbuf_reset(&cell);
		column_format(h, k, e, b->widths[i], &cell);
		put(p, name_ink(b, k, strbuf_str(&cell), cell.len), strbuf_str(&cell), cell.len);
		unsigned used = p->text ? (unsigned)cell.len : screen_width(strbuf_str(&cell), cell.len);
		if (i + 1 < b->own.fields_nr && used < b->widths[i])
			put_blanks(p, b->widths[i] - used);
	}
	strbuf_deinit(&cell);
}

/* One level of a hierarchy: its sums, and only the value of its key. */
static void put_level(struct pen *p, const struct row_line *l)
{
	struct browser *b = p->b;
	const struct levels *all = &b->rows.levels;
	struct strbuf cell = {};
	put_blanks(p, l->depth * STEP + 1);
	for (uint32_t i = 0; i < b->own.fields_nr; i++)
		if (cell_is_value(&b->own.fields[i])) {
			put_value(p, i, l->level->stats);
			put_blanks(p, 2);
		}
	put_blanks(p, (all->nr - 1) * STEP);
	column_format(all->hist, all->keys[l->depth], &all->hist->entries.data[l->entry], 0, &cell);
	size_t blanks = strspn(strbuf_str(&cell), " ");
	put(p, name_ink(b, all->keys[l->depth], strbuf_str(&cell), cell.len), strbuf_str(&cell) + blanks, cell.len - blanks);
	strbuf_deinit(&cell);
}

static void put_share(struct pen *p, const struct row_line *l)
{
	const struct calltree_node *n = l->node;
	struct strbuf b = {};
	double percent = report_percent(calltree_total(n), l->whole);
	/* The share of a node that equals its parent is redundant. */
	bool is_all = n->parent && !n->parent->parent && !n->next && n->parent->child == n && calltree_total(n) == l->whole;
	switch (p->b->own.chains.value) {
	case CALLTREE_PERIOD: strbuf_addf(&b, "%llu ", (unsigned long long)calltree_total(n)); break;
	case CALLTREE_COUNT: strbuf_addf(&b, "%llu ", (unsigned long long)(n->hits_samples + n->below_samples)); break;
	case CALLTREE_PERCENT: strbuf_addf(&b, "%.2f%% ", percent); break;
	}
	if (!is_all)
		put(p, ink_of(percent), strbuf_str(&b), b.len);
	strbuf_deinit(&b);
}

static void put_node(struct pen *p, const struct row_line *l)
{
	struct browser *b = p->b;
	const struct hist *h = browser_part(b)->hist;
	const struct profile *profile = h->profile;
	frame_id frame = l->node->frames[l->frame];
	struct strbuf name = {};
	put_blanks(p, l->depth * STEP + (l->frame ? STEP : 0));
	if (!l->frame) {
		put(p, INK_NOTE, l->is_open ? "- " : l->has_more ? "+ " : "  ", 2);
		put_share(p, l);
	} else {
		put_blanks(p, 2);
	}
	report_frame_name(h, frame, b->own.chains.by_address, &name);
	if (b->show_dso && profile->frames.data[frame].mapping != PROFILE_NONE)
		strbuf_addf(&name, "  %s", profile_str(profile, profile->mappings.data[profile->frames.data[frame].mapping].name));
	bool found = b->search.len && strstr(strbuf_str(&name), strbuf_str(&b->search));
	put(p, found ? INK_FOUND : INK_NORMAL, strbuf_str(&name), name.len);
	strbuf_deinit(&name);
}

static void put_line(struct pen *p, const struct row_line *l)
{
	if (l->node) {
		put_node(p, l);
		return;
	}
	const struct row_missing *missing = rows_missing(&p->b->rows, l->entry);
	/* The mark of diff(1) for lines that only the first file has. */
	put(p, INK_NOTE, missing ? "<" : l->is_open ? "-" : l->has_more ? "+" : " ", 1);
	if (l->level) {
		put_level(p, l);
		return;
	}
	if (p->b->has_base) {
		struct strbuf cell = {};
		int64_t delta = browser_delta(p->b, l->entry);
		strbuf_addf(&cell, " %+7.2f%%", (double)delta / 10000);
		put(p, delta >= 5000 || delta <= -5000 ? INK_MEDIUM : INK_NORMAL, strbuf_str(&cell), cell.len);
		strbuf_deinit(&cell);
	}
	if (missing)
		put_missing(p, missing);
	else
		put_entry(p, &browser_part(p->b)->hist->entries.data[l->entry]);
}

void browser_line_text(struct browser *b, const struct row_line *l, struct strbuf *out)
{
	struct pen p = { .b = b, .text = out };
	put_line(&p, l);
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	strbuf_addch(out, '\n');
}

/* "Overhead  Command / Shared Object / Symbol", above sums and names. */
static void draw_level_heads(struct browser *b, unsigned y)
{
	const struct report_part *part = browser_part(b);
	const struct levels *all = &b->rows.levels;
	struct strbuf head = {};
	strbuf_addstr(&head, "  ");
	for (uint32_t i = 0; i < b->own.fields_nr; i++)
		if (cell_is_value(&b->own.fields[i])) {
			cell_add_header(&b->own, part, &b->own.fields[i], b->widths[i], &head);
			strbuf_addstr(&head, "  ");
		}
	for (uint32_t i = 0; all->nr && i < (all->nr - 1) * STEP; i++)
		strbuf_addch(&head, ' ');
	for (uint32_t i = 0; i < all->nr; i++) {
		const char *name = cell_header(&b->own, part, all->keys[i]);
		strbuf_addf(&head, "%s%s", i ? " / " : "", name + strspn(name, " "));
	}
	ui_line(&b->ui, y, INK_HEAD, strbuf_str(&head));
	strbuf_deinit(&head);
}

static void draw_head(struct browser *b, unsigned y)
{
	const struct report_part *part = browser_part(b);
	unsigned x = screen_text(b->ui.s, y, 0, INK_HEAD, "  ", 2, 2);
	if (b->has_base)
		x += screen_text(b->ui.s, y, x, browser_sorts_by_delta(b) ? INK_NOTE : INK_HEAD, "   Delta ", DELTA, DELTA);
	bool first = true;
	for (uint32_t i = 0; i < b->own.fields_nr; i++) {
		const struct hist_key *k = &b->own.fields[i];
		struct strbuf cell = {};
		if (k->elided)
			continue;
		if (!first)
			x += screen_text(b->ui.s, y, x, INK_HEAD, "  ", 2, 2);
		first = false;
		cell_add_header(&b->own, part, k, b->widths[i], &cell);
		x += screen_text(b->ui.s, y, x, (int)i == b->sort_field ? INK_NOTE : INK_HEAD, strbuf_str(&cell), cell.len,
				 screen_columns(b->ui.s));
		strbuf_deinit(&cell);
	}
	unsigned columns = screen_columns(b->ui.s);
	if (x < columns)
		screen_fill(b->ui.s, y, x, INK_HEAD, ' ', columns - x);
}

int browser_field_at(const struct browser *b, unsigned x)
{
	unsigned at = b->has_base ? DELTA : 0;
	if (x < at)
		return (int)b->own.fields_nr;
	for (uint32_t i = 0; i < b->own.fields_nr; i++) {
		const struct hist_key *k = &b->own.fields[i];
		if (k->elided)
			continue;
		at += 2 + cell_header_width(&b->own, browser_part(b), k, b->widths[i]);
		if (x < at)
			return (int)i;
	}
	return -1;
}

static void draw_bottom(struct browser *b, unsigned y)
{
	static const struct ui_key_name keys[] = {
		{ "h", "Help" }, { "Enter", "Menu" }, { "+", "Open" }, { "a", "Code" }, { "g", "Flame graph" }, { "T", "Time" },
		{ "/", "Filter" }, { "D", "Compare" }, { "P", "Save" }, { "q", "Quit" },
	};
	struct strbuf text = {};
	if (b->message.len)
		strbuf_addstr(&text, strbuf_str(&b->message));
	else if (b->strip.has_focus)
		strip_status(b, &text);
	if (text.len)
		ui_bar(&b->ui, y, strbuf_str(&text));
	else
		ui_key_bar(&b->ui, y, keys, sizeof(keys) / sizeof(*keys));
	strbuf_deinit(&text);
}

/* Explains why there are no rows, since an empty screen looks like a hang. */
static void draw_why_empty(struct browser *b, unsigned y)
{
	struct strbuf text = {};
	if (!browser_part(b)->hist->order_nr)
		strbuf_addstr(&text, "  No samples.");
	else
		strbuf_addf(&text, "  No rows match the filters (%u rows without them). Esc removes the last filter, / changes the text.",
			    browser_part(b)->hist->order_nr);
	ui_line(&b->ui, y, INK_NOTE, strbuf_str(&text));
	strbuf_deinit(&text);
}

void browser_draw(struct browser *b)
{
	struct strbuf title = {};
	strip_look(b);
	unsigned rows = screen_rows(b->ui.s), room = browser_room(b), y = 0;
	screen_clear(b->ui.s);
	browser_title(b, screen_columns(b->ui.s), &title);
	ui_bar(&b->ui, y++, strbuf_str(&title));
	if (browser_top(b) > y) {
		strbuf_reset(&title);
		b->ui.hooks->system(b->ui.hooks->ctx, &title);
		ui_line(&b->ui, y++, INK_NORMAL, strbuf_str(&title));
	}
	strbuf_deinit(&title);
	strip_draw(b, y);
	y += strip_height(b);
	if (!b->no_head && rows > 3 && b->own.hierarchy)
		draw_level_heads(b, y++);
	else if (!b->no_head && rows > 3)
		draw_head(b, y++);
	if (b->at < b->first)
		b->first = b->at;
	b->at = rows_look_back(&b->rows, b->at, b->at - b->first < room ? b->at - b->first : room);
	if (b->at >= b->first + room)
		b->first = b->at - room + 1;
	rows_look(&b->rows, b->first, room);
	if (!b->rows.lines.len && room)
		draw_why_empty(b, y);
	for (unsigned i = 0; i < room && b->first + i < b->rows.lines.len; i++) {
		struct pen p = { .b = b, .y = y + i, .selected = b->first + i == b->at };
		put_line(&p, &b->rows.lines.data[b->first + i]);
		if (p.selected && p.x < screen_columns(b->ui.s))
			screen_fill(b->ui.s, p.y, p.x, INK_SELECTED, ' ', screen_columns(b->ui.s) - p.x);
	}
	if (rows > 2)
		draw_bottom(b, rows - 1);
	screen_flush(b->ui.s);
}
