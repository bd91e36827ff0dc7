/*
 * Finds tracefs; mounts it if it is not mounted and permissions allow.
 *
 * Source: Documentation/trace/ftrace.rst. Errors: ERROR_UNSUPPORTED (kernel without tracing), ERROR_PERMISSION (with
 * a command that helps).
 */
#pragma once
#include "base/error.h"
#include "sys/sys.h"

/* The directory that holds events/ ("/sys/kernel/tracing"), without the root of sys; owned. */
struct strobe_error *sys_tracefs(const struct sys *sys, char **ret) _must_check_;
