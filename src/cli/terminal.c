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

/* 0: none of the three is a terminal. */
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

static bool is_in_front(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

void terminal_keys_open(struct terminal_keys *k)
{
	k->is_open = isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &k->saved);
	terminal_keys_take(k);
}

void terminal_keys_take(const struct terminal_keys *k)
{
	struct termios raw = k->saved;
	if (!k->is_open || !is_in_front())
		return;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void terminal_keys_close(struct terminal_keys *k)
{
	if (k->is_open && is_in_front())
		tcsetattr(STDIN_FILENO, TCSANOW, &k->saved);
	k->is_open = false;
}
