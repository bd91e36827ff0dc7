/*
 * Samples and records as JSON, one object a line: script --format json or jsonl. The schema is in strobe-script(1), and its
 * version goes up when a field changes its meaning or goes away; jsonl.h, which is installed for other programs, reads it.
 *
 * Addresses are strings ("0x7f..."), for they do not fit what most readers make of a number; times are whole nanoseconds.
 */
#pragma once
#include "dump/dumper.h"

#define JSON_LINES_VERSION 1

/* The first line: the schema, the machine and the events. */
void json_lines_head(struct out *out, const struct env *env);
/* all: every value that the sample carries; else those of the dumper's fields. */
void json_lines_sample(struct dumper *d, struct out *out, const struct resolved_sample *s, bool all);
void json_lines_record(struct dumper *d, struct out *out, struct record r, uint64_t time_ns);
