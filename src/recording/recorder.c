#include "recording/recorder.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/wait_layout.h"
#include "recording/priv.h"
#include "recording/walked_stacks.h"
#include "sys/jvm.h"

enum wait_fd { WAIT_SIGNAL, WAIT_DELAY, WAIT_SWITCH, WAIT_CONTROL, WAIT_TRIGGER, WAIT_RINGS, WAIT_FDS };

struct recorder *recorder_create(const struct recorder_options *options, const struct recorder_host *host)
{
	struct recorder *r = xcalloc(1, sizeof(*r));
	r->o = *options;
	r->host = *host;
	r->sys = sys_live();
	r->workload = (struct workload){ .go_fd = -1, .error_fd = -1 };
	r->control = (struct control){ .fd = -1, .ack_fd = -1 };
	r->stop_fd = r->delay_fd = r->switch_fd = -1;
	return r;
}

void recorder_say(const struct recorder *r, enum recorder_message kind, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	_cleanup_free_ char *text = xvasprintf(fmt, ap);
	va_end(ap);
	r->host.say(r->host.ctx, kind, text);
}

/* ---- timers ---- */

static struct strobe_error *set_timer(int *fd, uint64_t first_ns, uint64_t interval_ns)
{
	struct itimerspec spec = {
		.it_value = ns_timespec(first_ns),
		.it_interval = ns_timespec(interval_ns),
	};
	if (*fd < 0)
		*fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*fd < 0 || timerfd_settime(*fd, 0, &spec, NULL))
		return error_errno(errno, "cannot set a timer");
	return NULL;
}

static bool has_fired(int timer)
{
	uint64_t expirations;
	return read(timer, &expirations, sizeof(expirations)) == sizeof(expirations);
}

/* Arms the timer for the next edge: start and end of each range in turn. */
static struct strobe_error *arm_delay(struct recorder *r, uint64_t now_ms)
{
	uint64_t at_ms;
	if (!delay_edge(&r->o.delay, r->delay_step, &at_ms))
		return NULL;
	uint64_t wait_ns = (at_ms - now_ms) * 1000000;
	return set_timer(&r->delay_fd, wait_ns ? wait_ns : 1, 0);
}

static struct strobe_error *take_delay(struct recorder *r)
{
	uint64_t now_ms;
	if (!has_fired(r->delay_fd) || !delay_edge(&r->o.delay, r->delay_step, &now_ms))
		return NULL;
	bool ends = r->delay_step++ % 2;
	if (ends)
		capture_disable(r->capture);
	else
		capture_enable(r->capture);
	stack_unwinder_enable_waits(r->unwinder, !ends);
	recorder_say(r, RECORDER_NOTE, ends ? "events disabled" : "events enabled");
	return arm_delay(r, now_ms);
}

/* ---- while it runs ---- */

static struct strobe_error *take_signals(struct recorder *r)
{
	bool has_snapshots;
	for (int number; (number = signals_next(r->host.signals));) {
		if (number == SIGUSR2) {
			TRY(recorder_snapshot(r, r->o.switching.by_signal, &has_snapshots));
		} else if (number != SIGCHLD) {
			r->signal = number;
			r->done = true;
		} else if (workload_reap(&r->workload, false)) {
			r->done = true;
		}
	}
	return NULL;
}

static struct strobe_error *drain_once(struct recorder *r)
{
	uint64_t bytes = 0;
	if (r->threads) { /* they drain the rings; check only whether to continue */
		uint64_t stopped;
		if (read(r->stop_fd, &stopped, sizeof(stopped)) == sizeof(stopped))
			r->done = true;
	} else {
		if (capture_tasks_gone(r->capture, 0))
			r->done = r->gone = true;
		TRY(capture_drain(r->capture, 0, recorder_sink(r), false, false, &bytes));
		TRY(chain_sink_settle(&r->path.chain, false));
		TRY(recorder_end_round(r, bytes));
	}
	if (r->o.max_bytes && record_output_bytes(&r->output) >= r->o.max_bytes && !r->done) {
		recorder_say(r, RECORDER_RESULT, "perf size limit reached (%llu KB), stopping session",
			     (unsigned long long)(r->o.max_bytes >> 10));
		r->done = true;
	}
	return recorder_is_switch_due(r) ? recorder_switch_file(r) : NULL;
}

