/* Shared by the files that write text reports of pprof. */
#pragma once
#include "profile/profile.h"

/* Each line is allocated by itself. */
struct pprof_lines {
	char **data;
	size_t len, cap;
};

/* The values of one key in a label set, texts or numbers, as allocated text; NULL where the set has none. */
typedef char *(*pprof_label_line_fn)(const struct profile *p, const uint64_t *values, str_id key, bool texts);
/* A line for each key of a label set, sorted. */
struct pprof_lines pprof_label_lines(const struct profile *p, labels_id labels, bool texts, pprof_label_line_fn line_of);
