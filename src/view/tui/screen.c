#include "view/tui/screen.h"

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/library.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/utf8.h"

/* Cells that a screen needs to be of use: a title, a row, a line of help. */
#define ROWS_LEAST    3
#define COLUMNS_LEAST 10
/* Maximum time between the bytes of a key; a lone byte is the escape key. */
#define ESCAPE_MS 50
/* Mouse events that curses queues. */
#define MOUSE_MOST 8

#define FUNCTIONS(X)                                                                                                  \
	X(newterm) X(endwin) X(delscreen) X(cbreak) X(noecho) X(nonl) X(keypad) X(nodelay) X(wget_wch) X(start_color) \
	X(use_default_colors) X(has_colors) X(init_extended_pair) X(wattr_set) X(waddnwstr) X(wmove) X(werase) X(wnoutrefresh)  \
	X(doupdate) X(curs_set) X(mousemask) X(getmouse) X(set_escdelay) X(getmaxx) X(getmaxy) X(clearok) X(tigetstr) \
	X(tigetflag) X(mouseinterval) X(define_key) X(key_defined)

/* <term.h> has these, and makes macros of "lines" and "columns". */
int setupterm(const char *term, int fd, int *ret_error);
void *set_curterm(void *terminal);
int del_curterm(void *terminal);

struct curses {
#define X(name) __typeof__(&name) name;
	FUNCTIONS(X)
#undef X
	WINDOW **window;
	int *colours;
	__typeof__(&setupterm) setupterm;
	__typeof__(&set_curterm) set_curterm;
	__typeof__(&del_curterm) del_curterm;
};

/* Foreground and background; -1: the terminal's own. */
struct pair {
	int fg, bg;
};

/*
 * Terminals are dark or light, and few report which: text on their own background has colours that are readable on both, never
 * yellow, cyan or blue. For 256 colours and for eight; the first eight are set by the user's theme.
 */
struct look {
	struct pair many, few;
	attr_t attr, mono; /* with colours, without */
};

#define OWN { -1, -1 }

static const struct look looks[INK_HEAT] = {
	[INK_NORMAL] = { OWN, OWN, A_NORMAL, A_NORMAL },
	[INK_SELECTED] = { OWN, OWN, A_REVERSE, A_REVERSE },
	[INK_TITLE] = { { 231, 24 }, { COLOR_WHITE, COLOR_BLUE }, A_NORMAL, A_REVERSE },
	[INK_HEAD] = { { 250, 236 }, { COLOR_BLACK, COLOR_CYAN }, A_NORMAL, A_BOLD },
	[INK_HIGH] = { { COLOR_RED, -1 }, { COLOR_RED, -1 }, A_NORMAL, A_BOLD },
	[INK_MEDIUM] = { { COLOR_GREEN, -1 }, { COLOR_GREEN, -1 }, A_NORMAL, A_NORMAL },
	[INK_DIM] = { OWN, OWN, A_DIM, A_DIM },
	[INK_NOTE] = { { COLOR_MAGENTA, -1 }, { COLOR_MAGENTA, -1 }, A_NORMAL, A_BOLD },
	[INK_BAR] = { { 231, 240 }, { COLOR_WHITE, COLOR_BLUE }, A_NORMAL, A_REVERSE },
	[INK_BAR_HIGH] = { { 231, 88 }, { COLOR_WHITE, COLOR_RED }, A_NORMAL, A_REVERSE },
	[INK_BAR_MEDIUM] = { { 231, 22 }, { COLOR_BLACK, COLOR_GREEN }, A_NORMAL, A_REVERSE },
	[INK_FOUND] = { { 16, 220 }, { COLOR_BLACK, COLOR_YELLOW }, A_NORMAL, A_UNDERLINE },
	[INK_BOX] = { { 231, 238 }, { COLOR_WHITE, COLOR_BLUE }, A_NORMAL, A_NORMAL },
	/* Without colours all others are in reverse. */
	[INK_FLAME] = { OWN, OWN, A_REVERSE, A_BOLD },
	[INK_BOX_SELECTED] = { { 16, 220 }, { COLOR_BLACK, COLOR_YELLOW }, A_NORMAL, A_REVERSE },
};

