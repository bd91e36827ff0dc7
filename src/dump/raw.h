/*
 * Records as they are in the file: hexadecimal, then their parts by name (-D).
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
/* All records and resolved samples in the order of time, then how many of each type there are; skip_empty: see facts_stats(). */
struct strobe_error *raw_ordered(struct out *out, struct resolver *resolver, const struct env *env, const char *name,
				 bool skip_empty) _must_check_;
