/* What every command needs to speak with the user: messages, output, pager, settings. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/out.h"
#include "base/strbuf.h"
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
		say_line(ctx, err->message);
	error_destroy(err);
	return status;
}

int cmd_fail_usage(const struct cmd_context *ctx, struct strobe_error *err)
{
	/* Other words would not help: the same ones are right for who may. */
	if (err->code == ERROR_PERMISSION)
		return cmd_fail(ctx, err);
	say_line(ctx, err->message);
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
	/* Nobody is left to tell when stderr cannot be written. */
	error_destroy(out_close(&out));
	return CMD_USAGE;
}

int cmd_fail_either(const struct cmd_context *ctx, struct strobe_error *err)
{
	return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
}

/* The setting pager.CMD = false keeps a command off the pager; a string there is the pager itself. */
static struct strobe_error *start_pager(struct cmd_context *ctx)
{
	const struct config *config;
	TRY(cmd_settings(ctx, &config));
	const char *configured = config_get(config, "core.pager");
	if (ctx->cmd) {
		_cleanup_strbuf_ struct strbuf key = {};
		strbuf_addf(&key, "pager.%s", ctx->cmd->name);
		const char *value = config_get(config, strbuf_str(&key));
		bool wanted;
		struct strobe_error *not_a_bool = config_bool(config, strbuf_str(&key), true, &wanted);
		if (not_a_bool) {
			error_destroy(not_a_bool);
			configured = value;
		} else if (!wanted && !ctx->paginate) {
			return NULL;
		}
	}
	const char *command = pager_choose(configured);
	return command ? pager_start(command, &ctx->pager) : NULL;
}

void cmd_open_output(struct cmd_context *ctx, struct out *out)
{
	signal(SIGPIPE, SIG_IGN);
	if (!ctx->no_pager && ctx->pager.fd < 0 && isatty(STDOUT_FILENO)) {
		struct strobe_error *err = start_pager(ctx);
		if (err) /* the text matters more than how it is shown */
			cmd_fail(ctx, err);
	}
	out_init_fd(out, ctx->pager.fd >= 0 ? ctx->pager.fd : STDOUT_FILENO);
}

int cmd_close_output(struct cmd_context *ctx, struct out *out)
{
	bool paged = ctx->pager.fd >= 0;
	struct strobe_error *err = out_close(out);
	pager_finish(&ctx->pager);
	if (err && paged && err->errnum == EPIPE) { /* the user has seen enough */
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

static struct strobe_error *write_and_close(struct out *out, const char *name,
					    struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx)
{
	struct strobe_error *err = write(ctx, out);
	return error_first(err, out_close_file(out, name));
}

static struct strobe_error *write_to_stdout(struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx)
{
	struct out out;
	out_init_fd(&out, STDOUT_FILENO);
	return write_and_close(&out, "standard output", write, ctx);
}

struct strobe_error *cmd_write_file(const char *path, struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx)
{
	struct out out;
	struct stat st;
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	if (!strcmp(path, "-"))
		return write_to_stdout(write, ctx);
	TRY(new_file_create(path, &file));
	mode_t mode = !lstat(path, &st) && S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0600;
	out_init_fd(&out, file.fd);
	TRY(write_and_close(&out, path, write, ctx));
	return new_file_keep(&file, mode);
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

struct strobe_error *cmd_open_file(const char *path, bool append, int *ret_fd)
{
	*ret_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0600);
	return *ret_fd < 0 ? error_errno(errno, "cannot write %s", path) : NULL;
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
	const char *home = getenv("HOME"), *set = config_get(config, "buildid.dir");
	if (set && (set[0] != '~' || set[1] != '/')) {
		*ret = set;
	} else if (home && *home) {
		strbuf_reset(&ctx->buildid_path);
		strbuf_addf(&ctx->buildid_path, "%s%s", home, set ? set + 1 : "/.debug");
		*ret = strbuf_str(&ctx->buildid_path);
	}
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
	say_line(c, err->message);
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
