/*
 * Stack dumps → call chains, in the records themselves: what `inject --convert-callchain` is made of.
 *
 * A sample that brought registers and a copy of its stack comes out without them and with the chain that a report would
 * have shown, so that the recording shrinks and needs its binaries no more to be unwound. Samples of other events, and all
 * other records, stay as they are. The resolver must have read its source (resolve_count()); it is used by one thread.
 */
#pragma once
#include "base/error.h"
#include "record/env.h"
#include "record/source.h"
#include "resolve/resolve.h"

struct converter;

struct converter *converter_create(struct resolver *r);
void converter_destroy(struct converter *c);
/* What the new recording says of itself: other attrs, for events whose samples change. Valid as long as the converter. */
const struct env *converter_env(const struct converter *c);
/* Writes the sample that r becomes, and sets *ret_keep to false; or leaves r to be kept. */
struct strobe_error *converter_record(struct converter *c, struct record r, struct record_sink *out,
				      bool *ret_keep) _must_check_;
/* Adds what became of the dumps to the resolver's stats. */
void converter_finish(struct converter *c);
/* How many samples were converted. */
uint64_t converter_samples(const struct converter *c);
