/*
 * Demangles names of D: "_D3foo3barFiZv" is foo.bar, or foo.bar(int).
 *
 * Source: the D language's specification, "Application Binary Interface", sections on name and type mangling (with back
 * references, since 2018). Thunks are those of gdc ("_DThn16_") and ldc ("_DTi16_"). Depth, steps and output are limited.
 */
#pragma once
#include <stdbool.h>

/* "_D" and a name, "_DT…", "_Dmain". */
bool d_is_mangled(const char *name);
/*
 * The readable name, owned by the caller (free); NULL if it does not follow the grammar. Parameters are those of enclosing functions,
 * and if whole, of the function itself. Suffixes of clones (".cold") are dropped.
 */
char *d_demangle(const char *name, bool whole);
