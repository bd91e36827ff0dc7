/*
 * Demangles names of C++, Rust, D, OCaml and Haskell, without parameter lists as in perf, or with them.
 *
 * Thread-safe; needs no library. Depth, steps and output are limited; names that exceed a limit stay mangled.
 */
#pragma once
#include <stdbool.h>

/* Whether the name looks mangled at all: "_Z…", "_R…", "_D…", "_GLOBAL__I_…", "camlX…", "…z…_info". Cheap. */
bool demangle_is_mangled(const char *name);
/* Whether the readable name of this mangled one is of the syntax of C++ or Rust: '<' and '(' begin what is not the function's name. */
bool demangle_has_signature(const char *name);
/* The readable name, owned by the caller (free), or NULL if the name is not mangled. A suffix "@plt" is kept, and Haskell's package. */
char *demangle_name(const char *name);
/* The same with parameters and, for C++ templates, return types. Suffixes of clones (".isra.0") are dropped;
 * OCaml's number, which tells functions of one name apart, is kept, and Haskell's package. */
char *demangle_whole_name(const char *name);
