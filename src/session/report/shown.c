#include "session/report/shown.h"

#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "session/input.h"
#include "session/report/types.h"
#include "sys/sys.h"

/* Recordings that are read faster than this have neither progress nor preview. */
#define PROGRESS_AFTER_NS 300000000ull
#define PROGRESS_EVERY_MS 100
/* The time for reading a preview first, and for each update, and the time between updates. */
#define PREVIEW_FIRST_NS 200000000ull
#define PREVIEW_NEXT_NS	 100000000ull
#define PREVIEW_EVERY_NS 500000000ull

static uint64_t now_ns(void)
{
	return sys_clock_ns(sys_live(), CLOCK_MONOTONIC);
}

/* ---- waiting ---- */

static void start_waiting(struct shown *s, const char *name)
{
	s->wait = (struct shown_wait){ .name = name };
	s->began_ns = now_ns();
	s->stopped = false;
}

static bool go_on_waiting(struct shown *s, uint64_t done, uint64_t total)
{
	s->wait.done = done;
	s->wait.total = total;
	s->wait.is_long = now_ns() - s->began_ns >= PROGRESS_AFTER_NS;
	s->stopped |= !s->waiter.tick(s->waiter.ctx, &s->wait);
	return !s->stopped;
}

static bool tick(void *ctx, const struct progress *p)
{
	return go_on_waiting(ctx, p->done, p->total);
}

/* Prepares the progress of reading again in this thread. */
static void begin_rereading(struct shown *s)
{
	s->file->progress = (struct progress){ .what = "reading", .tick = tick, .ctx = s };
	start_waiting(s, opened_name(s->file));
}

/* Waits up to until_ns; false: not done yet. */
static bool wait_until(struct shown *s, struct opening *p, uint64_t until_ns, struct strobe_error **ret_error)
{
	uint64_t done, total;
	*ret_error = NULL;
	while (!opening_is_done(p) && now_ns() < until_ns) {
		opening_progress(p, &done, &total);
		if (!go_on_waiting(s, done, total)) {
			*ret_error = error_create(ERROR_STOPPED, "stopped");
			return false;
		}
		s->waiter.wait(s->waiter.ctx, opening_fd(p), PROGRESS_EVERY_MS);
	}
	return opening_is_done(p);
}

static void leave(struct shown *s, struct opening *p)
{
	s->left_behind |= !opening_leave(p);
}

static struct strobe_error *wait_for(struct shown *s, struct opening *p, struct opened **ret)
{
	struct strobe_error *err;
	if (wait_until(s, p, UINT64_MAX, &err))
		return opening_finish(p, ret);
	leave(s, p);
	return err;
}

static const char *input_name(const struct shown *s, const struct opened_input *input)
{
	return input->spool ? spool_name(input->spool) : input_path(input->path ? input->path : s->request->selection.input);
}

static struct strobe_error *read_file(struct shown *s, struct opened_input input, struct opened **ret)
{
	start_waiting(s, input_name(s, &input));
	return wait_for(s, opening_start(s->host, s->request, input), ret);
}

/* ---- a file that takes long, and what is shown of it meanwhile ---- */

static void close_file(struct shown *s)
{
	leave(s, take_ptr(s->opening));
	if (s->preview)
		preview_close(take_ptr(s->preview));
	else
		opened_destroy(s->file);
	s->file = NULL;
}

static void show_whole(struct shown *s, struct opened *f, const struct report **ret)
{
	close_file(s);
	s->file = f;
	*ret = &f->built.report;
}

static void show_preview(struct shown *s, struct opening *opening, struct preview *preview)
{
	close_file(s);
	s->opening = opening;
	s->preview = preview;
	s->file = preview_file(preview);
	s->next_ns = now_ns() + PREVIEW_EVERY_NS;
}

/* Replaces the recording shown, unless it cannot be read or is stopped. Shows a preview if it takes long. */
static struct strobe_error *show(struct shown *s, struct opened_input input, const struct report **ret)
{
	struct opened *whole;
	struct preview *preview = NULL;
	struct strobe_error *err;
	start_waiting(s, input_name(s, &input));
	struct opening *opening = opening_start(s->host, s->request, input);
	bool is_done = wait_until(s, opening, s->began_ns + PROGRESS_AFTER_NS, &err);
	for (uint64_t ns = PREVIEW_FIRST_NS; !s->request->begins_with_code && !is_done && !err; ns = PREVIEW_NEXT_NS) {
		/* Too little of a stream may have been received yet. */
		if (!preview)
			preview = preview_open(s->host, s->request, input);
		*ret = preview ? preview_read_on(preview, ns) : NULL;
		if (*ret) {
			show_preview(s, opening, preview);
			return NULL;
		}
		is_done = wait_until(s, opening, now_ns() + PREVIEW_NEXT_NS, &err);
	}
	preview_close(preview);
	if (err) {
		leave(s, opening);
		return err;
	}
	TRY(wait_for(s, opening, &whole));
	show_whole(s, whole, ret);
	return NULL;
}

