#include "cmd/stat/record.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "capture/facts.h"
#include "config.h"
#include "perfdata/writer.h"

struct strobe_error *stat_recorder_open(struct stat_recorder *r, const struct stat_options *o, const struct sys *sys,
					const struct counter_set *set)
{
	const char *name = o->output ? o->output : "perf.data";
	bool pipe = !strcmp(name, "-");
	r->env = env_create();
	recording_describe(r->env, set, pipe);
	facts_fill(r->env, sys, STROBE_VERSION, false);
	int fd = pipe ? dup(STDOUT_FILENO) : open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_errno(errno, "cannot write %s", name);
	TRY(writer_create(fd, name, r->env, (struct writer_options){ .pipe = pipe }, &r->writer));
	if (!pipe)
		TRY(writer_event_updates(r->writer, r->env));
	return recording_begin(&r->writer->sink, set, o->by, o->interval_ms, o->scale);
}

struct strobe_error *stat_recorder_add(struct stat_recorder *r, const struct counter_set *set, double time_s, bool final)
{
	return recording_add(&r->writer->sink, set, (uint64_t)(time_s * 1e9 + 0.5), final);
}

struct strobe_error *stat_recorder_finish(struct stat_recorder *r)
{
	return writer_finish(r->writer, r->env);
}

void stat_recorder_close(struct stat_recorder *r)
{
	if (r->writer)
		writer_destroy(r->writer);
	if (r->env)
		env_destroy(r->env);
}
