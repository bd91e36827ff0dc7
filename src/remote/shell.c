#include "remote/shell.h"

#include <stdbool.h>
#include <string.h>

/* Whether it has no special characters of a shell. */
static bool is_plain(const char *word)
{
	return *word && *word != '~' &&
	       !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,/:@%")];
}

void shell_add_word(struct strbuf *line, const char *word)
{
	if (line->len)
		strbuf_addch(line, ' ');
	if (is_plain(word)) {
		strbuf_addstr(line, word);
		return;
	}
	strbuf_addch(line, '\'');
	for (; *word; word++)
		if (*word == '\'')
			strbuf_addstr(line, "'\\''");
		else
			strbuf_addch(line, *word);
	strbuf_addch(line, '\'');
}

void shell_add_words(struct strbuf *line, const char *const *argv)
{
	for (; *argv; argv++)
		shell_add_word(line, *argv);
}
