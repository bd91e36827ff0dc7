/* The prompt of strobe pprof: reads commands from a terminal or a file, and runs them. */
#include <unistd.h>

#include "cli/line_editor.h"
#include "cmd/pprof/pprof.h"
#include "pprof/completion.h"
#include "pprof/prompt.h"

#define PROMPT "(pprof) "

struct prompt {
	struct pprof_session *session;
	struct pprof_prompt meaning;
	struct line_reader reader;
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

static void greet(const struct prompt *p)
{
	struct out out;
	out_init_fd(&out, STDERR_FILENO);
	pprof_out_greeting(p->meaning.profile, p->meaning.config, &out);
	out_str(&out, "Entering interactive mode (type \"help\" for commands, \"o\" for options)\n");
	error_destroy(out_close(&out));
}

/* Returns whether to continue. Errors have no prefix here: they answer the line just typed. */
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
	line_reader_open(&p.reader, PROMPT, complete, &p);
	while ((line = line_reader_next(&p.reader)) && answer(&p, line))
		;
	line_reader_close(&p.reader);
	return CMD_OK;
}
