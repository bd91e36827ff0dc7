/*
 * Names of C++ and Rust as people write them, without parameter lists: as the reference prints them.
 *
 * Thread-safe; costs nothing until the first mangled name is met. C++ is read by __cxa_demangle of libstdc++, which is
 * loaded then; where the machine has none, C++ names stay as they are.
 */
#pragma once
#include <stdbool.h>

/* Whether the name looks mangled at all: "_Z…", "_R…", "_GLOBAL__I_…". Cheap. */
bool demangle_is_mangled(const char *name);
/* The readable name, owned by the caller (free), or NULL where there is nothing to demangle. "@plt" stays at the end. */
char *demangle_name(const char *name);
