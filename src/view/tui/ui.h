/*
 * What all screens do alike: waiting for keys while the hooks go on working, menus, questions, pages of text.
 *
 * These are modal: they return when the user has answered, or when all is to end (state is BROWSE_END then, and the answer is
 * the one that does nothing). What was under them has to be drawn again; where the terminal gets another size meanwhile they have
 * it drawn themselves.
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
	bool wants_release; /* of the mouse's button */
	void (*draw_under)(void *ctx); /* what menus and prompts are drawn on */
	void *under;
	const struct report *fresh; /* a modal screen had it made, and the one before does not exist any more; or NULL */
	struct strobe_error *err;   /* why there is no new report; whoever began the screens takes it */
};

/* The next key; KEY_NONE where a new report is due (only if requested) or where all is to end. */
struct screen_key ui_key(struct ui *u, bool until_due);
/* The report that is due, which is ui.fresh from then on; NULL: all is to end, and the old one is gone nevertheless. */
const struct report *ui_renew(struct ui *u);
/* Keys that scroll, in all lists alike: how many lines, UI_TO_BEGIN or UI_TO_END; false where a key does not scroll. */
#define UI_TO_BEGIN LONG_MIN
#define UI_TO_END   LONG_MAX
bool ui_scrolls(uint32_t key, size_t page, long *ret_lines);
/* Where that leads to from `at`, of n lines. */
size_t ui_scrolled(size_t at, long lines, size_t n);
/* The index of the chosen item, -1 for none. */
int ui_menu(struct ui *u, const char *title, const char *const *items, unsigned n);
bool ui_confirm(struct ui *u, const char *question);
/* One line at the bottom; changed() gets each change, for what is searched as it is typed. False: Esc; the text is as before. */
bool ui_prompt(struct ui *u, const char *label, struct strbuf *text, void (*changed)(void *ctx, const char *text), void *ctx);
/* Lines that can be scrolled; what is longer than the screen is wide goes on below. */
void ui_text(struct ui *u, const char *title, const char *text);
/* A line of the screen, filled up to the right edge; a bar is the first or last one. */
void ui_line(struct ui *u, unsigned y, enum ink ink, const char *text);
void ui_bar(struct ui *u, unsigned y, const char *text);
/* What an event has counted; short where a title has no room for all digits. */
void ui_add_count(struct strbuf *title, uint64_t count, bool is_short);
