#include <string.h>

#include "base/text.h"
#include "cmd/frame.h"
#include "cmd/sched/subcommands.h"
#include "event/tracepoint.h"

static const char *const events[] = { "sched_switch", "sched_stat_runtime", "sched_process_fork", "sched_wakeup_new",
				      "sched_migrate_task", NULL };
/* Of kernels with CONFIG_SCHEDSTATS. */
static const char *const schedstats[] = { "sched_stat_wait", "sched_stat_sleep", "sched_stat_iowait", NULL };

static bool exists(const char *name)
{
	return tracepoint_exists(sys_live(), "sched", name);
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
	static const char *const first[] = { "record", "-a", "-R", "-m", "1024", "-c", "1", "-P", "--no-exclude-perf", NULL };
	static const char *const no_stacks[] = { "--synth", "task", NULL };
	struct cmd_words words = {};
	cmd_add_words(ctx, &words, first);
	if (!has_stacks(argc, argv))
		cmd_add_words(ctx, &words, no_stacks);
	for (const char *const *e = events; *e; e++)
		cmd_add_event(ctx, &words, "sched", *e, "");
	cmd_add_event(ctx, &words, "sched", exists("sched_waking") ? "sched_waking" : "sched_wakeup", "");
	for (const char *const *e = schedstats; *e; e++)
		if (exists(*e))
			cmd_add_event(ctx, &words, "sched", *e, "");
	return cmd_run_words(ctx, &words, argc, argv);
}