static struct strobe_error *loop(struct recorder *r)
{
	while (!r->done) {
		struct pollfd fds[WAIT_FDS] = {
			[WAIT_SIGNAL] = { .fd = r->host.signals->fd, .events = POLLIN },
			[WAIT_DELAY] = { .fd = r->delay_fd, .events = POLLIN },
			[WAIT_SWITCH] = { .fd = r->switch_fd, .events = POLLIN },
			[WAIT_CONTROL] = { .fd = r->control.fd, .events = POLLIN },
			[WAIT_TRIGGER] = { .fd = r->trigger ? capture_poll_fd(r->trigger, 0) : -1, .events = POLLIN },
			[WAIT_RINGS] = { .fd = r->threads ? r->stop_fd : capture_poll_fd(r->capture, 0),
					.events = POLLIN },
		};
		if (poll(fds, WAIT_FDS, DRAIN_INTERVAL_MS) < 0 && errno != EINTR)
			return error_errno(errno, "cannot wait for events");
		if (fds[WAIT_RINGS].revents && !r->threads)
			capture_count_wakeup(r->capture, 0);
		TRY(drain_once(r));
		if (fds[WAIT_DELAY].revents)
			TRY(take_delay(r));
		if (fds[WAIT_CONTROL].revents)
			TRY(recorder_take_commands(r));
		if (fds[WAIT_TRIGGER].revents)
			TRY(recorder_take_trigger(r));
		if (fds[WAIT_SWITCH].revents && has_fired(r->switch_fd))
			TRY(recorder_switch_file(r));
		if (fds[WAIT_SIGNAL].revents)
			TRY(take_signals(r));
	}
	return NULL;
}

/* ---- beginning ---- */

static struct strobe_error *open_output(struct recorder *r)
{
	const struct recorder_options *o = &r->o;
	struct record_output *out = &r->output;
	TRY(record_output_init(out, o->output, o->use_threads));
	out->options.compress_level = o->compress_level;
	out->options.compressed2 = o->compressed2;
	out->options.checkpoints = !out->pipe;
	out->timestamped = o->timestamp_filename;
	out->max_files = o->switching.max_files;
	out->kcore = o->kcore;
	if (out->pipe && o->kcore)
		return error_create(ERROR_USAGE, "--kcore writes a directory and cannot go to a pipe");
	if (out->pipe && o->switching.on)
		return error_create(ERROR_USAGE, "--switch-output writes files and cannot go to a pipe");
	return NULL;
}

static void take_events(struct recorder *r)
{
	event_set_init(&r->events, r->sys);
	event_set_add_list(&r->events, r->o.events);
	if (r->o.waits)
		walked_stacks_add_wait_event(&r->events, r->o.waits == RECORDER_OFFCPU ? OFFCPU_EVENT : WAIT_EVENT);
}

static struct strobe_error *open_events(struct recorder *r)
{
	struct strobe_error *err = capture_open(r->sys, &r->o.capture, &r->events, r->workload.pid, &r->capture);
	if (!err)
		err = recorder_attach_filter(r);
	if (err)
		capture_close(take_ptr(r->capture));
	return err;
}

static struct strobe_error *open_anew(struct recorder *r)
{
	capture_close(take_ptr(r->capture));
	r->has_facts = false; /* they were the capture's */
	take_events(r);
	return open_events(r);
}

