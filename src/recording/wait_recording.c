#include "recording/wait_recording.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

/* The caller shows results; notes about permissions and losses are passed on. */
static void say(void *ctx, enum recorder_message kind, const char *text)
{
	const struct wait_recording *w = ctx;
	if (kind == RECORDER_LOSS)
		session_say(w->host, "%s", text);
}

static struct strobe_error *make_directory(struct wait_recording *w)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/strobe-waits.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir)) {
		struct strobe_error *err = error_errno(errno, "cannot create a directory for the recording, %s", dir);
		free(dir);
		return err;
	}
	w->dir = dir;
	w->path = xasprintf("%s/perf.data", dir);
	return NULL;
}

static struct strobe_error *record(const struct wait_recording_request *q, struct wait_recording *w, const struct signals *signals)
{
	struct event_list none, switches;
	struct recorder_options o = { .argv = q->argv, .waits = q->waits, .wait_quantum_ns = q->quantum_ns, .output = w->path,
				      .events = &none, .switch_events = &switches };
	struct recorder_host host = { .say = say, .session = q->host, .signals = signals, .ctx = w };
	int status;
	event_list_init(&none);
	event_list_init(&switches);
	capture_options_init(&o.capture);
	o.capture.target = q->target;
	o.capture.callgraph.mode = CALLGRAPH_EH;
	o.capture.callgraph.max_stack = (uint16_t)(q->max_stack < UINT16_MAX ? q->max_stack : UINT16_MAX);
	o.capture.build_id_mmap = true;
	o.capture.tracks_all = true;
	struct recorder *r = recorder_create(&o, &host);
	struct strobe_error *err = recorder_run(r, &status);
	recorder_destroy(r);
	event_list_deinit(&none);
	event_list_deinit(&switches);
	return err;
}

struct strobe_error *wait_recording_run(const struct wait_recording_request *q, struct wait_recording *ret)
{
	struct signals signals = SIGNALS_NONE;
	*ret = (struct wait_recording){ .host = q->host };
	TRY(make_directory(ret));
	TRY(signals_open(&signals, (int[]){ SIGCHLD, SIGUSR2, 0 }));
	struct strobe_error *err = record(q, ret, &signals);
	signals_close(&signals);
	return err;
}

const char *wait_recording_path(const struct wait_recording *w)
{
	return w->path;
}

void wait_recording_discard(struct wait_recording *w)
{
	if (!w->dir)
		return;
	unlink(w->path);
	rmdir(w->dir);
	free(w->path);
	free(w->dir);
	*w = (struct wait_recording){};
}
