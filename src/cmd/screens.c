#include "cmd/screens.h"

#include <unistd.h>

#include "config.h"

#if HAVE_NCURSES
#include "view/tui/screen.h"

struct screen *cmd_open_screen(struct cmd_context *ctx, bool tui, enum colour_when colour)
{
	struct screen *screen = NULL;
	if (!tui && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return NULL;
	struct strobe_error *err =
		screen_open((struct screen_options){ .no_colour = !terminal_colour(colour, STDOUT_FILENO, false) }, &screen);
	if (err)
		cmd_say(ctx, "using text output: %s", err->message);
	error_destroy(err);
	return screen;
}

#else

struct screen *cmd_open_screen(struct cmd_context *ctx, bool tui, enum colour_when colour)
{
	(void)colour;
	if (tui)
		cmd_say(ctx, "using text output: built without ncurses (install libncurses-dev and rebuild)");
	return NULL;
}

#endif
