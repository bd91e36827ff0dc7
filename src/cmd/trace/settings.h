/*
 * Settings of `strobe trace`: the section [trace] of the configuration (perf-config(1)).
 */
#pragma once
#include "cli/config.h"
#include "cmd/trace/options.h"

/* Call it after parsing options, which override settings. ERROR_USAGE names the setting. */
struct strobe_error *trace_settings_apply(const struct config *config, struct trace_options *o) _must_check_;
