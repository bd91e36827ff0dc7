/*
 * Regular expressions as users of pprof write them: those of RE2 and Perl, as far as POSIX extended ones can say it.
 *
 * Understood on top of what regex(7) has: \d \D (and glibc's \w \s \b), groups that do not capture, "(?i)" at the
 * beginning, and unhurried repetition, which matches the same texts. ERROR_USAGE says what does not parse.
 */
#pragma once
#include <regex.h>
#include <stdbool.h>

#include "base/error.h"

struct strobe_error *pattern_compile(const char *expression, regex_t *ret) _must_check_;
