/*
 * A line typed at a prompt, with the keys that people expect of one: editing, history, completion.
 *
 * By libedit (a licence of BSD's), which is loaded on first use; without it in the build or on the machine the start is an
 * ERROR_UNSUPPORTED, and the caller reads plain lines. The user's ~/.editrc is read. History lives as long as the editor and is
 * never written to a file. Ctrl-C ends the process as it would without, the terminal put back before. One thread; it reads standard
 * input and writes to standard output, both terminals. Source: editline(3), editrc(5).
 */
#pragma once
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"

/* What may replace the word before the cursor. Texts are copied. */
struct line_choices {
	struct arena arena;
	VEC(const char *) texts;
	size_t word_at; /* where the word begins in the line, in bytes; 0 unless set */
};
void line_choices_add(struct line_choices *c, const char *text);

/* before: the line up to the cursor. A choice that ends in "=" is not followed by a space. */
typedef void line_complete(void *ctx, const char *before, struct line_choices *ret);

struct line_editor;

/* prompt is borrowed. */
struct strobe_error *line_editor_create(const char *prompt, line_complete *complete, void *ctx, struct line_editor **ret) _must_check_;
/* Without its line end, and in the history from now on; valid until the next one is read. NULL at the end (Ctrl-D). */
const char *line_editor_read(struct line_editor *e);
/* NULL is none. */
void line_editor_destroy(struct line_editor *e);

/*
 * Lines from standard input after a prompt: edited between two terminals of which one can move its cursor, else as they come.
 * Zeroed, it is closed.
 */
struct line_reader {
	const char *prompt;
	struct line_editor *editor; /* NULL: lines are read as they come */
	char *line;                 /* the last of those */
	size_t line_cap;
};

/* As line_editor_create(). */
void line_reader_open(struct line_reader *r, const char *prompt, line_complete *complete, void *ctx);
/* NULL at the end. Valid until the next one is read. */
const char *line_reader_next(struct line_reader *r);
void line_reader_close(struct line_reader *r);