#define BRIGHT 8 /* of 16 colours, the bright ones are the second half */

/* Colours of a kind of boxes: the range of its tints; with 16 or eight colours, those of even and odd boxes. */
struct tints {
	enum ink first;
	uint32_t from, to;
	struct pair sixteen[4], eight[2];
};

static const struct tints all_tints[] = {
	{ INK_USER, 0xffbf30, 0xff7a1c,
	  { { COLOR_BLACK, COLOR_YELLOW }, { BRIGHT + COLOR_WHITE, COLOR_RED },
	    { COLOR_BLACK, BRIGHT + COLOR_YELLOW }, { COLOR_BLACK, BRIGHT + COLOR_RED } },
	  { { COLOR_BLACK, COLOR_YELLOW }, { COLOR_WHITE, COLOR_RED } } },
	{ INK_KERNEL, 0x9cc4ea, 0x4c94c8,
	  { { COLOR_BLACK, COLOR_CYAN }, { BRIGHT + COLOR_WHITE, COLOR_BLUE },
	    { COLOR_BLACK, BRIGHT + COLOR_CYAN }, { COLOR_BLACK, BRIGHT + COLOR_BLUE } },
	  { { COLOR_BLACK, COLOR_CYAN }, { COLOR_WHITE, COLOR_BLUE } } },
	{ INK_INLINED, 0xc4e69c, 0x78b858,
	  { { COLOR_BLACK, COLOR_GREEN }, { COLOR_BLACK, COLOR_MAGENTA },
	    { COLOR_BLACK, BRIGHT + COLOR_GREEN }, { COLOR_BLACK, BRIGHT + COLOR_MAGENTA } },
	  { { COLOR_BLACK, COLOR_GREEN }, { COLOR_BLACK, COLOR_MAGENTA } } },
	{ INK_OTHER, 0xdcdcdc, 0xacacac,
	  { { COLOR_BLACK, COLOR_WHITE }, { BRIGHT + COLOR_WHITE, BRIGHT + COLOR_BLACK },
	    { COLOR_BLACK, BRIGHT + COLOR_WHITE }, { BRIGHT + COLOR_WHITE, BRIGHT + COLOR_BLACK } },
	  { { COLOR_BLACK, COLOR_WHITE }, { COLOR_WHITE, COLOR_BLACK } } },
};

/* From share 0 to 1: a third as bright as white, readable on both backgrounds. */
static const uint32_t heat_stops[] = { 0x3f8f5a, 0x9a7d10, 0xc8640f, 0xe03a2a };
#define HEAT_STOPS (sizeof(heat_stops) / sizeof(*heat_stops))

struct screen {
	struct curses c;
	SCREEN *term;
	FILE *in, *out;
	bool colour, ascii, gone;
	bool many, direct; /* 256 colours or more; 16 million */
	MEVENT mouse[MOUSE_MOST]; /* events returned by curses at once, the last first */
	unsigned mouse_nr;
	char *locale; /* as it was */
};

/*
 * Curses only reports a changed size. A terminal that was made smaller and large again has lost its contents beyond the edges: so we
 * count changes ourselves. Global, since a signal handler has no context and there is only one screen at a time.
 */
static struct {
	volatile sig_atomic_t came;
	void (*curses)(int number);
} resized;

static void note_resize(int number)
{
	resized.came = 1;
	if (resized.curses != SIG_DFL && resized.curses != SIG_IGN && resized.curses)
		resized.curses(number);
}

static void watch_resizes(void)
{
	struct sigaction a;
	if (sigaction(SIGWINCH, NULL, &a) || a.sa_flags & SA_SIGINFO || a.sa_handler == note_resize)
		return;
	resized.curses = a.sa_handler;
	a.sa_handler = note_resize;
	sigaction(SIGWINCH, &a, NULL);
}

