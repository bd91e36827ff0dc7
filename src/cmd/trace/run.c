#include "cmd/trace/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "capture/workload.h"
#include "cmd/trace/output.h"
#include "sys/signals.h"
#include "sys/sys.h"
#include "view/trace/summary.h"

struct run {
	struct cmd_context *ctx;
	const struct trace_options *o;
	struct trace_output output;
	struct workload workload;
	struct signals signals;
	int signal; /* that ended the run, or 0 */
	struct live_trace *trace;
};

static void take_signals(struct run *r, bool *ret_end)
{
	for (int number; (number = signals_next(&r->signals));) {
		if (number != SIGCHLD) {
			r->signal = number;
			*ret_end = true;
		} else if (r->workload.pid && !live_trace_waits(r->trace) && workload_reap(&r->workload, false)) {
			*ret_end = true;
		}
	}
}

/* Lines are written when nothing more comes for a moment: not one by one where each stop of a task ends the wait (ptrace). */
#define MOMENT_MS 1

static struct strobe_error *wait_for_events(void *ctx, int wake_fd, int wait_ms, bool *ret_end)
{
	struct run *r = ctx;
	struct pollfd fds[] = { { .fd = r->signals.fd, .events = POLLIN }, { .fd = wake_fd, .events = POLLIN } };
	int nr = live_trace_waits(r->trace) ? poll(fds, 2, MOMENT_MS) : 0;
	if (!nr) {
		trace_writer_flush(&r->output.writer);
		nr = poll(fds, 2, wait_ms);
	}
	if (nr < 0 && errno != EINTR)
		return error_errno(errno, "cannot wait");
	if (fds[0].revents)
		take_signals(r, ret_end);
	return NULL;
}

static struct strobe_error *fork_command(struct run *r)
{
	char *const *argv = cmd_command(r->ctx);
	if (!argv)
		return NULL;
	struct workload_options options = workload_options_of(&r->signals);
	options.stdout_to_stderr = r->output.fd == STDOUT_FILENO;
	options.filter = live_trace_filter(r->trace);
	return workload_fork(argv, options, &r->workload);
}

static struct strobe_error *start_command(struct run *r)
{
	r->workload.is_filtered = live_trace_is_filtered(r->trace);
	workload_release(&r->workload);
	TRY(live_trace_await_command(r->trace));
	return workload_check(&r->workload);
}

static void print_tool_stats(struct run *r)
{
	struct live_trace_totals t = live_trace_totals(r->trace);
	struct out *out = &r->output.out;
	out_f(out, "Stats:\n lines             : %llu\n tasks             : %llu\n name lookups      : %llu\n fd lookups    "
		"    : %llu\n events lost       : %llu\n",
	      (unsigned long long)t.lines, (unsigned long long)t.tasks, (unsigned long long)t.name_lookups,
	      (unsigned long long)t.fd_lookups, (unsigned long long)t.lost);
	if (t.has_delayed)
		out_f(out, " calls delayed     : %llu\n", (unsigned long long)t.delayed);
}

static void print_functions(struct run *r)
{
	struct table t;
	if (!live_trace_function_stats(r->trace, r->o->histograms, &t))
		return;
	trace_functions_write(&r->output.out, &t, r->o->display.format, r->o->summary.only && !trace_selects_calls(&r->o->selection));
	table_deinit(&t);
}

static struct strobe_error *run(struct run *r)
{
	const struct trace_options *o = r->o;
	char *const *argv = cmd_command(r->ctx);
	const struct live_trace_request request = {
		.sys = sys_live(),
		.host = cmd_host(r->ctx),
		.selection = &o->selection,
		.summary = &o->summary,
		.options = &o->live,
		.program = argv ? argv[0] : NULL,
		.str_limit = (uint32_t)o->display.str_limit,
		.sink = &r->output.writer.sink,
		.wait = wait_for_events,
		.ctx = r,
	};
	const struct syscall_stats *stats;
	TRY(trace_options_check(o));
	TRY(live_trace_create(&request, &r->trace));
	TRY(signals_open(&r->signals, (int[]){ SIGCHLD, 0 }));
	TRY(trace_output_open(&r->output, o));
	TRY(fork_command(r));
	TRY(live_trace_open(r->trace, r->workload.pid));
	trace_output_begin(&r->output, live_trace_tasks(r->trace), request.sys, live_trace_has_one_task(r->trace));
	if (r->workload.pid)
		TRY(start_command(r));
	TRY(live_trace_run(r->trace));
	r->workload.reaped |= live_trace_command_status(r->trace, &r->workload.status);
	TRY(live_trace_finish(r->trace, &stats));
	trace_output_end(&r->output, trace_selects_calls(&o->selection) ? stats : NULL);
	print_functions(r);
	if (o->tool_stats && !(o->summary.only && o->summary.in_kernel))
		print_tool_stats(r);
	if (o->live.map_dump)
		live_trace_dump(r->trace, &r->output.out);
	return NULL;
}

/* The command's own status. A signal that ended the run is raised again, for the waiting shell. */
static int status_of(struct run *r, bool follows_command)
{
	if (r->signal)
		signals_raise(&r->signals, r->signal);
	if (!follows_command)
		return CMD_OK;
	int status = r->workload.status;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int trace_run(struct cmd_context *ctx, const struct trace_options *o)
{
	struct run r = {
		.ctx = ctx,
		.o = o,
		.output.fd = -1,
		.workload = { .go_fd = -1, .error_fd = -1 },
		.signals = SIGNALS_NONE,
	};
	struct strobe_error *err = run(&r);
	/* A command that has not ended (--max-events) has the status of the signal that strobe sends it. */
	bool follows_command = r.trace && live_trace_follows_command(r.trace) && r.workload.reaped;
	trace_writer_end(&r.output.writer);
	live_trace_destroy(r.trace);
	/* A command that is still running is ended, too. */
	if (r.workload.pid && !r.workload.reaped)
		workload_end(&r.workload);
	err = trace_output_close(&r.output, err);
	if (err)
		return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
	return status_of(&r, follows_command);
}
