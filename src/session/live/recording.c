/* A live profile: its samples in a recording. */
#include <string.h>

#include "capture/environment.h"
#include "config.h"
#include "session/live/live.h"

struct strobe_error *live_record(struct live_session *l, const char *path)
{
	if (!strcmp(path, "-"))
		return error_create(ERROR_USAGE, "--record requires a file name");
	l->has_output = true;
	TRY(record_output_init(&l->output, path, false));
	l->output.options.checkpoints = true;
	TRY(record_output_open(&l->output, live_env(l), capture_rings(l->capture)));
	l->sink.file = &l->output.writer->sink;
	return writer_event_updates(l->output.writer, live_env(l));
}

void live_complete_env(struct live_session *l)
{
	environment_fill_session(live_env(l), l->o.sys, STROBE_VERSION, l->o.capture);
}

struct strobe_error *live_finish_recording(struct live_session *l)
{
	const char *name;
	uint64_t bytes;
	struct env *env = live_env(l);
	if (!l->has_output)
		return NULL;
	TRY(capture_drain(l->capture, 0, l->sink.file, true, false, &bytes));
	TRY(capture_finish(l->capture, l->sink.file));
	live_complete_env(l);
	struct capture_totals totals = capture_totals(l->capture);
	env->first_sample_ns = totals.first_ns;
	env->last_sample_ns = totals.last_ns;
	TRY(record_output_finish(&l->output, env, &name));
	session_say(l->o.host, "%llu samples are in %s", (unsigned long long)totals.samples, name);
	return NULL;
}