/* ---- opening and closing ---- */

static const struct library library = { .files = { "libncursesw.so.6" }, .missing = "libncursesw.so.6 is not installed" };

static struct strobe_error *load(struct screen *s)
{
	const struct library_symbol symbols[] = {
#define X(name) LIBRARY_SYMBOL(&s->c.name, name),
		FUNCTIONS(X)
#undef X
		LIBRARY_SYMBOL(&s->c.window, stdscr),
		LIBRARY_SYMBOL(&s->c.colours, COLORS),
		LIBRARY_SYMBOL(&s->c.setupterm, setupterm),
		LIBRARY_SYMBOL(&s->c.set_curterm, set_curterm),
		LIBRARY_SYMBOL(&s->c.del_curterm, del_curterm),
	};
	return library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
}

static uint32_t mix(uint32_t a, uint32_t b, double share)
{
	uint32_t ret = 0;
	for (unsigned shift = 0; shift < 24; shift += 8) {
		double from = a >> shift & 0xff, to = b >> shift & 0xff;
		ret |= (uint32_t)(from + (to - from) * share + 0.5) << shift;
	}
	return ret;
}

/* The number of a colour: itself, or the nearest of the 6 x 6 x 6 that 256 colours have. */
static int colour_of_rgb(const struct screen *s, uint32_t rgb)
{
	int ret = 16;
	static const int weights[] = { 1, 6, 36 };
	if (s->direct)
		return (int)rgb;
	for (unsigned i = 0; i < 3; i++) {
		int v = (int)(rgb >> i * 8 & 0xff);
		ret += weights[i] * (v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40);
	}
	return ret;
}

/* One of 256 as it is on most terminals. The first eight are the terminal's own in any case. */
static int colour_of_256(const struct screen *s, int n)
{
	static const uint32_t levels[] = { 0, 95, 135, 175, 215, 255 };
	if (!s->direct || n < 16)
		return n;
	if (n >= 232)
		return (8 + (n - 232) * 10) * 0x10101;
	n -= 16;
	/* Direct colours below eight would be taken as indexes: use black. */
	return n ? (int)(levels[n / 36] << 16 | levels[n / 6 % 6] << 8 | levels[n % 6]) : COLOR_BLACK;
}

static void make_pair(struct screen *s, int pair, int fg, int bg)
{
	s->c.init_extended_pair(pair, fg, bg);
}

static void make_heats(struct screen *s, int own_bg)
{
	for (int i = 0; i < SCREEN_HEATS; i++) {
		double at = (double)i / (SCREEN_HEATS - 1) * (HEAT_STOPS - 1);
		unsigned stop = at < HEAT_STOPS - 1 ? (unsigned)at : HEAT_STOPS - 2;
		uint32_t rgb = mix(heat_stops[stop], heat_stops[stop + 1], at - stop);
		make_pair(s, INK_HEAT + i, s->many ? colour_of_rgb(s, rgb) : COLOR_GREEN, own_bg);
	}
}

static struct pair tint_of(const struct screen *s, const struct tints *t, unsigned i)
{
	/* Odd ones have the darker half for themselves. */
	double share = (i / 2 + (i & 1) * SCREEN_TINTS / 2) / (double)(SCREEN_TINTS - 1);
	if (s->many)
		return (struct pair){ colour_of_256(s, 16), colour_of_rgb(s, mix(t->from, t->to, share)) };
	return *s->c.colours >= 16 ? t->sixteen[i % 4] : t->eight[i % 2];
}

static void make_tints(struct screen *s)
{
	for (size_t k = 0; k < sizeof(all_tints) / sizeof(*all_tints); k++)
		for (unsigned i = 0; i < SCREEN_TINTS; i++) {
			struct pair p = tint_of(s, &all_tints[k], i);
			make_pair(s, (int)(all_tints[k].first + i), p.fg, p.bg);
		}
}

