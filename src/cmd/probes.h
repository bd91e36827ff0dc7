/* Probes among the events of a command (probe/inline.h). */
#pragma once
#include "cmd/cmd.h"
#include "event/event.h"

/*
 * Resolves probes in events, with the command's search for debug files and its build ID cache. Warns of installed ones whose file was
 * replaced.
 */
struct strobe_error *cmd_resolve_probes(struct cmd_context *ctx, struct event_list *events) _must_check_;
