#include "daemon/settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"

#define SESSION "session-"

/* A folder below the base: must not lead elsewhere. */
static bool is_name(const char *name)
{
	return *name && *name != '.' && !strpbrk(name, "/\t\n\r\033");
}

/* "session-NAME.run" */
static struct strobe_error *add_session(struct daemon_settings *s, const char *key, const char *value)
{
	const char *dot = strrchr(key, '.');
	if (!text_has_prefix(key, SESSION) || !dot || strcmp(dot, ".run") != 0)
		return NULL;
	const char *name = arena_strndup(&s->arena, key + strlen(SESSION), (size_t)(dot - key) - strlen(SESSION));
	char **words;
	if (!is_name(name))
		return error_create(ERROR_USAGE, "'%s' cannot name a session: it is the name of a directory", name);
	struct daemon_setting setting = { name, arena_strdup(&s->arena, value) };
	TRY(error_prefix(daemon_words(&s->arena, value, &words), "%s", key));
	vec_push(&s->sessions, setting);
	return NULL;
}

struct strobe_error *daemon_settings_of(const struct config *c, const char *base, struct daemon_settings *ret)
{
	*ret = (struct daemon_settings){};
	arena_init(&ret->arena);
	_cleanup_free_ char *set = base ? xstrdup(base) : config_directory(c, "daemon.base", "");
	if (!set || !*set)
		return error_create(ERROR_USAGE, "no base directory: use --base, or set 'base' in the section [daemon]");
	_cleanup_free_ char *full = *set == '/' ? xstrdup(set) : NULL;
	char *here = full ? NULL : getcwd(NULL, 0);
	ret->base = full ? arena_strdup(&ret->arena, full) : arena_printf(&ret->arena, "%s/%s", here ? here : "", set);
	free(here);
	_cleanup_config_ struct config *each = config_effective(c);
	for (size_t i = 0; i < config_count(each); i++) {
		const char *key, *value;
		config_at(each, i, &key, &value);
		TRY(add_session(ret, key, value));
	}
	return NULL;
}

struct strobe_error *daemon_settings_read(const char *path, const char *base, struct daemon_settings *ret)
{
	_cleanup_config_ struct config *c = NULL;
	_cleanup_strbuf_ struct strbuf text = {};
	*ret = (struct daemon_settings){};
	if (!path) {
		TRY(config_load(CONFIG_ALL, &c));
	} else {
		c = config_create();
		TRY(file_read(path, &text, CONFIG_FILE_MAX_BYTES));
		TRY(config_parse(c, path, strbuf_str(&text), text.len));
	}
	return daemon_settings_of(c, base, ret);
}

void daemon_settings_deinit(struct daemon_settings *s)
{
	vec_deinit(&s->sessions);
	arena_deinit(&s->arena);
	*s = (struct daemon_settings){};
}

const struct daemon_setting *daemon_settings_find(const struct daemon_settings *s, const char *name)
{
	for (uint32_t i = 0; i < s->sessions.len; i++)
		if (!strcmp(s->sessions.data[i].name, name))
			return &s->sessions.data[i];
	return NULL;
}

/* ---- words ---- */

/* Reads the next word, which does not begin with a blank; NULL if a quote is not closed. */
static const char *read_word(const char *at, struct strbuf *word)
{
	char quote = 0;
	for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
		if (*at == quote)
			quote = 0;
		else if (!quote && (*at == '\'' || *at == '"'))
			quote = *at;
		else
			strbuf_addch(word, *at);
	}
	return quote ? NULL : at;
}

struct strobe_error *daemon_words(struct arena *a, const char *run, char ***ret)
{
	_cleanup_strbuf_ struct strbuf word = {};
	VEC(char *) words = {};
	for (const char *at = run + strspn(run, " \t\n"); at && *at; at += strspn(at, " \t\n")) {
		strbuf_reset(&word);
		at = read_word(at, &word);
		if (!at) {
			vec_deinit(&words);
			return error_create(ERROR_USAGE, "unterminated quote: %s", run);
		}
		vec_push(&words, arena_strdup(a, strbuf_str(&word)));
	}
	*ret = arena_alloc(a, (words.len + 1) * sizeof(**ret));
	for (uint32_t i = 0; i < words.len; i++)
		(*ret)[i] = words.data[i];
	(*ret)[words.len] = NULL;
	vec_deinit(&words);
	return NULL;
}
