/*
 * The samples of each event in a file of their own, RECORDING.EVENT.dump (script --per-event-dump). Zeroed is none.
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

/* Creates the files of all events that have none yet. event_files_deinit() in any case. */
struct strobe_error *event_files_open(struct event_files *e, const struct env *env, const char *recording) _must_check_;
/* Where the next sample of the event goes; counts it. NULL where the event has no file yet. */
struct out *event_files_sample(struct event_files *e, uint32_t event);
/* The files become visible, complete; a line for each goes to out, with the program's name. Returns the first error. */
struct strobe_error *event_files_finish(struct event_files *e, const char *program, struct out *out) _must_check_;
/* Removes files that are not complete. */
void event_files_deinit(struct event_files *e);
