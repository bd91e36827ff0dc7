/* strobe record: records what a program, some processes or the whole system do, into a perf.data file. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/out.h"
#include "capture/facts.h"
#include "cmd/record/priv.h"
#include "config.h"
#include "event/open.h"
#include "record/attr_text.h"

enum wait_fd { WAIT_SIGNAL, WAIT_DELAY, WAIT_SWITCH, WAIT_CONTROL, WAIT_TRIGGER, WAIT_RINGS, WAIT_FDS };

static struct strobe_error *open_timer(uint64_t first_ns, uint64_t interval_ns, int *ret)
{
	struct itimerspec spec = {
		.it_value = ns_timespec(first_ns),
		.it_interval = ns_timespec(interval_ns),
	};
	if (*ret < 0)
		*ret = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*ret < 0 || timerfd_settime(*ret, 0, &spec, NULL))
		return error_errno(errno, "cannot set a timer");
	return NULL;
}

/* Whether all that runs on CPUs is recorded, and not chosen tasks. */
static bool is_system_wide(const struct recording *r)
{
	const struct target *t = &r->o->sampling.capture.target;
	return t->system_wide || t->cpus || (target_is_none(t) && !r->workload.pid && !r->ctx->rest.argc);
}

static struct strobe_error *default_event(struct recording *r)
{
	struct event_default d;
	bool system_wide = is_system_wide(r);
	TRY(event_default(&r->o->sampling.events, r->sys, system_wide ? -1 : 0, system_wide ? 0 : -1, &d));
	log_info("recording %s, the default event on this machine", r->o->sampling.events.events.data[0].name);
	if (d.user_only)
		record_say(r, "not permitted to sample the kernel: recording user space only (kernel.perf_event_paranoid is above 1)");
	return NULL;
}

/* -g dwarf and -ag dwarf: how older versions of perf were told the mode. */
static struct strobe_error *take_old_callgraph(struct recording *r)
{
	struct options_result *rest = &r->ctx->rest;
	struct callgraph_options mode = r->o->sampling.capture.callgraph;
	if (!r->o->callgraph_set || mode.mode != CALLGRAPH_FP || rest->had_dashes || !rest->argc)
		return NULL;
	const char *word = rest->argv[0];
	if (strcmp(word, "fp") && strcmp(word, "lbr") && strncmp(word, "dwarf", 5))
		return NULL;
	struct strobe_error *err = callgraph_parse(word, &mode);
	if (err) {
		error_destroy(err);
		return NULL;
	}
	record_say(r, "-g %s is the old spelling of --call-graph %s", word, word);
	r->o->sampling.capture.callgraph = mode;
	return options_parse(record_option_table, r->o, rest->argc, rest->argv, false, rest);
}

/* The settings that perf-config(1) knows for record. */
static struct strobe_error *apply_settings(struct recording *r)
{
	struct record_options *o = r->o;
	struct callgraph_options *c = &o->sampling.capture.callgraph;
	const struct config *config;
	TRY(cmd_config(r->ctx, &config));
	const char *ids = config_get(config, "record.build-id");
	if (ids && !strcmp(ids, "skip") && !o->buildid_all && !o->buildid_mmap)
		o->no_buildid = true;
	if (ids && (!strcmp(ids, "no-cache") || !strcmp(ids, "mmap")) && !o->buildid_all)
		o->no_buildid_cache = true;
	const char *mode = config_get(config, "call-graph.record-mode"),
		   *bytes = config_get(config, "call-graph.dump-size");
	if (!mode)
		mode = config_get(config, "record.call-graph");
	if (mode && o->callgraph_by_g)
		TRY(error_prefix(callgraph_parse(mode, c), "the setting call-graph.record-mode"));
	if (!bytes || !o->callgraph_by_g || c->mode != CALLGRAPH_DWARF)
		return NULL;
	_cleanup_free_ char *sized = xasprintf("dwarf,%s", bytes);
	return error_prefix(callgraph_parse(sized, c), "the setting call-graph.dump-size");
}

