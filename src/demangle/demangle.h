/*
 * Names of C++ and Rust as people write them, without parameter lists, as perf prints them; or with them.
 *
 * Thread-safe; needs no library. Hostile names are bounded in depth, steps and output, and stay as they are where they
 * exceed that.
 */
#pragma once
#include <stdbool.h>

/* Whether the name looks mangled at all: "_Z…", "_R…", "_GLOBAL__I_…". Cheap. */
bool demangle_is_mangled(const char *name);
/* The readable name, owned by the caller (free), or NULL where there is nothing to demangle. "@plt" stays at the end.
 */
char *demangle_name(const char *name);
/* The same with parameters, and what templates return, of C++. What marks a clone (".isra.0") is left out. */
char *demangle_whole_name(const char *name);
