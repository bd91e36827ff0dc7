#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/frame.h"
#include "cmd/sched/subcommands.h"
#include "event/tracepoint.h"
#include "sys/tracefs.h"

static const char *const events[] = { "sched_switch", "sched_stat_runtime", "sched_process_fork", "sched_wakeup_new",
				      "sched_migrate_task" };
/* Of kernels with CONFIG_SCHEDSTATS. */
static const char *const schedstats[] = { "sched_stat_wait", "sched_stat_sleep", "sched_stat_iowait" };

static bool exists(const char *name)
{
	_cleanup_free_ char *tracefs = NULL;
	uint64_t id;
	_cleanup_error_ struct strobe_error *err = sys_tracefs(sys_live(), &tracefs);
	if (!err)
		err = tracepoint_id(sys_live(), tracefs, "sched", name, &id);
	return !err;
}

static void add_event(struct cmd_context *ctx, struct cmd_words *words, const char *name)
{
	cmd_add_word(ctx, words, "-e");
	vec_push(&words->list, arena_printf(&ctx->words, "sched:%s", name));
}

/* Stacks of programs require their mappings. */
static bool has_stacks(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "-g") || text_has_prefix(argv[i], "--call-graph"))
			return true;
	return false;
}

int sched_record(struct cmd_context *ctx, int argc, char **argv)
{
	/* The recorder's own switches too: without them it would seem that the next thread came to its CPU unseen. */
	static const char *const first[] = { "record", "-a", "-R", "-m", "1024", "-c", "1", "-P", "--no-exclude-perf" };
	struct cmd_words words = {};
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		cmd_add_word(ctx, &words, first[i]);
	if (!has_stacks(argc, argv)) {
		cmd_add_word(ctx, &words, "--synth");
		cmd_add_word(ctx, &words, "task");
	}
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		add_event(ctx, &words, events[i]);
	add_event(ctx, &words, exists("sched_waking") ? "sched_waking" : "sched_wakeup");
	for (size_t i = 0; i < sizeof(schedstats) / sizeof(*schedstats); i++)
		if (exists(schedstats[i]))
			add_event(ctx, &words, schedstats[i]);
	return cmd_run_words(ctx, &words, argc, argv);
}
