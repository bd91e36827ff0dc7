/* Parts of a text, for readers of lines. Private to this room. Borrowed, not NUL-terminated. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct piece {
	const char *p;
	size_t n;
};

static inline bool piece_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Without blanks at either end. */
static inline struct piece piece_trim(struct piece s)
{
	while (s.n && piece_is_blank(*s.p))
		s.p++, s.n--;
	while (s.n && piece_is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Removes the first line from the text and returns it, without its end. */
static inline struct piece piece_take_line(struct piece *text)
{
	const char *newline = memchr(text->p, '\n', text->n);
	size_t n = newline ? (size_t)(newline - text->p) : text->n, step = n + (newline != NULL);
	struct piece line = { text->p, n };
	text->p += step;
	text->n -= step;
	return line;
}

static inline bool piece_ends(struct piece s, const char *word)
{
	size_t n = strlen(word);
	return s.n >= n && !memcmp(s.p + s.n - n, word, n);
}
