/*
 * A side-band record as one line: "PERF_RECORD_COMM exec: ls:812/812".
 */
#pragma once
#include "base/out.h"
#include "record/env.h"
#include "record/record.h"

/* Ends with a newline (NAMESPACES has several lines). A damaged record is named as such. */
void event_text(struct out *out, const struct env *env, struct record r);
