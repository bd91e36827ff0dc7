/*
 * Compiled descriptions of terminals: one that speaks of 256 colours made to speak of 16 million.
 *
 * Terminals that know direct colours say so in COLORTERM, but few of them are described so: the entry that TERM names is
 * read, and a copy is made whose setaf and setab take red, green and blue as one number (flag RGB). Source: term(5),
 * terminfo(5), user_caps(5).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Appends the description to out. False where the bytes are none, or have no colours; out is as it was then. */
bool terminfo_direct(const void *entry, size_t bytes, struct strbuf *out);
/* As TERMINFO holds one in place of a directory: "hex:…". False where no entry of this name is found that will do. */
bool terminfo_direct_variable(const char *term, struct strbuf *out);
