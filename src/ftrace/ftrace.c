#include "ftrace/ftrace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "capture/workload.h"
#include "ftrace/duration.h"
#include "probe/filter.h"
#include "sys/signals.h"
#include "sys/tracefs.h"

#define CHUNK      65536
#define LINE_MAX_BYTES (1u << 20) /* longer lines are truncated */
#define TASK_CHECK_MS 200

struct run {
	const struct ftrace_request *q;
	struct ftrace_plan plan;
	struct target_map tasks;
	struct workload workload;
	struct signals signals;
	int pipe_fd;
	struct strbuf text; /* an incomplete line */
	uint64_t lost;
	bool stopped; /* by the callback */
};

/* ---- lines ---- */

static void take_line(struct run *r, const char *line, size_t n)
{
	r->lost += ftrace_lost_events(line, n);
	if (!r->stopped && !r->q->line(r->q->ctx, line, n))
		r->stopped = true;
}

static void take_bytes(struct run *r, const char *p, size_t n)
{
	for (const char *end; (end = memchr(p, '\n', n)); n -= (size_t)(end + 1 - p), p = end + 1) {
		if (r->text.len) {
			strbuf_add(&r->text, p, (size_t)(end - p));
			take_line(r, r->text.data, r->text.len);
			strbuf_reset(&r->text);
		} else {
			take_line(r, p, (size_t)(end - p));
		}
	}
	if (r->text.len < LINE_MAX_BYTES)
		strbuf_add(&r->text, p, n);
}

/* Reads available data; an error other than EAGAIN ends the run. */
static struct strobe_error *read_pipe(struct run *r)
{
	_cleanup_free_ char *chunk = xmalloc(CHUNK);
	for (ssize_t n; !r->stopped;) {
		n = read(r->pipe_fd, chunk, CHUNK);
		if (n > 0)
			take_bytes(r, chunk, (size_t)n);
		else if (!n || errno == EAGAIN)
			return NULL;
		else if (errno != EINTR)
			return error_errno(errno, "cannot read the trace");
	}
	return NULL;
}

static struct strobe_error *read_head(struct run *r)
{
	_cleanup_strbuf_ struct strbuf text = {};
	TRY(sys_read(r->q->sys, ftrace_plan_path(&r->plan, "trace"), &text, 0));
	take_bytes(r, strbuf_str(&text), text.len);
	return NULL;
}

/* ---- the run ---- */

/* A signal, the end of the command, or the end of all tasks. */
static bool is_over(struct run *r)
{
	if (workload_is_over(&r->workload, &r->signals))
		return true;
	bool of_tasks = !r->workload.pid && r->tasks.threads.len && !r->tasks.system_wide;
	return r->stopped || (of_tasks && !target_map_is_alive(&r->tasks, r->q->sys));
}

static struct strobe_error *start(struct run *r)
{
	const char *on = ftrace_plan_path(&r->plan, "tracing_on");
	if (!r->q->delay_ms)
		TRY(ftrace_file_write(r->q->sys, on, "1", false));
	if (r->workload.pid)
		TRY(workload_start(&r->workload));
	if (!r->q->delay_ms)
		return NULL;
	usleep((useconds_t)(r->q->delay_ms * 1000));
	return ftrace_file_write(r->q->sys, on, "1", false);
}

static struct strobe_error *follow(struct run *r)
{
	TRY(start(r));
	while (!is_over(r)) {
		struct pollfd fds[] = { { .fd = r->signals.fd, .events = POLLIN }, { .fd = r->pipe_fd, .events = POLLIN } };
		poll(fds, 2, TASK_CHECK_MS);
		TRY(read_pipe(r));
	}
	TRY(ftrace_file_write(r->q->sys, ftrace_plan_path(&r->plan, "tracing_on"), "0", false));
	return read_pipe(r);
}

static struct strobe_error *set_up(struct run *r)
{
	static const int more[] = { SIGCHLD, 0 };
	TRY(signals_open(&r->signals, more));
	if (r->q->command)
		TRY(workload_fork(r->q->command, workload_options_of(&r->signals), &r->workload));
	TRY(target_resolve(r->q->sys, &r->q->target, r->workload.pid, &r->tasks));
	TRY(ftrace_plan_make(&r->plan, r->q->sys, &r->q->settings, &r->tasks));
	TRY(ftrace_plan_apply(&r->plan));
	if (r->q->with_head)
		TRY(read_head(r));
	r->pipe_fd = sys_open(r->q->sys, ftrace_plan_path(&r->plan, "trace_pipe"), O_RDONLY | O_NONBLOCK);
	return r->pipe_fd < 0 ? error_errno(-r->pipe_fd, "cannot open the trace") : NULL;
}

static struct strobe_error *run(struct run *r)
{
	TRY(set_up(r));
	TRY(follow(r));
	if (r->lost)
		session_say(r->q->host, "%" PRIu64 " events were lost: use a larger buffer, -m 16M, or trace fewer functions", r->lost);
	return NULL;
}

struct strobe_error *ftrace_run(const struct ftrace_request *q)
{
	struct run r = { .q = q, .signals = SIGNALS_NONE, .pipe_fd = -1 };
	struct strobe_error *err = run(&r);
	if (r.pipe_fd >= 0)
		close(r.pipe_fd);
	ftrace_plan_deinit(&r.plan);
	workload_end(&r.workload);
	signals_close(&r.signals);
	target_map_deinit(&r.tasks);
	strbuf_deinit(&r.text);
	return err;
}

/* ---- the list ---- */

struct strobe_error *ftrace_list_functions(const struct sys *sys, const char *filter, struct out *out)
{
	_cleanup_(arena_deinit) struct arena arena;
	const struct probe_filter *f = NULL;
	_cleanup_free_ char *tracefs = NULL;
	_cleanup_strbuf_ struct strbuf text = {};
	arena_init(&arena);
	if (filter)
		TRY(probe_filter_parse(filter, &arena, &f));
	TRY(sys_tracefs(sys, &tracefs));
	_cleanup_free_ char *path = xasprintf("%s/available_filter_functions", tracefs);
	if (!sys_exists(sys, path))
		return error_create(ERROR_UNSUPPORTED, "the kernel has no list of functions: it was built without CONFIG_DYNAMIC_FTRACE");
	TRY(error_with_check("lockdown", sys_read(sys, path, &text, 0)));
	char *rest = text.data;
	for (char *line; (line = strsep(&rest, "\n"));)
		if (*line && probe_filter_matches(f, line))
			out_f(out, "%s\n", line);
	return NULL;
}
