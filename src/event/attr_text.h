/*
 * A perf_event_attr as text: each field that is not zero on a line of its own, the way -vv of the reference shows it.
 */
#pragma once
#include "base/strbuf.h"
#include "sys/perf_abi.h"

/* "  sample_type                      IP|TID|TIME\n" and so on, without a frame. */
void event_attr_text(const struct perf_event_attr *attr, struct strbuf *ret);
