#include "view/tui/screen.h"

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/library.h"
#include "base/mem.h"
#include "base/utf8.h"

/* Cells that a screen needs to be of use: a title, a row, a line of help. */
#define ROWS_LEAST    3
#define COLUMNS_LEAST 10
/* So long may the bytes of one key be apart; what comes alone is the escape key. */
#define ESCAPE_MS 50

#define FUNCTIONS(X)                                                                                                  \
	X(newterm) X(endwin) X(delscreen) X(cbreak) X(noecho) X(nonl) X(keypad) X(nodelay) X(wget_wch) X(start_color) \
	X(use_default_colors) X(has_colors) X(init_pair) X(wattr_set) X(waddnwstr) X(wmove) X(werase) X(wnoutrefresh)  \
	X(doupdate) X(curs_set) X(mousemask) X(getmouse) X(set_escdelay) X(getmaxx) X(getmaxy) X(clearok) X(tigetstr)

struct curses {
#define X(name) __typeof__(&name) name;
	FUNCTIONS(X)
#undef X
	WINDOW **window;
	int *colours;
};

struct look {
	short fg, bg;      /* of 256 colours; -1: the terminal's own */
	short fg8, bg8;    /* of eight */
	attr_t attr, mono; /* with colours, without */
};

static const struct look looks[INKS_NR] = {
	[INK_NORMAL] = { -1, -1, -1, -1, A_NORMAL, A_NORMAL },
	[INK_SELECTED] = { -1, -1, -1, -1, A_REVERSE, A_REVERSE },
	[INK_TITLE] = { 231, 24, COLOR_WHITE, COLOR_BLUE, A_NORMAL, A_REVERSE },
	[INK_HEAD] = { 250, 236, COLOR_CYAN, -1, A_BOLD, A_BOLD },
	[INK_HIGH] = { COLOR_RED, -1, COLOR_RED, -1, A_NORMAL, A_BOLD },
	[INK_MEDIUM] = { COLOR_GREEN, -1, COLOR_GREEN, -1, A_NORMAL, A_NORMAL },
	[INK_DIM] = { -1, -1, -1, -1, A_DIM, A_DIM },
	[INK_NOTE] = { COLOR_YELLOW, -1, COLOR_YELLOW, -1, A_NORMAL, A_BOLD },
	[INK_FOUND] = { 16, 220, COLOR_BLACK, COLOR_YELLOW, A_NORMAL, A_UNDERLINE },
	[INK_BOX] = { 231, 238, COLOR_WHITE, COLOR_BLUE, A_NORMAL, A_NORMAL },
	[INK_BOX_SELECTED] = { 16, 220, COLOR_BLACK, COLOR_YELLOW, A_NORMAL, A_REVERSE },
	[INK_USER] = { 16, 214, COLOR_BLACK, COLOR_YELLOW, A_NORMAL, A_REVERSE },
	[INK_USER2] = { 16, 208, COLOR_BLACK, COLOR_RED, A_NORMAL, A_REVERSE | A_DIM },
	[INK_KERNEL] = { 16, 110, COLOR_BLACK, COLOR_CYAN, A_NORMAL, A_REVERSE },
	[INK_KERNEL2] = { 16, 74, COLOR_BLACK, COLOR_BLUE, A_NORMAL, A_REVERSE | A_DIM },
	[INK_INLINED] = { 16, 150, COLOR_BLACK, COLOR_GREEN, A_NORMAL, A_REVERSE },
	[INK_OTHER] = { 16, 250, COLOR_BLACK, COLOR_WHITE, A_NORMAL, A_REVERSE },
};

struct screen {
	struct curses c;
	SCREEN *term;
	FILE *in, *out;
	bool colour, ascii, gone;
	char *locale; /* as it was */
};

/* ---- opening and closing ---- */

static const struct library library = { .files = { "libncursesw.so.6" }, .missing = "no libncursesw.so.6 for screens" };

static struct strobe_error *load(struct screen *s)
{
	const struct library_symbol symbols[] = {
#define X(name) { &s->c.name, #name },
		FUNCTIONS(X)
#undef X
		{ &s->c.window, "stdscr" },
		{ &s->c.colours, "COLORS" },
	};
	return library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
}

static void make_colours(struct screen *s, bool no_colour)
{
	const struct curses *c = &s->c;
	s->colour = !no_colour && c->has_colors() && c->start_color() == OK;
	if (!s->colour)
		return;
	bool default_colours = c->use_default_colors() == OK, many = *c->colours >= 256;
	for (short i = 1; i < INKS_NR; i++) {
		short fg = many ? looks[i].fg : looks[i].fg8, bg = many ? looks[i].bg : looks[i].bg8;
		if (!default_colours) {
			fg = fg < 0 ? COLOR_WHITE : fg;
			bg = bg < 0 ? COLOR_BLACK : bg;
		}
		c->init_pair(i, fg, bg);
	}
}

