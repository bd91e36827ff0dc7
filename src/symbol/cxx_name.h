/*
 * Where the name ends in a mangled C++ symbol.
 *
 * Reports show functions without parameters, return types and qualifiers of `this`. They cannot be cut off the readable
 * text safely (templates, function pointers, lambdas and conversions have parentheses of their own), but a mangled
 * symbol whose parameters are cut off is itself well formed: it is what a variable of that name would be called. So the
 * mangled form is walked by the grammar of the Itanium C++ ABI (chapter 5.1, "External Names") up to the end of the name.
 */
#pragma once
#include <stdbool.h>

#include "base/strbuf.h"

/*
 * Appends "_Z…" reduced to the name. Special names (vtables, thunks) keep all of theirs. What follows the encoding
 * (".cold", "@plt") is dropped. False where the symbol does not follow the grammar, and where it would read longer than
 * a few hundred kilobytes: symbols can be made that stand for gigabytes.
 */
bool cxx_name_reduce(const char *mangled, struct strbuf *ret);
