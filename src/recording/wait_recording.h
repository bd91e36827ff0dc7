/*
 * A recording of waits alone, for a command that shows them as it ends:
 *
 *	err = wait_recording_run(&request, &w, &status);
 *	session_open(&s, host, wait_recording_path(&w), false);
 *	wait_recording_discard(&w);
 *
 * The file is in a directory of its own below TMPDIR, which nobody else can read. One thread.
 */
#pragma once
#include "capture/target.h"
#include "recording/recorder.h"

struct wait_recording_request {
	const struct session_host *host;
	struct target target;
	char *const *argv;         /* NULL: there is no command */
	enum recorder_waits waits; /* RECORDER_WALL or RECORDER_LOCKS */
	uint64_t quantum_ns;       /* of waiting at one place makes a sample */
	uint32_t max_stack;        /* frames; 0: all */
};

/* Zeroed: there is none. */
struct wait_recording {
	const struct session_host *host;
	char *dir, *path;
};

/* Until the command ends, or a signal comes. wait_recording_discard() in any case. */
struct strobe_error *wait_recording_run(const struct wait_recording_request *q, struct wait_recording *ret) _must_check_;
const char *wait_recording_path(const struct wait_recording *w);
void wait_recording_discard(struct wait_recording *w);
