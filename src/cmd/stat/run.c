#include "cmd/stat/run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "sys/leave_behind.h"

/* How often it is looked whether the tasks that are counted still live. */
#define ALIVE_INTERVAL_MS 100
/* So many that what it costs to close them is worth a word. */
#define MANY_TRACEPOINTS  50

enum wait_fd { WAIT_SIGNAL, WAIT_INTERVAL, WAIT_TIMEOUT, WAIT_DELAY, WAIT_CONTROL, WAIT_ASKED, WAIT_FDS };

/* The timers and what has come of one run. */
struct run {
	struct stat_session *s;
	struct workload workload;
	int fds[WAIT_FDS];
	double last_s;
	struct rusage usage_before;
	bool enabled, ended;
};

static double now_s(const struct stat_session *s)
{
	return (double)sys_clock_ns(s->sys, CLOCK_MONOTONIC) / 1e9;
}

struct strobe_error *stat_session_open(struct stat_session *s)
{
	s->control = (struct control){ .fd = -1, .ack_fd = -1 };
	TRY(cmd_signals_open(&s->signals, (int[]){ SIGCHLD, 0 }));
	return s->options->control ? control_open(s->options->control, &s->control) : NULL;
}

typedef VEC(int) fd_list;

static void add_fd(void *ctx, int fd)
{
	vec_push((fd_list *)ctx, fd);
}

/* The results are out: nobody is to wait for the kernel, which lets tracepoints go one by one. */
static void leave_tracepoints_behind(struct stat_session *s)
{
	fd_list fds = {};
	counter_each_slow_fd(&s->set, add_fd, &fds);
	if (fds.len) /* until they are closed they shall count nothing */
		error_destroy(counter_enable(&s->set, false));
	pid_t pid = sys_leave_behind(fds.data, fds.len, 0);
	if (pid && fds.len >= MANY_TRACEPOINTS && !s->options->quiet && !s->options->separator && !s->options->json &&
	    !s->options->json_document)
		cmd_say(s->ctx, "process %d closes %zu tracepoints in the background, about %.0f s (the kernel takes some 40 "
			"ms each)", pid, fds.len, 0.04 * (double)fds.len);
	else if (pid)
		log_info("process %d closes %zu tracepoints in the background", pid, fds.len);
	vec_deinit(&fds);
}

void stat_session_close(struct stat_session *s)
{
	leave_tracepoints_behind(s);
	control_close(&s->control);
	cmd_signals_close(&s->signals);
}

static struct strobe_error *open_timer(uint64_t first_ms, uint64_t interval_ms, int *ret)
{
	struct itimerspec spec = {
		.it_value = ns_timespec(first_ms * 1000000),
		.it_interval = ns_timespec(interval_ms * 1000000),
	};
	*ret = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*ret < 0 || timerfd_settime(*ret, 0, &spec, NULL))
		return error_errno(errno, "cannot set a timer");
	return NULL;
}

static double usage_s(struct timeval after, struct timeval before)
{
	return (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_usec - before.tv_usec) / 1e6;
}

static void set_tool(struct counter_set *set, enum event_tool tool, double seconds)
{
	uint64_t ns = seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
	for (size_t i = 0; i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		if (e->event->kind == EVENT_TOOL && e->event->tool == tool)
			set->slots.data[e->first_slot].now = (struct count_reading){ ns, ns, ns };
	}
}

/* All counters and times as they stand. */
static struct strobe_error *take_reading(struct run *r)
{
	struct stat_session *s = r->s;
	struct rusage usage;
	TRY(counter_read(&s->set));
	getrusage(RUSAGE_CHILDREN, &usage);
	s->elapsed_s = now_s(s) - s->start_s;
	s->user_s = usage_s(usage.ru_utime, r->usage_before.ru_utime);
	s->system_s = usage_s(usage.ru_stime, r->usage_before.ru_stime);
	set_tool(&s->set, EVENT_TOOL_DURATION_TIME, s->elapsed_s);
	set_tool(&s->set, EVENT_TOOL_USER_TIME, s->user_s);
	set_tool(&s->set, EVENT_TOOL_SYSTEM_TIME, s->system_s);
	return NULL;
}