static struct strobe_error *fork_workload(struct recorder *r)
{
	struct workload_options w = workload_options_of(r->host.signals);
	w.stdout_to_stderr = r->output.pipe;
	return r->o.argv ? workload_fork(r->o.argv, w, &r->workload) : NULL;
}

static struct strobe_error *open_capture(struct recorder *r)
{
	take_events(r);
	recorder_choose_filter(r);
	struct strobe_error *err = recorder_choose_probes(r);
	if (!err)
		err = recorder_choose_stacks(r);
	if (!err)
		err = fork_workload(r); /* while the program that walks stacks loads */
	if (err) {
		event_set_deinit(&r->events); /* not owned by a capture */
		return err;
	}
	err = open_events(r);
	if (!err)
		err = recorder_attach_stacks(r);
	if (err && recorder_choose_other_stacks(r, err))
		err = open_anew(r);
	if (err && r->filter && !r->unwinder && !r->probes) {
		log_info("cannot open events per CPU, opening them per task: %s", err->message);
		error_destroy(err);
		recorder_release_filter(r);
		err = open_anew(r);
	}
	return err;
}

static void note_objects(struct recorder *r)
{
	const char *dir;
	struct strobe_error *err = session_buildid_dir(r->host.session, &dir);
	if (!err && dir) /* without HOME there is no cache */
		record_objects_init(&r->path.objects, &capture_env(r->capture)->events.data[0].attr,
				    r->o.keep_all_objects || !capture_target(r->capture)->system_wide ? OBJECTS_ALL :
				    recorder_walks_all_stacks(r)                                      ? OBJECTS_ADDED :
													OBJECTS_SAMPLED, dir);
	else if (err)
		log_info("the build ID cache is not updated: %s", err->message);
	error_destroy(err);
}

static struct strobe_error *prepare(struct recorder *r)
{
	const struct recorder_options *o = &r->o;
	TRY(open_output(r));
	if (o->control)
		TRY(error_prefix(control_open(o->control, &r->control), "--control"));
	TRY(open_capture(r));
	recorder_say_freq(r);
	r->output.options.mmap_bytes = capture_ring_bytes(r->capture);
	capture_set_affinity(r->capture, o->affinity != RECORDER_AFFINITY_NONE, o->affinity == RECORDER_AFFINITY_NODE);
	if (o->keep_objects)
		note_objects(r);
	return recorder_open_trigger(r);
}

static struct strobe_error *start(struct recorder *r)
{
	if (r->o.use_threads)
		TRY(recorder_plan_threads(r));
	TRY(recorder_begin_file(r));
	TRY(record_output_plan_removals(&r->output));
	capture_exclude_thread(r->capture, (pid_t)syscall(SYS_gettid));
	if (r->output.remover.started)
		capture_exclude_thread(r->capture, r->output.remover.tid);
	if (r->o.use_threads)
		TRY(recorder_start_threads(r));
	TRY(capture_apply_filters(r->capture));
	if (!r->threads)
		TRY(recorder_raise_priority(r));
	recorder_say_notes(r);
	if (r->trigger)
		capture_enable(r->trigger);
	capture_start(r->capture);
	stack_unwinder_enable_waits(r->unwinder, !r->o.capture.delay_ms);
	if (r->workload.pid)
		TRY(workload_start(&r->workload));
	TRY(record_output_commit(&r->output));
	if (r->o.delay.never)
		recorder_say(r, RECORDER_NOTE, "events disabled");
	else if (r->o.capture.delay_ms)
		TRY(arm_delay(r, 0));
	if (r->o.switching.interval_ns)
		TRY(set_timer(&r->switch_fd, r->o.switching.interval_ns, r->o.switching.interval_ns));
	/* While the workload runs: free of cost for it if there is another CPU. */
	if (!r->output.pipe)
		recorder_fill_facts(r);
	return NULL;
}

/* ---- end ---- */

