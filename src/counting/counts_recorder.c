#include "counting/counts_recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/environment.h"
#include "config.h"
#include "counter/recording.h"
#include "perfdata/writer.h"

struct counts_recorder {
	const struct counter_set *set;
	struct env *env;
	struct writer *writer;
};

static struct strobe_error *open_writer(struct counts_recorder *r, const struct counts_recorder_settings *s)
{
	bool pipe = !strcmp(s->path, "-");
	recording_describe(r->env, r->set, pipe);
	environment_fill(r->env, r->set->sys, STROBE_VERSION, false);
	int fd = pipe ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : open(s->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_errno(errno, "cannot write %s", s->path);
	TRY(writer_create(fd, s->path, r->env, (struct writer_options){ .pipe = pipe }, &r->writer));
	if (!pipe)
		TRY(writer_event_updates(r->writer, r->env));
	return recording_begin(&r->writer->sink, r->set, s->by, s->interval_ms, s->is_scaled);
}

struct strobe_error *counts_recorder_create(const struct counts_recorder_settings *settings, const struct counter_set *set,
					    struct counts_recorder **ret)
{
	struct counts_recorder *r = xcalloc(1, sizeof(*r));
	*ret = NULL;
	r->set = set;
	r->env = env_create();
	struct strobe_error *err = open_writer(r, settings);
	if (err)
		counts_recorder_destroy(r);
	else
		*ret = r;
	return err;
}

struct strobe_error *counts_recorder_add(struct counts_recorder *r, double time_s, bool final)
{
	return recording_add(&r->writer->sink, r->set, (uint64_t)(time_s * 1e9 + 0.5), final);
}

struct strobe_error *counts_recorder_finish(struct counts_recorder *r)
{
	return writer_finish(r->writer, r->env);
}

void counts_recorder_destroy(struct counts_recorder *r)
{
	if (!r)
		return;
	writer_destroy(r->writer);
	env_destroy(r->env);
	free(r);
}
