/* The prompt of strobe pprof: lines from a terminal or a file, and what comes of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/line_editor.h"
#include "cli/terminal.h"
#include "cmd/pprof/pprof.h"
#include "pprof/completion.h"
#include "pprof/prompt.h"

#define PROMPT "(pprof) "

struct prompt {
	struct pprof_session *session;
	struct pprof_prompt meaning;
	struct line_editor *editor; /* NULL: lines are read as they come */
	char *line;                 /* the last of those */
	size_t line_cap;
};

static void add_choice(void *ctx, const char *text)
{
	line_choices_add(ctx, text);
}

static void complete(void *ctx, const char *before, struct line_choices *ret)
{
	const struct prompt *p = ctx;
	ret->word_at = pprof_complete(p->meaning.profile, before, add_choice, ret);
}

/* A line can be edited only between two terminals, of which one can move its cursor. */
static void open_editor(struct prompt *p)
{
	const char *term = getenv("TERM");
	if (!terminal_is_tty(STDIN_FILENO) || !terminal_is_tty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return;
	struct strobe_error *err = line_editor_create(PROMPT, complete, p, &p->editor);
	if (err)
		log_info("no line editing: %s", err->message);
	error_destroy(err);
}

/* NULL at the end. */
static const char *read_line(struct prompt *p)
{
	if (!p->editor) {
		fputs(PROMPT, stdout);
		fflush(stdout);
		return getline(&p->line, &p->line_cap, stdin) < 0 ? NULL : p->line;
	}
	const char *line = line_editor_read(p->editor);
	if (!line)
		putchar('\n'); /* after the prompt */
	return line;
}

static void greet(const struct prompt *p)
{
	struct out out;
	out_init_fd(&out, STDERR_FILENO);
	pprof_out_greeting(p->meaning.profile, p->meaning.config, &out);
	out_str(&out, "Entering interactive mode (type \"help\" for commands, \"o\" for options)\n");
	error_destroy(out_close(&out));
}

/* Returns whether the prompt goes on. An error has no prefix: it is the other half of a conversation. */
static bool answer(const struct prompt *p, const char *line)
{
	struct pprof_command c;
	struct out out;
	out_init_fd(&out, STDERR_FILENO);
	struct strobe_error *err = pprof_prompt_line(&p->meaning, line, &out, &c);
	error_destroy(out_close(&out));
	if (!err && c.kind)
		err = pprof_report_to_output(p->session, &c.config, c.kind, c.argument);
	if (err && !error_is(err, ERROR_STOPPED))
		cmd_say_plain("%s", err->message);
	error_destroy(err);
	return !c.is_exit;
}

int pprof_run_prompt(struct pprof_session *s, struct pprof_config *config)
{
	struct prompt p = { .session = s, .meaning = { &s->ctx->words, s->merged.profile, config } };
	const char *line;
	s->is_interactive = config->compact_labels = true;
	greet(&p);
	open_editor(&p);
	while ((line = read_line(&p)) && answer(&p, line))
		;
	line_editor_destroy(p.editor);
	free(p.line);
	return CMD_OK;
}