static struct strobe_error *start(struct screen *s, struct screen_options options)
{
	const char *term = getenv("TERM");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_create(ERROR_UNSUPPORTED, "standard input and output are no terminal");
	if (!term || !*term)
		return error_create(ERROR_UNSUPPORTED, "TERM does not say which terminal this is");
	TRY(load(s));
	s->locale = xstrdup(setlocale(LC_CTYPE, NULL));
	setlocale(LC_CTYPE, "");
	s->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	/* Streams of our own: what is buffered in stdout stays there. */
	s->in = fdopen(dup(STDIN_FILENO), "r");
	s->out = fdopen(dup(STDOUT_FILENO), "w");
	if (s->in && s->out)
		s->term = s->c.newterm(NULL, s->out, s->in);
	const char *address = s->term ? s->c.tigetstr("cup") : NULL;
	if (!address || address == (const char *)-1)
		return error_create(ERROR_UNSUPPORTED, "nothing is known of a terminal \"%s\" (TERM), or it cannot address cells", term);
	const struct curses *c = &s->c;
	WINDOW *w = *c->window;
	c->cbreak();
	c->noecho();
	c->nonl();
	c->keypad(w, TRUE);
	c->nodelay(w, TRUE);
	c->set_escdelay(ESCAPE_MS);
	c->curs_set(0);
	c->mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	make_colours(s, options.no_colour);
	if (screen_rows(s) < ROWS_LEAST || screen_columns(s) < COLUMNS_LEAST)
		return error_create(ERROR_UNSUPPORTED, "a terminal of %u x %u cells is too small", screen_columns(s), screen_rows(s));
	return NULL;
}

struct strobe_error *screen_open(struct screen_options options, struct screen **ret)
{
	struct screen *s = xcalloc(1, sizeof(*s));
	struct strobe_error *err = start(s, options);
	if (err) {
		screen_close(s);
		return err;
	}
	*ret = s;
	return NULL;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	if (s->term) {
		s->c.mousemask(0, NULL);
		s->c.curs_set(1);
		s->c.endwin();
		s->c.delscreen(s->term);
	}
	if (s->in)
		fclose(s->in);
	if (s->out)
		fclose(s->out);
	if (s->locale)
		setlocale(LC_CTYPE, s->locale);
	free(s->locale);
	/* The library stays loaded: it has left handlers of signals behind. */
	free(s);
}

unsigned screen_rows(const struct screen *s)
{
	int n = s->c.getmaxy(*s->c.window);
	return n > 0 ? (unsigned)n : 0;
}

unsigned screen_columns(const struct screen *s)
{
	int n = s->c.getmaxx(*s->c.window);
	return n > 0 ? (unsigned)n : 0;
}

bool screen_is_ascii(const struct screen *s)
{
	return s->ascii;
}

/* ---- cells ---- */

/* Marks of direction and invisible characters: they would make a name look like another one. */
static bool is_steering(uint32_t c)
{
	return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       (c >= 0xe0000 && c <= 0xe0fff);
}

/*
 * One character of the text, as it is shown: up to ten wide characters in buf. Returns the bytes it took; *ret_cells is how
 * many cells it takes.
 */
static size_t show_character(const char *text, size_t n, bool ascii, wchar_t *buf, unsigned *ret_chars, unsigned *ret_cells)
{
	uint32_t c;
	char escape[16];
	size_t bytes = utf8_decode(text, n, &c);
	int width = bytes && c >= 0x20 && c != 0x7f ? wcwidth((wchar_t)c) : -1;
	if (c >= 0x80 && ascii && bytes) {
		buf[0] = L'?';
		*ret_chars = *ret_cells = 1;
		return bytes;
	}
	if (bytes && width >= 0 && !is_steering(c)) {
		buf[0] = (wchar_t)c;
		*ret_chars = 1;
		*ret_cells = (unsigned)width;
		return bytes;
	}
	if (!bytes || c < 0x100)
		snprintf(escape, sizeof(escape), "\\x%02x", (unsigned)(unsigned char)*text);
	else
		snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)c);
	*ret_chars = *ret_cells = (unsigned)strlen(escape);
	for (unsigned i = 0; i < *ret_chars; i++)
		buf[i] = (wchar_t)escape[i];
	return bytes ? bytes : 1;
}

unsigned screen_width(const char *text, size_t n)
{
	unsigned all = 0, chars, cells;
	wchar_t buf[16];
	for (size_t at = 0; at < n; all += cells)
		at += show_character(text + at, n - at, false, buf, &chars, &cells);
	return all;
}

static void set_ink(struct screen *s, enum ink ink)
{
	if (s->colour)
		s->c.wattr_set(*s->c.window, looks[ink].attr, (short)ink, NULL);
	else
		s->c.wattr_set(*s->c.window, looks[ink].mono, 0, NULL);
}

void screen_clear(struct screen *s)
{
	set_ink(s, INK_NORMAL);
	s->c.werase(*s->c.window);
}

