/*
 * Command lines for the shell of another machine: words quoted so that it takes each of them as it is. Source: POSIX, Shell Command
 * Language, 2.2.2; csh and fish read single quotes the same way.
 */
#pragma once
#include "base/strbuf.h"

/* A blank, where the line has words already, and the word. */
void shell_add_word(struct strbuf *line, const char *word);
/* argv ends with NULL. */
void shell_add_words(struct strbuf *line, const char *const *argv);
