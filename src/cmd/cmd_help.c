/* strobe help: the list of commands, or the manual of one; and the manual pages themselves. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cmd/frame.h"
#include "config.h"
#include "sys/process_files.h"

#define TEMPLATE_MAX_BYTES (1 << 20)

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

static void list_commands(struct out *out)
{
	for (const struct cmd *const *c = cmd_all; *c; c++)
		if (!(*c)->hidden)
			out_f(out, ".TP\n.BR strobe\\-%s (1)\n%s\n", (*c)->name, (*c)->summary);
}

/* strobe-CMD.1.in → CMD; *ret_cmd is NULL for strobe.1.in. */
static struct strobe_error *command_of(const char *path, const struct cmd **ret_cmd)
{
	const char *base = text_base_name(path);
	*ret_cmd = NULL;
	if (!strcmp(base, "strobe.1.in"))
		return NULL;
	if (text_has_prefix(base, "strobe-") && text_has_suffix(base, ".1.in")) {
		_cleanup_free_ char *name = xstrndup(base + 7, strlen(base) - 7 - 5);
		*ret_cmd = cmd_find(name);
	}
	return *ret_cmd ? NULL : error_create(ERROR_USAGE, "%s is not the template of a command's manual page", base);
}

static const struct option *options_of(const void *ctx, const char *name, size_t n)
{
	const struct cmd *cmd = ctx;
	for (const struct cmd *const *s = cmd ? cmd->subcommands : NULL; s && *s; s++) {
		const char *word = strrchr((*s)->name, ' ') + 1;
		if (!strncmp(word, name, n) && !word[n])
			return (*s)->options;
	}
	return NULL;
}

struct strobe_error *manual_fill(struct out *out, const char *path)
{
	const struct cmd *cmd;
	_cleanup_strbuf_ struct strbuf text = {};
	TRY(command_of(path, &cmd));
	TRY(file_read(path, &text, TEMPLATE_MAX_BYTES));
	struct man_page page = {
		.program = "strobe",
		.usage = cmd ? cmd->usage : frame_usage,
		.options = cmd ? cmd->options : frame_options,
		.version = STROBE_VERSION,
		.commands = list_commands,
		.options_of = options_of,
		.ctx = cmd,
	};
	man_page_fill(out, &page, strbuf_str(&text), text.len);
	return NULL;
}

int cmd_show_manual(struct cmd_context *ctx, const struct cmd *cmd)
{
	_cleanup_free_ char *program = process_program(), *page = xasprintf("strobe%s%s", cmd ? "-" : "", cmd ? cmd->name : "");
	if (man_page_show(page, program))
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
