/*
 * The files that one session takes names and code from: the build ID cache, files of running processes, servers of debug information.
 */
#pragma once
#include <stdbool.h>

#include "record/env.h"
#include "session/foreign_files.h"
#include "session/host.h"
#include "symbol/symbol.h"

/*
 * Completes ret, in which the caller has set what its options say. force: files of other users are trusted. *ret_foreign is the
 * caller's: it borrows env, and serves the symbols of this session, after which it is destroyed. An error where a file or directory
 * of the options cannot be read.
 */
struct strobe_error *session_symbols(const struct session_host *host, const struct env *env, bool force, struct symbols_options *ret,
				     struct foreign_files **ret_foreign) _must_check_;
