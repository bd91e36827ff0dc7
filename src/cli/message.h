/*
 * Lines for the user: messages and the log.
 *
 * One write(2) per line, so that lines of several threads and processes do not mix. A message may contain hostile names of files and
 * functions: control characters are escaped, except newlines and tabs. Any thread.
 */
#pragma once
#include "base/error.h"
#include "base/log.h"

/* before: printed unescaped, before the line. */
void message_write(int fd, const char *before, const char *line);
/*
 * "SUBJECT[=LEVEL]" of the option --debug converted to a level of -v; NULL is 0. The subjects are verbose, with its level, and
 * perf-event-open.
 */
struct strobe_error *message_debug_level(const char *subject, unsigned *ret) _must_check_;
/* Writes log messages up to that level to fd. */
void message_show_log(int fd, enum log_level max);
/* Stores the log while a screen uses the terminal: returns a descriptor, or -1. The release prints it to standard error. */
int message_hold_log(void);
void message_release_log(int held);
