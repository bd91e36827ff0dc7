/* Feature sections from the environment to bytes, in this machine's byte order. */
#pragma once
#include "base/strbuf.h"
#include "record/env.h"

/* What perf 6.1 takes an attr to be: larger ones it refuses. */
#define WRITTEN_ATTR_BYTES 128

/* The attr of an event as it is written: cut or filled up to WRITTEN_ATTR_BYTES, its size field says so. */
void feature_attr(const struct env_event *ev, uint8_t ret[WRITTEN_ATTR_BYTES]);
/* Appends the section; false where the environment has nothing for it. */
bool feature_encode(const struct env *e, uint32_t bit, struct strbuf *ret);
