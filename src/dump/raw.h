/*
 * Records as they stand in the file: hexadecimal, then their parts by name (-D).
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "record/env.h"
#include "record/source.h"
#include "resolve/resolve.h"

/* name: of the file, for the lines that say where a record stands. */
void raw_sample(struct out *out, const struct env *env, const char *name, const struct resolved_sample *s);
void raw_record(struct out *out, const struct env *env, const char *name, struct record r);
/* All records of a source in its own order, nothing resolved. */
struct strobe_error *raw_all(struct out *out, struct record_source *source, const char *name) _must_check_;
