#include "view/tui/ui.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"
#include "base/vector.h"

static void look(struct ui *u)
{
	const struct browse_hooks *h = u->hooks;
	enum browse_state now = h->look ? h->look(h->ctx) : BROWSE_ON;
	if (u->state != BROWSE_END && now != BROWSE_ON)
		u->state = now;
}

struct screen_key ui_key(struct ui *u, bool until_due)
{
	const struct browse_hooks *h = u->hooks;
	for (;;) {
		look(u);
		struct screen_key k = screen_key(u->s);
		if (k.key == KEY_IS_GONE) {
			u->gone = true;
			u->state = BROWSE_END;
		}
		if (k.key == KEY_IS_CTRL_C)
			u->state = BROWSE_END;
		if (u->state == BROWSE_END || (until_due && u->state == BROWSE_DUE && k.key == KEY_NONE))
			return (struct screen_key){};
		if (k.key == 12) { /* Ctrl-L: handled as a change of size, which redraws everything */
			screen_redraw(u->s);
			k.key = KEY_IS_RESIZE;
		}
		if (k.key != KEY_NONE && (k.key != KEY_IS_RELEASE || u->needs_release))
			return k;
		screen_wait(u->s, h->fds, h->fds_nr, h->wait_ms ? h->wait_ms(h->ctx) : -1);
	}
}

const struct report *ui_renew(struct ui *u)
{
	const struct report *report = NULL;
	u->state = BROWSE_ON;
	u->err = u->hooks->renew(u->hooks->ctx, &report);
	if (u->err)
		u->state = BROWSE_END;
	u->fresh = u->err ? NULL : report;
	return u->fresh;
}

bool ui_scrolls(uint32_t key, size_t page, long *ret_lines)
{
	static const struct {
		uint32_t key;
		long lines, pages;
	} all[] = {
		{ KEY_IS_UP, -1, 0 },
		{ KEY_IS_DOWN, 1, 0 },
		{ KEY_IS_WHEEL_UP, -3, 0 },
		{ KEY_IS_WHEEL_DOWN, 3, 0 },
		{ KEY_IS_PAGE_UP, 0, -1 },
		{ KEY_IS_PAGE_DOWN, 0, 1 },
		{ ' ', 0, 1 },
		{ KEY_IS_HOME, UI_TO_BEGIN, 0 },
		{ KEY_IS_END, UI_TO_END, 0 },
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].key == key) {
			*ret_lines = all[i].pages ? all[i].pages * (long)page : all[i].lines;
			return true;
		}
	return false;
}

size_t ui_scrolled(size_t at, long lines, size_t n)
{
	size_t last = n ? n - 1 : 0;
	if (lines < 0)
		return lines == UI_TO_BEGIN || (size_t)-lines > at ? 0 : at - (size_t)-lines;
	return lines == UI_TO_END || at > last || (size_t)lines > last - at ? last : at + (size_t)lines;
}

void ui_line(struct ui *u, unsigned y, enum ink ink, const char *text)
{
	unsigned used = screen_line_text(u->s, y, 0, ink, text, strlen(text));
	screen_fill(u->s, y, used, ink, ' ', screen_columns(u->s) - used);
}

void ui_bar(struct ui *u, unsigned y, const char *text)
{
	ui_line(u, y, INK_TITLE, text);
}

void ui_key_bar(struct ui *u, unsigned y, const struct ui_key_name *keys, unsigned n)
{
	unsigned x = 0, columns = screen_columns(u->s);
	for (unsigned i = 0; i < n; i++) {
		size_t key = strlen(keys[i].key), does = strlen(keys[i].does);
		if (x + key + does + 1 > columns)
			break;
		x += screen_text(u->s, y, x, INK_NORMAL, keys[i].key, key, columns);
		x += screen_text(u->s, y, x, INK_TITLE, " ", 1, columns);
		x += screen_text(u->s, y, x, INK_TITLE, keys[i].does, does, columns);
		x += screen_text(u->s, y, x, INK_TITLE, " ", 1, columns);
	}
	screen_fill(u->s, y, x, INK_TITLE, ' ', x < columns ? columns - x : 0);
}

/* "~1.50G": three digits are enough for an approximate number. */
void ui_add_count(struct strbuf *title, uint64_t count, bool is_short)
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P", "E" };
	double n = (double)count;
	size_t unit = 0;
	if (!is_short) {
		strbuf_addf(title, ", Event count (approx.): %llu", (unsigned long long)count);
		return;
	}
	for (; n >= 999.5; unit++)
		n /= 1000;
	strbuf_addf(title, ", Count: ~%.*f%s", unit == 0 || n >= 100 ? 0 : n >= 10 ? 1 : 2, n, units[unit]);
}

static void draw_under(struct ui *u)
{
	if (u->draw_under)
		u->draw_under(u->under);
}

/* ---- menus ---- */

struct box {
	unsigned y, x, rows, columns; /* inside of the frame */
};

