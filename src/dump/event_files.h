/*
 * A file per event for its samples, RECORDING.EVENT.dump (script --per-event-dump). Zeroed is empty.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "base/vector.h"
#include "record/env.h"

struct event_file;

struct event_files {
	VEC(struct event_file *) list; /* by event */
};

/* Creates missing files of events. Call event_files_deinit() in any case. */
struct strobe_error *event_files_open(struct event_files *e, const struct env *env, const char *recording) _must_check_;
/* The output for the next sample of the event, which is counted. NULL: the event has no file yet. */
struct out *event_files_sample(struct event_files *e, uint32_t event);
/* Finishes the files, which then get their names; writes a line for each to out, with the program's name. Returns the first error. */
struct strobe_error *event_files_finish(struct event_files *e, const char *program, struct out *out) _must_check_;
/* Removes unfinished files. */
void event_files_deinit(struct event_files *e);
