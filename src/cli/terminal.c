#include "cli/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

bool terminal_is_tty(int fd)
{
	return isatty(fd);
}

/* 0 where none of the three is a terminal. */
static struct winsize window(void)
{
	static const int fds[] = { STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO };
	struct winsize w;
	for (int i = 0; i < 3; i++)
		if (!ioctl(fds[i], TIOCGWINSZ, &w) && w.ws_col && w.ws_row)
			return w;
	return (struct winsize){ 0 };
}

static unsigned size_from(const char *variable, unsigned found, unsigned fallback)
{
	const char *s = getenv(variable);
	uint64_t v;
	if (s && text_to_u64(s, &v) && v > 0 && v <= 10000)
		return (unsigned)v;
	return found ? found : fallback;
}

unsigned terminal_columns(void)
{
	return size_from("COLUMNS", window().ws_col, 80);
}

unsigned terminal_rows(void)
{
	return size_from("LINES", window().ws_row, 24);
}

bool terminal_colour(enum colour_when when, int fd, bool paged)
{
	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	if (no && *no)
		return false;
	return (paged || isatty(fd)) && term && *term && strcmp(term, "dumb");
}
