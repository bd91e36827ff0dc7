/*
 * A filter of function calls: an expression over arguments and results, as in filters of tracepoints.
 *
 *	size > 4096 && name ~ "lib*"      (ret < 0 || flags & 0x10)
 *
 * Names: those of parameters, arg1 to arg6, ret. Numbers are decimal, 0x… or 'c', compared by the type of the argument (== != < <=
 * > >= &), strings by == != ~ !~ (globs). A call that has no argument of a name does not match. Source: the kernel's events.rst.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "tracing/func/call.h"

struct func_filter;

/* The error has the column of the mistake. */
struct strobe_error *func_filter_parse(const char *text, struct func_filter **ret) _must_check_;
void func_filter_destroy(struct func_filter *f);
/* Whether it uses results of functions. */
bool func_filter_needs_result(const struct func_filter *f);
bool func_filter_matches(const struct func_filter *f, const struct func_call *call);