unsigned screen_text(struct screen *s, unsigned y, unsigned x, enum ink ink, const char *text, size_t n, unsigned columns)
{
	unsigned used = 0, right = screen_columns(s), chars, cells;
	wchar_t line[512];
	size_t len = 0;
	if (y >= screen_rows(s) || x >= right)
		return 0;
	columns = columns < right - x ? columns : right - x;
	set_ink(s, ink);
	s->c.wmove(*s->c.window, (int)y, (int)x);
	for (size_t at = 0; at < n;) {
		if (len + 16 > sizeof(line) / sizeof(*line)) {
			s->c.waddnwstr(*s->c.window, line, (int)len);
			len = 0;
		}
		at += show_character(text + at, n - at, s->ascii, line + len, &chars, &cells);
		if (used + cells > columns)
			break;
		used += cells;
		len += chars;
	}
	s->c.waddnwstr(*s->c.window, line, (int)len);
	return used;
}

unsigned screen_str(struct screen *s, unsigned y, unsigned x, enum ink ink, const char *text)
{
	return screen_text(s, y, x, ink, text, strlen(text), screen_columns(s));
}

void screen_fill(struct screen *s, unsigned y, unsigned x, enum ink ink, char c, unsigned n)
{
	char run[64];
	memset(run, c, sizeof(run));
	for (unsigned done = 0; done < n;) {
		unsigned more = n - done < sizeof(run) ? n - done : (unsigned)sizeof(run);
		if (!screen_text(s, y, x + done, ink, run, more, more))
			return;
		done += more;
	}
}

void screen_flush(struct screen *s)
{
	s->c.wnoutrefresh(*s->c.window);
	s->c.doupdate();
}

void screen_redraw(struct screen *s)
{
	s->c.clearok(*s->c.window, TRUE);
}

/* ---- keys ---- */

static uint32_t function_key(struct screen *s, wint_t c, struct screen_key *ret)
{
	MEVENT m;
	switch (c) {
	case KEY_UP: return KEY_IS_UP;
	case KEY_DOWN: return KEY_IS_DOWN;
	case KEY_LEFT: return KEY_IS_LEFT;
	case KEY_RIGHT: return KEY_IS_RIGHT;
	case KEY_PPAGE: return KEY_IS_PAGE_UP;
	case KEY_NPAGE: return KEY_IS_PAGE_DOWN;
	case KEY_HOME: return KEY_IS_HOME;
	case KEY_END: return KEY_IS_END;
	case KEY_ENTER: return KEY_IS_ENTER;
	case KEY_BTAB: return KEY_IS_BACK_TAB;
	case KEY_BACKSPACE: return KEY_IS_BACKSPACE;
	case KEY_F(1): return KEY_IS_F1;
	case KEY_RESIZE: return KEY_IS_RESIZE;
	case KEY_MOUSE:
		if (s->c.getmouse(&m) != OK)
			return KEY_NONE;
		ret->y = m.y > 0 ? (unsigned)m.y : 0;
		ret->x = m.x > 0 ? (unsigned)m.x : 0;
		return m.bstate & BUTTON4_PRESSED ? KEY_IS_WHEEL_UP : m.bstate & BUTTON5_PRESSED ? KEY_IS_WHEEL_DOWN : KEY_IS_CLICK;
	default: return KEY_NONE;
	}
}

static uint32_t character_key(wint_t c)
{
	switch (c) {
	case '\r':
	case '\n': return KEY_IS_ENTER;
	case '\t': return KEY_IS_TAB;
	case 27: return KEY_IS_ESCAPE;
	case 3: return KEY_IS_CTRL_C;
	case 8:
	case 127: return KEY_IS_BACKSPACE;
	default: return c < KEY_SPECIAL ? (uint32_t)c : KEY_NONE;
	}
}

static bool is_hung_up(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	char byte;
	if (poll(&fd, 1, 0) <= 0)
		return false;
	/* Readable and yet nothing came: its end, unless it was a signal. */
	return fd.revents & (POLLHUP | POLLERR | POLLNVAL) || (read(STDIN_FILENO, &byte, 0) < 0 && errno == EIO);
}

struct screen_key screen_key(struct screen *s)
{
	struct screen_key ret = {};
	wint_t c = 0;
	if (s->gone) {
		ret.key = KEY_IS_GONE;
		return ret;
	}
	int kind = s->c.wget_wch(*s->c.window, &c);
	if (kind == ERR) {
		s->gone = is_hung_up();
		ret.key = s->gone ? KEY_IS_GONE : KEY_NONE;
	} else {
		ret.key = kind == KEY_CODE_YES ? function_key(s, c, &ret) : character_key(c);
	}
	return ret;
}

void screen_wait(struct screen *s, const int *fds, unsigned n, int timeout_ms)
{
	struct pollfd all[9] = { { .fd = STDIN_FILENO, .events = POLLIN } };
	if (s->gone)
		return;
	for (unsigned i = 0; i < n && i < 8; i++)
		all[i + 1] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	/* A signal (the window has another size) ends it as well. */
	(void)poll(all, 1 + (n < 8 ? n : 8), timeout_ms);
}
