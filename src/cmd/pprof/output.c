/* Output of strobe pprof: to a file, standard output, or a viewer. */
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "cmd/pprof/pprof.h"
#include "exchange/exchange.h"
#include "pprof/files.h"

struct job {
	const struct pprof_session *session;
	const struct pprof_config *config;
	const struct pprof_report_kind *kind;
	const char *argument;
};

static struct strobe_error *write_job(void *ctx, struct out *out)
{
	const struct job *j = ctx;
	const struct pprof_input in = { cmd_host(j->session->ctx), &j->session->merged, j->session->is_interactive };
	return pprof_report(&in, j->config, j->kind, j->argument, out);
}

/* Writes to a file created under a new name; after an error it is removed. */
static struct strobe_error *write_reserved(const char *path, struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx)
{
	struct strobe_error *err = new_file_write_by(path, write, ctx);
	if (err)
		unlink(path);
	return err;
}

static struct strobe_error *write_stdout(struct job *job)
{
	struct out out;
	if (job->session->is_interactive)
		return new_file_write_by("-", write_job, job);
	cmd_open_output(job->session->ctx, &out);
	struct strobe_error *err = write_job(job, &out);
	int status = cmd_close_output(job->session->ctx, &out);
	/* a failed write has been reported */
	return err || !status ? err : error_create(ERROR_STOPPED, "cannot write to standard output");
}

/* ---- viewers ---- */

/* The file is kept: a browser may read it again later. */
static struct strobe_error *view(struct job *job)
{
	const char *path;
	TRY(pprof_temporary_file(&job->session->ctx->words, job->kind->suffix, &path));
	TRY(write_reserved(path, write_job, job));
	cmd_say_plain("Generating report in %s", path);
	return pprof_view_file(&job->session->ctx->words, job->kind->viewers, path, !job->session->is_interactive);
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
	return (is_reserved ? write_reserved : new_file_write_by)(path, write_job, &job);
}

static struct strobe_error *write_profile(void *ctx, struct out *out)
{
	return pprof_write(ctx, out);
}

struct strobe_error *pprof_save_fetched(const struct pprof_session *s)
{
	const char *path;
	TRY(pprof_saved_file(&s->ctx->words, s->merged.profile, &path));
	TRY(write_reserved(path, write_profile, s->merged.profile));
	cmd_say_plain("Saved profile in %s", path);
	return NULL;
}
