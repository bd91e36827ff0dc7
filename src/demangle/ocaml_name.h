/*
 * Demangles names of native OCaml code: "camlStdlib__Map__add_200" (4.x) and "camlStdlib__Map.add_200" (5.1 and later, not on
 * macOS) are Stdlib.Map.add.
 *
 * Source: the symbols of ocamlopt 4.13 and of OCaml's change log (5.1: the separator "."). Linear in time and space.
 */
#pragma once
#include <stdbool.h>

/* "caml" and an upper-case letter. */
bool ocaml_is_mangled(const char *name);
/*
 * The readable name, owned by the caller (free); NULL if it is not an OCaml function's. The number that the compiler appended is
 * dropped unless whole, or if the function has no other name ("fun_1802").
 */
char *ocaml_demangle(const char *name, bool whole);
