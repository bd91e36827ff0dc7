/*
 * Requests to a daemon, through the socket "control" in its base directory: a line, "list", "stop", "signal [NAME]" or "ping [NAME]",
 * which is answered by lines of words with tabs between them, or by "error", a tab and a sentence. Source: unix(7). One thread.
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

/* The lines of any other answer, which is changed; NULL: none. */
void daemon_answer_text(struct out *out, char *answer);
/* What "list" was answered, which is changed: perf's lines, with all that is known of each (verbose), or with a separator. */
void daemon_list_text(struct out *out, char *answer, const char *program, bool verbose, const char *separator);
void daemon_list_table(struct table *t, char *answer);
