/*
 * What follows -e: system calls (decode/syscall.h) and events (event/event.h), told apart word by word.
 */
#pragma once
#include "cmd/trace/options.h"

/* One -e. Several add up; a list that begins with ! stands alone. */
struct strobe_error *trace_choose(struct trace_options *o, const char *text) _must_check_;