static void settle_options(struct recording *r)
{
	struct record_options *o = r->o;
	struct capture_options *c = &o->sampling.capture;
	if (c->period_set && !c->freq_set)
		c->freq_hz = 0;
	if (c->period_set && c->freq_set)
		c->period_set = false; /* -F wins over -c, as in the reference */
	c->build_id_mmap = !o->no_buildid;
	c->switch_events |= o->latency;
	if (c->overwrite)
		o->tail_synthesize = true;
	if (o->switching.on)
		o->timestamp_filename = true;
	if (o->aio_set)
		record_say(r, "--aio has no effect: buffers are written to the file without a copy");
	if (o->debuginfod_set)
		record_say(r, "--debuginfod has no effect: record does not fetch debug files");
	/* A file of a limited size is not to be overshot by what is in the rings. */
	c->rings_bytes_max = o->max_bytes / 4;
	if (o->switching.bytes && (!c->rings_bytes_max || o->switching.bytes / 4 < c->rings_bytes_max))
		c->rings_bytes_max = o->switching.bytes / 4;
	/* dwarf without a size: eight kilobytes. */
	if (c->callgraph.mode == CALLGRAPH_DWARF && !c->callgraph.dump_bytes)
		c->callgraph.dump_bytes = RECORD_DUMP_BYTES;
}

static struct strobe_error *check_options(const struct recording *r)
{
	const struct record_options *o = r->o;
	if (o->sampling.capture.all_user && o->sampling.capture.all_kernel)
		return error_create(ERROR_USAGE, "--all-user and --all-kernel exclude each other");
	if (o->sampling.capture.callgraph.kernel_only && o->sampling.capture.callgraph.user_only)
		return error_create(ERROR_USAGE, "--kernel-callchains and --user-callchains exclude each other");
	if (o->sampling.capture.callgraph.leaf && o->sampling.capture.user_regs && !sample_regs_leaf())
		return error_create(ERROR_USAGE, "--call-graph fp,leaf cannot be combined with --user-regs: use fp or dwarf");
	for (size_t i = 0; i < o->sampling.events.events.len; i++)
		if (o->sampling.events.events.data[i].cgroup && !o->sampling.capture.target.system_wide && !o->sampling.capture.target.cpus)
			return error_create(ERROR_USAGE, "-G counts in cgroups of the whole system: add -a or -C");
	if (o->threads_set && o->sampling.capture.target.per_thread)
		return error_create(ERROR_USAGE, "--threads assigns buffers by CPU and cannot be combined with --per-thread");
	if (o->threads_set && o->switching.on)
		return error_create(ERROR_USAGE, "--threads and --switch-output exclude each other");
	if (o->kcore && o->switching.on)
		return error_create(ERROR_USAGE, "--kcore and --switch-output exclude each other");
	if (o->threads_set && o->sampling.capture.overwrite)
		return error_create(ERROR_USAGE, "--threads and --overwrite exclude each other");
	if (o->latency && is_system_wide(r))
		return error_create(ERROR_USAGE, "--latency works on commands, processes and threads only; to record context "
			"switches of whole CPUs, use '-a --switch-events'");
	if (o->latency && o->sampling.capture.no_time)
		return error_create(ERROR_USAGE, "--latency requires timestamps and cannot be combined with --no-timestamp");
#if !HAVE_ZSTD
	if (o->compress_level)
		return error_create(ERROR_UNSUPPORTED,
				    "-z: built without libzstd (install libzstd-dev and rebuild)");
#endif
	return NULL;
}

static void fill_facts(struct recording *r)
{
	if (!r->filled)
		facts_fill_session(capture_env(r->capture), r->sys, STROBE_VERSION, &r->o->sampling.capture);
	r->filled = true;
}

/* A sink for what the main thread has to say: the file, or in a directory its file "data". */
static struct record_sink *main_sink(struct recording *r)
{
	return record_join_stacks(r, &r->chain, record_objects_sink(&r->objects, &r->output.writer->sink));
}

static struct strobe_error *begin_file(struct recording *r)
{
	struct env *env = capture_env(r->capture);
	if (r->output.pipe)
		fill_facts(r);
	env->has_dir_format = r->output.directory;
	env->dir_version = 1;
	TRY(record_output_open(&r->output, env, capture_rings(r->capture)));
	r->file_start_bytes = record_output_bytes(&r->output) - r->output.writer->bytes_written;
	if (!r->output.pipe)
		TRY(writer_event_updates(r->output.writer, env));
	if (!r->o->tail_synthesize)
		TRY(capture_synthesize(r->capture, main_sink(r), r->files > 0));
	if (!r->output.pipe)
		TRY(writer_round(r->output.writer, env));
	r->files++;
	capture_forget_times(r->capture);
	return NULL;
}

