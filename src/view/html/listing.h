/*
 * A code listing as the page reads it: { "files": [{ "path", "problem", "first", "lines" }], "insns": [[address, text, file,
 * line, target]] }. Of a source file there are the lines that the function has, and some around them; file is an index or -1,
 * target the index of the instruction that is jumped to, or -1. What it costs is counted in the page.
 */
#pragma once
#include "base/out.h"
#include "table/listing.h"

void view_html_listing(const struct listing *l, struct out *out);
