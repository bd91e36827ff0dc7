/* The v0 mangling of Rust (RFC 2603 and the rustc book, "v0 Symbol Format"): for rust_name.c. */
#pragma once
#include <stdint.h>

#include "base/strbuf.h"

/* Takes the text after "_R"; NULL if it does not follow the grammar. Depth and output are limited. */
char *rust_v0_demangle(const char *mangled);
void rust_add_utf8(struct strbuf *b, uint32_t c);
