/* report: on a screen. */
#include "cmd/report/screen.h"

#include "cmd/screens.h"
#include "config.h"

static bool allows_screen(const struct report_options *o)
{
	const struct report_display *d = &o->request.display;
	const struct recorded_print_options *p = &o->print;
	bool plain = p->format == RECORDED_TEXT && !o->stdio && !d->separator && !d->quiet && !report_draws(o);
	bool table = !p->header && !p->header_only && !p->stats && !p->tasks && !p->mmaps && !p->raw && !p->total_cycles;
	/* READ records have a separate table. */
	return plain && table && !p->show_reads;
}

struct screen *report_open_screen(struct cmd_context *ctx, const struct report_options *o)
{
	return allows_screen(o) ? cmd_open_screen(ctx, o->tui, o->colour) : NULL;
}

#if HAVE_NCURSES
#include "cli/message.h"
#include "sys/signals.h"
#include "view/recorded/screen.h"

struct stop {
	struct signals signals;
	int signal; /* the last one, or 0 */
};

static bool is_stopped(void *ctx)
{
	struct stop *s = ctx;
	for (int number; (number = signals_next(&s->signals));)
		s->signal = number;
	return s->signal;
}

int report_browse(struct cmd_context *ctx, const struct report_options *o, struct screen *screen)
{
	struct recorded_screen s;
	struct stop stop = { .signals = SIGNALS_NONE };
	struct strobe_error *err = signals_open(&stop.signals, NULL), *damage = NULL;
	if (err) {
		screen_close(screen);
		return cmd_fail(ctx, err);
	}
	const struct recorded_screen_options options = { .host = cmd_host(ctx), .request = &o->request, .base_path = o->diff_base,
							 .stop_fd = stop.signals.fd, .is_stopped = is_stopped, .ctx = &stop };
	int held = message_hold_log();
	err = recorded_browse(&s, screen, &options);
	screen_close(screen);
	message_release_log(held);
	if (stop.signal) {
		error_destroy(err);
		err = NULL;
	}
	int status = cmd_fail(ctx, err);
	if (!stop.signal)
		shown_remarks(&s.shown, &damage);
	if (!status)
		status = cmd_fail(ctx, damage);
	else
		error_destroy(damage);
	ctx->left_behind |= !shown_close(&s.shown);
	/* Ctrl-C is one way to quit; any other signal ends the process by itself. */
	if (stop.signal && stop.signal != SIGINT)
		signals_raise(&stop.signals, stop.signal);
	signals_close(&stop.signals);
	return status;
}

#else

int report_browse(struct cmd_context *ctx, const struct report_options *o, struct screen *screen)
{
	return CMD_FAILED;
}

#endif
