/*
 * /tmp/perf-PID.map: what a JIT says about its code, one line "START SIZE NAME" each, numbers in hex.
 *
 * Source: tools/perf/Documentation/jit-interface.txt. Lines that are none are left out; of lines that overlap the later
 * one holds, because JITs use memory again.
 */
#pragma once
#include <stddef.h>

#include "symbol/symtable.h"

/* The table's names lie in *ret_names, owned by the caller. */
void perf_map_parse(const char *text, size_t n, struct symtable *ret, char **ret_names);
