/*
 * Command lines for the shell of another machine: words are quoted so that each is taken literally. Source: POSIX, Shell Command
 * Language, 2.2.2; csh and fish read single quotes the same way.
 */
#pragma once
#include "base/strbuf.h"

/* Appends a blank, unless the line is empty, and the word. */
void shell_add_word(struct strbuf *line, const char *word);
/* argv ends with NULL. */
void shell_add_words(struct strbuf *line, const char *const *argv);
