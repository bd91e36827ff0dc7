/*
 * A code listing as the page reads it: { "files": [{ "path", "problem", "first", "lines" }], "insns": [[address, text, file,
 * line, target]] }. A source file has the lines of the function and some around them; file is an index or -1, target the index of
 * the target instruction of a jump, or -1. The page computes the values.
 */
#pragma once
#include "base/out.h"
#include "table/listing.h"

void view_html_listing(const struct listing *l, struct out *out);
