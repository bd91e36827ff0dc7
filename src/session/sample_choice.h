/*
 * The options that choose samples of a recording, as every command that reads one spells them: -C, --pid, --tid, --comms,
 * --time.
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

/* Lists live in the arena. Shares of --time are of the span of the recording's samples. */
struct strobe_error *sample_choice_parse(const struct sample_choice *c, const struct env *env, struct arena *arena,
					 struct resolve_filter *ret) _must_check_;
/* ERROR_USAGE where the samples of an event do not have what -C or --time requires. */
struct strobe_error *sample_choice_check(const struct sample_choice *c, const struct env *env) _must_check_;
