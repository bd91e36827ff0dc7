/* strobe iostat: traffic of I/O ports: `stat --iostat`, and the list of the ports. */
#include <string.h>

#include "base/out.h"
#include "catalog/io_ports.h"
#include "cmd/frame.h"
#include "sys/sys.h"

static const struct option table[] = { OPTIONS_END };

static int list(struct cmd_context *ctx, const struct io_ports *ports)
{
	struct out out;
	cmd_open_output(ctx, &out);
	io_ports_text(&out, ports);
	return cmd_close_output(ctx, &out);
}

static int measure(struct cmd_context *ctx)
{
	struct cmd_words words = {};
	cmd_add_words(ctx, &words, (const char *const[]){ "stat", "--iostat", NULL });
	for (int i = 0; i < ctx->rest.argc; i++)
		cmd_add_word(ctx, &words, ctx->rest.argv[i]);
	return cmd_run_words(ctx, &words, 0, NULL);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct io_ports ports;
	struct strobe_error *err = io_ports_read(sys_live(), &ports);
	bool is_list = ctx->rest.argc && !ctx->rest.had_dashes && !strcmp(ctx->rest.argv[0], "list");
	(void)options;
	if (!err && is_list && ctx->rest.argc > 1)
		err = error_create(ERROR_USAGE, "unexpected argument '%s' after list", ctx->rest.argv[1]);
	int status = err ? cmd_fail(ctx, err) : is_list ? list(ctx, &ports) : measure(ctx);
	io_ports_deinit(&ports);
	return status;
}

const struct cmd cmd_iostat = {
	.name = "iostat",
	.summary = "Show the traffic of I/O ports",
	.usage = (const char *const[]){ "iostat list", "iostat [<command>]", "iostat -- <command> [<options>]", NULL },
	.options = table,
	.run = run,
};
