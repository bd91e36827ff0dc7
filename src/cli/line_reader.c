#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/line_editor.h"
#include "cli/terminal.h"

void line_reader_open(struct line_reader *r, const char *prompt, line_complete *complete, void *ctx)
{
	const char *term = getenv("TERM");
	*r = (struct line_reader){ .prompt = prompt };
	if (!terminal_is_tty(STDIN_FILENO) || !terminal_is_tty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return;
	struct strobe_error *err = line_editor_create(prompt, complete, ctx, &r->editor);
	if (err)
		log_info("no line editing: %s", err->message);
	error_destroy(err);
}

const char *line_reader_next(struct line_reader *r)
{
	if (!r->editor) {
		fputs(r->prompt, stdout);
		fflush(stdout);
		return getline(&r->line, &r->line_cap, stdin) < 0 ? NULL : r->line;
	}
	const char *line = line_editor_read(r->editor);
	if (!line)
		putchar('\n'); /* after the prompt */
	return line;
}

void line_reader_close(struct line_reader *r)
{
	line_editor_destroy(r->editor);
	free(r->line);
}