/* Whatever is on hand goes to the file, which is then complete. */
static struct strobe_error *end_file(struct recording *r, const char **ret_name)
{
	struct strobe_error *err = NULL;
	uint64_t bytes;
	*ret_name = r->output.path;
	for (unsigned i = 0; !err && i < capture_readers(r->capture); i++) {
		err = capture_drain(r->capture, i, main_sink(r), true, false, &bytes);
		if (!err && bytes && !r->output.directory)
			err = writer_round(r->output.writer, capture_env(r->capture));
	}
	if (!err && capture_overwrites(r->capture))
		err = capture_snapshot(r->capture, main_sink(r), &bytes);
	if (!err && r->done)
		err = capture_finish(r->capture, main_sink(r));
	if (!err && r->o->tail_synthesize)
		err = capture_synthesize(r->capture, main_sink(r), true);
	fill_facts(r);
	struct env *env = capture_env(r->capture);
	struct capture_totals t = capture_totals(r->capture);
	env->first_sample_ns = t.first_ns;
	env->last_sample_ns = t.last_ns;
	struct strobe_error *finish = record_output_finish(&r->output, env, ret_name);
	if (!err)
		return finish;
	error_destroy(finish);
	return err;
}

static struct strobe_error *switch_file(struct recording *r)
{
	const char *name;
	TRY(end_file(r, &name));
	record_report(r, "Dump %s", name);
	TRY(begin_file(r));
	return record_output_commit(&r->output);
}

static bool is_switch_due(const struct recording *r)
{
	const struct switch_options *s = &r->o->switching;
	return s->bytes && record_output_bytes(&r->output) - r->file_start_bytes >= s->bytes;
}

static struct strobe_error *take_signals(struct recording *r)
{
	for (int number; (number = cmd_signals_next(&r->signals));) {
		switch (number) {
		case SIGCHLD:
			if (workload_reap(&r->workload, false))
				r->done = true;
			break;
		case SIGUSR2:
			if (r->o->switching.by_signal)
				TRY(switch_file(r));
			else if (capture_overwrites(r->capture))
				TRY(capture_snapshot(r->capture, main_sink(r), &(uint64_t){0}));
			break;
		default:
			r->signal = number;
			r->done = true;
			break;
		}
	}
	return NULL;
}

/* Arms the timer for the next edge: beginning and end of each range in turn. */
static struct strobe_error *arm_delay(struct recording *r, uint64_t now_ms)
{
	const struct delay_schedule *d = &r->o->delay;
	if (r->delay_step / 2 >= d->ranges.len)
		return NULL;
	const struct delay_range *range = &d->ranges.data[r->delay_step / 2];
	uint64_t at = r->delay_step % 2 ? range->end_ms : range->start_ms;
	if (!at && r->delay_step % 2)
		return NULL; /* counts to the end */
	uint64_t wait_ns = (at - now_ms) * 1000000;
	return open_timer(wait_ns ? wait_ns : 1, 0, &r->delay_fd);
}

static struct strobe_error *take_delay(struct recording *r)
{
	uint64_t expirations;
	if (read(r->delay_fd, &expirations, sizeof(expirations)) != sizeof(expirations))
		return NULL;
	const struct delay_range *range = &r->o->delay.ranges.data[r->delay_step / 2];
	bool ends = r->delay_step % 2;
	if (ends)
		capture_disable(r->capture);
	else
		capture_enable(r->capture);
	record_say(r, ends ? "events disabled" : "events enabled");
	r->delay_step++;
	return arm_delay(r, ends ? range->end_ms : range->start_ms);
}

