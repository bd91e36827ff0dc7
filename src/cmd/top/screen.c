/* top: on a screen, where there is one. */
#include <unistd.h>

#include "cli/message.h"
#include "cmd/top/run.h"
#include "config.h"
#include "view/live/screen.h"

#if HAVE_NCURSES

/* Says why there is none where one could be expected. */
static struct screen *open_screen(const struct top_run *t)
{
	const struct top_options *o = t->o;
	struct screen *screen = NULL;
	if (o->stdio || o->refreshes || (!o->tui && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))))
		return NULL;
	struct strobe_error *err = screen_open(
		(struct screen_options){ .no_colour = !terminal_colour(o->colour, STDOUT_FILENO, false) }, &screen);
	if (err)
		cmd_say(t->ctx, "using text output: %s", err->message);
	error_destroy(err);
	return screen;
}

struct strobe_error *top_screen(struct top_run *t, bool *ret_shown)
{
	struct screen *screen = open_screen(t);
	struct live_screen_options options = {
		.display = &t->o->display,
		.stop_fd = t->signals.fd,
		.is_stopped = top_take_signals,
		.ctx = t,
	};
	*ret_shown = screen != NULL;
	if (!screen)
		return NULL;
	int held = message_hold_log();
	struct strobe_error *err = live_browse(screen, &t->report, &options);
	screen_close(screen);
	message_release_log(held);
	return err;
}

#else

struct strobe_error *top_screen(struct top_run *t, bool *ret_shown)
{
	*ret_shown = false;
	if (t->o->tui)
		cmd_say(t->ctx, "using text output: built without ncurses (install libncurses-dev and rebuild)");
	return NULL;
}

#endif
