/*
 * Demangles names of code that GHC compiled: "base_GHCziBase_map_info" is GHC.Base.map.
 *
 * A symbol is [PACKAGE_]MODULE_NAME_KIND, with the parts in GHC's z-encoding, in which '_' is "zu". Sources: GHC's Commentary,
 * "Symbol Names" and the convention of names in CLabel. Names of C may have the same form: a symbol is taken for Haskell's only if a
 * part has an escape that C's names would not have by chance, or begins with base_. Linear in time and space.
 */
#pragma once
#include <stdbool.h>

/* One of GHC's endings, and escapes or base_ or Main_main. Cheap. */
bool haskell_is_mangled(const char *name);
/*
 * The readable name, owned by the caller (free); NULL if it is not surely GHC's. The code of a function has its name; constructors,
 * closures and other kinds say so ("closure for GHC.Base.map"). whole: with the package ("base:GHC.Base.map").
 */
char *haskell_demangle(const char *name, bool whole);