static void list_events(const struct recording *r, const char *argument)
{
	const struct event_set *s = capture_events(r->capture);
	struct out out;
	out_init_fd(&out, STDERR_FILENO);
	for (size_t i = 0; i < s->events.len; i++) {
		const struct capture_event *e = &s->events.data[i];
		bool opens = !strcmp(argument, "-g") && i + 1 < s->events.len && s->events.data[i + 1].leader == i;
		bool member = !strcmp(argument, "-g") && e->leader != i;
		bool closes = member && (i + 1 == s->events.len || s->events.data[i + 1].leader != e->leader);
		out_f(&out, "%s%s%s", opens ? "{" : "", e->name, closes ? "}" : "");
		if (!strcmp(argument, "-F"))
			out_f(&out, ": %s=%llu", e->attr.freq ? "sample_freq" : "sample_period",
			      (unsigned long long)e->attr.sample_freq);
		out_ch(&out, opens || (member && !closes) ? ',' : '\n');
		if (strcmp(argument, "-v"))
			continue;
		_cleanup_strbuf_ struct strbuf attr = {};
		attr_lines(&e->attr, NULL, &attr);
		out_str(&out, strbuf_str(&attr));
	}
	error_destroy(out_close(&out));
}

static struct strobe_error *take_control(struct recording *r)
{
	struct control_command command;
	bool end = false;
	while (control_next(&r->control, &command, &end)) {
		bool done = true;
		switch (command.verb) {
		case CONTROL_ENABLE:
		case CONTROL_DISABLE:
			done = capture_set_enabled(r->capture, *command.argument ? command.argument : NULL,
						   command.verb == CONTROL_ENABLE);
			if (done)
				record_say(r, "%s %s", *command.argument ? command.argument : "events",
					   command.verb == CONTROL_ENABLE ? "enabled" : "disabled");
			else
				record_say(r, "--control: unknown event %s", command.argument);
			break;
		case CONTROL_SNAPSHOT:
			if (r->o->switching.on)
				TRY(switch_file(r));
			else if (capture_overwrites(r->capture))
				TRY(capture_snapshot(r->capture, main_sink(r), &(uint64_t){0}));
			else
				record_say(r,
					   "--control: snapshot has no effect without --overwrite or --switch-output");
			break;
		case CONTROL_EVLIST:
			list_events(r, command.argument);
			break;
		case CONTROL_STOP:
			r->done = true;
			break;
		case CONTROL_UNKNOWN:
			record_say(r, "--control: unknown command \"%s\"", command.argument);
			done = false;
			break;
		default:
			break;
		}
		if (done)
			control_ack(&r->control);
	}
	if (end)
		control_close(&r->control);
	return NULL;
}

/* An event of --switch-output-event: what its ring holds is of no interest. */
static struct strobe_error *drop_records(struct record_sink *s, const void *records, size_t bytes)
{
	return NULL;
}

static struct strobe_error *take_trigger(struct recording *r)
{
	struct record_sink sink = {.write = drop_records};
	uint64_t bytes, before = capture_totals(r->trigger).samples;
	capture_tasks_gone(r->trigger, 0);
	TRY(capture_drain(r->trigger, 0, &sink, true, false, &bytes));
	return capture_totals(r->trigger).samples > before ? switch_file(r) : NULL;
}

static struct strobe_error *drain_once(struct recording *r)
{
	uint64_t bytes = 0;
	if (r->threads) { /* they drain; here only whether to go on */
		uint64_t stopped;
		if (read(r->stop_fd, &stopped, sizeof(stopped)) == sizeof(stopped))
			r->done = true;
	} else {
		if (capture_tasks_gone(r->capture, 0))
			r->done = r->gone = true;
		TRY(capture_drain(r->capture, 0, main_sink(r), false, false, &bytes));
		if (bytes)
			TRY(writer_round(r->output.writer, capture_env(r->capture)));
	}
	if (r->o->max_bytes && record_output_bytes(&r->output) >= r->o->max_bytes && !r->done) {
		record_report(r, "perf size limit reached (%llu KB), stopping session",
			      (unsigned long long)(r->o->max_bytes >> 10));
		r->done = true;
	}
	return is_switch_due(r) ? switch_file(r) : NULL;
}

