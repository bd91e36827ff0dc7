/* Begin and end of each file, and the switch to the next one. */
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/environment.h"
#include "config.h"
#include "recording/priv.h"

void recorder_fill_facts(struct recorder *r)
{
	if (!r->has_facts)
		environment_fill_session(capture_env(r->capture), r->sys, STROBE_VERSION, &r->o.capture);
	r->has_facts = true;
}

struct record_sink *recorder_sink(struct recorder *r)
{
	return recorder_path_sink(r, &r->path, &r->output.writer->sink);
}

struct strobe_error *recorder_begin_file(struct recorder *r)
{
	struct env *env = capture_env(r->capture);
	if (r->output.pipe)
		recorder_fill_facts(r);
	env->has_dir_format = r->output.directory;
	env->dir_version = 1;
	if (r->unwinder)
		stack_unwinder_begin_file(r->unwinder);
	TRY(record_output_open(&r->output, env, capture_rings(r->capture)));
	r->file_start_bytes = record_output_bytes(&r->output) - r->output.writer->bytes_written;
	if (!r->output.pipe)
		TRY(writer_event_updates(r->output.writer, env));
	if (!r->o.tail_synthesize)
		TRY(capture_synthesize(r->capture, recorder_sink(r), r->files > 0));
	if (!r->output.pipe)
		TRY(writer_round(r->output.writer, env));
	r->files++;
	capture_forget_times(r->capture);
	return NULL;
}

struct strobe_error *recorder_end_round(struct recorder *r, uint64_t bytes)
{
	r->is_round_due |= bytes != 0;
	if (!r->is_round_due || chain_sink_holds(&r->path.chain))
		return NULL;
	r->is_round_due = false;
	return writer_round(r->output.writer, capture_env(r->capture));
}

/* Writes the content of the rings, and data that is only known at the end. */
static struct strobe_error *write_rest(struct recorder *r)
{
	uint64_t bytes;
	if (r->done)
		stack_unwinder_enable_waits(r->unwinder, false);
	for (unsigned i = 0; i < capture_readers(r->capture); i++) {
		TRY(capture_drain(r->capture, i, recorder_sink(r), true, false, &bytes));
		TRY(recorder_settle_stacks(r));
		if (!r->output.directory)
			TRY(recorder_end_round(r, bytes));
	}
	if (capture_overwrites(r->capture))
		TRY(capture_snapshot(r->capture, recorder_sink(r), &bytes));
	if (r->done && r->unwinder)
		TRY(stack_unwinder_finish_waits(r->unwinder, r->path.chain.to));
	if (r->done)
		TRY(capture_finish(r->capture, recorder_sink(r)));
	return r->o.tail_synthesize ? capture_synthesize(r->capture, recorder_sink(r), true) : NULL;
}

struct strobe_error *recorder_end_file(struct recorder *r, const char **ret_name)
{
	struct strobe_error *err = write_rest(r);
	recorder_fill_facts(r);
	struct env *env = capture_env(r->capture);
	struct capture_totals t = capture_totals(r->capture);
	env->first_sample_ns = t.first_ns;
	env->last_sample_ns = t.last_ns;
	recorder_fill_scripts(r, env);
	return error_first(err, record_output_finish(&r->output, env, ret_name));
}

struct strobe_error *recorder_switch_file(struct recorder *r)
{
	const char *name;
	TRY(recorder_end_file(r, &name));
	recorder_say(r, RECORDER_RESULT, "Dump %s", name);
	TRY(recorder_begin_file(r));
	return record_output_commit(&r->output);
}

struct strobe_error *recorder_snapshot(struct recorder *r, bool switches, bool *ret_done)
{
	*ret_done = switches || capture_overwrites(r->capture);
	if (switches)
		return recorder_switch_file(r);
	return *ret_done ? capture_snapshot(r->capture, recorder_sink(r), &(uint64_t){ 0 }) : NULL;
}

bool recorder_is_switch_due(const struct recorder *r)
{
	uint64_t limit = r->o.switching.bytes;
	return limit && record_output_bytes(&r->output) - r->file_start_bytes >= limit;
}

struct strobe_error *recorder_open_trigger(struct recorder *r)
{
	if (!r->o.switch_events->events.len)
		return NULL;
	struct capture_options options;
	capture_options_init(&options);
	options.target = r->o.capture.target;
	options.freq_hz = 0;
	options.period = 1;
	options.period_set = true;
	options.no_buffering = true;
	options.mmap_pages = 16;
	event_set_init(&r->trigger_events, r->sys);
	event_set_add_list(&r->trigger_events, r->o.switch_events);
	TRY(error_prefix(capture_open(r->sys, &options, &r->trigger_events, r->workload.pid, &r->trigger),
			 "--switch-output-event"));
	capture_exclude_thread(r->trigger, (pid_t)syscall(SYS_gettid));
	return capture_apply_filters(r->trigger);
}

/* Records of the trigger's rings are counted and dropped. */
static struct strobe_error *drop_records(struct record_sink *s, const void *records, size_t bytes)
{
	return NULL;
}

struct strobe_error *recorder_take_trigger(struct recorder *r)
{
	struct record_sink sink = { .write = drop_records };
	uint64_t bytes, before = capture_totals(r->trigger).samples;
	capture_tasks_gone(r->trigger, 0);
	TRY(capture_drain(r->trigger, 0, &sink, true, false, &bytes));
	return capture_totals(r->trigger).samples > before ? recorder_switch_file(r) : NULL;
}
