#include "pprof/prompt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define COMMENT "//:"
#define TOP_ROWS 10

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

static void out_overview(struct out *out)
{
	out_str(out, "  Commands:\n");
	for (size_t i = 0; i < pprof_kinds_nr; i++)
		out_f(out, "    %-16s %s\n", pprof_kinds[i].name, pprof_kinds[i].help);
	out_str(out, "    o/options        List options and their current values\n"
		     "    q/quit/exit/^D   Exit pprof\n\n  Options:\n");
	pprof_config_out_help(out);
	out_str(out, "  :   Clear focus/ignore/hide/tagfocus/tagignore\n\n  type \"help <cmd|option>\" for more information\n");
}

static void out_help(const char *about, struct out *out)
{
	const struct pprof_report_kind *kind = pprof_kind(about, strlen(about));
	const char *setting = pprof_config_help(about);
	if (!*about) {
		out_overview(out);
	} else if (kind) {
		out_f(out, "%s\n%s\n", kind->help, kind->usage ? kind->usage : "");
	} else if (setting) {
		out_f(out, "%s\n\n", setting);
	} else {
		out_str(out, "Unknown command: ");
		out_text_str(out, about);
		out_ch(out, '\n');
	}
}

/* ---- settings ---- */

/* Removes the comment at the end of a line. */
static void cut_comment(char *value)
{
	for (char *at = value; (at = strstr(at, COMMENT)); at++)
		if (!strstr(at + 1, COMMENT))
			*at = 0;
}

/* "name=value", or only the name of a flag. *ret_is_setting: whether the line is a setting. */
static struct strobe_error *set(const struct pprof_prompt *p, const char *line, struct out *answer, bool *ret_is_setting)
{
	const char *equals = strchr(line, '=');
	const char *name = trimmed(equals ? arena_strndup(p->arena, line, (size_t)(equals - line)) : arena_strdup(p->arena, line));
	char *value = arena_strdup(p->arena, equals ? equals + 1 : "");
	*ret_is_setting = pprof_config_knows(name);
	if (!*ret_is_setting)
		return NULL;
	cut_comment(value);
	if (equals || pprof_config_is_flag(name))
		return pprof_config_set(p->config, p->profile, p->arena, name, trimmed(value));
	out_f(answer, "please specify a value, e.g. %s=<val>\n", name);
	return NULL;
}

/* The name of a value, alone or after mean_ or total_, selects it: returns the equivalent line; NULL for other lines. */
static const char *expand(const struct pprof_prompt *p, const char *line)
{
	const struct profile *profile = p->profile;
	bool is_mean = text_has_prefix(line, "mean_"), is_total = text_has_prefix(line, "total_");
	const char *name = line + (is_mean ? strlen("mean_") : is_total ? strlen("total_") : 0);
	for (size_t i = 0; i < profile->events.len; i++) {
		if (strcmp(profile_event_name(profile, i), name))
			continue;
		if (is_mean || is_total)
			p->config->mean = is_mean;
		return arena_printf(p->arena, "sample_index=%s", name);
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

/* The name of a command, or one followed by a number ("top10"). */
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

/* Arguments of a command: a number of rows, ">" and a file, -cum, expressions to focus on and, after "-", to ignore. */
static struct strobe_error *parse_arguments(struct arena *a, const struct pprof_report_kind *kind, const struct words *w, size_t first,
					    struct pprof_config *c)
{
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

static struct strobe_error *report_command(const struct pprof_prompt *p, const struct words *w, struct pprof_command *ret)
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
	TRY(parse_arguments(p->arena, kind, w, first, &c));
	if (c.node_count == -1 && kind->output == OUTPUT_TOP)
		c.node_count = TOP_ROWS;
	*ret = (struct pprof_command){ kind, argument, c, false };
	return NULL;
}

static bool is_exit(const char *word)
{
	return !strcmp(word, "exit") || !strcmp(word, "quit") || !strcmp(word, "q");
}

struct strobe_error *pprof_prompt_line(const struct pprof_prompt *p, const char *line, struct out *answer, struct pprof_command *ret)
{
	struct words w;
	bool is_setting;
	const char *typed = trimmed(arena_strdup(p->arena, line)), *expanded = expand(p, typed);
	*ret = (struct pprof_command){};
	if (!strcmp(typed, ":")) {
		clear_filters(p->config);
		return NULL;
	}
	TRY(set(p, expanded ? expanded : typed, answer, &is_setting));
	split(&w, arena_strdup(p->arena, typed));
	if (is_setting || !w.nr)
		return NULL;
	const char *first = w.word[0];
	if (!strcmp(first, "o") || !strcmp(first, "options"))
		pprof_config_out(p->config, p->profile, answer);
	else if (is_exit(first))
		ret->is_exit = true;
	else if (!strcmp(first, "help"))
		out_help(w.nr > 1 ? w.word[1] : "", answer);
	else
		return report_command(p, &w, ret);
	return NULL;
}