static struct strobe_error *loop(struct recording *r)
{
	while (!r->done) {
		struct pollfd fds[WAIT_FDS] = {
			[WAIT_SIGNAL] = {.fd = r->signals.fd, .events = POLLIN},
			[WAIT_DELAY] = {.fd = r->delay_fd, .events = POLLIN},
			[WAIT_SWITCH] = {.fd = r->switch_fd, .events = POLLIN},
			[WAIT_CONTROL] = {.fd = r->control.fd, .events = POLLIN},
			[WAIT_TRIGGER] = {.fd = r->trigger ? capture_poll_fd(r->trigger, 0) : -1, .events = POLLIN},
			[WAIT_RINGS] = {.fd = r->threads ? r->stop_fd : capture_poll_fd(r->capture, 0),
					.events = POLLIN},
		};
		if (poll(fds, WAIT_FDS, DRAIN_INTERVAL_MS) < 0 && errno != EINTR)
			return error_errno(errno, "cannot wait for events");
		if (fds[WAIT_RINGS].revents && !r->threads)
			capture_count_wakeup(r->capture, 0);
		TRY(drain_once(r));
		if (fds[WAIT_DELAY].revents)
			TRY(take_delay(r));
		if (fds[WAIT_CONTROL].revents)
			TRY(take_control(r));
		if (fds[WAIT_TRIGGER].revents)
			TRY(take_trigger(r));
		uint64_t expirations;
		if (fds[WAIT_SWITCH].revents &&
		    read(r->switch_fd, &expirations, sizeof(expirations)) == sizeof(expirations))
			TRY(switch_file(r));
		if (fds[WAIT_SIGNAL].revents)
			TRY(take_signals(r));
	}
	return NULL;
}

static struct strobe_error *open_trigger(struct recording *r)
{
	if (!r->o->switch_events.events.len)
		return NULL;
	struct capture_options options;
	capture_options_init(&options);
	options.target = r->o->sampling.capture.target;
	options.freq_hz = 0;
	options.period = 1;
	options.period_set = true;
	options.no_buffering = true;
	options.mmap_pages = 16;
	event_set_init(&r->trigger_events, r->sys);
	event_set_add_list(&r->trigger_events, &r->o->switch_events);
	TRY(error_prefix(capture_open(r->sys, &options, &r->trigger_events, r->workload.pid, &r->trigger),
			 "--switch-output-event"));
	capture_exclude_thread(r->trigger, (pid_t)syscall(SYS_gettid));
	return capture_apply_filters(r->trigger);
}

static struct strobe_error *open_events(struct recording *r)
{
	struct strobe_error *err = capture_open(r->sys, &r->o->sampling.capture, &r->events, r->workload.pid, &r->capture);
	if (!err)
		err = record_attach_filter(r);
	if (err)
		capture_close(take_ptr(r->capture));
	return err;
}

static struct strobe_error *open_capture(struct recording *r)
{
	event_set_init(&r->events, r->sys);
	event_set_add_list(&r->events, &r->o->sampling.events);
	record_choose_filter(r);
	struct strobe_error *err = record_choose_stacks(r);
	if (err) {
		event_set_deinit(&r->events); /* no capture has taken it */
		return err;
	}
	err = open_events(r);
	if (err && r->filter && !r->unwinder) {
		log_info("cannot open events per CPU, opening them per task: %s", err->message);
		error_destroy(err);
		record_release_filter(r);
		event_set_init(&r->events, r->sys);
		event_set_add_list(&r->events, &r->o->sampling.events);
		err = open_events(r);
	}
	if (err)
		return err;
	return r->unwinder ? error_prefix(stack_unwinder_attach(r->unwinder, r->capture), "--call-graph eh") : NULL;
}

static struct strobe_error *prepare(struct recording *r)
{
	struct record_options *o = r->o;
	int argc = r->ctx->rest.argc;
	TRY(cmd_signals_open(&r->signals, (int[]){ SIGCHLD, SIGUSR2, 0 }));
	TRY(record_output_init(&r->output, o->output, o->threads_set));
	r->output.options.compress_level = o->compress_level;
	/* Whoever records with perf reads with perf, and with the same; a recording of ours may go to any. */
	r->output.options.compressed2 = !strcmp(r->ctx->program, "perf");
	r->output.options.checkpoints = !r->output.pipe;
	r->output.timestamped = o->timestamp_filename;
	r->output.max_files = o->switching.max_files;
	r->output.kcore = o->kcore;
	if (r->output.pipe && o->kcore)
		return error_create(ERROR_USAGE, "--kcore writes a directory and cannot go to a pipe");
	if (r->output.pipe && o->switching.on)
		return error_create(ERROR_USAGE, "--switch-output writes files and cannot go to a pipe");
	if (o->control)
		TRY(error_prefix(control_open(o->control, &r->control), "--control"));
	if (argc) {
		struct workload_options w = cmd_signals_workload(&r->signals);
		w.stdout_to_stderr = r->output.pipe;
		/* The parser's rest ends by its count, exec's arguments by NULL. */
		r->argv = xcalloc((size_t)argc + 1, sizeof(*r->argv));
		memcpy(r->argv, r->ctx->rest.argv, (size_t)argc * sizeof(*r->argv));
		TRY(workload_fork(r->argv, w, &r->workload));
	}
	TRY(open_capture(r));
	record_say_freq(r);
	r->output.options.mmap_bytes = capture_ring_bytes(r->capture);
	capture_set_affinity(r->capture, o->affinity != AFFINITY_SYS, o->affinity == AFFINITY_NODE);
	if (!o->no_buildid && !o->no_buildid_cache && !o->buildid_mmap)
		record_objects_init(&r->objects, &capture_env(r->capture)->events.data[0].attr,
				    o->buildid_all || !capture_target(r->capture)->system_wide);
	TRY(open_trigger(r));
	return NULL;
}

