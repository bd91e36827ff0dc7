/* strobe help: the list of commands, or the manual of one. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/help.h"
#include "cmd/frame.h"

void cmd_print_overview(struct out *out, const char *program)
{
	size_t width = 15;
	for (const struct cmd *const *c = cmd_all; *c; c++)
		if (strlen((*c)->name) > width)
			width = strlen((*c)->name);
	out_f(out, "\n usage: %s %s\n\n The most commonly used %s commands are:\n", program, frame_usage[0], program);
	for (const struct cmd *const *c = cmd_all; *c; c++)
		if (!(*c)->hidden)
			out_f(out, "   %-*s %s\n", (int)width, (*c)->name, (*c)->summary);
	out_f(out, "\n See '%s help COMMAND' for more information on a specific command.\n\n", program);
}

void help_print_command(struct out *out, const char *program, const struct cmd *cmd, const char *const *words, int n)
{
	out_ch(out, '\n');
	help_usage(out, program, cmd->usage);
	out_ch(out, '\n');
	if (!n)
		help_options(out, cmd->options);
	else if (!help_matching(out, cmd->options, words, n))
		out_f(out, "    No option of %s %s matches.\n", program, cmd->name);
	out_ch(out, '\n');
}

/* Runs man; its status, or -1 where it could not be started. quiet: only to see whether it would find the page. */
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

/* The page beside this binary, in a build directory or a prefix that man does not search. */
static bool page_nearby(struct strbuf *path, const char *page)
{
	static const char *const places[] = { "man", "../share/man/man1" };
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return false;
	exe[n] = 0;
	char *slash = strrchr(exe, '/');
	if (!slash)
		return false;
	*slash = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		strbuf_reset(path);
		strbuf_addf(path, "%s/%s/%s.1", exe, places[i], page);
		if (!access(strbuf_str(path), R_OK))
			return true;
	}
	return false;
}

static bool show_man_page(const char *page)
{
	_cleanup_strbuf_ struct strbuf path = {};
	if (page_nearby(&path, page) && !run_man((const char *const[]){ "man", "-l", strbuf_str(&path), NULL }, false))
		return true;
	return !run_man((const char *const[]){ "man", "-w", page, NULL }, true) &&
	       !run_man((const char *const[]){ "man", page, NULL }, false);
}

int cmd_show_manual(struct cmd_context *ctx, const struct cmd *cmd)
{
	_cleanup_strbuf_ struct strbuf page = {};
	strbuf_addf(&page, "strobe%s%s", cmd ? "-" : "", cmd ? cmd->name : "");
	if (show_man_page(strbuf_str(&page)))
		return CMD_OK;
	struct out out;
	cmd_open_output(ctx, &out);
	if (cmd)
		help_print_command(&out, ctx->program, cmd, NULL, 0);
	else
		cmd_print_overview(&out, ctx->program);
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	(void)options;
	if (!ctx->rest.argc) {
		struct out out;
		cmd_open_output(ctx, &out);
		cmd_print_overview(&out, ctx->program);
		return cmd_close_output(ctx, &out);
	}
	const char *name = ctx->rest.argv[0];
	const struct cmd *cmd = cmd_find(name);
	if (!cmd)
		return cmd_fail(ctx, cmd_unknown(ctx->program, name));
	return cmd_show_manual(ctx, cmd);
}

static const struct option table[] = { OPTIONS_END };

const struct cmd cmd_help = {
	.name = "help",
	.summary = "Show the manual page of a command",
	.usage = (const char *const[]){ "help [COMMAND]", NULL },
	.options = table,
	.run = run,
};
