/*
 * Lines for the user: messages, and what is logged.
 *
 * One write(2) a line, so that lines of several threads and processes do not mix. Names of files and functions in a message are no more
 * to be trusted than those in a report: what would steer a terminal is escaped. Its own lines stay lines. Any thread.
 */
#pragma once
#include "base/log.h"

/* before: printed as it is, in front of the line. */
void message_write(int fd, const char *before, const char *line);
/* What is logged up to that level goes to fd. */
void message_show_log(int fd, enum log_level max);
/* While a screen has the terminal, what is logged is kept: a descriptor, or -1. Released, it is printed to standard error. */
int message_hold_log(void);
void message_release_log(int held);
