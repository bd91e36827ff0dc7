/*
 * A recording of only waits, for a command that shows them at its end:
 *
 *	err = wait_recording_run(&request, &w, &status);
 *	session_open(&s, host, wait_recording_path(&w), false);
 *	wait_recording_discard(&w);
 *
 * The file is in a new private directory below TMPDIR. One thread.
 */
#pragma once
#include "capture/target.h"
#include "recording/recorder.h"

struct wait_recording_request {
	const struct session_host *host;
	struct target target;
	char *const *argv;         /* NULL: no command */
	enum recorder_waits waits; /* RECORDER_WALL or RECORDER_LOCKS */
	uint64_t quantum_ns;       /* waiting time per sample at one place */
	uint32_t max_stack;        /* frames; 0: all */
};

/* Zeroed: no recording. */
struct wait_recording {
	const struct session_host *host;
	char *dir, *path;
};

/* Records until the command ends, or a signal arrives. Call wait_recording_discard() in any case. */
struct strobe_error *wait_recording_run(const struct wait_recording_request *q, struct wait_recording *ret) _must_check_;
const char *wait_recording_path(const struct wait_recording *w);
void wait_recording_discard(struct wait_recording *w);
