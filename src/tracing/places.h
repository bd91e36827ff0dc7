/*
 * Where a page fault came from, and what it touched, as far as maps and symbols tell.
 */
#pragma once
#include "tracing/line.h"
#include "machine/machine.h"
#include "symbol/symbol.h"

/* Fills from and to; strings live for the session. */
void trace_fault_places(struct machine *m, struct symbols *symbols, const struct resolved_sample *r, struct trace_fault *fault);
