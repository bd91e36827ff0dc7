#include "view/tui/browser.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "view/cells.h"
#include "view/tui/browser_priv.h"

#define ROWS_FOR_SYSTEM 12

unsigned browser_top(const struct browser *b)
{
	return 1 + (b->ui.hooks->system && screen_rows(b->ui.s) >= ROWS_FOR_SYSTEM);
}

unsigned browser_room(const struct browser *b)
{
	unsigned rows = screen_rows(b->ui.s), other = (rows > 2) + browser_top(b) + (!b->no_head && rows > 3) + strip_height(b);
	return rows > other ? rows - other : 1;
}

/* ---- what is shown ---- */

static void free_zoom(struct row_zoom *z)
{
	free((char *)z->dso);
	free((char *)z->comm);
	free((char *)z->name);
	free((char *)z->symbol);
	*z = (struct row_zoom){};
}

static struct row_zoom copy_zoom(const struct row_zoom *z)
{
	struct row_zoom copy = *z;
	copy.dso = z->dso ? xstrdup(z->dso) : NULL;
	copy.comm = z->comm ? xstrdup(z->comm) : NULL;
	copy.name = z->name ? xstrdup(z->name) : NULL;
	copy.symbol = z->symbol ? xstrdup(z->symbol) : NULL;
	return copy;
}

void browser_push_zoom(struct browser *b)
{
	if (b->zooms_nr == ZOOMS_MAX) {
		free_zoom(&b->zooms[0]);
		memmove(b->zooms, b->zooms + 1, (ZOOMS_MAX - 1) * sizeof(*b->zooms));
		b->zooms_nr--;
	}
	b->zooms[b->zooms_nr] = copy_zoom(&b->zooms[b->zooms_nr - 1]);
	b->zooms_nr++;
}

void browser_forget_zooms(struct browser *b)
{
	while (b->zooms_nr)
		free_zoom(&b->zooms[--b->zooms_nr]);
	b->zooms_nr = 1;
}

void browser_drop_zoom(struct browser *b)
{
	free_zoom(&b->zooms[--b->zooms_nr]);
}

bool browser_pop_zoom(struct browser *b)
{
	if (b->zooms_nr < 2)
		return false;
	const struct row_zoom *z = browser_zoom_shown(b), *below = z - 1;
	bool same = z->from_ns == below->from_ns && z->to_ns == below->to_ns;
	if (!same && !browser_narrow(b, (struct time_range){ below->from_ns, below->to_ns }))
		return true;
	browser_drop_zoom(b);
	browser_filter(b);
	return true;
}

struct browser_place browser_place(const struct browser *b)
{
	const struct row_line *l = browser_line(b);
	struct browser_place p = { .set_nr = b->set_nr };
	if (!l)
		return p;
	while (p.nth < b->at && b->rows.lines.data[b->at - p.nth].node)
		p.nth++;
	const struct row_line *own = &b->rows.lines.data[b->at - p.nth];
	p.id = own->level ? own->id : rows_entry_id(&b->rows, l->entry);
	p.entry = l->entry;
	p.is_missing = rows_missing(&b->rows, l->entry);
	return p;
}

/* Names are compared only in another report: making the names of all rows would take too long for a key. */
static bool is_place(const struct browser *b, const struct row_line *l, const struct browser_place *p)
{
	if (l->node)
		return false;
	if (l->level)
		return l->id == p->id;
	if (p->set_nr == b->set_nr && !rows_missing(&b->rows, l->entry))
		return !p->is_missing && l->entry == p->entry;
	return rows_entry_id(&b->rows, l->entry) == p->id;
}

void browser_go_to(struct browser *b, struct browser_place p)
{
	if (b->at >= b->rows.lines.len)
		b->at = b->rows.lines.len ? b->rows.lines.len - 1 : 0;
	for (size_t i = 0; p.id && i < b->rows.lines.len; i++) {
		if (!is_place(b, &b->rows.lines.data[i], &p))
			continue;
		b->at = i;
		/* Below it, as far as there are lines. */
		rows_look(&b->rows, i, p.nth + 1);
		while (p.nth && b->at + 1 < b->rows.lines.len && b->rows.lines.data[b->at + 1].node) {
			b->at++;
			p.nth--;
		}
		return;
	}
}