static struct strobe_error *start(struct recording *r)
{
	if (r->o->threads_set)
		TRY(record_plan_threads(r));
	TRY(begin_file(r));
	TRY(record_output_plan_removals(&r->output));
	capture_exclude_thread(r->capture, (pid_t)syscall(SYS_gettid));
	if (r->output.remover.started)
		capture_exclude_thread(r->capture, r->output.remover.tid);
	if (r->o->threads_set)
		TRY(record_start_threads(r));
	TRY(capture_apply_filters(r->capture));
	if (!r->threads)
		TRY(record_raise_priority(r));
	record_say_notes(r);
	if (r->trigger)
		capture_enable(r->trigger);
	capture_start(r->capture);
	if (r->workload.pid)
		TRY(workload_start(&r->workload));
	TRY(record_output_commit(&r->output));
	if (r->o->delay.never)
		record_say(r, "events disabled");
	else if (r->o->sampling.capture.delay_ms)
		TRY(arm_delay(r, 0));
	if (r->o->switching.interval_ns)
		TRY(open_timer(r->o->switching.interval_ns, r->o->switching.interval_ns, &r->switch_fd));
	/* While the workload runs: this costs it nothing where there is another CPU. */
	if (!r->output.pipe)
		fill_facts(r);
	return NULL;
}

/* The status that the workload, or the signal that ended us, asks for. */
static int exit_status(struct recording *r)
{
	if (r->workload.reaped && WIFEXITED(r->workload.status))
		return WEXITSTATUS(r->workload.status);
	if (r->workload.reaped && WIFSIGNALED(r->workload.status) && !r->signal)
		return 128 + WTERMSIG(r->workload.status);
	return r->signal ? -r->signal : 0;
}

static void release(struct recording *r)
{
	error_destroy(record_join_threads(r));
	workload_end(&r->workload);
	record_output_discard(&r->output);
	record_output_deinit(&r->output);
	record_release_stacks(r);
	record_objects_deinit(&r->objects);
	for (unsigned i = 0; i < r->part_chains_nr; i++)
		record_objects_deinit(&r->part_objects[i]);
	free(r->part_objects);
	if (r->capture)
		capture_close_behind(r->capture);
	if (r->trigger)
		capture_close_behind(r->trigger);
	capture_close(r->capture);
	capture_close(r->trigger);
	record_release_filter(r);
	control_close(&r->control);
	reader_masks_deinit(&r->masks);
	free(r->threads);
	free(r->argv);
	int *fds[] = {&r->stop_fd, &r->delay_fd, &r->switch_fd};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		cleanup_closep(fds[i]);
	cmd_signals_close(&r->signals);
}

/* A command may ignore SIGTERM: the second signal to end us ends the wait, and leaves it to itself. */
static void end_workload(struct recording *r)
{
	workload_terminate(&r->workload);
	while (r->workload.pid > 0 && !workload_reap(&r->workload, false)) {
		struct pollfd fd = { .fd = r->signals.fd, .events = POLLIN };
		poll(&fd, 1, DRAIN_INTERVAL_MS);
		for (int number; (number = cmd_signals_next(&r->signals));) {
			if (number == SIGCHLD || number == SIGUSR2)
				continue;
			record_say(r, "the command (process %d) ignores SIGTERM and is still running", (int)r->workload.pid);
			r->workload.pid = 0;
		}
	}
}

