/*
 * The language of a function, guessed from its source file or symbol, by which the page colours boxes.
 */
#pragma once
#include "profile/profile.h"

/* "C", "C++", "Rust", "Go", "Java", "Python", "JavaScript", "Assembler" …, "JIT", or "" where it is unknown. Static. */
const char *language_of_function(const struct profile *p, const struct profile_function *f);