static void remake(struct browser *b)
{
	struct browser_place p = browser_place(b);
	rows_make_lines(&b->rows);
	browser_go_to(b, p);
}

void browser_filter(struct browser *b)
{
	struct browser_place p = browser_place(b);
	rows_filter(&b->rows, browser_zoom(b));
	browser_go_to(b, p);
}

void browser_put_in_order(struct browser *b)
{
	if (browser_sorts_by_delta(b)) {
		browser_order_by_delta(b);
		return;
	}
	if (b->sort_field >= 0 && b->sort_field < (int)b->own.fields_nr)
		hist_reorder(browser_part(b)->hist, &b->own.fields[b->sort_field], b->sort_event);
	else
		b->sort_field = -1;
	browser_put_missing_last(b);
}

static int columns_to_sort_by(const struct browser *b)
{
	return (int)b->own.fields_nr + b->has_base;
}

void browser_sort(struct browser *b, int field)
{
	if (field < 0 || field >= columns_to_sort_by(b))
		return;
	if (b->own.hierarchy) {
		strbuf_addstr(&b->message, "levels are sorted by their totals");
		return;
	}
	b->sort_field = field;
	browser_put_in_order(b);
	browser_filter(b);
}

/* Sorts by one of the events that are shown side by side. */
static void sort_by_event(struct browser *b, uint32_t event)
{
	const struct report_part *part = browser_part(b);
	if (!part->is_group || event >= part->hist->options.events_nr) {
		strbuf_addf(&b->message, part->is_group ? "the group has no event %u" : "event %u is not part of a group: use --group",
			    event);
		return;
	}
	b->sort_event = event;
	browser_sort(b, b->sort_field < 0 ? 0 : b->sort_field);
	if (!b->message.len)
		strbuf_addf(&b->message, "sorted by event %u of the group", event);
}

uint32_t browser_part_named(const struct report *r, const char *name)
{
	for (uint32_t i = 0; i < r->parts_nr; i++)
		if (!strcmp(r->parts[i].event_name, name))
			return i;
	return 0;
}

/* The largest percentage of each column of shares, over all rows. */
static void find_largest(struct browser *b)
{
	const struct report_part *p = browser_part(b);
	const struct hist *h = p->hist;
	b->largest = xcalloc(b->own.fields_nr + 1, sizeof(*b->largest));
	for (uint32_t i = 0; i < b->own.fields_nr; i++) {
		const struct hist_key *k = &b->own.fields[i];
		uint64_t most = 0;
		if (!cell_is_percent(k))
			continue;
		for (uint32_t e = 0; e < h->order_nr; e++) {
			uint64_t value = hist_value(hist_stats(h, &h->entries.data[h->order[e]]), k->column);
			most = value > most ? value : most;
		}
		b->largest[i] = report_percent(most, report_column_total(&b->own, p, 0, k->column));
	}
}

/* Where reports follow each other, columns get wider but not narrower: the screen would flicker. */
static void set_columns(struct browser *b, const struct report *report)
{
	unsigned *before = b->widths;
	uint32_t before_nr = b->ui.hooks->is_live && before ? b->own.fields_nr : 0;
	const struct hist_key *fields = b->fields;
	b->fields = cell_fields(report, browser_part(b), &b->own.fields_nr);
	b->own.fields = b->fields;
	b->widths = xcalloc(b->own.fields_nr + 1, sizeof(*b->widths));
	cell_widths(&b->own, browser_part(b), b->widths);
	for (uint32_t i = 0; i < b->own.fields_nr && i < before_nr; i++)
		if (fields[i].column == b->fields[i].column && before[i] > b->widths[i])
			b->widths[i] = before[i];
	free((void *)fields);
	free(before);
	free(b->largest);
	find_largest(b);
}

