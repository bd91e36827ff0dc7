/*
 * Stack dumps → call chains, in the records themselves, for `inject --convert-callchain`.
 *
 * A sample with registers and a copy of its stack is rewritten with the call chain of a report in place of them, so that
 * the recording is smaller and can be read without its binaries. Samples of other events, and all other records, are
 * unchanged. The resolver must have read its source (resolve_count()). One thread.
 */
#pragma once
#include "base/error.h"
#include "record/env.h"
#include "record/source.h"
#include "resolve/resolve.h"

struct converter;

struct converter *converter_create(struct resolver *r);
void converter_destroy(struct converter *c);
/* The environment of the new recording, with new attrs for events whose samples change. Valid as long as the converter. */
const struct env *converter_env(const struct converter *c);
/* Writes the converted sample and sets *ret_keep to false, or leaves r unchanged. */
struct strobe_error *converter_record(struct converter *c, struct record r, struct record_sink *out,
				      bool *ret_keep) _must_check_;
/* Adds statistics about dumps to those of the resolver. */
void converter_finish(struct converter *c);
/* How many samples were converted. */
uint64_t converter_samples(const struct converter *c);
