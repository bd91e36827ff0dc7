/*
 * A script to begin with: it has a handler for each tracepoint of a recording, which prints the fields.
 */
#pragma once
#include "base/error.h"
#include "record/env.h"

/*
 * Writes perf-script.py or perf-script.pl into the current folder; an older one becomes NAME.old. The names of events and fields that
 * are not names in the language are left out: recordings come from anywhere. ERROR_USAGE where the language is unknown.
 */
struct strobe_error *script_generate(const struct env *env, const char *language, const char **ret_language,
				     const char **ret_path) _must_check_;