struct strobe_error *shown_start(struct shown *s, const struct report **ret)
{
	const char *path = input_path(s->request->selection.input);
	if (spool_is_stream(path))
		TRY(spool_start(path, &s->spool));
	return show(s, (struct opened_input){ .spool = s->spool }, ret);
}

struct strobe_error *shown_open(struct shown *s, const char *path, const struct report **ret)
{
	return show(s, (struct opened_input){ .path = path }, ret);
}

struct strobe_error *shown_renew(struct shown *s, const struct report **ret)
{
	struct opened *whole;
	if (!opening_is_done(s->opening)) {
		*ret = preview_read_on(s->preview, PREVIEW_NEXT_NS);
		s->next_ns = now_ns() + PREVIEW_EVERY_NS;
		return *ret ? NULL : error_create(ERROR_NOT_FOUND, "%s has no samples to show", opened_name(s->file));
	}
	TRY(opening_finish(take_ptr(s->opening), &whole));
	show_whole(s, whole, ret);
	return NULL;
}

bool shown_is_due(const struct shown *s)
{
	return s->opening && (opening_is_done(s->opening) || now_ns() >= s->next_ns);
}

int shown_wait_ms(const struct shown *s)
{
	uint64_t now = now_ns();
	if (!s->opening)
		return -1;
	return s->next_ns > now ? (int)((s->next_ns - now) / 1000000) + 1 : 0;
}

/* Readable for ever from its end on. */
int shown_fd(const struct shown *s)
{
	return s->opening && !opening_is_done(s->opening) ? opening_fd(s->opening) : -1;
}

void shown_describe(const struct shown *s, struct strbuf *out)
{
	if (!s->preview)
		return;
	strbuf_addstr(out, ", READING: ");
	preview_describe(s->preview, out);
}

/* ---- queries ---- */

static struct strobe_error *check_whole(const struct shown *s)
{
	return s->preview ? error_create(ERROR_UNSUPPORTED, "the recording is still being read: try again in a moment") : NULL;
}

struct strobe_error *shown_narrow(struct shown *s, struct time_range span, const struct report **ret)
{
	struct opened *f;
	TRY(check_whole(s));
	TRY(read_file(s, (struct opened_input){ s->file->report.request.selection.input, s->file->spool, span }, &f));
	show_whole(s, f, ret);
	return NULL;
}

struct strobe_error *shown_base(struct shown *s, const char *path, const struct report **ret)
{
	struct opened *f;
	if (!s->base || strcmp(s->base->report.request.selection.input, path) != 0) {
		TRY(read_file(s, (struct opened_input){ .path = path }, &f));
		opened_destroy(s->base);
		s->base = f;
	}
	*ret = &s->base->built.report;
	return NULL;
}

struct strobe_error *shown_times(struct shown *s, const struct report_part *part, struct time_range span, unsigned n,
				 struct time_counts *ret)
{
	TRY(check_whole(s));
	begin_rereading(s);
	return report_count_times(&s->file->report, part, span, n, ret);
}

struct strobe_error *shown_listing(struct shown *s, const struct report_part *part, mapping_id mapping, uint64_t addr,
				   struct listing **ret)
{
	TRY(check_whole(s));
	begin_rereading(s);
	return opened_listing(s->file, part, mapping, addr, ret);
}

struct strobe_error *shown_name_types(struct shown *s, mapping_id mapping, struct listing *l)
{
	TRY(check_whole(s));
	return report_name_types(&s->file->report, mapping, l);
}

struct strobe_error *shown_samples(struct shown *s, const struct listed_choice *which, enum listed_detail detail,
				   struct listed_samples *ret)
{
	if (s->file->spool)
		TRY(check_whole(s));
	begin_rereading(s);
	return opened_list_samples(s->file, which, detail, ret);
}

/* ---- the end ---- */

void shown_remarks(struct shown *s, struct strobe_error **ret_damage)
{
	*ret_damage = NULL;
	if (!s->file || s->preview || !s->file->report.session.source)
		return;
	input_remarks(s->host, s->file->report.session.reader, resolver_stats(s->file->report.session.resolver));
	*ret_damage = take_ptr(s->file->damage);
}

bool shown_close(struct shown *s)
{
	close_file(s);
	opened_destroy(s->base);
	/* An abandoned thread may still read it. */
	if (!s->left_behind)
		spool_destroy(s->spool);
	return !s->left_behind;
}
