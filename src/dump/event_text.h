/*
 * A side-band record as one line: "PERF_RECORD_COMM exec: ls:812/812".
 */
#pragma once
#include <stdbool.h>

#include "base/cursor.h"
#include "base/out.h"
#include "record/env.h"
#include "record/record.h"

/* Ends with a newline (NAMESPACES has several lines). A damaged record is named as such. */
void event_text(struct out *out, const struct env *env, struct record r);
/* The same without the newline at its end. */
void event_text_open(struct out *out, const struct env *env, struct record r);
/* The CPUs of a CPU_MAP record's body, "0-3,8"; false where it is damaged. */
bool event_text_cpus(struct out *out, struct cursor *c);
