/*
 * A preview of a large recording while it is being read, by a second reader. It counts records in the order of the file, with
 * the processes known up to there, so its rows are approximate; the full report replaces it. A stream is read up to the last
 * complete record.
 *
 * One thread besides that of the opening; they share nothing but the request.
 */
#pragma once
#include "session/report/opened.h"

struct preview;
/* Opens a file a second time, or the start of a stream; NULL: a preview is impossible, or not possible yet. */
struct preview *preview_open(const struct session_host *host, const struct report_request *request, struct opened_input input);
void preview_close(struct preview *p);
/* Reads for this time, and returns a new report of everything read so far, which replaces the old one. NULL: no sample yet, or damaged. */
const struct report *preview_read_on(struct preview *p, uint64_t ns);
/* Appends "the first 12%", the part that is shown, if known. */
void preview_describe(const struct preview *p, struct strbuf *out);
struct opened *preview_file(struct preview *p);
