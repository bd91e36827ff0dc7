/*
 * Which language a function was written in, as far as its source file or its symbol show: the page colours by it.
 */
#pragma once
#include "profile/profile.h"

/* "C", "C++", "Rust", "Go", "Java", "Python", "JavaScript", "Assembler" …, "JIT", or "" where it is unknown. Static. */
const char *language_of_function(const struct profile *p, const struct profile_function *f);
