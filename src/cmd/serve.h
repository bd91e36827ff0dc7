/* Serves profiles to a browser until the process is interrupted: what `web`, `report --web` and `pprof -http` do. */
#pragma once
#include "cmd/cmd.h"
#include "web/server.h"

/*
 * Prints the address on stdout, and returns when SIGINT or SIGTERM comes. To be called before any thread is started that
 * those signals must not reach: they are blocked from here on.
 */
struct strobe_error *serve(struct cmd_context *ctx, const struct web_options *options) _must_check_;
