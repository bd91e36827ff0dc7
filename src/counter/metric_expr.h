/*
 * The expression language of metrics.
 *
 *	value  := number | event | metric | "quoted event" | (expr) | -value | min(a, b) | max(a, b) | d_ratio(a, b)
 *	expr   := value with * / % + - < <= > >= == != & | in C's order, or: a if condition else b
 *
 * An event's name may contain - . : _ and digits, so that a minus sign requires blanks around it; a name with a slash must be in
 * double quotes. Division by zero gives NaN, except that d_ratio(a, 0) is 0. Trees are allocated in the caller's arena.
 */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

struct metric_node;

/* Errors name the column. */
struct strobe_error *metric_parse(struct arena *arena, const char *text, struct metric_node **ret) _must_check_;
/* Calls fn for each occurrence of a name. */
void metric_each_name(const struct metric_node *n, void (*fn)(void *ctx, const char *name), void *ctx);
/* Replaces a name by another, which must be valid as long as the expression. */
void metric_rename(struct metric_node *n, const char *from, const char *to);
/* The value; lookup returns that of a name, or false: then the result is NaN. */
double metric_eval(const struct metric_node *n, bool (*lookup)(void *ctx, const char *name, double *ret), void *ctx);
