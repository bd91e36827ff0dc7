/* report: on a screen, with another file whenever the user wants one. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/report/opened.h"
#include "cmd/report/screen.h"
#include "cmd/signals.h"
#include "config.h"
#include "dump/header_text.h"
#include "session/report/code.h"
#include "session/report/reread.h"
#include "session/input.h"
#include "sys/sys.h"

#if HAVE_NCURSES
#include "view/tui/browser.h"

struct report_screen {
	struct cmd_context *ctx;
	const struct report_options *o;
	struct screen *screen;
	struct opened *file;     /* the preview's own, as long as there is one */
	struct opening *opening; /* of what is shown as a preview, or NULL */
	struct preview *preview;
	struct spool *spool;     /* the stream that is shown, or NULL */
	struct opened *base;     /* what shares are compared with, or NULL */
	const char *base_path;   /* base's, and as long there as it is */
	struct browse_hooks hooks;
	int fds[2];              /* hooks: signals, and the end of the opening */
	uint64_t next_ns;        /* when the preview is to be made anew */
	uint64_t began_ns;       /* what takes long */
	const char *loading;
	struct cmd_signals signals;
	int signal;
	bool stopped;
};

static bool wants_screen(const struct report_options *o)
{
	const struct report_display *d = &o->request.display;
	bool plain = o->format == REPORT_STDIO && !o->stdio && !d->separator && !d->quiet && !report_draws(o);
	bool table = !o->header && !o->header_only && !o->stats && !o->tasks && !o->mmaps && !o->raw && !o->total_cycles;
	/* READ records have a table of their own. */
	return plain && table && !o->show_threads;
}

struct screen *report_open_screen(struct cmd_context *ctx, const struct report_options *o)
{
	struct screen *screen = NULL;
	if (!wants_screen(o) || (!o->tui && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))))
		return NULL;
	struct strobe_error *err = screen_open((struct screen_options){ .no_colour = !terminal_colour(o->colour, STDOUT_FILENO, false) },
					       &screen);
	if (err)
		cmd_say(ctx, "using text output: %s", err->message);
	error_destroy(err);
	return screen;
}

static void look_for_signals(struct report_screen *s)
{
	for (int number; (number = cmd_signals_next(&s->signals));)
		s->signal = number;
}

static enum browse_state look(void *ctx)
{
	struct report_screen *s = ctx;
	look_for_signals(s);
	if (s->signal)
		return BROWSE_END;
	if (!s->opening)
		return BROWSE_ON;
	/* Readable for ever from its end on. */
	bool is_done = opening_is_done(s->opening);
	s->hooks.fds_nr = is_done ? 1 : 2;
	return is_done || sys_clock_ns(sys_live(), CLOCK_MONOTONIC) >= s->next_ns ? BROWSE_DUE : BROWSE_ON;
}

/* ---- loading ---- */

/* What is read sooner tells no progress, and is shown as a whole. */
#define PROGRESS_AFTER_NS 300000000ull
#define PROGRESS_EVERY_MS 100
/* How long a preview is read at first and then each time, and how long its rows are left to be looked at. */
#define PREVIEW_FIRST_NS 200000000ull
#define PREVIEW_NEXT_NS	 100000000ull
#define PREVIEW_EVERY_NS 500000000ull

static void draw_progress(struct report_screen *s, uint64_t done, uint64_t total)
{
	struct strbuf line = {};
	unsigned percent = total ? (unsigned)(100.0 * (double)done / (double)total) : 0;
	if (total)
		strbuf_addf(&line, "reading %s: %u%% (q ends)", s->loading, percent < 100 ? percent : 100);
	else
		strbuf_addf(&line, "reading %s: %llu MB (q ends)", s->loading, (unsigned long long)done / 1000000);
	screen_clear(s->screen);
	screen_text(s->screen, screen_rows(s->screen) / 2, 2, INK_NORMAL, strbuf_str(&line), line.len, screen_columns(s->screen));
	strbuf_deinit(&line);
	screen_flush(s->screen);
}

static void start_waiting(struct report_screen *s, const char *path)
{
	s->began_ns = sys_clock_ns(sys_live(), CLOCK_MONOTONIC);
	s->loading = path;
	s->stopped = false;
}

