/*
 * Writes values for Perl's Storable module: each batch is its size in bytes (32 bits), then an array in the format of thaw(), but
 * without the head with the sizes and the byte order of numbers: these are the reader's own, which prepends its head.
 *
 * Text is bytes, as in perf's Perl, and so are numbers that require an unsigned 64-bit integer, which Perl converts as needed; lists
 * and tuples are array references, dicts are hash references. Source: Storable.xs of Perl, major version 2.
 */
#pragma once
#include "scripting/values.h"

extern const struct value_format storable_format;
