/*
 * A script to begin with: it has a handler for each tracepoint of a recording, which prints the fields.
 */
#pragma once
#include "base/error.h"
#include "record/env.h"

/*
 * spec: a language ("python", "pl") for perf-script.py or perf-script.pl in the current folder; or the name of the file, whose end says
 * the language ("x.py", "perl:x"). An older one that is not empty becomes NAME.old. The names of events and fields that are not
 * names in the language are left out: recordings come from anywhere. ERROR_USAGE if the language is unknown. *ret_path is
 * static or a part of spec.
 */
struct strobe_error *script_generate(const struct env *env, const char *spec, const char **ret_language,
				     const char **ret_path) _must_check_;
