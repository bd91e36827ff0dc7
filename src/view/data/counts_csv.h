/*
 * A count listing with fields between separators, as perf stat -x prints it: one line per event, no heading.
 */
#pragma once
#include "base/out.h"
#include "table/counts.h"

void counts_csv(struct out *out, const struct counts *c, const char *separator, bool no_summary_word);