/* What is being waited for is told once it takes long; false: nobody wants to wait any more. */
static bool go_on_waiting(struct report_screen *s, uint64_t done, uint64_t total)
{
	if (sys_clock_ns(sys_live(), CLOCK_MONOTONIC) - s->began_ns >= PROGRESS_AFTER_NS)
		draw_progress(s, done, total);
	/* A terminal that is gone says so for ever. */
	for (struct screen_key k; !s->stopped && (k = screen_key(s->screen)).key != KEY_NONE;)
		if (k.key == 'q' || k.key == KEY_IS_CTRL_C || k.key == KEY_IS_GONE || k.key == KEY_IS_ESCAPE)
			s->stopped = true;
		else if (k.key != KEY_IS_RESIZE)
			break;
	look_for_signals(s);
	return !s->signal && !s->stopped;
}

static bool tell_progress(void *ctx, const struct progress *p)
{
	return go_on_waiting(ctx, p->done, p->total);
}

/* For what is read again by this thread. */
static void start_reading_again(struct report_screen *s)
{
	s->file->progress = (struct progress){ .what = "reading", .tick = tell_progress, .ctx = s };
	start_waiting(s, opened_name(s->file));
}

/* Up to until_ns; false: it is not done yet. */
static bool wait_until(struct report_screen *s, struct opening *p, uint64_t until_ns, struct strobe_error **ret_error)
{
	const int fds[] = { s->signals.fd, opening_fd(p) };
	uint64_t done, total;
	*ret_error = NULL;
	while (!opening_is_done(p) && sys_clock_ns(sys_live(), CLOCK_MONOTONIC) < until_ns) {
		opening_progress(p, &done, &total);
		if (!go_on_waiting(s, done, total)) {
			*ret_error = error_create(ERROR_STOPPED, "stopped");
			return false;
		}
		screen_wait(s->screen, fds, 2, PROGRESS_EVERY_MS);
	}
	return opening_is_done(p);
}

static void leave(struct report_screen *s, struct opening *p)
{
	s->ctx->left_behind |= !opening_leave(p);
}

static struct strobe_error *wait_for(struct report_screen *s, struct opening *p, struct opened **ret)
{
	struct strobe_error *err;
	if (wait_until(s, p, UINT64_MAX, &err))
		return opening_finish(p, ret);
	leave(s, p);
	return err;
}

static const char *input_name(const struct report_screen *s, const struct opened_input *input)
{
	return input->spool ? spool_name(input->spool) : input_path(input->path ? input->path : s->o->request.selection.input);
}

static struct strobe_error *open_file(struct report_screen *s, struct opened_input input, struct opened **ret)
{
	start_waiting(s, input_name(s, &input));
	return wait_for(s, opening_start(s->ctx, &s->o->request, input), ret);
}

/* ---- a file that takes long, and what is shown of it meanwhile ---- */

static void close_shown(struct report_screen *s)
{
	leave(s, s->opening);
	if (s->preview)
		preview_close(s->preview);
	else
		opened_destroy(s->file);
	s->opening = NULL;
	s->preview = NULL;
	s->file = NULL;
	s->hooks.is_live = false;
	s->hooks.fds_nr = 1;
}

static void show_whole(struct report_screen *s, struct opened *f, const struct report **ret)
{
	close_shown(s);
	s->file = f;
	*ret = &f->built.report;
}

static void show_preview(struct report_screen *s, struct opening *opening, struct preview *preview)
{
	close_shown(s);
	s->opening = opening;
	s->preview = preview;
	s->file = preview_file(preview);
	s->fds[1] = opening_fd(opening);
	s->hooks.fds_nr = 2;
	s->hooks.is_live = s->hooks.by_name = true;
	s->next_ns = sys_clock_ns(sys_live(), CLOCK_MONOTONIC) + PREVIEW_EVERY_NS;
}

