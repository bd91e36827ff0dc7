/* The user interface of all commands: messages, output, pager, settings. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/out.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cmd/frame.h"
#include "object/debuginfod.h"

static void say_line(const struct cmd_context *ctx, const char *line)
{
	bool has_cmd = ctx && ctx->cmd;
	_cleanup_free_ char *before =
		xasprintf("%s%s%s: ", ctx ? ctx->program : "strobe", has_cmd ? " " : "", has_cmd ? ctx->cmd->name : "");
	fflush(stdout);
	message_write(STDERR_FILENO, before, line);
}

void cmd_say(const struct cmd_context *ctx, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	_cleanup_free_ char *line = xvasprintf(fmt, ap);
	va_end(ap);
	say_line(ctx, line);
}

void cmd_say_plain(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	_cleanup_free_ char *line = xvasprintf(fmt, ap);
	va_end(ap);
	fflush(stdout);
	message_write(STDERR_FILENO, "", line);
}

static void say_error(const struct cmd_context *ctx, const struct strobe_error *err)
{
	_cleanup_free_ char *more = err->check ? xasprintf("; see '%s doctor %s'", ctx ? ctx->program : "strobe", err->check) : NULL;
	_cleanup_free_ char *line = xasprintf("%s%s", err->message, more ? more : "");
	say_line(ctx, line);
}

static int status_of(const struct strobe_error *err)
{
	if (err->errnum == EPIPE)
		return CMD_BROKEN_PIPE;
	if (err->exit_status)
		return err->exit_status;
	return err->code == ERROR_USAGE ? CMD_USAGE : err->code == ERROR_STOPPED ? CMD_OK : CMD_FAILED;
}

int cmd_fail(const struct cmd_context *ctx, struct strobe_error *err)
{
	if (!err)
		return CMD_OK;
	int status = status_of(err);
	if (status != CMD_BROKEN_PIPE && status != CMD_OK)
		say_error(ctx, err);
	error_destroy(err);
	return status;
}

int cmd_fail_usage(const struct cmd_context *ctx, struct strobe_error *err)
{
	/* The usage lines would not help: the arguments are valid, but the user lacks permission. */
	if (err->code == ERROR_PERMISSION)
		return cmd_fail(ctx, err);
	say_error(ctx, err);
	error_destroy(err);
	struct out out;
	out_init_fd(&out, STDERR_FILENO);
	out_ch(&out, '\n');
	help_usage(&out, ctx->program, ctx->cmd ? ctx->cmd->usage : frame_usage);
	out_ch(&out, '\n');
	if (ctx->cmd && ctx->rest.at_fault)
		help_row(&out, ctx->rest.at_fault);
	else if (ctx->cmd)
		out_f(&out, " See '%s %s -h' for the options.\n", ctx->program, ctx->cmd->name);
	/* An error of writing to stderr cannot be reported. */
	error_destroy(out_close(&out));
	return CMD_USAGE;
}

int cmd_fail_either(const struct cmd_context *ctx, struct strobe_error *err)
{
	return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
}

static struct strobe_error *start_pager(struct cmd_context *ctx)
{
	const struct config *config;
	TRY(cmd_settings(ctx, &config));
	const char *command = pager_of_settings(config, ctx->cmd ? ctx->cmd->name : NULL, ctx->paginate);
	return command ? pager_start(command, &ctx->pager) : NULL;
}

void cmd_open_output(struct cmd_context *ctx, struct out *out)
{
	signal(SIGPIPE, SIG_IGN);
	if (!ctx->no_pager && ctx->pager.fd < 0 && isatty(STDOUT_FILENO)) {
		struct strobe_error *err = start_pager(ctx);
		if (err) /* print the text without a pager */
			cmd_fail(ctx, err);
	}
	out_init_fd(out, ctx->pager.fd >= 0 ? ctx->pager.fd : STDOUT_FILENO);
}

int cmd_close_output(struct cmd_context *ctx, struct out *out)
{
	bool paged = ctx->pager.fd >= 0;
	struct strobe_error *err = out_close(out);
	pager_finish(&ctx->pager);
	if (err && paged && err->errnum == EPIPE) { /* the user has quit the pager */
		error_destroy(err);
		return CMD_OK;
	}
	return cmd_fail(ctx, err);
}

int cmd_finish(struct cmd_context *ctx, struct out *out, struct strobe_error *err)
{
	int status = cmd_close_output(ctx, out), failed = cmd_fail_either(ctx, err);
	return status ? status : failed;
}

bool cmd_use_colour(const struct cmd_context *ctx, enum colour_when when)
{
	return terminal_colour(when, STDOUT_FILENO, ctx->pager.fd >= 0);
}

struct strobe_error *cmd_format_is_json(const char *format, bool *ret)
{
	*ret = format && !strcmp(format, "json");
	return !format || *ret || !strcmp(format, "text") ? NULL :
		error_create(ERROR_USAGE, "--format %s: expected text or json", format);
}

void cmd_set_verbosity(unsigned level)
{
	message_show_log(STDERR_FILENO, level > 1 ? LOG_DEBUG : level ? LOG_INFO : LOG_WARN);
}

char *const *cmd_command(struct cmd_context *ctx)
{
	size_t n = (size_t)ctx->rest.argc;
	if (!n)
		return NULL;
	char **argv = arena_calloc(&ctx->words, (n + 1) * sizeof(*argv));
	memcpy(argv, ctx->rest.argv, n * sizeof(*argv));
	return argv;
}

struct strobe_error *cmd_settings(struct cmd_context *ctx, const struct config **ret)
{
	if (!ctx->config)
		TRY(config_load(CONFIG_ALL, &ctx->config));
	*ret = ctx->config;
	return NULL;
}

struct strobe_error *cmd_buildid_dir(struct cmd_context *ctx, const char **ret)
{
	const struct config *config;
	*ret = ctx->buildid_dir;
	if (*ret)
		return NULL;
	TRY(cmd_settings(ctx, &config));
	if (!ctx->buildid_dir_set)
		ctx->buildid_dir_set = config_directory(config, "buildid.dir", "~/.debug");
	*ret = ctx->buildid_dir_set;
	return NULL;
}

static struct strobe_error *host_buildid_dir(void *ctx, const char **ret)
{
	return cmd_buildid_dir(ctx, ret);
}

static struct debuginfod *host_servers(void *context)
{
	struct cmd_context *ctx = context;
	if (!ctx->debuginfod)
		ctx->debuginfod = debuginfod_from_environment(NULL);
	return ctx->debuginfod;
}

static void host_say(void *ctx, const char *line)
{
	say_line(ctx, line);
}

static void host_progress(void *ctx, const char *line)
{
	(void)ctx;
	cmd_say_plain("%s", line);
}

static void host_damage(void *ctx, struct strobe_error *err)
{
	struct cmd_context *c = ctx;
	say_error(c, err);
	error_destroy(err);
	c->damaged = true;
}

const struct session_host *cmd_host(struct cmd_context *ctx)
{
	ctx->host = (struct session_host){
		.buildid_dir = host_buildid_dir,
		.servers = host_servers,
		.say = host_say,
		.progress = host_progress,
		.damage = host_damage,
		.ctx = ctx,
		.is_attended = isatty(STDERR_FILENO),
	};
	return &ctx->host;
}
