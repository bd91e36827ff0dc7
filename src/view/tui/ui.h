/*
 * Shared by all screens: waiting for keys while hooks are called, menus, prompts, pages of text.
 *
 * These are modal: they return when the user has answered, or when the browser is to end (state is BROWSE_END then, and the
 * answer is to do nothing). The caller redraws what was under them; after a change of size they have it redrawn themselves.
 */
#pragma once
#include <limits.h>

#include "base/strbuf.h"
#include "view/tui/browser.h"
#include "view/tui/screen.h"

struct ui {
	struct screen *s;
	const struct browse_hooks *hooks;
	enum browse_state state;
	bool gone; /* the terminal */
	bool needs_release; /* of the mouse's button */
	void (*draw_under)(void *ctx); /* draws what is under menus and prompts */
	void *under;
	const struct report *fresh; /* a newer report, made during a modal screen: the one before has been freed; or NULL */
	struct strobe_error *err;   /* why there is no new report; taken by the caller of browse() */
};

/* The next key; KEY_NONE: a new report is due (only if requested), or the browser is to end. */
struct screen_key ui_key(struct ui *u, bool until_due);
/* Makes the report that is due, also stored in ui.fresh; NULL: the browser is to end; the old one has been freed nevertheless. */
const struct report *ui_renew(struct ui *u);
/* Scrolling keys of all lists: the number of lines, UI_TO_BEGIN or UI_TO_END; false: another key. */
#define UI_TO_BEGIN LONG_MIN
#define UI_TO_END   LONG_MAX
bool ui_scrolls(uint32_t key, size_t page, long *ret_lines);
/* The resulting line from `at`, of n lines. */
size_t ui_scrolled(size_t at, long lines, size_t n);
/* The index of the chosen item, -1 for none. */
int ui_menu(struct ui *u, const char *title, const char *const *items, unsigned n);
bool ui_confirm(struct ui *u, const char *question);
/* A prompt at the bottom; changed() is called for each change, for incremental search. False: Esc; the text is unchanged. */
bool ui_prompt(struct ui *u, const char *label, struct strbuf *text, void (*changed)(void *ctx, const char *text), void *ctx);
/* Lines that can be scrolled; long ones are wrapped. */
void ui_text(struct ui *u, const char *title, const char *text);
/* A line of the screen, filled to the right edge; a bar is the first or last line. */
void ui_line(struct ui *u, unsigned y, enum ink ink, const char *text);
void ui_bar(struct ui *u, unsigned y, const char *text);
/* A key and what it does, in one word or two. */
struct ui_key_name {
	const char *key, *does;
};
/* The most useful keys, as many as fit. */
void ui_key_bar(struct ui *u, unsigned y, const struct ui_key_name *keys, unsigned n);
/* The count of an event; rounded if the title has no room for all digits. */
void ui_add_count(struct strbuf *title, uint64_t count, bool is_short);
