/*
 * Shared by all commands that read a recording: the path of the input, and remarks about it at the end.
 */
#pragma once
#include <stdbool.h>

#include "record/source.h"
#include "resolve/resolve.h"
#include "session/host.h"

/* The exit status of a command that cannot open its recording, as in perf. Not for one that is damaged later on. */
#define INPUT_OPEN_STATUS 255
/* Likewise for a command that cannot create its output, a recording or a conversion of one. */
#define OUTPUT_OPEN_STATUS 255

/* given, or standard input if that is a pipe, or perf.data. */
const char *input_path(const char *given);
/*
 * Whether a file, or standard input ("-"), is not a recording by its first bytes. False for directories, devices and missing
 * files, which the reader of recordings reports. Data of a pipe is not consumed.
 */
bool input_is_foreign(const char *path);
/* Whether a file looks like a recording. Does not wait for a pipe. */
bool input_is_recording(const char *path);
struct strobe_error *input_open(const char *given, bool force, struct record_source **ret) _must_check_;
/* Reports once what was lost while recording, and damage of the file. */
void input_remarks(const struct session_host *host, struct record_source *source, const struct resolve_stats *stats);
/*
 * The same of lost records, where no resolver counted them: rings count all that they had no room for, samples among them; events count
 * their samples, on Linux 6.0 and later.
 */
void input_say_lost(const struct session_host *host, uint64_t records, uint64_t samples);
/* The same of records that order_late() and order_misdated() count, where no resolver did. */
void input_say_untimely(const struct session_host *host, uint64_t late, uint64_t misdated);
/*
 * Reports requested files that have been replaced since the recording; verbose: for each file the source of its symbols and lines,
 * and the paths tried. On a terminal also which package has the symbols of the program that was recorded (env, or NULL).
 */
void symbols_remarks(const struct session_host *host, struct symbols *symbols, const struct env *env, bool verbose);
