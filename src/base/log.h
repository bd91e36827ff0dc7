/*
 * The log hook: code below cmd/ logs only through it, and is silent until cmd/ sets a sink.
 *
 * LOG_WARN is for what the user must know (one line, shown by default), LOG_INFO for -v, LOG_DEBUG for -vv.
 * A sink is set once before threads start.
 */
#pragma once
#include <stdbool.h>

enum log_level { LOG_WARN, LOG_INFO, LOG_DEBUG };

struct log_sink {
	void (*fn)(void *ctx, enum log_level level, const char *line);
	void *ctx;
	enum log_level max_level;
};

/* An exception to "no mutable globals": process-wide, set by cmd/ and by tests. */
void log_set_sink(struct log_sink sink);
bool log_enabled(enum log_level level);
void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
