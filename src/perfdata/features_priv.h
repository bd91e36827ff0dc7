/* Encodes feature sections from the environment, in this machine's byte order. */
#pragma once
#include "base/strbuf.h"
#include "record/env.h"

/* The maximum attr size that perf 6.1 accepts. */
#define WRITTEN_ATTR_BYTES 128

/* The attr of an event as written: truncated or padded to WRITTEN_ATTR_BYTES, with its size field set accordingly. */
void feature_attr(const struct env_event *ev, uint8_t ret[WRITTEN_ATTR_BYTES]);
/* Appends the section; false if the environment has no data for it. */
bool feature_encode(const struct env *e, uint32_t bit, struct strbuf *ret);