static struct strobe_error *enable(struct run *r, bool on)
{
	r->enabled = on;
	return counter_enable(&r->s->set, on);
}

static void list_events(const struct stat_session *s)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (size_t i = 0; i < s->set.events.len; i++)
		strbuf_addf(&names, "%s%s", i ? "," : "", s->set.events.data[i].name);
	cmd_say_plain("%s", strbuf_str(&names));
}

static struct strobe_error *obey(struct run *r, const struct control_command *c)
{
	struct stat_session *s = r->s;
	switch (c->verb) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		if (*c->argument) {
			if (!counter_enable_named(&s->set, c->argument, c->verb == CONTROL_ENABLE))
				cmd_say(s->ctx, "--control: unknown event \"%s\"", c->argument);
			break;
		}
		TRY(enable(r, c->verb == CONTROL_ENABLE));
		cmd_say_plain("Events %s", r->enabled ? "enabled" : "disabled");
		break;
	case CONTROL_EVLIST:
		list_events(s);
		break;
	case CONTROL_STOP:
		r->ended = true;
		break;
	case CONTROL_PING:
		break;
	default:
		cmd_say(s->ctx, "--control: unknown command \"%s\" (expected enable, disable, evlist, ping or stop)", c->argument);
		return NULL;
	}
	control_ack(&s->control);
	return NULL;
}

static struct strobe_error *take_commands(struct run *r)
{
	struct control_command c;
	bool end;
	while (!r->ended && control_next(&r->s->control, &c, &end))
		TRY(obey(r, &c));
	if (end) { /* nobody will send more */
		control_close(&r->s->control);
		r->fds[WAIT_CONTROL] = -1;
	}
	return NULL;
}

static void take_signals(struct run *r)
{
	for (int number; (number = cmd_signals_next(&r->s->signals));) {
		if (number == SIGCHLD) {
			if (r->workload.pid && workload_reap(&r->workload, false))
				r->ended = true;
		} else {
			r->s->signal = number;
			r->ended = true;
		}
	}
}

static struct strobe_error *take_interval(struct run *r)
{
	struct stat_session *s = r->s;
	TRY(take_reading(r));
	double length = s->elapsed_s - r->last_s;
	r->last_s = s->elapsed_s;
	s->intervals++;
	if (s->hooks.interval)
		TRY(s->hooks.interval(s, s->elapsed_s, length));
	if (s->options->interval_count && s->intervals >= s->options->interval_count)
		r->ended = true;
	return NULL;
}

struct strobe_error *stat_session_peek(struct stat_session *s, struct strobe_error *(*fn)(void *ctx), void *ctx)
{
	_cleanup_free_ struct counter_slot *kept = xmemdup(s->set.slots.data, s->set.slots.len * sizeof(*kept));
	TRY(counter_read(&s->set));
	set_tool(&s->set, EVENT_TOOL_DURATION_TIME, now_s(s) - s->start_s);
	s->elapsed_s = now_s(s) - s->start_s;
	struct strobe_error *err = fn(ctx);
	memcpy(s->set.slots.data, kept, s->set.slots.len * sizeof(*kept));
	return err;
}

static struct strobe_error *wait_for_end(struct run *r)
{
	struct stat_session *s = r->s;
	bool tasks = !s->argc && (s->target.pids || s->target.tids);
	while (!r->ended) {
		struct pollfd fds[WAIT_FDS];
		uint64_t ticks;
		for (int i = 0; i < WAIT_FDS; i++)
			fds[i] = (struct pollfd){ .fd = r->fds[i], .events = POLLIN };
		int n = poll(fds, WAIT_FDS, tasks ? ALIVE_INTERVAL_MS : -1);
		if (n < 0 && errno != EINTR)
			return error_errno(errno, "cannot wait");
		if (n <= 0) {
			r->ended = tasks && !target_map_is_alive(&s->map, s->sys);
			continue;
		}
		if (fds[WAIT_SIGNAL].revents)
			take_signals(r);
		if (fds[WAIT_DELAY].revents && read(r->fds[WAIT_DELAY], &ticks, sizeof(ticks)) > 0) {
			TRY(enable(r, true));
			cmd_say_plain("Events enabled");
			/* Time counts from here on, as events do. */
			s->start_s = now_s(s);
		}
		if (fds[WAIT_INTERVAL].revents && read(r->fds[WAIT_INTERVAL], &ticks, sizeof(ticks)) > 0 && !r->ended)
			TRY(take_interval(r));
		if (fds[WAIT_CONTROL].revents)
			TRY(take_commands(r));
		if (fds[WAIT_ASKED].revents)
			TRY(s->hooks.asked(s));
		if (fds[WAIT_TIMEOUT].revents) {
			s->timed_out = true;
			r->ended = true;
		}
	}
	return NULL;
}

