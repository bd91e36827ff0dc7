#include "counting/counting.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "sys/leave_behind.h"

/* How often existing tasks are checked for being alive. */
#define ALIVE_INTERVAL_MS 100
/* From this number on, a message says how long closing them takes. */
#define MANY_TRACEPOINTS  50

enum wait_fd { WAIT_SIGNAL, WAIT_INTERVAL, WAIT_TIMEOUT, WAIT_DELAY, WAIT_CONTROL, WAIT_REQUEST, WAIT_FDS };

/* The timers and the state of one run. */
struct run {
	struct counting *c;
	struct workload workload;
	int fds[WAIT_FDS];
	double last_s;
	struct rusage usage_before;
	bool enabled, ended;
};

static double now_s(const struct counting *c)
{
	return (double)sys_clock_ns(c->sys, CLOCK_MONOTONIC) / 1e9;
}

struct strobe_error *counting_open(struct counting *c, const struct signals *signals, struct workload_options workload)
{
	c->signals = signals;
	c->workload = workload;
	c->control = (struct control){ .fd = -1, .ack_fd = -1 };
	return c->settings.control ? control_open(c->settings.control, &c->control) : NULL;
}

typedef VEC(int) fd_list;

static void add_fd(void *ctx, int fd)
{
	vec_push((fd_list *)ctx, fd);
}

void counting_close(struct counting *c)
{
	fd_list fds = {};
	counter_each_slow_fd(&c->set, add_fd, &fds);
	if (fds.len) /* they must not count until they are closed */
		error_destroy(counter_enable(&c->set, false));
	pid_t pid = sys_leave_behind(fds.data, fds.len, 0);
	if (pid && fds.len >= MANY_TRACEPOINTS && !c->settings.quiet)
		session_say(c->host, "process %d closes %zu tracepoints in the background, about %.0f s (the kernel takes some 40 "
			"ms each)", pid, fds.len, 0.04 * (double)fds.len);
	else if (pid)
		log_info("process %d closes %zu tracepoints in the background", pid, fds.len);
	vec_deinit(&fds);
	control_close(&c->control);
}

bool counting_is_complete(const struct counting *c)
{
	return c->settings.interval_count && c->intervals >= c->settings.interval_count;
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

/* The current values of all counters and times. */
static struct strobe_error *take_reading(struct run *r)
{
	struct counting *c = r->c;
	struct rusage usage;
	TRY(counter_read(&c->set));
	getrusage(RUSAGE_CHILDREN, &usage);
	c->elapsed_s = now_s(c) - c->start_s;
	c->user_s = usage_s(usage.ru_utime, r->usage_before.ru_utime);
	c->system_s = usage_s(usage.ru_stime, r->usage_before.ru_stime);
	set_tool(&c->set, EVENT_TOOL_DURATION_TIME, c->elapsed_s);
	set_tool(&c->set, EVENT_TOOL_USER_TIME, c->user_s);
	set_tool(&c->set, EVENT_TOOL_SYSTEM_TIME, c->system_s);
	return NULL;
}

static struct strobe_error *enable(struct run *r, bool on)
{
	r->enabled = on;
	return counter_enable(&r->c->set, on);
}

static void list_events(const struct counting *c)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (size_t i = 0; i < c->set.events.len; i++)
		strbuf_addf(&names, "%s%s", i ? "," : "", c->set.events.data[i].name);
	session_progress(c->host, "%s", strbuf_str(&names));
}

static struct strobe_error *obey(struct run *r, const struct control_command *command)
{
	struct counting *c = r->c;
	bool on = command->verb == CONTROL_ENABLE;
	switch (command->verb) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		if (*command->argument) {
			if (!counter_enable_named(&c->set, command->argument, on))
				session_say(c->host, "--control: unknown event \"%s\"", command->argument);
			break;
		}
		TRY(enable(r, on));
		session_progress(c->host, "Events %s", on ? "enabled" : "disabled");
		break;
	case CONTROL_EVLIST:
		list_events(c);
		break;
	case CONTROL_STOP:
		r->ended = true;
		break;
	case CONTROL_PING:
		break;
	default:
		session_say(c->host, "--control: unknown command \"%s\" (expected enable, disable, evlist, ping or stop)",
			    command->argument);
		return NULL;
	}
	control_ack(&c->control);
	return NULL;
}

static struct strobe_error *take_commands(struct run *r)
{
	struct control_command command;
	bool end = false; /* a signal may have ended the run: then do not read commands */
	while (!r->ended && control_next(&r->c->control, &command, &end))
		TRY(obey(r, &command));
	if (end) { /* no more commands will follow */
		control_close(&r->c->control);
		r->fds[WAIT_CONTROL] = -1;
	}
	return NULL;
}

static void take_signals(struct run *r)
{
	for (int number; (number = signals_next(r->c->signals));) {
		if (number == SIGCHLD) {
			if (r->workload.pid && workload_reap(&r->workload, false))
				r->ended = true;
		} else {
			r->c->signal = number;
			r->ended = true;
		}
	}
}

static struct strobe_error *take_interval(struct run *r)
{
	struct counting *c = r->c;
	TRY(take_reading(r));
	double length = c->elapsed_s - r->last_s;
	r->last_s = c->elapsed_s;
	c->intervals++;
	if (c->hooks.interval)
		TRY(c->hooks.interval(c->hooks.ctx, c->elapsed_s, length));
	r->ended |= counting_is_complete(c);
	return NULL;
}

