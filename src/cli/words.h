/*
 * A command line in one text, split into words.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"

/*
 * Splits at blanks that neither quotes nor a backslash protect. Characters that only a shell understands ("|", "$", "*" …) are errors
 * (ERROR_USAGE). Words and their list, which ends with NULL, live in the arena; *ret_argc may be 0.
 */
struct strobe_error *words_split(const char *text, struct arena *arena, char ***ret_argv, int *ret_argc) _must_check_;