void browser_set(struct browser *b, const struct report *report, uint32_t part)
{
	/* The old report may have been freed: its entries must not be used. */
	double limit = b->own.percent_limit;
	bool relative = b->own.relative, first = !b->given;
	uint32_t fields_nr = b->own.fields_nr;
	b->given = report;
	b->part = part < report->parts_nr ? part : 0;
	if (b->sort_event >= browser_part(b)->hist->options.events_nr)
		b->sort_event = 0;
	b->own = *report;
	b->own.fields_nr = fields_nr;
	if (!first) {
		b->own.percent_limit = limit;
		b->own.relative = relative;
	}
	set_columns(b, report);
	rows_set(&b->rows, &b->own, browser_part(b));
	b->own.totals = b->rows.totals;
	b->set_nr++;
	b->rows.by_name = b->ui.hooks->by_name;
	strbuf_reset(&b->event);
	strbuf_addstr(&b->event, browser_part(b)->event_name);
	browser_match(b);
	browser_put_in_order(b);
	rows_filter(&b->rows, browser_zoom(b));
}

void browser_show_part(struct browser *b, uint32_t part)
{
	vec_clear(&b->rows.lines);
	browser_set(b, b->given, part);
	strip_forget(b);
	rows_forget_open(&b->rows);
	b->at = b->first = 0;
	browser_recompare(b);
	browser_filter(b);
}

/* ---- moving ---- */

static void move(struct browser *b, long by)
{
	/* Lines on the way are created; at the end, those below the last line. */
	if (by == UI_TO_END)
		rows_look_back(&b->rows, b->rows.lines.len, 1);
	else if (by > 0)
		rows_look(&b->rows, b->at, (size_t)by + 1);
	else if (by != UI_TO_BEGIN)
		b->at = rows_look_back(&b->rows, b->at, (size_t)-by);
	b->at = ui_scrolled(b->at, by, b->rows.lines.len);
}

static bool line_matches(struct browser *b, size_t i, const char *text)
{
	struct strbuf line = {};
	browser_line_text(b, &b->rows.lines.data[i], &line);
	bool found = strstr(strbuf_str(&line), text) != NULL;
	strbuf_deinit(&line);
	return found;
}

/* Visits all lines once; lines below open entries are created on the way. */
static void search_from(struct browser *b, size_t from, int step)
{
	size_t left = b->search.len ? b->rows.lines.len : 0, i = from;
	for (; left; left--) {
		size_t n = b->rows.lines.len;
		i %= n;
		/* Whether closed ones have more does not matter. */
		bool is_pending = b->rows.lines.data[i].is_pending;
		if (is_pending && step > 0)
			rows_look(&b->rows, i, 1);
		else if (is_pending)
			i = rows_look_back(&b->rows, i + 1, 1) - 1;
		left += b->rows.lines.len - n;
		if (line_matches(b, i, strbuf_str(&b->search))) {
			b->at = i;
			return;
		}
		i = step > 0 ? i + 1 : i + b->rows.lines.len - 1;
	}
}

static void search_typed(void *ctx, const char *text)
{
	struct browser *b = ctx;
	search_from(b, b->came_from, 1);
	browser_draw(b);
}

static void search(struct browser *b)
{
	b->came_from = b->at;
	if (!ui_prompt(&b->ui, "search", &b->search, search_typed, b))
		b->at = b->came_from;
}

static void filter_typed(void *ctx, const char *text)
{
	struct browser *b = ctx;
	struct row_zoom *z = browser_zoom(b);
	free((char *)z->symbol);
	z->symbol = *text ? xstrdup(text) : NULL;
	browser_filter(b);
	browser_draw(b);
}

static void filter(struct browser *b)
{
	strbuf_reset(&b->filter);
	strbuf_addstr(&b->filter, browser_zoom(b)->symbol ? browser_zoom(b)->symbol : "");
	(void)ui_prompt(&b->ui, "only symbols with", &b->filter, filter_typed, b);
}

static void limit(struct browser *b)
{
	struct strbuf text = {};
	double v;
	strbuf_addf(&text, "%g", b->own.percent_limit);
	if (ui_prompt(&b->ui, "percent limit", &text, NULL, NULL)) {
		if (text_to_f64(strbuf_str(&text), &v) && v >= 0 && v <= 100) {
			b->own.percent_limit = v;
			browser_filter(b);
		} else {
			strbuf_addf(&b->message, "'%s' is not a percentage from 0 to 100", strbuf_str(&text));
		}
	}
	strbuf_deinit(&text);
}

