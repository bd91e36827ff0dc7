/* Serves profiles to a browser until the process is interrupted, for `web`, `report --web` and `pprof -http`. */
#pragma once
#include "annotate/source_files.h"
#include "cmd/cmd.h"
#include "disasm/disasm.h"
#include "web/server.h"

/*
 * Prints the address on stdout, and returns when SIGINT or SIGTERM comes. Call it before starting threads, so that they inherit the
 * blocked signals.
 */
struct strobe_error *serve(struct cmd_context *ctx, const struct web_options *options) _must_check_;
/*
 * Serves one profile without a recording. settings: pairs of a parameter's name and its value, NULL-terminated ("f", "regex", …; see
 * strobe-web(1)); pairs whose value is NULL or "" are ignored.
 */
struct strobe_error *serve_profile(struct cmd_context *ctx, const char *address, const char *name, const struct profile *p,
				   const char *const *settings, const struct source_paths *paths,
				   enum disasm_syntax syntax) _must_check_;
/*
 * The search for source files of a profile whose pages are served at an address: other machines only get files below the search
 * path. search and trim: from options, or NULL.
 */
struct strobe_error *serve_source_paths(const char *address, const char *search, const char *trim, struct source_paths *ret)
	_must_check_;
