/*
 * What every command that reads a recording does alike: which file, and what is to be said about it at the end.
 */
#pragma once
#include <stdbool.h>

#include "record/source.h"
#include "resolve/resolve.h"
#include "session/host.h"

/* The status of a command that cannot open its recording, as with perf. One that is damaged further on is another matter. */
#define INPUT_OPEN_STATUS 255
/* The same of one that cannot create its output: a recording, or what a recording is converted to. */
#define OUTPUT_OPEN_STATUS 255

/* given, or standard input where that is a pipe, or perf.data. */
const char *input_path(const char *given);
/*
 * Whether a file, or standard input ("-"), begins with something else than a recording does. What cannot be looked into (a
 * directory, a device, nothing at all) is left to the reader of recordings. Nothing is taken out of a pipe.
 */
bool input_is_foreign(const char *path);
/* Whether a file looks like a recording. Does not wait for a pipe. */
bool input_is_recording(const char *path);
struct strobe_error *input_open(const char *given, bool force, struct record_source **ret) _must_check_;
/* Says once what was lost while recording, and what was damaged or unfinished in the file. */
void input_remarks(const struct session_host *host, struct record_source *source, const struct resolve_stats *stats);
/*
 * The same of lost records, where no resolver counted them: rings count all that they had no room for, samples among them; events count
 * their samples, on Linux 6.0 and later.
 */
void input_say_lost(const struct session_host *host, uint64_t records, uint64_t samples);
/* The same of records that order_late() and order_misdated() count, where no resolver did. */
void input_say_untimely(const struct session_host *host, uint64_t late, uint64_t misdated);
/*
 * Says which of the files that were requested had been replaced since the recording; verbose: of each, where its symbols and
 * lines came from, and where they were looked for.
 */
void symbols_remarks(const struct session_host *host, struct symbols *symbols, bool verbose);
