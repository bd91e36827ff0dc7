/*
 * Demangles Rust symbols of both schemes, without hashes of crates and of instances.
 *
 * Sources: rustc's "Symbol Mangling" (v0, RFC 2603) and its legacy scheme, which encodes paths as C++ names.
 */
#pragma once

/* The readable name, owned by the caller (free); NULL if it is not a Rust symbol. */
char *rust_demangle(const char *name);
