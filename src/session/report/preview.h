/*
 * What a large recording is like, while it is still being read: shown before it is whole, as far as a second reader has come. It
 * counts records in the order of the file and knows processes as they were recorded up to there, so its rows are near the truth
 * only; the whole report takes its place. A stream is read up to the last record that has come whole.
 *
 * One thread besides that of the opening; they share nothing but the request.
 */
#pragma once
#include "session/report/opened.h"

struct preview;
/* Opens a file a second time, or the beginning of a stream; NULL: it cannot be shown in parts, or not yet. */
struct preview *preview_open(const struct session_host *host, const struct report_request *request, struct opened_input input);
void preview_close(struct preview *p);
/* Reads on for so long: a new report of all that was read, the old one is gone. NULL: there is no sample yet, or it is damaged. */
const struct report *preview_read_on(struct preview *p, uint64_t ns);
/* "the first 12%": how much of the whole is shown, as far as that is known. Appended. */
void preview_describe(const struct preview *p, struct strbuf *out);
struct opened *preview_file(struct preview *p);
