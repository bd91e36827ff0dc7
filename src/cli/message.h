/*
 * Lines for the user: messages, and what is logged.
 *
 * One write(2) a line, so that lines of several threads and processes do not mix. A message may contain names of files and functions
 * from anywhere: what would steer a terminal is escaped, except newlines and tabs. Any thread.
 */
#pragma once
#include "base/error.h"
#include "base/log.h"

/* before: printed as it is, in front of the line. */
void message_write(int fd, const char *before, const char *line);
/*
 * "SUBJECT[=LEVEL]" of the option --debug as the level of -v that it means; NULL is 0. The subjects are verbose, whose level it is,
 * and perf-event-open.
 */
struct strobe_error *message_debug_level(const char *subject, unsigned *ret) _must_check_;
/* What is logged up to that level goes to fd. */
void message_show_log(int fd, enum log_level max);
/* Stores what is logged while a screen has the terminal: returns a descriptor, or -1. The release prints it to standard error. */
int message_hold_log(void);
void message_release_log(int held);
