/* Serves profiles to a browser until the process is interrupted: what `web`, `report --web` and `pprof -http` do. */
#pragma once
#include "annotate/source_files.h"
#include "cmd/cmd.h"
#include "disasm/disasm.h"
#include "web/server.h"

/*
 * Prints the address on stdout, and returns when SIGINT or SIGTERM comes. To be called before any thread is started that
 * those signals must not reach: they are blocked from here on.
 */
struct strobe_error *serve(struct cmd_context *ctx, const struct web_options *options) _must_check_;
/*
 * One profile without a recording. settings: pairs of a parameter's name and its value, NULL-terminated ("f", "regex", …; see
 * strobe-web(1)); pairs whose value is NULL or "" are left out.
 */
struct strobe_error *serve_profile(struct cmd_context *ctx, const char *address, const char *name, const struct profile *p,
				   const char *const *settings, const struct source_paths *paths,
				   enum disasm_syntax syntax) _must_check_;
/*
 * How source files that a profile names are looked for where its pages are served at an address: those of other machines see no
 * more than lies below the search path. search and trim: what was requested, or NULL.
 */
struct strobe_error *serve_source_paths(const char *address, const char *search, const char *trim, struct source_paths *ret)
	_must_check_;
