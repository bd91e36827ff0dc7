/* Kinds of ASCII characters, whatever the locale. */
#pragma once
#include <stdbool.h>

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}
