/* Generates a script to start from: it has a handler for each tracepoint of a recording, which prints the fields. */
#pragma once
#include "base/error.h"
#include "record/env.h"

/*
 * spec: a language ("python", "pl") for perf-script.py or perf-script.pl in the current folder; or a file name, whose suffix or prefix
 * names the language ("x.py", "perl:x"). An existing non-empty file is renamed to NAME.old. Events and fields whose names are not valid
 * in the language are left out, since recordings are untrusted. ERROR_USAGE if the language is unknown. *ret_path is static or a part of
 * spec.
 */
struct strobe_error *script_generate(const struct env *env, const char *spec, const char **ret_language,
				     const char **ret_path) _must_check_;
