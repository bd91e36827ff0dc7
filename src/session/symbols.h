/*
 * The sources of symbols and code of a session: the build ID cache, files of running processes, servers of debug information.
 */
#pragma once
#include <stdbool.h>

#include "record/env.h"
#include "session/foreign_files.h"
#include "session/host.h"
#include "symbol/symbol.h"

/*
 * Completes ret, in which the caller has set its options. force: trust files of other users. The caller owns *ret_foreign, which
 * borrows env, and is destroyed after the symbols of this session. An error if a file or directory of the options cannot be read.
 */
struct strobe_error *session_symbols(const struct session_host *host, const struct env *env, bool force, struct symbols_options *ret,
				     struct foreign_files **ret_foreign) _must_check_;
