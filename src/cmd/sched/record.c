#include <string.h>

#include "analysis/recorded_events.h"
#include "base/text.h"
#include "cmd/frame.h"
#include "cmd/sched/subcommands.h"

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
	/* Includes the recorder's own switches: without them the thread after it would seem to start running without an event. */
	const char *const first[] = { "record", "-a", "-R", "-m", "1024", "-c", "1", "-P", "--no-exclude-perf",
				      has_stacks(argc, argv) ? NULL : "--synth", "task", NULL };
	struct recorded_events events = { .arena = &ctx->words };
	sched_recorded_events(sys_live(), &events);
	return cmd_run_record(ctx, first, &events, argc, argv);
}
