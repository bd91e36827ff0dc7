/* report: a recording that is read behind a screen. */
#include "cmd/report/opened.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "object/debuginfod.h"
#include "perfdata/reader.h"
#include "session/input.h"

struct opened *opened_create(const struct cmd_context *ctx, const struct report_request *request, struct opened_input input)
{
	struct opened *f = xcalloc(1, sizeof(*f));
	f->ctx = *ctx;
	f->ctx.debuginfod = NULL;
	f->ctx.buildid_path = (struct strbuf){};
	report_session_init(&f->run, request);
	f->run.span = input.span;
	f->run.query.needs_threads = true;
	f->spool = input.spool;
	const char *path = f->spool ? spool_path(f->spool) : input.path;
	if (path)
		f->run.request.selection.input = arena_strdup(&f->run.query.arena, path);
	return f;
}

const char *opened_name(const struct opened *f)
{
	return f->spool ? spool_name(f->spool) : input_path(f->run.request.selection.input);
}

void opened_destroy(struct opened *f)
{
	if (!f)
		return;
	if (f->run.session.resolver)
		report_built_deinit(&f->run, &f->built);
	profile_destroy(f->counted);
	report_cycles_destroy(f->cycles);
	report_session_deinit(&f->run);
	error_destroy(f->damage);
	debuginfod_destroy(f->ctx.debuginfod);
	strbuf_deinit(&f->ctx.buildid_path);
	free(f);
}

/* How often one that waits for a stream looks whether it is wanted still. */
#define STREAM_WAIT_MS 100

/* A stream that has come to its end is a file; one that was cut off is one that is damaged. */
static struct strobe_error *open_stream(struct opened *f)
{
	struct pollfd fd = { .fd = spool_end_fd(f->spool), .events = POLLIN };
	while (!spool_ended(f->spool)) {
		f->progress.done = spool_bytes(f->spool);
		if (!progress_tick(&f->progress))
			return error_create(ERROR_STOPPED, "stopped");
		(void)poll(&fd, 1, STREAM_WAIT_MS);
	}
	f->progress.done = 0;
	f->damage = spool_error(f->spool);
	struct record_source *source;
	TRY(reader_open(f->run.request.selection.input, (struct reader_options){ .force = true, .name = opened_name(f) }, &source));
	session_open_source(&f->run.session, cmd_host(&f->ctx), source, f->run.request.selection.force);
	return NULL;
}

static struct strobe_error *load(struct opened *f)
{
	struct report_session *r = &f->run;
	const struct selection *selection = &r->request.selection;
	struct strobe_error *damage = NULL;
	TRY(f->spool ? open_stream(f) : session_open(&r->session, cmd_host(&f->ctx), selection->input, selection->force));
	if (spool_is_stream(input_path(f->run.request.selection.input)))
		peek_source(&r->session.source, NULL);
	r->session.env = source_env(r->session.source);
	r->progress = &f->progress;
	TRY(report_prepare(r));
	TRY(report_aggregate(r, &damage));
	if (f->damage)
		error_destroy(damage); /* is where it was cut off */
	else
		f->damage = damage;
	report_elide(&r->query);
	TRY(report_build(r, &f->built));
	const char *symbol = f->run.request.filter.symbols ? f->run.request.filter.symbols : f->run.request.filter.symbol_filter;
	if (f->built.report.parts_nr && f->run.request.begins_with_code && !f->built.parts->hist->order_nr && symbol)
		return error_create(ERROR_NOT_FOUND, "%s has no samples in a function '%s'; see 'report' for functions with samples",
				    opened_name(f), symbol);
	if (!f->built.report.parts_nr)
		return error_create(ERROR_NOT_FOUND, "%s has no samples to show", opened_name(f));
	return NULL;
}

/* ---- by a thread ---- */

struct opening {
	struct opened *file;
	struct strobe_error *error;
	pthread_t thread;
	bool has_thread;
	int done_fd;
	_Atomic uint64_t done, total;
	_Atomic bool stop, ended;
};

/* How long one that is to stop may take to notice. */
#define STOP_MS 200

static bool tell(void *ctx, const struct progress *progress)
{
	struct opening *p = ctx;
	atomic_store_explicit(&p->done, progress->done, memory_order_relaxed);
	atomic_store_explicit(&p->total, progress->total, memory_order_relaxed);
	return !atomic_load_explicit(&p->stop, memory_order_relaxed);
}

static void *run(void *ctx)
{
	struct opening *p = ctx;
	uint64_t one = 1;
	p->error = load(p->file);
	atomic_store(&p->ended, true);
	/* Nobody waits for it where it cannot be written: a counter that was never read has room. */
	(void)!write(p->done_fd, &one, sizeof(one));
	return NULL;
}

struct opening *opening_start(const struct cmd_context *ctx, const struct report_request *request, struct opened_input input)
{
	struct opening *p = xcalloc(1, sizeof(*p));
	p->file = opened_create(ctx, request, input);
	p->file->progress = (struct progress){ .what = "reading", .tick = tell, .ctx = p };
	p->done_fd = eventfd(0, EFD_CLOEXEC);
	p->has_thread = p->done_fd >= 0 && !pthread_create(&p->thread, NULL, run, p);
	if (!p->has_thread)
		(void)run(p); /* nothing is heard meanwhile */
	return p;
}

int opening_fd(const struct opening *p)
{
	return p->done_fd;
}

bool opening_is_done(const struct opening *p)
{
	return atomic_load(&p->ended);
}

void opening_progress(const struct opening *p, uint64_t *ret_done, uint64_t *ret_total)
{
	*ret_done = atomic_load_explicit(&p->done, memory_order_relaxed);
	*ret_total = atomic_load_explicit(&p->total, memory_order_relaxed);
}

struct strobe_error *opening_finish(struct opening *p, struct opened **ret)
{
	if (p->has_thread)
		pthread_join(p->thread, NULL);
	if (p->done_fd >= 0)
		close(p->done_fd);
	struct strobe_error *err = p->error;
	if (err)
		opened_destroy(p->file);
	else
		*ret = p->file;
	free(p);
	return err;
}

bool opening_leave(struct opening *p)
{
	struct opened *file = NULL;
	if (!p)
		return true;
	atomic_store(&p->stop, true);
	struct pollfd fd = { .fd = p->done_fd, .events = POLLIN };
	if (!opening_is_done(p) && poll(&fd, 1, STOP_MS) <= 0) {
		pthread_detach(p->thread);
		return false;
	}
	error_destroy(opening_finish(p, &file));
	opened_destroy(file);
	return true;
}
