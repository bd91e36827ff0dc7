/*
 * A line typed at a prompt, with the usual keys: editing, history, completion.
 *
 * Uses libedit (BSD licence), which is loaded on first use; without it in the build or on the machine the creation fails with
 * ERROR_UNSUPPORTED, and the caller reads plain lines. The user's ~/.editrc is read. History is kept as long as the editor and never
 * written to a file. Ctrl-C ends the process after restoring the terminal. One thread; it reads standard input and writes to
 * standard output, both terminals. Source: editline(3), editrc(5).
 */
#pragma once
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"

/* Possible replacements of the word before the cursor. Texts are copied. */
struct line_choices {
	struct arena arena;
	VEC(const char *) texts;
	size_t word_at; /* the offset of the word in the line, in bytes; 0 unless set */
};
void line_choices_add(struct line_choices *c, const char *text);

/* before: the line up to the cursor. A choice that ends in "=" is not followed by a space. */
typedef void line_complete(void *ctx, const char *before, struct line_choices *ret);

struct line_editor;

/* prompt is borrowed. */
struct strobe_error *line_editor_create(const char *prompt, line_complete *complete, void *ctx, struct line_editor **ret) _must_check_;
/* Reads a line, without its line end, and adds it to the history; valid until the next one is read. NULL at the end (Ctrl-D). */
const char *line_editor_read(struct line_editor *e);
/* e may be NULL. */
void line_editor_destroy(struct line_editor *e);

/*
 * Lines from standard input after a prompt: edited if both ends are terminals that can move the cursor, else plain.
 * Zeroed, it is closed.
 */
struct line_reader {
	const char *prompt;
	struct line_editor *editor; /* NULL: plain lines are read */
	char *line;                 /* the last plain line */
	size_t line_cap;
};

/* As line_editor_create(). */
void line_reader_open(struct line_reader *r, const char *prompt, line_complete *complete, void *ctx);
/* NULL at the end. Valid until the next one is read. */
const char *line_reader_next(struct line_reader *r);
void line_reader_close(struct line_reader *r);
