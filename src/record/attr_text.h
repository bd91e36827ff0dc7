/*
 * The fields of an attr by name and as text, in the reference's order and spelling: for evlist -v, headers, record -vv.
 *
 * Fields that are 0 are left out, as the reference leaves them out. Bits that the reference (6.1) does not know are named
 * as the kernel's header names them.
 */
#pragma once
#include <linux/perf_event.h>

#include "base/strbuf.h"

void attr_each_field(const struct perf_event_attr *attr, void (*fn)(void *ctx, const char *name, const char *value), void *ctx);
