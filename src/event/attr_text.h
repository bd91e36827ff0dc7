/*
 * A perf_event_attr as text: each field that is not zero on a line of its own, the way -vv of the reference shows it.
 */
#pragma once
#include "base/strbuf.h"
#include "sys/perf_abi.h"

/* "  sample_type                      IP|TID|TIME\n" and so on, without a frame. */
void event_attr_text(const struct perf_event_attr *attr, struct strbuf *ret);
/* "IP|TID|TIME" of one word of bits; bits without a name as hex. */
void event_sample_type_text(uint64_t sample_type, struct strbuf *ret);
void event_read_format_text(uint64_t read_format, struct strbuf *ret);
void event_branch_type_text(uint64_t branch_sample_type, struct strbuf *ret);
