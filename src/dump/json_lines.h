/*
 * Samples and records as JSON lines: script --format json or jsonl. The schema is in strobe-script(1); its version is increased
 * when a field changes its meaning or is removed. jsonl.h, which is installed for other programs, reads it.
 *
 * Addresses are strings ("0x7f..."), since most JSON readers lose precision of large numbers; times are integer nanoseconds.
 */
#pragma once
#include "dump/dumper.h"

#define JSON_LINES_VERSION 1

/* The first line: the schema, the machine and the events. */
void json_lines_head(struct out *out, const struct env *env);
/* all: every value of the sample; else those of the dumper's fields. */
void json_lines_sample(struct dumper *d, struct out *out, const struct resolved_sample *s, bool all);
void json_lines_record(struct dumper *d, struct out *out, struct record r, uint64_t time_ns);
