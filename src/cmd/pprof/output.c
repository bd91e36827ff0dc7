/* Where a report of strobe pprof goes: a file, standard output, a program that shows it. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/pprof/pprof.h"

struct job {
	const struct pprof_session *session;
	const struct pprof_config *config;
	const struct pprof_report_kind *kind;
	const char *argument;
};

static struct strobe_error *write_job(void *ctx, struct out *out)
{
	const struct job *j = ctx;
	return pprof_report(j->session, j->config, j->kind, j->argument, out);
}

#define NUMBERS_MAX 10000

struct strobe_error *pprof_new_file(struct arena *arena, const char *stem, const char *suffix, const char **ret)
{
	for (unsigned i = 1; i < NUMBERS_MAX; i++) {
		const char *path = arena_printf(arena, "%s%03u.%s", stem, i, suffix);
		int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
		if (fd >= 0) {
			close(fd);
			*ret = path;
			return NULL;
		}
		if (errno != EEXIST)
			return error_errno(errno, "cannot create %s", path);
	}
	return error_create(ERROR_LIMIT, "too many files %sNNN.%s", stem, suffix);
}

struct strobe_error *pprof_write_reserved(const char *path, struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx)
{
	struct strobe_error *err = cmd_write_file(path, write, ctx);
	if (err)
		unlink(path);
	return err;
}

static struct strobe_error *write_stdout(struct job *job)
{
	struct out out;
	if (job->session->is_interactive)
		return cmd_write_file("-", write_job, job);
	cmd_open_output(job->session->ctx, &out);
	struct strobe_error *err = write_job(job, &out);
	int status = cmd_close_output(job->session->ctx, &out);
	/* a failed write was told of already */
	return err || !status ? err : error_create(ERROR_STOPPED, "cannot write to standard output");
}

/* ---- viewers ---- */

static struct strobe_error *temporary_file(struct arena *arena, const char *suffix, const char **ret)
{
	const char *dir = getenv("TMPDIR");
	char *path = arena_strdup(arena, arena_printf(arena, "%s/pprof-XXXXXX.%s", dir && *dir ? dir : "/tmp", suffix));
	int fd = mkstemps(path, (int)strlen(suffix) + 1);
	if (fd < 0)
		return error_errno(errno, "cannot create %s", path);
	close(fd);
	*ret = path;
	return NULL;
}

/* The first of them that there is. At the prompt it is not waited for. */
static struct strobe_error *run_viewer(const struct pprof_session *s, const char *viewers, const char *path)
{
	char *rest = NULL, *names = arena_strdup(&s->ctx->words, viewers);
	for (char *name = strtok_r(names, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
		pid_t pid;
		char *const argv[] = { name, (char *)path, NULL };
		if (posix_spawnp(&pid, name, NULL, NULL, argv, environ))
			continue;
		while (!s->is_interactive && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return NULL;
	}
	return error_create(ERROR_NOT_FOUND, "wrote %s, but no program to show it was found (%s)", path, viewers);
}

/* The file stays: a browser may read it again long after this is over. */
static struct strobe_error *view(struct job *job)
{
	const char *path;
	TRY(temporary_file(&job->session->ctx->words, job->kind->suffix, &path));
	TRY(pprof_write_reserved(path, write_job, job));
	cmd_say_plain("Generating report in %s", path);
	return run_viewer(job->session, job->kind->viewers, path);
}

struct strobe_error *pprof_report_to_output(const struct pprof_session *s, const struct pprof_config *c,
					    const struct pprof_report_kind *kind, const char *argument)
{
	struct job job = { s, c, kind, argument };
	const char *path = c->output && *c->output && strcmp(c->output, "-") ? c->output : NULL;
	bool is_reserved = false, is_for_no_terminal = kind->suffix && (s->is_interactive || isatty(STDOUT_FILENO));
	if (kind->viewers)
		return view(&job);
	if (!path && is_for_no_terminal && !(c->output && *c->output)) {
		TRY(pprof_new_file(&s->ctx->words, "profile", kind->suffix, &path));
		is_reserved = true;
	}
	if (!path)
		return write_stdout(&job);
	cmd_say_plain("Generating report in %s", path);
	return (is_reserved ? pprof_write_reserved : cmd_write_file)(path, write_job, &job);
}

/* ---- what was fetched is kept ---- */

static struct strobe_error *saved_dir(struct arena *a, const char **ret)
{
	const char *dir = getenv("PPROF_TMPDIR"), *home = getenv("HOME");
	if (!dir || !*dir)
		dir = home ? arena_printf(a, "%s/pprof", home) : "/tmp";
	if (mkdir(dir, 0755) && errno != EEXIST)
		return error_errno(errno, "cannot create %s", dir);
	*ret = dir;
	return NULL;
}

static const char *saved_name(struct arena *a, const struct profile *p)
{
	const char *name = "pprof.";
	if (p->mappings.len && p->mappings.data[0].name)
		name = arena_printf(a, "%s%s.", name, profile_str(p, p->mappings.data[0].name));
	for (size_t i = 0; i < p->events.len; i++)
		name = arena_printf(a, "%s%s.", name, profile_str(p, p->events.data[i].name));
	char *safe = arena_strdup(a, name);
	for (char *at = safe; *at; at++)
		if (*at == '/' || (unsigned char)*at < ' ')
			*at = '_';
	return safe;
}

static struct strobe_error *write_profile(void *ctx, struct out *out)
{
	return pprof_write(ctx, out);
}

struct strobe_error *pprof_save_fetched(const struct pprof_session *s)
{
	struct arena *words = &s->ctx->words;
	const char *dir, *path;
	TRY(saved_dir(words, &dir));
	TRY(pprof_new_file(words, arena_printf(words, "%s/%s", dir, saved_name(words, s->merged.profile)), "pb.gz", &path));
	TRY(pprof_write_reserved(path, write_profile, s->merged.profile));
	cmd_say_plain("Saved profile in %s", path);
	return NULL;
}
