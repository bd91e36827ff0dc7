#include "dump/event_files.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/new_file.h"

struct event_file {
	struct out out;
	char *path;
	struct new_file file;
	uint64_t samples;
};

/* The name of an event may contain anything: its file must stay in the directory of the recording. */
static char *file_path(const char *recording, const char *event)
{
	char *name = xstrdup(event);
	for (char *p = name; *p; p++)
		*p = *p == '/' ? '_' : *p;
	char *path = xasprintf("%s.%s.dump", recording, name);
	free(name);
	return path;
}

struct strobe_error *event_files_open(struct event_files *e, const struct env *env, const char *recording)
{
	while (e->list.len < env->events.len) {
		struct event_file *f = xcalloc(1, sizeof(*f));
		f->path = file_path(recording, env->events.data[e->list.len].name);
		f->file = NEW_FILE_NONE;
		vec_push(&e->list, f);
		TRY(new_file_create(f->path, &f->file));
		out_init_fd(&f->out, f->file.fd);
	}
	return NULL;
}

struct out *event_files_sample(struct event_files *e, uint32_t event)
{
	if (event >= e->list.len)
		return NULL;
	e->list.data[event]->samples++;
	return &e->list.data[event]->out;
}

static struct strobe_error *finish_file(struct event_file *f, const char *program, struct out *out)
{
	out_flush(&f->out);
	double mb = (double)f->out.flushed_bytes / 1024.0 / 1024.0;
	TRY(out_close_file(&f->out, f->path));
	TRY(new_file_keep(&f->file, 0600));
	out_f(out, "[ %s script: Wrote %.3f MB ", program, mb);
	out_text_str(out, f->path);
	out_f(out, " (%" PRIu64 " samples) ]\n", f->samples);
	return NULL;
}

struct strobe_error *event_files_finish(struct event_files *e, const char *program, struct out *out)
{
	struct strobe_error *first = NULL;
	for (size_t i = 0; i < e->list.len; i++) {
		struct event_file *f = e->list.data[i];
		struct strobe_error *err = f->file.fd < 0 ? NULL : finish_file(f, program, out);
		new_file_deinit(&f->file);
		if (first)
			error_destroy(err);
		else
			first = err;
	}
	return first;
}

void event_files_deinit(struct event_files *e)
{
	for (size_t i = 0; i < e->list.len; i++) {
		struct event_file *f = e->list.data[i];
		if (f->file.fd >= 0)
			error_destroy(out_close(&f->out));
		new_file_deinit(&f->file);
		free(f->path);
		free(f);
	}
	vec_deinit(&e->list);
}