/* In place of what is shown, unless it cannot be read or nobody waits for it to end. What takes long is a preview at first. */
static struct strobe_error *show_file(struct report_screen *s, struct opened_input input, const struct report **ret)
{
	struct opened *whole;
	struct preview *preview = NULL;
	struct strobe_error *err;
	start_waiting(s, input_name(s, &input));
	struct opening *opening = opening_start(s->ctx, &s->o->request, input);
	bool is_done = wait_until(s, opening, s->began_ns + PROGRESS_AFTER_NS, &err);
	for (uint64_t ns = PREVIEW_FIRST_NS; !s->o->request.begins_with_code && !is_done && !err; ns = PREVIEW_NEXT_NS) {
		/* Of a stream there may be too little yet. */
		if (!preview)
			preview = preview_open(s->ctx, &s->o->request, input);
		*ret = preview ? preview_read_on(preview, ns) : NULL;
		if (*ret) {
			show_preview(s, opening, preview);
			return NULL;
		}
		is_done = wait_until(s, opening, sys_clock_ns(sys_live(), CLOCK_MONOTONIC) + PREVIEW_NEXT_NS, &err);
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

/* While it is a preview: more of it, and in the end the whole. */
static struct strobe_error *renew(void *ctx, const struct report **ret)
{
	struct report_screen *s = ctx;
	struct opened *whole;
	if (!opening_is_done(s->opening)) {
		*ret = preview_read_on(s->preview, PREVIEW_NEXT_NS);
		s->next_ns = sys_clock_ns(sys_live(), CLOCK_MONOTONIC) + PREVIEW_EVERY_NS;
		return *ret ? NULL : error_create(ERROR_NOT_FOUND, "%s has no samples to show", opened_name(s->file));
	}
	struct strobe_error *err = opening_finish(take_ptr(s->opening), &whole);
	if (err)
		return err;
	show_whole(s, whole, ret);
	return NULL;
}

static int wait_ms(void *ctx)
{
	const struct report_screen *s = ctx;
	uint64_t now = sys_clock_ns(sys_live(), CLOCK_MONOTONIC);
	if (!s->opening)
		return -1;
	return s->next_ns > now ? (int)((s->next_ns - now) / 1000000) + 1 : 0;
}

static void status(void *ctx, struct strbuf *out)
{
	const struct report_screen *s = ctx;
	if (!s->preview)
		return;
	strbuf_addstr(out, ", READING: ");
	preview_tell(s->preview, out);
}

static struct strobe_error *check_whole(const struct report_screen *s)
{
	return s->preview ? error_create(ERROR_UNSUPPORTED, "the recording is still being read: try again in a moment") : NULL;
}

/* ---- hooks ---- */

static struct strobe_error *switch_file(void *ctx, const char *path, const struct report **ret)
{
	struct report_screen *s = ctx;
	struct strobe_error *err = show_file(s, (struct opened_input){ .path = path }, ret);
	s->stopped = false;
	return err;
}

static struct strobe_error *narrow(void *ctx, struct browse_span span, const struct report **ret)
{
	struct report_screen *s = ctx;
	struct opened *f;
	TRY(check_whole(s));
	struct opened_input input = { s->file->run.request.selection.input, s->file->spool, { span.from_ns, span.to_ns } };
	struct strobe_error *err = open_file(s, input, &f);
	s->stopped = false;
	if (err)
		return err;
	show_whole(s, f, ret);
	return NULL;
}

static struct strobe_error *times(void *ctx, const struct report_part *part, struct browse_span span, unsigned n,
				  struct browse_times *ret)
{
	struct report_screen *s = ctx;
	TRY(check_whole(s));
	start_reading_again(s);
	struct strobe_error *err = report_count_times(&s->file->run, part, span, n, ret);
	s->stopped = false;
	return err;
}

/* Kept: other events of it may be asked for. */
static struct strobe_error *open_base(void *ctx, const char *path, const struct report **ret)
{
	struct report_screen *s = ctx;
	struct opened *f;
	if (!s->base || strcmp(s->base_path, path) != 0) {
		struct strobe_error *err = open_file(s, (struct opened_input){ .path = path }, &f);
		s->stopped = false;
		if (err)
			return err;
		opened_destroy(s->base);
		s->base = f;
		s->base_path = f->run.request.selection.input;
	}
	*ret = &s->base->built.report;
	return NULL;
}

static struct strobe_error *samples(void *ctx, const struct browse_choice *which, enum browse_detail detail, struct browse_samples *ret)
{
	struct report_screen *s = ctx;
	if (s->file->spool)
		TRY(check_whole(s));
	start_reading_again(s);
	struct strobe_error *err = report_print_samples(s->file, which, detail, ret);
	s->stopped = false;
	return err;
}

static bool is_recording(void *ctx, const char *path)
{
	char magic[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, magic, sizeof(magic));
	close(fd);
	return n == sizeof(magic) && (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8));
}

static struct strobe_error *listing(void *ctx, const struct report_part *part, mapping_id mapping, uint64_t addr,
				    struct listing **ret)
{
	struct report_screen *s = ctx;
	struct opened *f = s->file;
	TRY(check_whole(s));
	start_reading_again(s);
	bool is_new = !f->counted;
	struct strobe_error *err = is_new ? report_count_addresses(&f->run, &f->counted) : NULL;
	if (is_new && !err)
		err = report_count_cycles(&f->run, &f->cycles);
	s->stopped = false;
	if (err)
		return err;
	TRY(report_listing(&f->run, f->counted, part, mapping, addr, ret));
	report_add_cycles(f->cycles, &f->run, part, mapping, *ret);
	return NULL;
}

static void header(void *ctx, struct strbuf *text)
{
	struct report_screen *s = ctx;
	struct out out;
	size_t n;
	out_init_mem(&out);
	header_text_print(&out, s->file->run.session.env, true);
	const char *p = out_mem(&out, &n);
	strbuf_add(text, p, n);
	error_destroy(out_close(&out));
}

/* The name, or the first of a list of them. */
static bool is_named(const char *event, const char *names)
{
	size_t n = strcspn(names, ",");
	return !strcmp(event, names) || (strlen(event) == n && !memcmp(event, names, n));
}

/* The part that shows an event. */
static struct strobe_error *find_event(const struct opened *f, const char *name, uint32_t *ret)
{
	*ret = 0;
	for (uint32_t i = 0; name && i < f->built.report.parts_nr; i++) {
		const struct hist_options *o = &f->built.parts[i].hist->options;
		for (uint32_t j = 0; j < o->events_nr; j++)
			if (is_named(f->run.session.env->events.data[o->events[j]].name, name)) {
				*ret = i;
				return NULL;
			}
	}
	return name ? error_create(ERROR_NOT_FOUND, "the recording has no event '%s'; see 'evlist' for its events", name) : NULL;
}

/* ---- all of it ---- */

static struct strobe_error *browse_files(struct report_screen *s)
{
	const struct config *config;
	const struct report *first;
	TRY(cmd_config(s->ctx, &config)); /* before there are copies */
	TRY(cmd_signals_open(&s->signals, NULL));
	s->fds[0] = s->signals.fd;
	s->hooks = (struct browse_hooks){
		.ctx = s,
		.fds = s->fds,
		.fds_nr = 1,
		.wait_ms = wait_ms,
		.look = look,
		.renew = renew,
		.status = status,
		.header = header,
		.open = switch_file,
		.listing = listing,
		.times = times,
		.narrow = narrow,
		.base = open_base,
		.base_path = s->o->diff_base,
		.samples = samples,
		.is_recording = is_recording,
	};
	if (spool_is_stream(input_path(s->o->request.selection.input)))
		TRY(spool_start(input_path(s->o->request.selection.input), &s->spool));
	TRY(show_file(s, (struct opened_input){ .spool = s->spool }, &first));
	s->hooks.code = s->o->request.code.look;
	if (s->o->request.begins_with_code) {
		s->hooks.begins_with_code = true;
		TRY(find_event(s->file, s->o->request.code.event, &s->hooks.first_part));
	}
	return browse(s->screen, first, &s->hooks);
}

int report_browse(struct cmd_context *ctx, const struct report_options *o, struct screen *screen)
{
	struct report_screen s = { .ctx = ctx, .o = o, .screen = screen, .signals = CMD_SIGNALS_NONE };
	int held = cmd_hold_log();
	struct strobe_error *err = browse_files(&s);
	screen_close(screen);
	cmd_release_log(held);
	if (s.stopped || s.signal) {
		error_destroy(err);
		err = NULL;
	}
	int status = cmd_fail(ctx, err);
	if (s.file && !s.preview && !s.signal) {
		input_remarks(cmd_host(ctx), s.file->run.session.reader, resolver_stats(s.file->run.session.resolver));
		if (s.file->damage && !status)
			status = cmd_fail(ctx, take_ptr(s.file->damage));
	}
	close_shown(&s);
	opened_destroy(s.base);
	/* A thread that was left behind may look at it still. */
	if (!ctx->left_behind)
		spool_destroy(s.spool);
	/* Ctrl-C is one way to leave; who sent another signal is to see that it ended us. */
	if (s.signal && s.signal != SIGINT)
		cmd_signals_raise(&s.signals, s.signal);
	cmd_signals_close(&s.signals);
	return status;
}

#else

struct screen *report_open_screen(struct cmd_context *ctx, const struct report_options *o)
{
	if (o->tui)
		cmd_say(ctx, "using text output: built without ncurses (install libncurses-dev and rebuild)");
	return NULL;
}

int report_browse(struct cmd_context *ctx, const struct report_options *o, struct screen *screen)
{
	return CMD_FAILED;
}

#endif
