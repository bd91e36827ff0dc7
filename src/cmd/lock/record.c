#include "cmd/lock/record.h"

#include <string.h>

#include "base/cleanup.h"
#include "cmd/frame.h"
#include "event/tracepoint.h"
#include "sys/tracefs.h"

/* As many frames as `lock contention` looks at. */
#define FRAMES "/max-stack=8/"

static const char *const lockdep_events[] = { "lock_acquire", "lock_acquired", "lock_contended", "lock_release", NULL };
static const char *const contention_events[] = { "contention_begin", "contention_end", NULL };

/* Kernels with CONFIG_LOCKDEP and CONFIG_LOCK_STAT. */
static bool has_lockdep(void)
{
	for (const char *const *e = lockdep_events; *e; e++)
		if (!tracepoint_exists(sys_live(), "lock", *e))
			return false;
	return true;
}

/* Why the kernel has no events of waits. */
static struct strobe_error *check_contention(void)
{
	_cleanup_free_ char *tracefs = NULL;
	uint64_t id;
	TRY(sys_tracefs(sys_live(), &tracefs));
	return tracepoint_id(sys_live(), tracefs, "lock", contention_events[0], &id);
}

/* Of programs: --user, anywhere before the command. */
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

static int record_users(struct cmd_context *ctx, int argc, char **argv)
{
	struct cmd_words words = {};
	cmd_add_word(ctx, &words, "record");
	cmd_add_word(ctx, &words, "--locks");
	return cmd_run_words(ctx, &words, argc, argv);
}

int lock_record(struct cmd_context *ctx, int argc, char **argv)
{
	static const char *const first[] = { "record", "-R", "-m", "1024", "-c", "1", "--synth", "task", NULL };
	struct cmd_words words = {};
	if (takes_user(&argc, argv))
		return record_users(ctx, argc, argv);
	bool lockdep = has_lockdep();
	struct strobe_error *err = lockdep ? NULL : check_contention();
	if (err)
		return cmd_fail(ctx, err);
	cmd_add_words(ctx, &words, first);
	for (const char *const *e = lockdep ? lockdep_events : contention_events; *e; e++)
		cmd_add_event(ctx, &words, "lock", *e, lockdep ? "" : FRAMES);
	if (!lockdep)
		cmd_add_word(ctx, &words, "-g");
	return cmd_run_words(ctx, &words, argc, argv);
}