static void keep_objects(struct recording *r)
{
	const char *dir;
	if (!r->objects.on)
		return;
	for (unsigned i = 0; i < r->part_chains_nr; i++)
		record_objects_merge(&r->objects, &r->part_objects[i]);
	struct strobe_error *err = cmd_buildid_dir(r->ctx, &dir);
	if (!err)
		record_objects_keep(&r->objects, dir);
	else
		log_info("the build ID cache was not updated: %s", err->message);
	error_destroy(err);
}

static int record(struct recording *r)
{
	const char *name = NULL;
	struct strobe_error *err = prepare(r);
	if (!err)
		err = start(r);
	if (err)
		return cmd_fail(r->ctx, err);
	err = loop(r);
	r->done = true;
	if (capture_target(r->capture)->system_wide || !r->workload.reaped)
		capture_disable(r->capture);
	struct strobe_error *joined = record_join_threads(r);
	/* What could be written is kept, whatever went wrong. */
	struct strobe_error *ended = end_file(r, &name);
	/* Its events hung up: it has ended or is about to, and has a status of its own. One that we end has none. */
	if (r->gone && capture_target(r->capture)->is_workload)
		workload_reap(&r->workload, true);
	int status = exit_status(r);
	end_workload(r);
	keep_objects(r);
	record_say_result(r, name, err || joined || ended);
	/* The first is the cause of the others. */
	struct strobe_error *all[] = {err, joined, ended};
	bool failed = false;
	for (size_t i = 0; i < 3; i++) {
		if (all[i] && !failed)
			status = cmd_fail(r->ctx, all[i]);
		else
			error_destroy(all[i]);
		failed |= all[i] != NULL;
	}
	return status;
}

/* Memory is out: the file has what came up to its last checkpoint, or there is none. */
static void abandon(void *ctx)
{
	struct recording *r = ctx;
	record_output_abandon(&r->output);
	workload_terminate(&r->workload);
}

static int list_registers(struct cmd_context *ctx)
{
	struct out out;
	cmd_open_output(ctx, &out);
	out_str(&out, "available registers:");
	for (unsigned i = 0; i < 64; i++)
		if (sample_reg_name(i))
			out_f(&out, " %s", sample_reg_name(i));
	out_ch(&out, '\n');
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct record_options *o = options;
	struct recording r = {
		.ctx = ctx,
		.o = o,
		.sys = sys_live(),
		.workload = {.go_fd = -1, .error_fd = -1},
		.control = {.fd = -1, .ack_fd = -1},
		.stop_fd = -1,
		.signals = CMD_SIGNALS_NONE,
		.delay_fd = -1,
		.switch_fd = -1,
	};
	cmd_set_verbosity(o->sampling.verbose);
	if (o->list_intr_regs || o->list_user_regs)
		return list_registers(ctx);
	struct strobe_error *err = apply_settings(&r);
	if (!err)
		err = take_old_callgraph(&r);
	if (!err)
		err = check_options(&r);
	if (err)
		return cmd_fail_usage(ctx, err);
	settle_options(&r);
	if (!o->sampling.events.events.len)
		err = default_event(&r);
	if (err)
		return cmd_fail(ctx, err);
	int status;
	if (o->dry_run) {
		event_set_init(&r.events, r.sys);
		event_set_add_list(&r.events, &o->sampling.events);
		status = cmd_fail(ctx, capture_configure_only(r.sys, &o->sampling.capture, &r.events, ctx->rest.argc > 0));
		event_set_deinit(&r.events);
	} else {
		mem_on_exhausted(abandon, &r);
		status = record(&r);
		release(&r);
		mem_on_exhausted(NULL, NULL);
	}
	if (status < 0) { /* ended by a signal: whoever started us is to see that */
		signal(-status, SIG_DFL);
		raise(-status);
		status = 128 - status;
	}
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "Run a command and record its profile into perf.data",
	.usage = (const char *const[]){"record [<options>] [<command>]", "record [<options>] -- <command> [<options>]",
				       NULL},
	.options = record_option_table,
	.options_bytes = sizeof(struct record_options),
	.defaults = record_options_defaults,
	.release = record_options_deinit,
	.run = run,
};
