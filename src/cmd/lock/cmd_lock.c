/* strobe lock: waits of threads for locks of the kernel and of programs: how long, and where. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/lock_info.h"
#include "base/text.h"
#include "cmd/frame.h"
#include "cmd/subcommand.h"
#include "cmd/lock/output.h"
#include "cmd/lock/record.h"
#include "cmd/lock/user.h"
#include "sys/sys.h"

static const char *comm_of(void *ctx, uint32_t tid)
{
	return lock_replay_comm(ctx, tid);
}

/* ---- info ---- */

static int show_info(struct cmd_context *ctx, const struct lock_options *o, const struct lock_replay *r)
{
	bool both = o->by_thread == o->with_map;
	struct table tables[2] = {};
	size_t n = 0;
	if (both || o->by_thread)
		lock_threads_table(&tables[n++], r);
	if (both || o->with_map)
		lock_map_table(&tables[n++], lock_replay_waits(r));
	if (n > 1 && o->format == TABLE_AS_TEXT)
		tables[0].layout.blank_lines = 1;
	int status = lock_output(ctx, o, tables, n);
	for (size_t i = 0; i < n; i++)
		table_deinit(&tables[i]);
	return status;
}

/* ---- from a recording ---- */

static int show_waits(struct cmd_context *ctx, const struct lock_options *o, struct lock_replay *r)
{
	const struct lock_names names = { .comm = comm_of, .ctx = r, .symbols = lock_replay_symbols(r) };
	struct table t;
	lock_table_fill(&t, lock_replay_waits(r), &o->layout, &names);
	int status = lock_output(ctx, o, &t, 1);
	table_deinit(&t);
	return status;
}

/* The complete part is shown. */
static int replay(struct cmd_context *ctx, const struct lock_options *o, enum lock_command command)
{
	struct lock_replay *r;
	struct strobe_error *err;
	struct lock_replay_request request = o->replay;
	request.host = cmd_host(ctx);
	err = lock_replay_run(&request, &r);
	int status = CMD_OK;
	if (!err || lock_replay_waits(r)->stats.len) {
		status = command == LOCK_INFO ? show_info(ctx, o, r) : show_waits(ctx, o, r);
		lock_replay_remarks(r);
	}
	lock_replay_destroy(r);
	int failed = cmd_fail_either(ctx, err);
	return status ? status : failed;
}

/* ---- of the running system ---- */

static const char *live_comm_of(void *ctx, uint32_t tid)
{
	return lock_live_comm(ctx, tid);
}

static int run_live(struct cmd_context *ctx, const struct lock_options *o, char *const *command)
{
	const struct lock_live_request request = {
		.host = cmd_host(ctx),
		.sys = sys_live(),
		.target = { .system_wide = o->all_cpus || (!command && !o->replay.choice.pids && !o->replay.choice.tids),
			    .cpus = o->replay.choice.cpus,
			    .pids = o->replay.choice.pids,
			    .tids = o->replay.choice.tids },
		.command = command,
		.entries = o->map_entries,
		.symbols = o->replay.symbols,
		.question = o->replay.question,
	};
	struct lock_live *l;
	struct table t;
	int status;
	struct strobe_error *err = lock_live_run(&request, &l);
	if (err) {
		status = cmd_fail_either(ctx, err);
	} else {
		const struct lock_names names = { .comm = live_comm_of, .ctx = l, .symbols = lock_live_symbols(l) };
		lock_table_fill(&t, lock_live_waits(l), &o->layout, &names);
		status = lock_output(ctx, o, &t, 1);
		table_deinit(&t);
	}
	lock_live_destroy(l);
	return status;
}

static int dump(struct cmd_context *ctx, const struct lock_options *o)
{
	return subcommand_dump(ctx, &(struct cmd_common){ .input = o->replay.input, .force = o->replay.force });
}

/* Options may precede or follow the subcommand. */
static int run_subcommand(struct cmd_context *ctx, struct lock_options *o, enum lock_command command)
{
	bool takes_command = command == LOCK_CONTENTION;
	struct strobe_error *err = options_parse(lock_option_table, o, ctx->rest.argc, ctx->rest.argv, !takes_command, &ctx->rest);
	if (!err && ctx->rest.help)
		return cmd_show_help(ctx);
	if (!err && ctx->rest.argc && !takes_command)
		err = error_create(ERROR_USAGE, "unexpected argument '%s': specify a recording with -i", ctx->rest.argv[0]);
	if (!err)
		err = lock_options_settle(o, command, ctx->rest.argc > 0);
	if (err)
		return cmd_fail_usage(ctx, err);
	if (o->replay.question.of_users)
		return lock_user(ctx, o, ctx->rest.argc ? cmd_command(ctx) : NULL);
	if (o->is_live)
		return run_live(ctx, o, ctx->rest.argc ? cmd_command(ctx) : NULL);
	return o->dump ? dump(ctx, o) : replay(ctx, o, command);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct lock_options *o = options;
	const char *word = ctx->rest.argc ? ctx->rest.argv[0] : "";
	cmd_set_verbosity(0);
	if (subcommand_is(word, "record"))
		return lock_record(ctx, ctx->rest.argc, ctx->rest.argv);
	if (!strcmp(word, "script"))
		return cmd_run(ctx, cmd_find("script"), ctx->rest.argc, ctx->rest.argv);
	if (subcommand_is(word, "contention"))
		return run_subcommand(ctx, o, LOCK_CONTENTION);
	if (subcommand_is(word, "report"))
		return run_subcommand(ctx, o, LOCK_REPORT);
	if (!strcmp(word, "info"))
		return run_subcommand(ctx, o, LOCK_INFO);
	return subcommand_unknown(ctx, word, "record, contention, report, info or script");
}

const struct cmd cmd_lock = {
	.name = "lock",
	.summary = "Show which locks of the kernel and of programs threads wait for",
	.usage = (const char *const[]){ "lock record [<options of record>] [<command>]", "lock contention [<options>]",
				       "lock contention -b [<options>] [<command>]",
				       "lock record --user [<options of record>] [<command>]",
				       "lock contention --user [<options>] [<command>]",
				       "lock report [<options>]", "lock info [<options>]", "lock script [<options of script>]", NULL },
	.options = lock_option_table,
	.options_bytes = sizeof(struct lock_options),
	.defaults = lock_options_defaults,
	.run = run,
};
