/*
 * The options that select samples of a recording, common to all commands that read one: -C, --pid, --tid, --comms, --time.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "record/env.h"
#include "resolve/resolve.h"

/* As typed; NULL: any. */
struct sample_choice {
	const char *cpus, *pids, *tids, *comms, *times;
};

/* Lists live in the arena. Percentages in --time refer to the span of the recording's samples. */
struct strobe_error *sample_choice_parse(const struct sample_choice *c, const struct env *env, struct arena *arena,
					 struct resolve_filter *ret) _must_check_;
/* ERROR_USAGE if samples of an event lack the fields for -C or --time. */
struct strobe_error *sample_choice_check(const struct sample_choice *c, const struct env *env) _must_check_;
