/* The prompt of strobe pprof: commands and settings from standard input, as go tool pprof takes them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/line_editor.h"
#include "cli/terminal.h"
#include "cmd/pprof/pprof.h"

#define COMMENT "//:"
#define TOP_ROWS 10

struct prompt {
	struct pprof_session *session;
	struct pprof_config *config;
	struct line_editor *editor; /* NULL: lines are read as they come */
	char *line;                 /* the last of those */
	size_t line_cap;
	bool is_over;
};

/* Nothing is prefixed: this is the other half of a conversation. */
static void say_error(struct strobe_error *err)
{
	if (err && !error_is(err, ERROR_STOPPED))
		cmd_say_plain("%s", err->message);
	error_destroy(err);
}

static void say(void (*write)(void *ctx, struct out *out), void *ctx)
{
	struct out out;
	out_init_fd(&out, STDERR_FILENO);
	write(ctx, &out);
	error_destroy(out_close(&out));
}

static char *trimmed(char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	size_t n = strlen(s);
	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = 0;
	return s;
}

/* ---- help ---- */

static void out_settings(void *ctx, struct out *out)
{
	const struct prompt *p = ctx;
	pprof_config_out(p->session, p->config, out);
}

static void out_help(void *ctx, struct out *out)
{
	out_str(out, "  Commands:\n");
	for (size_t i = 0; i < pprof_kinds_nr; i++)
		out_f(out, "    %-16s %s\n", pprof_kinds[i].name, pprof_kinds[i].help);
	out_str(out, "    o/options        List options and their current values\n"
		     "    q/quit/exit/^D   Exit pprof\n\n  Options:\n");
	pprof_config_out_help(out);
	out_str(out, "  :   Clear focus/ignore/hide/tagfocus/tagignore\n\n  type \"help <cmd|option>\" for more information\n");
}

static void help(const char *about)
{
	const struct pprof_report_kind *kind = pprof_kind(about, strlen(about));
	const char *setting = pprof_config_help(about);
	if (!*about)
		say(out_help, NULL);
	else if (kind)
		cmd_say_plain("%s\n%s", kind->help, kind->usage ? kind->usage : "");
	else if (setting)
		cmd_say_plain("%s\n", setting);
	else
		cmd_say_plain("Unknown command: %s", about);
}

/* ---- settings ---- */

/* "name=value", or the name alone of what is on or off. False where the line is no setting. */
static bool set(struct prompt *p, const char *line)
{
	struct arena *a = &p->session->ctx->words;
	const char *equals = strchr(line, '=');
	const char *name = trimmed(equals ? arena_strndup(a, line, (size_t)(equals - line)) : arena_strdup(a, line));
	char *value = arena_strdup(a, equals ? equals + 1 : "");
	if (!pprof_config_knows(name))
		return false;
	for (char *at = value; (at = strstr(at, COMMENT)); at++)
		if (!strstr(at + 1, COMMENT))
			*at = 0;
	if (!equals && !pprof_config_is_flag(name))
		cmd_say_plain("please specify a value, e.g. %s=<val>", name);
	else
		say_error(pprof_config_set(p->session, p->config, name, trimmed(value)));
	return true;
}

/* What a line stands for: ":" and the names of values; NULL where it is what it says. */
static const char *expand(struct prompt *p, const char *line)
{
	const struct profile *profile = p->session->merged.profile;
	bool is_mean = text_has_prefix(line, "mean_"), is_total = text_has_prefix(line, "total_");
	const char *name = line + (is_mean ? strlen("mean_") : is_total ? strlen("total_") : 0);
	for (size_t i = 0; i < profile->events.len; i++)
		if (!strcmp(profile_str(profile, profile->events.data[i].name), name)) {
			if (is_mean || is_total)
				p->config->mean = is_mean;
			return arena_printf(&p->session->ctx->words, "sample_index=%s", name);
		}
	return NULL;
}

static void clear_filters(struct pprof_config *c)
{
	c->select.focus = c->select.ignore = c->select.hide = NULL;
	c->labels.focus = c->labels.ignore = NULL;
}

/* ---- commands ---- */

struct words {
	char *word[64];
	size_t nr;
};

static void split(struct words *w, char *line)
{
	char *rest = NULL;
	w->nr = 0;
	for (char *word = strtok_r(line, " \t", &rest); word && w->nr < 64; word = strtok_r(NULL, " \t", &rest))
		w->word[w->nr++] = word;
}

/* A command's name, or one with a number behind it ("top10"). */
static const struct pprof_report_kind *find_kind(const char *word, const char **ret_number)
{
	size_t n = strlen(word), letters = n;
	const struct pprof_report_kind *kind = pprof_kind(word, n);
	*ret_number = NULL;
	while (letters && isdigit((unsigned char)word[letters - 1]))
		letters--;
	if (kind || letters == n || !letters)
		return kind;
	*ret_number = word + letters;
	return pprof_kind(word, letters);
}

static void add_pattern(struct arena *a, const char **to, const char *pattern)
{
	if (*pattern)
		*to = *to ? arena_printf(a, "%s|%s", *to, pattern) : pattern;
}

