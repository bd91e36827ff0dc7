/*
 * /tmp/perf-PID.map: symbols of JIT code, lines of "START SIZE NAME", with hexadecimal numbers.
 *
 * Source: tools/perf/Documentation/jit-interface.txt. Invalid lines are skipped; of overlapping ones the later counts,
 * because JITs reuse memory.
 */
#pragma once
#include <stddef.h>

#include "symbol/symtable.h"

/* *ret_names has the table's names, owned by the caller. */
void perf_map_parse(const char *text, size_t n, struct symtable *ret, char **ret_names);
