/*
 * Requests to a daemon, through the socket "control" in its base directory: a line "list", "stop", "signal [NAME]" or "ping [NAME]".
 * The answer is lines of words separated by tabs, or "error", a tab and a message. Source: unix(7). One thread.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"

struct out;
struct table;

/* The path "BASE/NAME" as an address; ERROR_LIMIT if it is too long for one. */
struct sockaddr_un;
struct strobe_error *daemon_address(const char *base, struct sockaddr_un *ret) _must_check_;

/* ERROR_NOT_FOUND if no daemon runs there. */
struct strobe_error *daemon_request(const char *base, const char *request, struct strbuf *ret) _must_check_;

/* Prints the lines of any other answer, which is modified; NULL: none. */
void daemon_answer_text(struct out *out, char *answer);
/* Prints the answer to "list", which is modified: perf's lines, with all details of each (verbose), or with a separator. */
void daemon_list_text(struct out *out, char *answer, const char *program, bool verbose, const char *separator);
void daemon_list_table(struct table *t, char *answer);
