/*
 * Regular expressions of pprof users: RE2 and Perl syntax, as far as POSIX extended expressions can represent it.
 *
 * In addition to regex(7): \d \D (and glibc's \w \s \b), non-capturing groups, "(?i)" at the start, and lazy
 * repetition, which matches the same texts. ERROR_USAGE for invalid ones.
 */
#pragma once
#include <regex.h>
#include <stdbool.h>

#include "base/error.h"

struct strobe_error *pattern_compile(const char *expression, regex_t *ret) _must_check_;