static void make_colours(struct screen *s, bool no_colour)
{
	const struct curses *c = &s->c;
	s->colour = !no_colour && c->has_colors() && c->start_color() == OK;
	if (!s->colour)
		return;
	bool default_colours = c->use_default_colors() == OK;
	s->many = *c->colours >= 256;
	s->direct = *c->colours >= 1 << 24 && c->tigetflag("RGB") > 0;
	int own_fg = default_colours ? -1 : COLOR_WHITE, own_bg = default_colours ? -1 : COLOR_BLACK;
	for (int i = 1; i < INK_HEAT; i++) {
		struct pair p = s->many ? looks[i].many : looks[i].few;
		make_pair(s, i, p.fg < 0 ? own_fg : colour_of_256(s, p.fg), p.bg < 0 ? own_bg : colour_of_256(s, p.bg));
	}
	make_heats(s, own_bg);
	make_tints(s);
}

enum ink screen_heat(const struct screen *s, double share)
{
	if (!s->colour || !s->many)
		return share >= 0.05 ? INK_HIGH : share > 0.005 ? INK_MEDIUM : INK_NORMAL;
	/* A share of one half already has the maximum heat. */
	double step = share * 2 * (SCREEN_HEATS - 1);
	return INK_HEAT + (step < SCREEN_HEATS - 1 ? (int)(step + 0.5) : SCREEN_HEATS - 1);
}

/* newterm() leaks memory for an unknown terminal. */
static bool is_known(const struct screen *s, const char *term)
{
	int said;
	if (s->c.setupterm(term, fileno(s->out), &said) != OK)
		return false;
	s->c.del_curterm(s->c.set_curterm(NULL));
	return true;
}

/*
 * TERM from another machine may be unknown here. Returns the first known of the common descriptions with which such terminals
 * are compatible; NULL: TERM is not one of them.
 */
static const char *known_name(const struct screen *s, const char *term)
{
	static const struct {
		const char *family, *names[2];
	} families[] = {
		{ "xterm-16color", { "xterm" } },
		{ "xterm", { "xterm-256color", "xterm" } },
		{ "alacritty", { "xterm-256color", "xterm" } },
		{ "foot", { "xterm-256color", "xterm" } },
		{ "wezterm", { "xterm-256color", "xterm" } },
		{ "konsole", { "xterm-256color", "xterm" } },
		{ "vte", { "xterm-256color", "xterm" } },
		{ "tmux", { "screen-256color", "screen" } },
		{ "screen", { "screen" } },
		{ "rxvt", { "rxvt" } },
	};
	if (is_known(s, term))
		return term;
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		if (strncmp(term, families[i].family, strlen(families[i].family)))
			continue;
		for (size_t k = 0; k < 2 && families[i].names[k]; k++)
			if (is_known(s, families[i].names[k]))
				return families[i].names[k];
		return NULL;
	}
	return NULL;
}

/*
 * Terminals with 16 million colours set COLORTERM, but few descriptions say so: ncurses has separate ones (Debian:
 * ncurses-term), such as tmux-direct for tmux-256color. Appends the name; false: unknown.
 */
static bool has_direct_name(const struct screen *s, const char *term, struct strbuf *ret)
{
	const char *colours = getenv("COLORTERM");
	if (!colours || (strcmp(colours, "truecolor") != 0 && strcmp(colours, "24bit") != 0))
		return false;
	strbuf_addf(ret, "%.*s-direct", (int)strcspn(term, "-"), term);
	return is_known(s, strbuf_str(ret));
}

static SCREEN *new_terminal(struct screen *s, const char *term, bool no_colour)
{
	struct strbuf direct = {};
	const char *name = !no_colour && has_direct_name(s, term, &direct) ? strbuf_str(&direct) : known_name(s, term);
	SCREEN *ret = name ? s->c.newterm(name, s->out, s->in) : NULL;
	strbuf_deinit(&direct);
	return ret;
}

