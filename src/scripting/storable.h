/*
 * Values as Perl's Storable module reads them: each batch is its size in bytes (32 bits), then an array as thaw() reads it, but
 * without the head that tells the sizes and the byte order of numbers: the reader has the same ones, and puts its own in front.
 *
 * Text is bytes, as Perl has them from perf, and so are numbers that only an unsigned integer of 64 bits holds, which Perl
 * converts as needed; lists and tuples are array references, dicts are hash references. Source: Storable.xs of Perl, major version 2.
 */
#pragma once
#include "scripting/values.h"

extern const struct value_format storable_format;