/* ---- keys ---- */

static void other_event(struct browser *b, int step)
{
	uint32_t n = b->given->parts_nr;
	if (n < 2) {
		strbuf_addstr(&b->message, "there is only one event");
		return;
	}
	browser_show_part(b, (b->part + n + (uint32_t)step) % n);
}

void browser_toggle(struct browser *b)
{
	if (b->at >= b->rows.lines.len)
		return;
	struct row_line *l = &b->rows.lines.data[b->at];
	if (rows_missing(&b->rows, l->entry))
		strbuf_addstr(&b->message, "present only in the other profile");
	else if (!l->has_more)
		strbuf_addstr(&b->message, b->own.show_chains ? "this entry has no children" : "no call chains were recorded (record -g)");
	rows_toggle(&b->rows, l);
}

static void set_entry(struct browser *b, bool open)
{
	const struct row_line *l = browser_line(b);
	if (!l)
		return;
	rows_set_line(&b->rows, l, open);
	remake(b);
}

static void go_back(struct browser *b)
{
	if (browser_pop_zoom(b))
		return;
	if (ui_confirm(&b->ui, "Do you really want to exit?"))
		b->done = true;
}

static void click(struct browser *b, const struct screen_key *k)
{
	unsigned head = !b->no_head && screen_rows(b->ui.s) > 3, y = browser_top(b) + strip_height(b), top = y + head;
	if (head && k->y == y) {
		browser_sort(b, browser_field_at(b, k->x));
	} else if (k->y >= top && k->y < top + browser_room(b) && b->first + k->y - top < b->rows.lines.len) {
		size_t line = b->first + k->y - top;
		/* A second click on it, or one on its mark, opens it. */
		if (line == b->at || k->x == 0) {
			b->at = line;
			browser_toggle(b);
		}
		b->at = line;
	}
}

static bool movement(struct browser *b, const struct screen_key *k)
{
	long lines;
	if (ui_scrolls(k->key, browser_room(b), &lines))
		move(b, lines);
	else if (k->key == KEY_IS_CLICK)
		click(b, k);
	else
		return k->key == KEY_IS_RESIZE;
	return true;
}

static bool opening(struct browser *b, uint32_t key)
{
	const struct row_line *l = browser_line(b);
	switch (key) {
	case '+':
	case '-': browser_toggle(b); return true;
	case 'e': set_entry(b, l && !(l->level ? l->is_open : rows_is_open(&b->rows, l->entry))); return true;
	case 'c': set_entry(b, false); return true;
	case 'E':
	case 'C':
		rows_set_all(&b->rows, key == 'E');
		remake(b);
		return true;
	default: return false;
	}
}

static bool zooming(struct browser *b, uint32_t key)
{
	switch (key) {
	case 'd': browser_zoom_dso(b); return true;
	case 't': browser_zoom_thread(b); return true;
	case 'k': browser_zoom_kernel(b); return true;
	case 'S': browser_zoom_socket(b); return true;
	case 'L': limit(b); return true;
	case '/': filter(b); return true;
	case 'F':
		b->own.relative = !b->own.relative;
		browser_filter(b);
		strbuf_addstr(&b->message, b->own.relative ? "percentages are relative to the filtered "
			"samples" : "percentages are of all samples");
		return true;
	default: return false;
	}
}

static void header(struct browser *b)
{
	struct strbuf text = {};
	if (b->ui.hooks->header)
		b->ui.hooks->header(b->ui.hooks->ctx, &text);
	if (text.len)
		ui_text(&b->ui, "Header information", strbuf_str(&text));
	else
		strbuf_addstr(&b->message, "the recording has no header");
	strbuf_deinit(&text);
}

