#include "cmd/lock/user.h"

#include "analysis/user_locks.h"
#include "cmd/lock/output.h"
#include "recording/wait_recording.h"

/* Waiting time per sample at one place; only sums are shown. */
#define QUANTUM_NS 100000000

static int show(struct cmd_context *ctx, const struct lock_options *o, const char *input)
{
	struct lock_replay_request request = o->replay;
	struct user_locks *u;
	struct table t;
	int status = CMD_OK;
	request.host = cmd_host(ctx);
	request.input = input;
	struct strobe_error *err = user_locks_run(&request, &u);
	if (!err || user_locks_waits(u)->stats.len) {
		lock_table_fill(&t, user_locks_waits(u), &o->layout, &(struct lock_names){});
		status = lock_output(ctx, o, &t, 1);
		table_deinit(&t);
		user_locks_remarks(u);
	}
	user_locks_destroy(u);
	if (error_is(err, ERROR_USAGE))
		return cmd_fail_usage(ctx, err);
	int failed = cmd_fail(ctx, err);
	return status ? status : failed;
}

int lock_user(struct cmd_context *ctx, const struct lock_options *o, char *const *command)
{
	const struct lock_replay_request *q = &o->replay;
	struct wait_recording w;
	if (!o->is_live)
		return show(ctx, o, o->replay.input);
	const struct wait_recording_request request = {
		.host = cmd_host(ctx),
		.target = { .system_wide = o->all_cpus || (!command && !q->choice.pids && !q->choice.tids),
			    .cpus = q->choice.cpus, .pids = q->choice.pids, .tids = q->choice.tids },
		.argv = command,
		.waits = RECORDER_LOCKS,
		.quantum_ns = QUANTUM_NS,
	};
	struct strobe_error *err = wait_recording_run(&request, &w);
	int status = err ? cmd_fail(ctx, err) : show(ctx, o, wait_recording_path(&w));
	wait_recording_discard(&w);
	return status;
}