/* Terminals under a different name (tmux as xterm) send other sequences than the description has. */
static void know_all_keys(const struct screen *s)
{
	static const struct {
		const char *sent;
		int key;
	} all[] = {
		{ "\033[1~", KEY_HOME }, { "\033[7~", KEY_HOME }, { "\033[H", KEY_HOME }, { "\033OH", KEY_HOME },
		{ "\033[4~", KEY_END }, { "\033[8~", KEY_END }, { "\033[F", KEY_END }, { "\033OF", KEY_END },
		{ "\033[5~", KEY_PPAGE }, { "\033[6~", KEY_NPAGE }, { "\033[Z", KEY_BTAB }, { "\033OP", KEY_F(1) },
		{ "\033[11~", KEY_F(1) }, { "\033[[A", KEY_F(1) }, { "\033[A", KEY_UP }, { "\033[B", KEY_DOWN },
		{ "\033[C", KEY_RIGHT }, { "\033[D", KEY_LEFT }, { "\033OA", KEY_UP }, { "\033OB", KEY_DOWN },
		{ "\033OC", KEY_RIGHT }, { "\033OD", KEY_LEFT },
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!s->c.key_defined(all[i].sent))
			s->c.define_key(all[i].sent, all[i].key);
}

static struct strobe_error *start(struct screen *s, struct screen_options options)
{
	const char *term = getenv("TERM");
	/* If a recording is read from standard input, keys are read from the terminal itself. */
	int in = isatty(STDIN_FILENO) ? dup(STDIN_FILENO) : open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	s->in = in < 0 ? NULL : fdopen(in, "r");
	if (!s->in || !isatty(STDOUT_FILENO))
		return error_create(ERROR_UNSUPPORTED, "standard input and output are not a terminal");
	if (!term || !*term)
		return error_create(ERROR_UNSUPPORTED, "TERM is not set");
	TRY(load(s));
	s->locale = xstrdup(setlocale(LC_CTYPE, NULL));
	setlocale(LC_CTYPE, "");
	s->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	/* Separate streams: data buffered in stdout stays there. */
	s->out = fdopen(dup(STDOUT_FILENO), "w");
	if (s->out)
		s->term = new_terminal(s, term, options.no_colour);
	const char *address = s->term ? s->c.tigetstr("cup") : NULL;
	if (!address || address == (const char *)-1)
		return error_create(ERROR_UNSUPPORTED, "unknown terminal type \"%s\" (TERM), or it has no cursor addressing", term);
	const struct curses *c = &s->c;
	WINDOW *w = *c->window;
	watch_resizes();
	c->cbreak();
	c->noecho();
	c->nonl();
	c->keypad(w, TRUE);
	c->nodelay(w, TRUE);
	know_all_keys(s);
	c->set_escdelay(ESCAPE_MS);
	c->curs_set(0);
	/* Report press and release as two events, so that curses does not wait for a click. */
	c->mouseinterval(0);
	c->mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	make_colours(s, options.no_colour);
	if (screen_rows(s) < ROWS_LEAST || screen_columns(s) < COLUMNS_LEAST)
		return error_create(ERROR_UNSUPPORTED, "the terminal is too small: %u x %u cells", screen_columns(s), screen_rows(s));
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
	/* The library stays loaded: it has installed signal handlers. */
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

/*
 * Converts one character for display, to up to ten wide characters in buf. Returns its bytes; *ret_cells is its width.
 */
static size_t show_character(const char *text, size_t n, bool ascii, wchar_t *buf, unsigned *ret_chars, unsigned *ret_cells)
{
	uint32_t c;
	char escape[16];
	size_t bytes = utf8_decode(text, n, &c);
	int width = bytes && !utf8_steers(c) ? wcwidth((wchar_t)c) : -1;
	if (c >= 0x80 && ascii && bytes) {
		buf[0] = L'?';
		*ret_chars = *ret_cells = 1;
		return bytes;
	}
	if (bytes && width >= 0) {
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
	bool is_plain = ink < INK_HEAT;
	attr_t boxes = ink < INK_USER ? A_NORMAL : A_REVERSE | (ink & 1 ? A_UNDERLINE : A_NORMAL);
	if (s->colour)
		s->c.wattr_set(*s->c.window, is_plain ? looks[ink].attr : A_NORMAL, (short)ink, NULL);
	else
		s->c.wattr_set(*s->c.window, is_plain ? looks[ink].mono : boxes, 0, NULL);
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

unsigned screen_line_text(struct screen *s, unsigned y, unsigned x, enum ink ink, const char *text, size_t n)
{
	unsigned columns = screen_columns(s), used = screen_text(s, y, x, ink, text, n, columns);
	bool has_text = false;
	for (size_t i = 0; i < n && !has_text; i++)
		has_text = text[i] != ' ';
	/* Blanks may be lost, and so may the rest of a line whose end is marked. */
	if (has_text && columns && x + used + 1 >= columns && screen_width(text, n) > used) {
		screen_str(s, y, columns - 1, ink, s->ascii ? ">" : "…");
		used = x < columns ? columns - x : 0;
	}
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

/* Presses and releases between two reads arrive as one key: getmouse() returns all, the last first. */
static void take_mouse(struct screen *s)
{
	while (s->mouse_nr < MOUSE_MOST && s->c.getmouse(&s->mouse[s->mouse_nr]) == OK)
		s->mouse_nr++;
}

static struct screen_key mouse_key(struct screen *s)
{
	const MEVENT *m = &s->mouse[--s->mouse_nr];
	struct screen_key ret = { .y = m->y > 0 ? (unsigned)m->y : 0, .x = m->x > 0 ? (unsigned)m->x : 0 };
	if (m->bstate & BUTTON4_PRESSED)
		ret.key = KEY_IS_WHEEL_UP;
	else if (m->bstate & BUTTON5_PRESSED)
		ret.key = KEY_IS_WHEEL_DOWN;
	else
		ret.key = m->bstate & BUTTON1_RELEASED ? KEY_IS_RELEASE : KEY_IS_CLICK;
	return ret;
}

static uint32_t function_key(wint_t c)
{
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

static bool is_hung_up(const struct screen *s)
{
	struct pollfd fd = { .fd = fileno(s->in), .events = POLLIN };
	char byte;
	if (poll(&fd, 1, 0) <= 0)
		return false;
	/* Readable without data: end of file, unless interrupted by a signal. */
	return fd.revents & (POLLHUP | POLLERR | POLLNVAL) || (read(fd.fd, &byte, 0) < 0 && errno == EIO);
}

struct screen_key screen_key(struct screen *s)
{
	struct screen_key ret = {};
	wint_t c = 0;
	if (s->gone) {
		ret.key = KEY_IS_GONE;
		return ret;
	}
	if (s->mouse_nr)
		return mouse_key(s);
	int kind = s->c.wget_wch(*s->c.window, &c);
	if (kind == KEY_CODE_YES && c == KEY_MOUSE) {
		take_mouse(s);
		return s->mouse_nr ? mouse_key(s) : ret;
	}
	if (kind == ERR) {
		s->gone = is_hung_up(s);
		ret.key = s->gone ? KEY_IS_GONE : resized.came ? KEY_IS_RESIZE : KEY_NONE;
	} else {
		ret.key = kind == KEY_CODE_YES ? function_key(c) : character_key(c);
	}
	if (ret.key == KEY_IS_RESIZE) {
		resized.came = 0;
		screen_redraw(s);
	}
	return ret;
}

void screen_wait(struct screen *s, const int *fds, unsigned n, int timeout_ms)
{
	struct pollfd all[9] = { { .fd = fileno(s->in), .events = POLLIN } };
	if (s->gone)
		return;
	for (unsigned i = 0; i < n && i < 8; i++)
		all[i + 1] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	/* A signal (such as a change of the window size) ends it, too. */
	(void)poll(all, 1 + (n < 8 ? n : 8), timeout_ms);
}