static struct box box_for(const struct ui *u, unsigned rows, unsigned columns)
{
	struct box b = { .rows = rows, .columns = columns };
	unsigned most_rows = screen_rows(u->s) > 2 ? screen_rows(u->s) - 2 : 1;
	unsigned most_columns = screen_columns(u->s) > 4 ? screen_columns(u->s) - 4 : 1;
	b.rows = b.rows < most_rows ? b.rows : most_rows;
	b.columns = b.columns < most_columns ? b.columns : most_columns;
	b.y = (screen_rows(u->s) - b.rows) / 2;
	b.x = (screen_columns(u->s) - b.columns) / 2;
	return b;
}

static void draw_frame(struct ui *u, const struct box *b, const char *title)
{
	bool ascii = screen_is_ascii(u->s);
	const char *across = ascii ? "-" : "─", *down = ascii ? "|" : "│";
	const char *corners[] = { ascii ? "+" : "┌", ascii ? "+" : "┐", ascii ? "+" : "└", ascii ? "+" : "┘" };
	for (unsigned edge = 0; edge < 2; edge++) {
		unsigned y = edge ? b->y + b->rows : b->y - 1;
		if (b->x < 2)
			continue;
		screen_str(u->s, y, b->x - 2, INK_BOX, corners[edge * 2]);
		for (unsigned i = 0; i < b->columns + 2; i++)
			screen_str(u->s, y, b->x - 1 + i, INK_BOX, across);
		screen_str(u->s, y, b->x + b->columns + 1, INK_BOX, corners[edge * 2 + 1]);
	}
	for (unsigned i = 0; i < b->rows; i++) {
		screen_str(u->s, b->y + i, b->x - 2, INK_BOX, down);
		screen_fill(u->s, b->y + i, b->x - 1, INK_BOX, ' ', b->columns + 2);
		screen_str(u->s, b->y + i, b->x + b->columns + 1, INK_BOX, down);
	}
	if (title && b->y && b->columns > 4)
		screen_text(u->s, b->y - 1, b->x, INK_BOX, title, strlen(title), b->columns);
}

static void draw_item(struct ui *u, const struct box *b, unsigned row, const char *text, bool selected)
{
	enum ink ink = selected ? INK_BOX_SELECTED : INK_BOX;
	unsigned used = screen_text(u->s, b->y + row, b->x, ink, text, strlen(text), b->columns);
	screen_fill(u->s, b->y + row, b->x + used, ink, ' ', b->columns - used);
}

/* That there is more above, or below. */
static void draw_more(struct ui *u, const struct box *b, bool above, bool below)
{
	bool ascii = screen_is_ascii(u->s);
	unsigned x = b->x + b->columns - 1;
	if (above && b->y)
		screen_str(u->s, b->y - 1, x, INK_BOX, ascii ? "^" : "↑");
	if (below)
		screen_str(u->s, b->y + b->rows, x, INK_BOX, ascii ? "v" : "↓");
}

/* letters: keys that choose the items in order; may be fewer, or "". */
static int choose(struct ui *u, const char *title, const char *const *items, unsigned n, const char *letters)
{
	unsigned at = 0, first = 0, widest = title ? screen_width(title, strlen(title)) : 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned w = screen_width(items[i], strlen(items[i]));
		widest = w > widest ? w : widest;
	}
	for (;;) {
		struct box b = box_for(u, n, widest);
		first = at < first ? at : at >= first + b.rows ? at - b.rows + 1 : first;
		draw_frame(u, &b, title);
		draw_more(u, &b, first > 0, first + b.rows < n);
		for (unsigned i = 0; i < b.rows && first + i < n; i++)
			draw_item(u, &b, i, items[first + i], first + i == at);
		screen_flush(u->s);
		struct screen_key k = ui_key(u, false);
		switch (k.key) {
		case KEY_IS_UP:
		case 'k': at = at ? at - 1 : n - 1; break;
		case KEY_IS_DOWN:
		case 'j':
		case KEY_IS_TAB: at = at + 1 < n ? at + 1 : 0; break;
		case KEY_IS_CLICK:
			if (k.y < b.y || k.y >= b.y + b.rows || k.x + 1 < b.x || k.x > b.x + b.columns)
				return -1;
			return (int)(first + k.y - b.y);
		case KEY_IS_ENTER:
		case KEY_IS_RIGHT: return n ? (int)at : -1;
		case KEY_IS_RESIZE: draw_under(u); break;
		case KEY_NONE:
		case KEY_IS_ESCAPE:
		case KEY_IS_LEFT:
		case 'q': return -1;
		default: {
			long lines;
			const char *letter = k.key > ' ' && k.key < 127 ? strchr(letters, (int)k.key) : NULL;
			if (letter)
				return (int)(letter - letters);
			if (ui_scrolls(k.key, b.rows, &lines))
				at = (unsigned)ui_scrolled(at, lines, n);
		}
		}
	}
}

int ui_menu(struct ui *u, const char *title, const char *const *items, unsigned n)
{
	return choose(u, title, items, n, "");
}

bool ui_confirm(struct ui *u, const char *question)
{
	static const char *const answers[] = { "Yes", "No" };
	return choose(u, question, answers, 2, "yn") == 0;
}

/* ---- a line of text ---- */

