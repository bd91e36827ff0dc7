/*
 * A side-band record as one line: "PERF_RECORD_COMM exec: ls:812/812".
 */
#pragma once
#include <stdbool.h>

#include "base/cursor.h"
#include "base/out.h"
#include "record/env.h"
#include "record/record.h"

/* Ends with a newline (NAMESPACES has several lines). A damaged record is marked. */
void event_text(struct out *out, const struct env *env, struct record r);
/* The same without the final newline. */
void event_text_open(struct out *out, const struct env *env, struct record r);
/* The CPUs in the body of a CPU_MAP record, "0-3,8"; false: damaged. */
bool event_text_cpus(struct out *out, struct cursor *c);
