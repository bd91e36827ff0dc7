#include "cmd/stat/record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "capture/facts.h"
#include "config.h"
#include "perfdata/writer.h"

/* What the user typed, before options were reordered. */
static void fill_facts(struct env *env, const struct sys *sys)
{
	_cleanup_strbuf_ struct strbuf text = {};
	VEC(char *) words = {};
	error_destroy(sys_read(sys, "/proc/self/cmdline", &text, 0));
	for (size_t at = 0; at < text.len; at += strlen(text.data + at) + 1)
		vec_push(&words, text.data + at);
	facts_fill(env, sys, STROBE_VERSION, (int)words.len, words.data);
	vec_deinit(&words);
}

struct strobe_error *stat_recorder_open(struct stat_recorder *r, const struct stat_options *o, const struct sys *sys,
					const struct counter_set *set)
{
	const char *name = o->output ? o->output : "perf.data";
	bool pipe = !strcmp(name, "-");
	r->env = env_create();
	recording_describe(r->env, set, pipe);
	fill_facts(r->env, sys);
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
