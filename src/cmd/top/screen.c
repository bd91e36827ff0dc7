/* top: on a screen. */
#include "cli/message.h"
#include "cmd/screens.h"
#include "cmd/top/run.h"
#include "config.h"
#include "view/live/screen.h"

#if HAVE_NCURSES

struct strobe_error *top_screen(struct top_run *t, bool *ret_shown)
{
	bool is_text = t->o->stdio || t->o->refreshes;
	struct screen *screen = is_text ? NULL : cmd_open_screen(t->ctx, t->o->tui, t->o->colour);
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
	*ret_shown = cmd_open_screen(t->ctx, t->o->tui, t->o->colour);
	return NULL;
}

#endif
