#include "cli/man_page.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cli/help.h"

static void synopsis(struct out *out, const struct man_page *page)
{
	out_str(out, ".nf\n");
	for (size_t i = 0; page->usage[i]; i++)
		out_f(out, "\\fB%s\\fR %s\n", page->program, page->usage[i]);
	out_str(out, ".fi\n");
}

static bool is(const char *line, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(line, word, n);
}

/* "@OPTIONS latency@" */
static const struct option *options_of(const struct man_page *page, const char *line, size_t n)
{
	static const char start[] = "@OPTIONS ";
	size_t before = sizeof(start) - 1;
	if (!page->options_of || n <= before + 1 || memcmp(line, start, before) != 0 || line[n - 1] != '@')
		return NULL;
	return page->options_of(page->ctx, line + before, n - before - 1);
}

static void fill_line(struct out *out, const struct man_page *page, const char *line, size_t len)
{
	static const char version[] = "@VERSION@";
	if (is(line, len, "@SYNOPSIS@")) {
		synopsis(out, page);
	} else if (is(line, len, "@OPTIONS@")) {
		help_man_options(out, page->options);
	} else if (options_of(page, line, len)) {
		help_man_options(out, options_of(page, line, len));
	} else if (is(line, len, "@COMMANDS@")) {
		page->commands(out);
	} else {
		const char *at = memmem(line, len, version, sizeof(version) - 1);
		size_t before = at ? (size_t)(at - line) : len;
		out_write(out, line, before);
		if (at) {
			out_str(out, page->version);
			out_write(out, at + sizeof(version) - 1, len - before - (sizeof(version) - 1));
		}
		out_ch(out, '\n');
	}
}

void man_page_fill(struct out *out, const struct man_page *page, const char *text, size_t n)
{
	for (const char *line = text, *end = text + n; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((newline ? newline : end) - line);
		fill_line(out, page, line, len);
		line += len + 1;
	}
}

/* Runs man; returns its status, or -1: not started. quiet: only check whether it finds the page. */
static int run_man(const char *const *argv, bool quiet)
{
	pid_t pid = fork();
	if (!pid) {
		int null = quiet ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
		if (null >= 0) {
			dup2(null, STDOUT_FILENO);
			dup2(null, STDERR_FILENO);
		}
		execvp("man", (char *const *)argv);
		_exit(127);
	}
	int status;
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The file of a page near the program; NULL: none. */
static char *page_nearby(const char *program_path, const char *page)
{
	static const char *const places[] = { "man", "../share/man/man1" };
	const char *slash = program_path ? strrchr(program_path, '/') : NULL;
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(*places); i++) {
		char *path = xasprintf("%.*s/%s/%s.1", (int)(slash - program_path), program_path, places[i], page);
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

bool man_page_show(const char *page, const char *program_path)
{
	_cleanup_free_ char *path = page_nearby(program_path, page);
	if (path && !run_man((const char *const[]){ "man", "-l", path, NULL }, false))
		return true;
	return !run_man((const char *const[]){ "man", "-w", page, NULL }, true) &&
	       !run_man((const char *const[]){ "man", page, NULL }, false);
}