/* The status of the workload, or of the signal that ended the recording. */
static int exit_status(const struct recorder *r)
{
	if (r->workload.reaped && WIFEXITED(r->workload.status))
		return WEXITSTATUS(r->workload.status);
	if (r->workload.reaped && WIFSIGNALED(r->workload.status) && !r->signal)
		return 128 + WTERMSIG(r->workload.status);
	return r->signal ? -r->signal : 0;
}

/* A command may ignore SIGTERM: a second signal ends the wait, and leaves it running. */
static void end_workload(struct recorder *r)
{
	workload_terminate(&r->workload);
	while (r->workload.pid > 0 && !workload_reap(&r->workload, false)) {
		struct pollfd fd = { .fd = r->host.signals->fd, .events = POLLIN };
		poll(&fd, 1, DRAIN_INTERVAL_MS);
		for (int number; (number = signals_next(r->host.signals));) {
			if (number == SIGCHLD || number == SIGUSR2)
				continue;
			recorder_say(r, RECORDER_NOTE, "the command (process %d) ignores SIGTERM and is still running",
				     (int)r->workload.pid);
			r->workload.pid = 0;
		}
	}
}

static void keep_objects(struct recorder *r)
{
	struct record_objects *all = &r->path.objects;
	if (!all->on)
		return;
	for (unsigned i = 0; i < r->parts_nr; i++)
		record_objects_merge(all, &r->parts[i].objects);
	if (all->of == OBJECTS_ADDED)
		recorder_add_walked_objects(r);
	record_objects_keep(all, r->stacks);
}

/* For recorded processes that still run. */
static void write_java_names(const struct recorder *r)
{
	const struct target_map *target = capture_target(r->capture);
	_cleanup_free_ char *command = target->is_workload && !r->workload.reaped ? xasprintf("%d", (int)r->workload.pid) : NULL;
	const char *pids = command ? command : r->o.capture.target.pids;
	if (!r->o.leave_jvms && (pids || target->system_wide))
		jvm_write_maps(pids);
}

struct strobe_error *recorder_run(struct recorder *r, int *ret_status)
{
	const char *name = NULL;
	*ret_status = 0;
	TRY(prepare(r));
	TRY(start(r));
	struct strobe_error *err = loop(r);
	r->done = true;
	write_java_names(r);
	if (capture_target(r->capture)->system_wide || !r->workload.reaped)
		capture_disable(r->capture);
	err = error_first(err, recorder_join_threads(r));
	err = error_first(err, recorder_end_file(r, &name));
	/* Its events hung up: it has ended or is about to, with its own status. A workload that strobe ends has none. */
	if (r->gone && capture_target(r->capture)->is_workload)
		workload_reap(&r->workload, true);
	*ret_status = exit_status(r);
	end_workload(r);
	keep_objects(r);
	recorder_say_result(r, name, err != NULL);
	return err;
}

void recorder_abandon(void *recorder)
{
	struct recorder *r = recorder;
	record_output_abandon(&r->output);
	workload_terminate(&r->workload);
}

void recorder_destroy(struct recorder *r)
{
	if (!r)
		return;
	error_destroy(recorder_join_threads(r));
	workload_end(&r->workload);
	record_output_discard(&r->output);
	record_output_deinit(&r->output);
	recorder_release_stacks(r);
	probe_samples_close(r->probes);
	record_objects_deinit(&r->path.objects);
	for (unsigned i = 0; i < r->parts_nr; i++)
		record_objects_deinit(&r->parts[i].objects);
	free(r->parts);
	if (r->capture)
		capture_close_later(r->capture);
	if (r->trigger)
		capture_close_later(r->trigger);
	capture_close(r->capture);
	capture_close(r->trigger);
	recorder_release_filter(r);
	control_close(&r->control);
	reader_masks_deinit(&r->masks);
	free(r->threads);
	int *fds[] = {&r->stop_fd, &r->delay_fd, &r->switch_fd };
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		cleanup_closep(fds[i]);
	free(r);
}
