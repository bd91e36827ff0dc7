/*
 * Rust symbols, both manglings, as people write them: without hashes of crates and of instances.
 *
 * Sources: rustc's "Symbol Mangling" (v0, RFC 2603) and its legacy scheme, which dresses paths up as C++ names.
 */
#pragma once

/* The readable name, owned by the caller (free); NULL where it is not a Rust symbol. */
char *rust_demangle(const char *name);
