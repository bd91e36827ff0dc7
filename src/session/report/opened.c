#include "session/report/opened.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "perfdata/reader.h"
#include "session/input.h"
#include "session/peek.h"
#include "session/report/code.h"
#include "session/report/reread.h"

/* ---- the host ---- */

static struct strobe_error *get_buildid_dir(void *ctx, const char **ret)
{
	struct opened *f = ctx;
	*ret = f->buildid_dir;
	return take_ptr(f->no_buildid_dir);
}

static struct debuginfod *get_servers(void *ctx)
{
	return ((struct opened *)ctx)->servers;
}

static void say(void *ctx, const char *line)
{
	session_say(((struct opened *)ctx)->parent, "%s", line);
}

/* Values that are computed once are computed before a thread is started. */
static void init_host(struct opened *f, const struct session_host *parent)
{
	const char *dir = NULL;
	f->parent = parent;
	f->host = (struct session_host){ .buildid_dir = get_buildid_dir, .servers = get_servers, .say = say, .ctx = f };
	f->no_buildid_dir = session_buildid_dir(parent, &dir);
	f->buildid_dir = dir ? arena_strdup(&f->report.query.arena, dir) : NULL;
	f->servers = session_servers(parent);
}

/* ---- one recording ---- */

struct opened *opened_create(const struct session_host *host, const struct report_request *request, struct opened_input input)
{
	struct opened *f = xcalloc(1, sizeof(*f));
	report_session_init(&f->report, request);
	init_host(f, host);
	f->report.span = input.span;
	f->report.query.needs_threads = true;
	f->spool = input.spool;
	const char *path = f->spool ? spool_path(f->spool) : input.path;
	if (path)
		f->report.request.selection.input = arena_strdup(&f->report.query.arena, path);
	return f;
}

const char *opened_name(const struct opened *f)
{
	return f->spool ? spool_name(f->spool) : input_path(f->report.request.selection.input);
}

void opened_destroy(struct opened *f)
{
	if (!f)
		return;
	report_built_deinit(&f->report, &f->built);
	profile_destroy(f->counted);
	report_cycles_destroy(f->cycles);
	report_session_deinit(&f->report);
	error_destroy(f->damage);
	error_destroy(f->no_buildid_dir);
	free(f);
}

/* The interval in which an opening that waits for a stream checks for being stopped. */
#define STREAM_WAIT_MS 100

/* A complete stream is a file; one that was cut off is a damaged file. */
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
	TRY(reader_open(f->report.request.selection.input, (struct reader_options){ .force = true, .name = opened_name(f) }, &source));
	session_open_source(&f->report.session, &f->host, source, f->report.request.selection.force);
	session_read_embedded(&f->report.session);
	return NULL;
}

static struct strobe_error *load(struct opened *f)
{
	struct report_session *r = &f->report;
	const struct selection *selection = &r->request.selection;
	struct strobe_error *damage = NULL;
	TRY(f->spool ? open_stream(f) : report_open(r, &f->host, selection->input, selection->force));
	if (r->session.source) {
		if (spool_is_stream(input_path(f->report.request.selection.input)))
			peek_source(&r->session.source, NULL);
		r->session.env = source_env(r->session.source);
	} else if (r->request.begins_with_code) {
		return error_create(ERROR_USAGE, "%s is not a recording: 'pprof -list' and 'pprof -disasm' show the code of a profile",
				    opened_name(f));
	}
	r->progress = &f->progress;
	TRY(report_prepare(r));
	TRY(report_aggregate(r, &damage));
	if (f->damage)
		error_destroy(damage); /* is at the point where it was cut off */
	else
		f->damage = damage;
	report_elide(&r->query, r->profile);
	TRY(report_build(r, &f->built));
	const char *symbol = f->report.request.filter.symbols ? f->report.request.filter.symbols : f->report.request.filter.symbol_filter;
	if (f->built.report.parts_nr && f->report.request.begins_with_code && !f->built.parts->hist->order_nr && symbol)
		return error_create(ERROR_NOT_FOUND, "%s has no samples in a function '%s'; see 'report' for functions with samples",
				    opened_name(f), symbol);
	if (!f->built.report.parts_nr)
		return error_create(ERROR_NOT_FOUND, "%s has no samples to show", opened_name(f));
	return NULL;
}

/* ---- what it is queried for ---- */

/* The name, or the first of a list of them. */
static bool is_named(const char *event, const char *names)
{
	size_t n = strcspn(names, ",");
	return !strcmp(event, names) || (strlen(event) == n && !memcmp(event, names, n));
}

struct strobe_error *opened_find_part(const struct opened *f, const char *name, uint32_t *ret)
{
	*ret = 0;
	for (uint32_t i = 0; name && i < f->built.report.parts_nr; i++) {
		const struct hist_options *o = &f->built.parts[i].hist->options;
		for (uint32_t j = 0; j < o->events_nr; j++)
			if (is_named(f->report.session.env->events.data[o->events[j]].name, name)) {
				*ret = i;
				return NULL;
			}
	}
	return name ? error_create(ERROR_NOT_FOUND, "the recording has no event '%s'; see 'evlist' for its events", name) : NULL;
}

struct strobe_error *opened_listing(struct opened *f, const struct report_part *part, mapping_id mapping, uint64_t addr,
				    struct listing **ret)
{
	if (!f->counted) {
		report_cycles_destroy(take_ptr(f->cycles)); /* of an earlier call that was stopped */
		TRY(report_count_cycles(&f->report, &f->cycles));
		TRY(report_count_addresses(&f->report, &f->counted));
	}
	TRY(report_listing(&f->report, f->counted, part, mapping, addr, ret));
	report_add_cycles(f->cycles, &f->report, part, mapping, *ret);
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

/* How long an opening may take to stop. */
#define STOP_MS 200

static bool publish(void *ctx, const struct progress *progress)
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
	/* Cannot block: the counter was never read. */
	(void)!write(p->done_fd, &one, sizeof(one));
	return NULL;
}

struct opening *opening_start(const struct session_host *host, const struct report_request *request, struct opened_input input)
{
	struct opening *p = xcalloc(1, sizeof(*p));
	p->file = opened_create(host, request, input);
	p->file->progress = (struct progress){ .what = "reading", .tick = publish, .ctx = p };
	p->done_fd = eventfd(0, EFD_CLOEXEC);
	p->has_thread = p->done_fd >= 0 && !pthread_create(&p->thread, NULL, run, p);
	if (!p->has_thread)
		(void)run(p); /* without a thread without a thread keys are not read meanwhile */
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