struct strobe_error *counting_peek(struct counting *c, struct strobe_error *(*fn)(void *ctx), void *ctx)
{
	_cleanup_free_ struct counter_slot *kept = xmemdup(c->set.slots.data, c->set.slots.len * sizeof(*kept));
	TRY(counter_read(&c->set));
	c->elapsed_s = now_s(c) - c->start_s;
	set_tool(&c->set, EVENT_TOOL_DURATION_TIME, c->elapsed_s);
	struct strobe_error *err = fn(ctx);
	memcpy(c->set.slots.data, kept, c->set.slots.len * sizeof(*kept));
	return err;
}

static struct strobe_error *handle(struct run *r, const struct pollfd *fds)
{
	struct counting *c = r->c;
	uint64_t ticks;
	if (fds[WAIT_SIGNAL].revents)
		take_signals(r);
	if (fds[WAIT_DELAY].revents && read(r->fds[WAIT_DELAY], &ticks, sizeof(ticks)) > 0) {
		TRY(enable(r, true));
		session_progress(c->host, "Events enabled");
		/* Time counts from here on, as events do. */
		c->start_s = now_s(c);
	}
	if (fds[WAIT_INTERVAL].revents && read(r->fds[WAIT_INTERVAL], &ticks, sizeof(ticks)) > 0 && !r->ended)
		TRY(take_interval(r));
	if (fds[WAIT_CONTROL].revents)
		TRY(take_commands(r));
	if (fds[WAIT_REQUEST].revents)
		TRY(c->hooks.request(c->hooks.ctx));
	if (fds[WAIT_TIMEOUT].revents)
		c->timed_out = r->ended = true;
	return NULL;
}

static struct strobe_error *wait_for_end(struct run *r)
{
	struct counting *c = r->c;
	bool tasks = !c->argc && (c->target.pids || c->target.tids);
	while (!r->ended) {
		struct pollfd fds[WAIT_FDS];
		for (int i = 0; i < WAIT_FDS; i++)
			fds[i] = (struct pollfd){ .fd = r->fds[i], .events = POLLIN };
		int n = poll(fds, WAIT_FDS, tasks ? ALIVE_INTERVAL_MS : -1);
		if (n < 0 && errno != EINTR)
			return error_errno(errno, "cannot wait");
		if (n > 0)
			TRY(handle(r, fds));
		else
			r->ended = tasks && !target_map_is_alive(&c->map, c->sys);
	}
	return NULL;
}

static struct strobe_error *set_timers(struct run *r)
{
	const struct counting_settings *s = &r->c->settings;
	if (s->interval_ms)
		TRY(open_timer(s->interval_ms, s->interval_ms, &r->fds[WAIT_INTERVAL]));
	if (s->timeout_ms)
		TRY(open_timer(s->timeout_ms, 0, &r->fds[WAIT_TIMEOUT]));
	if (s->delay_ms > 0)
		TRY(open_timer((uint64_t)s->delay_ms, 0, &r->fds[WAIT_DELAY]));
	return NULL;
}

/* Starts the command, and enables events that do not start with its exec. */
static struct strobe_error *start(struct run *r)
{
	struct counting *c = r->c;
	if (c->settings.delay_ms)
		session_progress(c->host, "Events disabled");
	else if (c->set.options.start == COUNTER_START_CALLED)
		TRY(enable(r, true));
	getrusage(RUSAGE_CHILDREN, &r->usage_before);
	c->start_s = now_s(c);
	if (r->workload.pid)
		TRY(workload_start(&r->workload));
	return set_timers(r);
}

static struct strobe_error *count(struct run *r)
{
	struct counting *c = r->c;
	if (c->counts_command)
		c->map.threads.data[0].tid = c->map.threads.data[0].pid = r->workload.pid;
	TRY(counter_open(&c->set));
	TRY(counter_filter(&c->set));
	TRY(start(r));
	TRY(wait_for_end(r));
	if (r->workload.pid && !r->workload.reaped)
		workload_end(&r->workload);
	c->status = r->workload.pid ? r->workload.status : 0;
	double end = now_s(c) - c->start_s;
	/* Tasks that continue to run are not counted any longer. */
	if (c->set.options.start == COUNTER_START_CALLED && r->enabled)
		TRY(counter_enable(&c->set, false));
	TRY(take_reading(r));
	c->elapsed_s = end;
	set_tool(&c->set, EVENT_TOOL_DURATION_TIME, end);
	if (c->settings.interval_ms && c->hooks.interval && !counting_is_complete(c))
		TRY(c->hooks.interval(c->hooks.ctx, end, end - r->last_s));
	return NULL;
}

struct strobe_error *counting_run(struct counting *c)
{
	struct run r = { .c = c, .workload = { .go_fd = -1, .error_fd = -1 } };
	for (int i = 0; i < WAIT_FDS; i++)
		r.fds[i] = -1;
	r.fds[WAIT_SIGNAL] = c->signals->fd;
	r.fds[WAIT_CONTROL] = c->control.fd;
	r.fds[WAIT_REQUEST] = c->hooks.request ? c->hooks.request_fd : -1;
	c->timed_out = false;
	c->intervals = 0;
	counter_close(&c->set);
	struct strobe_error *err = NULL;
	if (c->argc)
		err = workload_fork(c->argv, c->workload, &r.workload);
	if (!err)
		err = count(&r);
	if (err)
		workload_end(&r.workload);
	for (int i = WAIT_INTERVAL; i <= WAIT_DELAY; i++)
		if (r.fds[i] >= 0)
			close(r.fds[i]);
	return err;
}
