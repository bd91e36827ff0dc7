/* Probes among the events of a command (probe/inline.h). */
#pragma once
#include "cmd/cmd.h"
#include "event/event.h"

/* Finds what they mean, where debug files and the build ID cache are looked for as by all commands. */
struct strobe_error *cmd_resolve_probes(struct cmd_context *ctx, struct event_list *events) _must_check_;
