/* strobe sched: analyses of scheduling. */
#include <string.h>

#include "cmd/frame.h"
#include "cmd/sched/subcommands.h"

static const struct option table[] = { COMMON_OPTIONS(0), OPTIONS_END };

static const struct cmd *const subcommands[] = { &cmd_sched_latency, &cmd_sched_map, &cmd_sched_timehist, &cmd_sched_replay,
						   &cmd_sched_stats, NULL };

static int run(struct cmd_context *ctx, void *options)
{
	const char *word = ctx->rest.argc ? ctx->rest.argv[0] : "";
	const struct cmd *sub = subcommand_find(ctx->cmd, word);
	if (sub)
		return subcommand_run(ctx, sub, options, NULL);
	if (subcommand_is(word, "record"))
		return sched_record(ctx, ctx->rest.argc, ctx->rest.argv);
	if (!strcmp(word, "script"))
		return cmd_run(ctx, cmd_find("script"), ctx->rest.argc, ctx->rest.argv);
	return subcommand_unknown(ctx, word, "record, latency, map, timehist, replay, stats or script");
}

const struct cmd cmd_sched = {
	.name = "sched",
	.summary = "Show how long threads run, sleep and wait for a CPU",
	.usage = (const char *const[]){ "sched record [<options of record>] [<command>]", "sched latency [<options>]",
					"sched latency [-a] [<options>] [<command>]",
					"sched map [<options>]", "sched timehist [<options>]", "sched replay [<options>]",
					"sched stats [record|report|diff] [<options>]", "sched script [<options of script>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct cmd_common),
	.subcommands = subcommands,
	.run = run,
};