static bool showing(struct browser *b, uint32_t key)
{
	switch (key) {
	case 'h':
	case '?':
	case KEY_IS_F1: browser_help(b); return true;
	case 'a': browser_annotate(b); return true;
	case 'g': browser_flame(b); return true;
	case 'H': b->no_head = !b->no_head; return true;
	case 'V': b->show_dso = !b->show_dso; return true;
	case 'P': browser_save(b); return true;
	case 'D': browser_compare(b); return true;
	case 'T': strip_open(b); return true;
	case 'i': header(b); return true;
	case 's': browser_files(b); return true;
	case 'r': browser_scripts(b); return true;
	case 'n': search_from(b, b->at + 1, 1); return true;
	case 'N': search_from(b, b->at + b->rows.lines.len - 1, -1); return true;
	case 6: /* Ctrl-F */
	case '\\': search(b); return true;
	case '<': browser_sort(b, b->sort_field > 0 ? b->sort_field - 1 : columns_to_sort_by(b) - 1); return true;
	case '>': browser_sort(b, b->sort_field + 1 < columns_to_sort_by(b) ? b->sort_field + 1 : 0); return true;
	case '0' ... '9': sort_by_event(b, key - '0'); return true;
	default: return false;
	}
}

static void take_key(struct browser *b, const struct screen_key *k)
{
	const struct browse_hooks *h = b->ui.hooks;
	strbuf_reset(&b->message);
	if (strip_key(b, k) || movement(b, k) || opening(b, k->key) || zooming(b, k->key) || showing(b, k->key))
		return;
	switch (k->key) {
	case 'q': b->done = true; break;
	case KEY_IS_ESCAPE:
	case KEY_IS_LEFT: go_back(b); break;
	case KEY_IS_TAB: other_event(b, 1); break;
	case KEY_IS_BACK_TAB: other_event(b, -1); break;
	case KEY_IS_ENTER:
	case KEY_IS_RIGHT:
	case 'm': browser_menu(b); break;
	default:
		if (!h->key || !h->key(h->ctx, k->key, &b->message))
			strbuf_addstr(&b->message, "unknown key: press '?' for help");
	}
}

void browser_renew(struct browser *b)
{
	struct browser_place p = browser_place(b);
	/* A user at the top continues to see the top, even if the rows change. */
	bool follow = b->at > 0;
	rows_forget(&b->rows);
	const struct report *report = ui_renew(&b->ui);
	b->ui.fresh = NULL;
	if (!report)
		return;
	browser_set(b, report, browser_part_named(report, strbuf_str(&b->event)));
	/* While a span is being selected, it must keep its place. */
	if (!b->strip.has_focus)
		strip_forget(b);
	if (follow)
		browser_go_to(b, p);
	else
		b->at = 0;
}

static void draw_rows(void *ctx)
{
	browser_draw(ctx);
}

struct strobe_error *browse(struct screen *s, const struct report *report, const struct browse_hooks *hooks)
{
	struct browser b = { .ui = { .s = s, .hooks = hooks }, .zooms_nr = 1, .sort_field = -1 };
	b.ui.draw_under = draw_rows;
	b.ui.under = &b;
	arena_init(&b.base.arena);
	browser_set(&b, report, hooks->begins_with_code ? hooks->first_part : 0);
	if (hooks->base_path)
		browser_compare_with(&b, hooks->base_path, hooks->base_path);
	if (hooks->begins_with_code)
		browser_annotate(&b);
	else if (report->parts_nr > 1 && !hooks->is_live)
		browser_events(&b);
	while (!b.done && b.ui.state != BROWSE_END) {
		browser_draw(&b);
		b.ui.needs_release = true;
		struct screen_key k = ui_key(&b.ui, true);
		b.ui.needs_release = false;
		if (b.ui.state == BROWSE_END)
			break;
		if (b.ui.state == BROWSE_DUE && k.key == KEY_NONE)
			browser_renew(&b);
		else
			take_key(&b, &k);
	}
	browser_forget_zooms(&b);
	strip_forget(&b);
	rows_deinit(&b.rows);
	free(b.fields);
	free(b.widths);
	free(b.largest);
	browser_base_deinit(&b);
	strbuf_deinit(&b.event);
	strbuf_deinit(&b.filter);
	strbuf_deinit(&b.search);
	strbuf_deinit(&b.message);
	return b.ui.err;
}
