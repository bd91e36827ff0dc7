#include "cmd/timechart/record.h"

#include <string.h>

#include "cmd/frame.h"

/* Returns the number of words that are the subcommand's own options; record has -g, too. */
static int take_own_options(struct timechart_events *e, int argc, char **argv)
{
	const struct {
		const char *option, *name;
		bool *value;
	} own[] = {
		{ "-P", "--power-only", &e->power_only },
		{ "-T", "--tasks-only", &e->tasks_only },
		{ "-I", "--io-only", &e->io_only },
		{ "-g", "--callchain", NULL },
	};
	const size_t nr = sizeof(own) / sizeof(*own);
	for (int i = 1; i < argc; i++) {
		size_t j = 0;
		while (j < nr && strcmp(argv[i], own[j].option) && strcmp(argv[i], own[j].name))
			j++;
		if (j == nr)
			return i - 1;
		if (own[j].value)
			*own[j].value = true;
	}
	return argc - 1;
}

static bool has_stacks(int n, char **argv)
{
	for (int i = 1; i <= n; i++)
		if (!strcmp(argv[i], "-g") || !strcmp(argv[i], "--callchain"))
			return true;
	return false;
}

int timechart_record(struct cmd_context *ctx, struct timechart_events choice, int argc, char **argv)
{
	struct recorded_events events = { .arena = &ctx->words };
	int own = take_own_options(&choice, argc, argv);
	struct strobe_error *err = timechart_recorded_events(sys_live(), &choice, &events);
	if (err) {
		vec_deinit(&events.list);
		return cmd_fail_either(ctx, err);
	}
	const char *const first[] = { "record", "-a", "-R", "-c", "1", has_stacks(own, argv) ? "-g" : NULL, NULL };
	return cmd_run_record(ctx, first, &events, argc - own, argv + own);
}
