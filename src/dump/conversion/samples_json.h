/*
 * A recording as perf's `data convert --to-json` writes it: a header, and each sample with its frames.
 *
 * One writer a run, one thread. Samples are given in the order of time; strings are escaped, broken UTF-8 is replaced.
 * Source: perf's output, "linux-perf-json-version" 1.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "record/env.h"
#include "resolve/resolve.h"

struct samples_json {
	struct json j;
	uint64_t offset_ns; /* from the recording's clock to what is written */
	uint64_t samples;
};

/* The header alone, as member "headers" of an object that has begun. */
void headers_json(struct json *j, const struct env *env);
/* wall_clock: times of day in place of the recording's clock; ERROR_NOT_FOUND where it does not have them. */
struct strobe_error *samples_json_begin(struct samples_json *w, const struct env *env, bool wall_clock, struct out *out)
	_must_check_;
void samples_json_add(struct samples_json *w, const struct resolved_sample *s);
void samples_json_end(struct samples_json *w);
