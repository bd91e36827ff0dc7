/*
 * Which language a function was written in, as far as its source file or its symbol tell: the page colours by it.
 */
#pragma once
#include "profile/profile.h"

/* "C", "C++", "Rust", "Go", "Java", "Python", "JavaScript", "Assembler" …, "JIT", or "" where nothing tells. Static. */
const char *language_of_function(const struct profile *p, const struct profile_function *f);