static bool is_number(const char *s, int64_t *ret)
{
	char *end;
	int64_t n = strtoll(s, &end, 10);
	if (!*s || *end)
		return false;
	*ret = n;
	return true;
}

/* What follows a command: how many rows, a file behind ">", -cum, expressions to focus on and, behind "-", to ignore. */
static struct strobe_error *parse_arguments(struct prompt *p, const struct pprof_report_kind *kind, const struct words *w,
					    size_t first, struct pprof_config *c)
{
	struct arena *a = &p->session->ctx->words;
	const char *focus = NULL, *ignore = NULL;
	for (size_t i = first; i < w->nr; i++) {
		const char *word = w->word[i];
		if (is_number(word, &c->node_count))
			continue;
		if (*word == '>') {
			if (!word[1] && ++i == w->nr)
				return error_create(ERROR_USAGE, "unexpected end of line after >");
			c->output = word[1] ? word + 1 : w->word[i];
		} else if (!strcmp(word, "-cum") || !strcmp(word, "--cum")) {
			c->sort = "cum";
		} else if (*word == '-') {
			add_pattern(a, &ignore, word + 1);
		} else {
			add_pattern(a, &focus, word);
		}
	}
	bool is_tags = kind->output == OUTPUT_TAGS;
	if (focus)
		*(is_tags ? &c->labels.focus : &c->select.focus) = focus;
	if (ignore)
		*(is_tags ? &c->labels.ignore : &c->select.ignore) = ignore;
	return NULL;
}

static struct strobe_error *command(struct prompt *p, const struct words *w)
{
	const char *number, *argument = NULL;
	const struct pprof_report_kind *kind = find_kind(w->word[0], &number);
	struct pprof_config c = *p->config;
	size_t first = 1;
	if (!kind && pprof_config_knows(w->word[0]))
		return error_create(ERROR_USAGE, "did you mean: %s=%s", w->word[0], w->nr > 1 ? w->word[1] : "<val>");
	if (!kind)
		return error_create(ERROR_USAGE, "unrecognized command: \"%s\"", w->word[0]);
	if (kind->has_argument) {
		if (w->nr < 2)
			return error_create(ERROR_USAGE, "command %s requires an argument", kind->name);
		argument = w->word[first++];
	}
	if (number)
		c.node_count = strtoll(number, NULL, 10);
	TRY(parse_arguments(p, kind, w, first, &c));
	if (c.node_count == -1 && kind->output == OUTPUT_TOP)
		c.node_count = TOP_ROWS;
	return pprof_report_to_output(p->session, &c, kind, argument);
}

static void run_line(struct prompt *p, const char *line)
{
	struct words w;
	if (set(p, line))
		return;
	split(&w, arena_strdup(&p->session->ctx->words, line));
	if (!w.nr)
		return;
	const char *first = w.word[0];
	if (!strcmp(first, "o") || !strcmp(first, "options"))
		say(out_settings, p);
	else if (!strcmp(first, "exit") || !strcmp(first, "quit") || !strcmp(first, "q"))
		p->is_over = true;
	else if (!strcmp(first, "help"))
		help(w.nr > 1 ? w.word[1] : "");
	else
		say_error(command(p, &w));
}

/* ---- lines ---- */

#define PROMPT "(pprof) "

/* Only between two terminals, one of which can move its cursor, is there anything to edit. */
static void open_editor(struct prompt *p)
{
	const char *term = getenv("TERM");
	if (!terminal_is_tty(STDIN_FILENO) || !terminal_is_tty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return;
	struct strobe_error *err = line_editor_create(PROMPT, pprof_complete, p->session, &p->editor);
	if (err)
		log_info("no line editing: %s", err->message);
	error_destroy(err);
}

/* NULL at the end. */
static char *read_line(struct prompt *p)
{
	if (!p->editor) {
		fputs(PROMPT, stdout);
		fflush(stdout);
		return getline(&p->line, &p->line_cap, stdin) < 0 ? NULL : p->line;
	}
	const char *line = line_editor_read(p->editor);
	if (!line)
		putchar('\n'); /* behind the prompt */
	return line ? arena_strdup(&p->session->ctx->words, line) : NULL;
}

static void out_greeting(void *ctx, struct out *out)
{
	const struct prompt *p = ctx;
	pprof_out_greeting(p->session, p->config, out);
	out_str(out, "Entering interactive mode (type \"help\" for commands, \"o\" for options)\n");
}

int pprof_prompt(struct pprof_session *s, struct pprof_config *config)
{
	struct prompt p = { .session = s, .config = config };
	char *line;
	s->is_interactive = config->compact_labels = true;
	say(out_greeting, &p);
	open_editor(&p);
	while (!p.is_over && (line = read_line(&p))) {
		const char *said = trimmed(line), *meant = expand(&p, said);
		if (!strcmp(said, ":"))
			clear_filters(config);
		else
			run_line(&p, meant ? meant : said);
	}
	line_editor_destroy(p.editor);
	free(p.line);
	return CMD_OK;
}
