/*
 * Splits a command line into words.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"

/*
 * Splits at blanks that neither quotes nor a backslash protect. Special characters of a shell ("|", "$", "*" …) are errors
 * (ERROR_USAGE). Words and their NULL-terminated list are allocated in the arena; *ret_argc may be 0.
 */
struct strobe_error *words_split(const char *text, struct arena *arena, char ***ret_argv, int *ret_argc) _must_check_;
