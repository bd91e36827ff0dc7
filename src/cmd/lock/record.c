#include "cmd/lock/record.h"

#include <string.h>

#include "analysis/recorded_events.h"
#include "cmd/frame.h"

/* Removes --user (locks of programs), anywhere before the command. */
static bool takes_user(int *argc, char **argv)
{
	for (int i = 1; i < *argc && argv[i][0] == '-' && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--user")) {
			memmove(argv + i, argv + i + 1, (size_t)(*argc - i) * sizeof(*argv));
			--*argc;
			return true;
		}
	return false;
}

int lock_record(struct cmd_context *ctx, int argc, char **argv)
{
	bool has_chains = false, is_user = takes_user(&argc, argv);
	struct recorded_events events = { .arena = &ctx->words };
	struct strobe_error *err = is_user ? NULL : lock_recorded_events(sys_live(), &events, &has_chains);
	if (err)
		return cmd_fail(ctx, err);
	const char *const first[] = { "record", "-R", "-m", "1024", "-c", "1", "--synth", "task", has_chains ? "-g" : NULL, NULL };
	const char *const users[] = { "record", "--locks", NULL };
	return cmd_run_record(ctx, is_user ? users : first, &events, argc, argv);
}