static void delete_character(struct strbuf *b)
{
	while (b->len) {
		char c = b->data[--b->len];
		b->data[b->len] = '\0';
		if (((unsigned char)c & 0xc0) != 0x80)
			return;
	}
}

static void add_character(struct strbuf *b, uint32_t c)
{
	char bytes[UTF8_MAX];
	strbuf_add(b, bytes, utf8_encode(c, bytes));
}

bool ui_prompt(struct ui *u, const char *label, struct strbuf *text, void (*changed)(void *ctx, const char *text), void *ctx)
{
	_cleanup_strbuf_ struct strbuf before = {};
	strbuf_addstr(&before, strbuf_str(text));
	for (;;) {
		unsigned y = screen_rows(u->s) - 1;
		struct strbuf line = {};
		strbuf_addf(&line, "%s: %s_", label, strbuf_str(text));
		ui_bar(u, y, strbuf_str(&line));
		strbuf_deinit(&line);
		screen_flush(u->s);
		struct screen_key k = ui_key(u, false);
		switch (k.key) {
		case KEY_IS_ENTER: return true;
		case KEY_NONE:
		case KEY_IS_ESCAPE:
			strbuf_reset(text);
			strbuf_addstr(text, strbuf_str(&before));
			if (changed)
				changed(ctx, strbuf_str(text));
			return false;
		case KEY_IS_BACKSPACE: delete_character(text); break;
		case 21: strbuf_reset(text); break; /* Ctrl-U */
		case KEY_IS_RESIZE: draw_under(u); continue;
		default:
			if (k.key < 0x20 || k.key >= KEY_SPECIAL)
				continue;
			add_character(text, k.key);
		}
		if (changed)
			changed(ctx, strbuf_str(text));
	}
}

/* ---- pages ---- */

/* A row of the screen: a line, or the part of it that fits. */
struct page_row {
	const char *text;
	unsigned bytes, indent;
};

struct page {
	VEC(struct page_row) rows;
	unsigned columns; /* width for which they were made */
};

/* The indent of a continuation: the second column of a line that has two, or its first word. */
static unsigned indent_of(const char *line, size_t n)
{
	size_t word = 0;
	while (word < n && line[word] == ' ')
		word++;
	for (size_t i = word; i + 2 < n; i++)
		if (line[i] == ' ' && line[i + 1] == ' ') {
			while (i < n && line[i] == ' ')
				i++;
			return (unsigned)i;
		}
	return (unsigned)word;
}

/* Up to the last blank that fits, or the full width. No character has more columns than bytes. */
static unsigned fits(const char *text, size_t n, unsigned room)
{
	if (n <= room)
		return (unsigned)n;
	for (unsigned i = room; i > room / 2; i--)
		if (text[i] == ' ')
			return i;
	while (room > 1 && ((unsigned char)text[room] & 0xc0) == 0x80)
		room--;
	return room;
}

static void add_line(struct page *p, const char *line, size_t n)
{
	unsigned indent = indent_of(line, n), used = fits(line, n, p->columns);
	indent = indent < p->columns / 2 ? indent : 0;
	vec_push(&p->rows, ((struct page_row){ line, used, 0 }));
	for (size_t at = used; at < n; at += used) {
		at += strspn(line + at, " ");
		if (at >= n)
			break;
		used = fits(line + at, n - at, p->columns - indent);
		vec_push(&p->rows, ((struct page_row){ line + at, used, indent }));
	}
}

static void make_page(struct page *p, const char *text, unsigned columns)
{
	if (p->columns == columns)
		return;
	vec_clear(&p->rows);
	p->columns = columns;
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, "\n");
		add_line(p, at, n);
		at += n + (at[n] == '\n');
	}
}

static void draw_page(struct ui *u, const char *title, const struct page *p, size_t first, size_t rows)
{
	screen_clear(u->s);
	ui_bar(u, 0, title);
	for (size_t i = 0; i < rows && first + i < p->rows.len; i++) {
		const struct page_row *r = &p->rows.data[first + i];
		screen_text(u->s, 1 + (unsigned)i, r->indent, INK_NORMAL, r->text, r->bytes, screen_columns(u->s) - r->indent);
	}
	ui_bar(u, screen_rows(u->s) - 1, "q or Esc closes; arrows, PgUp, PgDn, Home, End move");
	screen_flush(u->s);
}

void ui_text(struct ui *u, const char *title, const char *text)
{
	struct page page = {};
	size_t first = 0;
	for (bool done = false; !done;) {
		make_page(&page, text, screen_columns(u->s) ? screen_columns(u->s) : 1);
		size_t rows = screen_rows(u->s) > 2 ? screen_rows(u->s) - 2 : 1, nr = page.rows.len;
		size_t tops = nr > rows ? nr - rows + 1 : 1;
		first = ui_scrolled(first, 0, tops);
		draw_page(u, title, &page, first, rows);
		uint32_t key = ui_key(u, false).key;
		long lines;
		if (ui_scrolls(key, rows, &lines))
			first = ui_scrolled(first, lines, tops);
		else
			done = key != KEY_IS_RESIZE && key != KEY_IS_CLICK;
	}
	vec_deinit(&page.rows);
}
