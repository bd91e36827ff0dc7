#include "cmd/lock/record.h"

#include "base/cleanup.h"
#include "cmd/frame.h"
#include "event/tracepoint.h"
#include "sys/tracefs.h"

/* As many frames as `lock contention` looks at. */
#define FRAMES "/max-stack=8/"

static const char *const lockdep_events[] = { "lock_acquire", "lock_acquired", "lock_contended", "lock_release" };
static const char *const contention_events[] = { "contention_begin", "contention_end" };

static struct strobe_error *check_event(const char *name)
{
	_cleanup_free_ char *tracefs = NULL;
	uint64_t id;
	TRY(sys_tracefs(sys_live(), &tracefs));
	return tracepoint_id(sys_live(), tracefs, "lock", name, &id);
}

/* Kernels with CONFIG_LOCKDEP and CONFIG_LOCK_STAT. */
static bool has_lockdep(void)
{
	for (size_t i = 0; i < sizeof(lockdep_events) / sizeof(*lockdep_events); i++) {
		_cleanup_error_ struct strobe_error *err = check_event(lockdep_events[i]);
		if (err)
			return false;
	}
	return true;
}

static void add_events(struct cmd_context *ctx, struct cmd_words *words, const char *const *names, size_t n, const char *terms)
{
	for (size_t i = 0; i < n; i++) {
		cmd_add_word(ctx, words, "-e");
		vec_push(&words->list, arena_printf(&ctx->words, "lock:%s%s", names[i], terms));
	}
}

int lock_record(struct cmd_context *ctx, int argc, char **argv)
{
	static const char *const first[] = { "record", "-R", "-m", "1024", "-c", "1", "--synth", "task" };
	struct cmd_words words = {};
	bool lockdep = has_lockdep();
	struct strobe_error *err = lockdep ? NULL : check_event(contention_events[0]);
	if (err)
		return cmd_fail(ctx, err);
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		cmd_add_word(ctx, &words, first[i]);
	if (lockdep) {
		add_events(ctx, &words, lockdep_events, sizeof(lockdep_events) / sizeof(*lockdep_events), "");
	} else {
		add_events(ctx, &words, contention_events, sizeof(contention_events) / sizeof(*contention_events), FRAMES);
		cmd_add_word(ctx, &words, "-g");
	}
	return cmd_run_words(ctx, &words, argc, argv);
}
