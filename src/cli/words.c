#include "cli/words.h"

#include <ctype.h>
#include <string.h>

#define SHELL_CHARACTERS "|&;<>()$`*?[]"

/* The text after an opening quote, up to the closing one. False: no closing quote. */
static bool take_quoted(const char **at, char quote, char **to)
{
	const char *c = *at;
	for (; *c && *c != quote; c++) {
		if (quote == '"' && *c == '\\' && (c[1] == '"' || c[1] == '\\'))
			c++;
		*(*to)++ = *c;
	}
	*at = c + 1;
	return *c;
}

/* The word that begins at *at; its characters are written to *to. */
static struct strobe_error *take_word(const char *text, const char **at, char **to)
{
	for (const char *c = *at;; *at = c) {
		if (!*c || isspace((unsigned char)*c))
			return NULL;
		if (*c == '\'' || *c == '"') {
			char quote = *c++;
			if (!take_quoted(&c, quote, to))
				return error_create(ERROR_USAGE, "unterminated quote in \"%s\"", text);
		} else if (*c == '\\' && c[1]) {
			*(*to)++ = c[1];
			c += 2;
		} else if (strchr(SHELL_CHARACTERS, *c)) {
			return error_create(ERROR_USAGE, "'%c' in \"%s\" requires a shell; write: sh -c '...'", *c, text);
		} else {
			*(*to)++ = *c++;
		}
	}
}

struct strobe_error *words_split(const char *text, struct arena *arena, char ***ret_argv, int *ret_argc)
{
	size_t n = strlen(text);
	/* Words are not longer than their source, and each but the last is followed by a blank. */
	char **argv = arena_alloc(arena, (n / 2 + 2) * sizeof(*argv));
	char *to = arena_alloc(arena, n + 1);
	int argc = 0;
	for (const char *at = text; at += strspn(at, " \t\n\v\f\r"), *at;) {
		argv[argc++] = to;
		TRY(take_word(text, &at, &to));
		*to++ = '\0';
	}
	argv[argc] = NULL;
	*ret_argv = argv;
	*ret_argc = argc;
	return NULL;
}