static struct strobe_error *set_timers(struct run *r)
{
	const struct stat_options *o = r->s->options;
	if (o->interval_ms)
		TRY(open_timer(o->interval_ms, o->interval_ms, &r->fds[WAIT_INTERVAL]));
	if (o->timeout_ms)
		TRY(open_timer(o->timeout_ms, 0, &r->fds[WAIT_TIMEOUT]));
	if (o->delay_ms > 0)
		TRY(open_timer((uint64_t)o->delay_ms, 0, &r->fds[WAIT_DELAY]));
	return NULL;
}

/* The command is let go, and what does not start with its exec is enabled. */
static struct strobe_error *start(struct run *r)
{
	struct stat_session *s = r->s;
	bool called = s->set.options.start == COUNTER_START_CALLED;
	if (s->options->delay_ms)
		cmd_say_plain("Events disabled");
	else if (called)
		TRY(enable(r, true));
	getrusage(RUSAGE_CHILDREN, &r->usage_before);
	s->start_s = now_s(s);
	if (r->workload.pid)
		TRY(workload_start(&r->workload));
	return set_timers(r);
}

static struct strobe_error *count(struct run *r)
{
	struct stat_session *s = r->s;
	if (s->counts_command)
		s->map.threads.data[0].tid = s->map.threads.data[0].pid = r->workload.pid;
	TRY(counter_open(&s->set));
	TRY(counter_filter(&s->set));
	TRY(start(r));
	TRY(wait_for_end(r));
	if (r->workload.pid && !r->workload.reaped)
		workload_end(&r->workload);
	s->status = r->workload.pid ? r->workload.status : 0;
	double end = now_s(s) - s->start_s;
	/* Of what goes on without us nothing later may be counted. */
	if (s->set.options.start == COUNTER_START_CALLED && r->enabled)
		TRY(counter_enable(&s->set, false));
	TRY(take_reading(r));
	s->elapsed_s = end;
	set_tool(&s->set, EVENT_TOOL_DURATION_TIME, end);
	bool cut = s->options->interval_count && s->intervals >= s->options->interval_count;
	if (s->options->interval_ms && s->hooks.interval && !cut)
		TRY(s->hooks.interval(s, end, end - r->last_s));
	return NULL;
}

/* What the command prints would break it. */
static bool has_document_on_stdout(const struct stat_options *o)
{
	return o->json_document && o->log_fd < 0 && (!o->output || !strcmp(o->output, "-"));
}

struct strobe_error *stat_session_run(struct stat_session *s)
{
	struct run r = { .s = s, .workload = { .go_fd = -1, .error_fd = -1 } };
	for (int i = 0; i < WAIT_FDS; i++)
		r.fds[i] = -1;
	r.fds[WAIT_SIGNAL] = s->signals.fd;
	r.fds[WAIT_CONTROL] = s->control.fd;
	r.fds[WAIT_ASKED] = s->hooks.asked ? s->hooks.asked_fd : -1;
	s->timed_out = false;
	s->intervals = 0;
	counter_close(&s->set);
	struct strobe_error *err = NULL;
	struct workload_options options = cmd_signals_workload(&s->signals);
	options.stdout_to_stderr = has_document_on_stdout(s->options);
	if (s->argc)
		err = workload_fork(s->argv, options, &r.workload);
	if (!err)
		err = count(&r);
	if (err)
		workload_end(&r.workload);
	for (int i = WAIT_INTERVAL; i <= WAIT_DELAY; i++)
		if (r.fds[i] >= 0)
			close(r.fds[i]);
	return err;
}
