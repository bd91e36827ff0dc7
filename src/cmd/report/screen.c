/* report: on a screen, with another file whenever the user chooses one. */
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cmd/report/run.h"
#include "cmd/report/screen.h"
#include "config.h"
#include "dump/header_text.h"
#include "session/input.h"
#include "session/report/shown.h"

#if HAVE_NCURSES
#include "sys/signals.h"
#include "view/tui/browser.h"

struct report_screen {
	struct cmd_context *ctx;
	struct screen *screen;
	struct shown shown;
	struct browse_hooks hooks;
	int fds[2];              /* hooks: signals, and the end of the opening */
	struct signals signals;
	int signal;
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
	for (int number; (number = signals_next(&s->signals));)
		s->signal = number;
}

/* ---- what takes long ---- */

static void draw_progress(struct report_screen *s, const struct shown_wait *w)
{
	struct strbuf line = {};
	unsigned percent = w->total ? (unsigned)(100.0 * (double)w->done / (double)w->total) : 0;
	if (w->total)
		strbuf_addf(&line, "reading %s: %u%% (q ends)", w->name, percent < 100 ? percent : 100);
	else
		strbuf_addf(&line, "reading %s: %llu MB (q ends)", w->name, (unsigned long long)w->done / 1000000);
	screen_clear(s->screen);
	screen_text(s->screen, screen_rows(s->screen) / 2, 2, INK_NORMAL, strbuf_str(&line), line.len, screen_columns(s->screen));
	strbuf_deinit(&line);
	screen_flush(s->screen);
}

static bool tick(void *ctx, const struct shown_wait *w)
{
	struct report_screen *s = ctx;
	bool stopped = false;
	if (w->is_long)
		draw_progress(s, w);
	/* A terminal that is gone says so for ever. */
	for (struct screen_key k; !stopped && (k = screen_key(s->screen)).key != KEY_NONE;)
		if (k.key == 'q' || k.key == KEY_IS_CTRL_C || k.key == KEY_IS_GONE || k.key == KEY_IS_ESCAPE)
			stopped = true;
		else if (k.key != KEY_IS_RESIZE)
			break;
	look_for_signals(s);
	return !s->signal && !stopped;
}

static void wait_for(void *ctx, int fd, int timeout_ms)
{
	struct report_screen *s = ctx;
	const int fds[] = { s->signals.fd, fd };
	screen_wait(s->screen, fds, 2, timeout_ms);
}

/* ---- hooks ---- */

/* What is shown has changed, or may have. */
static struct strobe_error *follow(struct report_screen *s, struct strobe_error *err)
{
	s->hooks.is_live = s->shown.preview != NULL;
	s->hooks.by_name |= s->hooks.is_live;
	s->fds[1] = shown_fd(&s->shown);
	s->hooks.fds_nr = s->fds[1] >= 0 ? 2 : 1;
	return err;
}

static enum browse_state look(void *ctx)
{
	struct report_screen *s = ctx;
	look_for_signals(s);
	(void)follow(s, NULL);
	return s->signal ? BROWSE_END : shown_is_due(&s->shown) ? BROWSE_DUE : BROWSE_ON;
}

static int wait_ms(void *ctx)
{
	const struct report_screen *s = ctx;
	return shown_wait_ms(&s->shown);
}

static void status(void *ctx, struct strbuf *out)
{
	const struct report_screen *s = ctx;
	shown_describe(&s->shown, out);
}

static struct strobe_error *renew(void *ctx, const struct report **ret)
{
	struct report_screen *s = ctx;
	return follow(s, shown_renew(&s->shown, ret));
}

static struct strobe_error *switch_file(void *ctx, const char *path, const struct report **ret)
{
	struct report_screen *s = ctx;
	return follow(s, shown_open(&s->shown, path, ret));
}

static struct strobe_error *narrow(void *ctx, struct time_range span, const struct report **ret)
{
	struct report_screen *s = ctx;
	return follow(s, shown_narrow(&s->shown, span, ret));
}

static struct strobe_error *times(void *ctx, const struct report_part *part, struct time_range span, unsigned n,
				  struct time_counts *ret)
{
	struct report_screen *s = ctx;
	return shown_times(&s->shown, part, span, n, ret);
}

static struct strobe_error *base(void *ctx, const char *path, const struct report **ret)
{
	struct report_screen *s = ctx;
	return shown_base(&s->shown, path, ret);
}

static struct strobe_error *samples(void *ctx, const struct listed_choice *which, enum listed_detail detail, struct listed_samples *ret)
{
	struct report_screen *s = ctx;
	return shown_samples(&s->shown, which, detail, ret);
}

static struct strobe_error *listing(void *ctx, const struct report_part *part, mapping_id mapping, uint64_t addr,
				    struct listing **ret)
{
	struct report_screen *s = ctx;
	return shown_listing(&s->shown, part, mapping, addr, ret);
}

static bool is_recording(void *ctx, const char *path)
{
	return input_is_recording(path);
}

static void header(void *ctx, struct strbuf *text)
{
	struct report_screen *s = ctx;
	struct out out;
	size_t n;
	out_init_mem(&out);
	header_text_print(&out, s->shown.file->report.session.env, true);
	const char *p = out_mem(&out, &n);
	strbuf_add(text, p, n);
	error_destroy(out_close(&out));
}

/* ---- all of it ---- */

static struct strobe_error *browse_files(struct report_screen *s, const struct report_options *o)
{
	const struct report *first;
	TRY(signals_open(&s->signals, NULL));
	s->fds[0] = s->signals.fd;
	s->hooks = (struct browse_hooks){
		.ctx = s,
		.fds = s->fds,
		.wait_ms = wait_ms,
		.look = look,
		.renew = renew,
		.status = status,
		.header = header,
		.open = switch_file,
		.listing = listing,
		.times = times,
		.narrow = narrow,
		.base = base,
		.base_path = o->diff_base,
		.samples = samples,
		.is_recording = is_recording,
		.code = o->request.code.look,
		.begins_with_code = o->request.begins_with_code,
	};
	TRY(follow(s, shown_start(&s->shown, &first)));
	if (o->request.begins_with_code)
		TRY(opened_find_part(s->shown.file, o->request.code.event, &s->hooks.first_part));
	return browse(s->screen, first, &s->hooks);
}

int report_browse(struct cmd_context *ctx, const struct report_options *o, struct screen *screen)
{
	struct report_screen s = { .ctx = ctx, .screen = screen, .signals = SIGNALS_NONE };
	s.shown = (struct shown){ .host = cmd_host(ctx), .request = &o->request, .waiter = { tick, wait_for, &s } };
	int held = message_hold_log();
	struct strobe_error *err = browse_files(&s, o), *damage = NULL;
	screen_close(screen);
	message_release_log(held);
	if (s.signal) {
		error_destroy(err);
		err = NULL;
	}
	int status = cmd_fail(ctx, err);
	if (!s.signal)
		shown_remarks(&s.shown, &damage);
	if (!status)
		status = cmd_fail(ctx, damage);
	else
		error_destroy(damage);
	ctx->left_behind |= !shown_close(&s.shown);
	/* Ctrl-C is one way to leave; any other signal is to be seen to have ended this process. */
	if (s.signal && s.signal != SIGINT)
		signals_raise(&s.signals, s.signal);
	signals_close(&s.signals);
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
