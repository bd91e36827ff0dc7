/* strobe daemon: recordings in the background, defined by the settings. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/out.h"
#include "cmd/frame.h"
#include "cmd/subcommand.h"
#include "cmd/table_output.h"
#include "daemon/client.h"
#include "daemon/server.h"
#include "daemon/settings.h"
#include "sys/process_files.h"

struct daemon_options {
	struct daemon_server_request server;
	const char *session, *separator, *format_name;
	unsigned verbose;
};

#define AT(field) offsetof(struct daemon_options, field)
static const struct option table[] = {
	{ OPTION_STRING, 0, "base", AT(server.base), .arg = "directory", .help = "base directory (default: setting daemon.base)" },
	{ OPTION_STRING, 0, "config", AT(server.config), .arg = "file", .help = "configuration file (default: the user's)" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "list the files of each session" },
	{ OPTION_STRING, 'x', "field-separator", AT(separator), .arg = "separator", .optional_arg = true, .default_arg = ",",
	  .help = "list all fields, with this separator (default: ,)" },
	{ OPTION_STRING, 0, "format", AT(format_name), .arg = "text|json|csv", .help = "output format of the list" },
	{ OPTION_BOOL, 'f', "foreground", AT(server.foreground), .help = "start: stay in the foreground" },
	{ OPTION_STRING, 0, "session", AT(session), .arg = "session", .help = "signal, ping: only this session" },
	OPTIONS_END,
};

static int start(struct cmd_context *ctx, struct daemon_options *o)
{
	_cleanup_free_ char *program = process_program();
	o->server.program = program;
	if (!program)
		return cmd_fail(ctx, error_create(ERROR_OTHER, "cannot find the file of this program: /proc is not mounted"));
	return cmd_fail_either(ctx, daemon_start(&o->server));
}

static int print(struct cmd_context *ctx, const struct daemon_options *o, struct strbuf *answer, bool is_list)
{
	enum table_format format;
	struct table t;
	struct out out;
	struct strobe_error *err = table_format_parse(o->format_name, &format);
	if (err)
		return cmd_fail_usage(ctx, err);
	if (is_list && format != TABLE_AS_TEXT) {
		daemon_list_table(&t, answer->data);
		return cmd_print_table(ctx, &t, format);
	}
	cmd_open_output(ctx, &out);
	if (is_list)
		daemon_list_text(&out, answer->data, ctx->program, o->verbose, o->separator);
	else
		daemon_answer_text(&out, answer->data);
	return cmd_close_output(ctx, &out);
}

static int request(struct cmd_context *ctx, const struct daemon_options *o, const char *word)
{
	struct daemon_settings settings;
	_cleanup_strbuf_ struct strbuf answer = {};
	_cleanup_free_ char *line = o->session && strcmp(word, "list") != 0 ? xasprintf("%s %s", word, o->session) : xstrdup(word);
	struct strobe_error *err = daemon_settings_read(o->server.config, o->server.base, &settings);
	if (!err)
		err = daemon_request(settings.base, line, &answer);
	int status = err ? cmd_fail_either(ctx, err) : print(ctx, o, &answer, !strcmp(word, "list"));
	daemon_settings_deinit(&settings);
	return status;
}

static int run(struct cmd_context *ctx, void *options)
{
	static const char *const words[] = { "start", "list", "signal", "stop", "ping", NULL };
	struct daemon_options *o = options;
	const char *word = ctx->rest.argc ? ctx->rest.argv[0] : "list";
	for (const char *const *known = words; *known; known++)
		if (!strcmp(word, *known) && ctx->rest.argc < 2)
			return known == words ? start(ctx, o) : request(ctx, o, word);
	return ctx->rest.argc > 1 ? cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s'", ctx->rest.argv[1])) :
				    subcommand_unknown(ctx, word, "start, list, signal, stop or ping");
}

const struct cmd cmd_daemon = {
	.name = "daemon",
	.summary = "Run recordings in the background",
	.usage = (const char *const[]){ "daemon [<options>] [list]", "daemon start [-f] [<options>]",
					"daemon {signal|ping} [--session <session>] [<options>]", "daemon stop [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct daemon_options),
	.run = run,
	.permute = true,
};
