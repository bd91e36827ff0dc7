/* `trace -i`: the system calls of a recording, as they would have been shown live. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/input.h"
#include "cmd/trace/run.h"
#include "cmd/trace/samples.h"
#include "record/order.h"

struct replay {
	struct trace_run *run;
	struct record_source *input; /* in order of time */
	struct record_source *file;  /* that it reads; owned by it */
	struct trace_lines *lines;
	struct trace_samples *samples;
};

static struct strobe_error *check(const struct trace_run *r)
{
	const struct trace_options *o = r->o;
	TRY(trace_options_check(o, r->ctx->rest.argc));
	if (r->ctx->rest.argc)
		return error_create(ERROR_USAGE, "-i shows a recording: no command is run (%s)", r->ctx->rest.argv[0]);
	if (!target_is_none(&o->target) || o->target.cpus || o->cgroup || o->delay_ms || o->ring_bytes_set || o->no_inherit)
		return error_create(ERROR_USAGE, "-i shows all of a recording: -a, -C, -D, -G, -m, -p, -t, -u and --no-inherit are for "
						 "tracing live");
	if (o->by == SYSCALL_STATS_BY_CGROUP)
		return error_create(ERROR_USAGE, "--summary-mode cgroup is counted live: a recording does not say the cgroup");
	return NULL;
}

/* The calls of the machine that was recorded; known when the first record comes. */
static struct strobe_error *begin(struct replay *p)
{
	struct trace_run *r = p->run;
	const struct env *env = source_env(p->input);
	const struct arch *arch = env->arch ? arch_by_uname(env->arch) : arch_native();
	r->native = arch ? syscall_table_create(arch) : NULL;
	if (!r->native)
		return error_create(ERROR_UNSUPPORTED, "no table of system calls for the architecture %s of the recording",
				    env->arch ? env->arch : "");
	if (r->o->calls)
		TRY(syscall_select(r->native, r->o->calls, &r->chosen));
	struct trace_samples_setup setup = {
		.env = env,
		.lines = p->lines,
		.calls = r->native,
		.chosen = r->o->calls ? &r->chosen : NULL,
		.excluded = r->o->excluded.data,
		.excluded_nr = r->o->excluded.len,
	};
	p->samples = trace_samples_create(&setup);
	return NULL;
}

static struct strobe_error *read_all(struct replay *p)
{
	for (;;) {
		struct record record;
		bool end;
		TRY(source_next(p->input, &record, &end));
		if (end || trace_lines_ended(p->lines))
			return NULL;
		/* The first of the kernel's own: a stream has told of its machine by then. */
		if (!p->samples && record.hdr->type < RECORD_USER_FIRST)
			TRY(begin(p));
		if (p->samples)
			TRY(trace_samples_take(p->samples, record));
	}
}

static void say_losses(const struct replay *p)
{
	const struct cmd_context *ctx = p->run->ctx;
	input_remarks(ctx, p->file, NULL);
	if (!p->samples)
		return;
	struct trace_samples_stats stats = trace_samples_stats(p->samples);
	if (stats.lost)
		cmd_say(ctx, "%" PRIu64 " events were lost while recording: larger buffers (-m) or fewer calls (-e) keep them all",
			stats.lost);
	if (stats.damaged)
		cmd_say(ctx, "%" PRIu64 " samples are shorter than their event says and were left out", stats.damaged);
}

static struct strobe_error *replay(struct replay *p)
{
	struct trace_run *r = p->run;
	TRY(check(r));
	TRY(trace_open_output(r));
	TRY(input_open(r->o->input, r->o->force, &p->file));
	p->input = order_create(p->file);
	struct trace_lines_setup setup = { .o = r->o, .out = &r->out, .only_stats = r->o->summary };
	p->lines = trace_lines_create(&setup);
	struct strobe_error *err = read_all(p);
	if (!err && !trace_samples_has_calls(source_env(p->input)))
		return error_create(ERROR_NOT_FOUND, "this recording holds no system calls: record them with 'trace record', or with "
						     "'record -e raw_syscalls:*'");
	/* What was whole is shown. */
	if (p->samples)
		trace_samples_finish(p->samples);
	trace_lines_finish(p->lines);
	if (r->o->summary || r->o->with_summary)
		trace_print_stats(r, trace_lines_stats(p->lines));
	say_losses(p);
	return err;
}

int trace_replay(struct trace_run *r)
{
	struct replay p = { .run = r };
	signal(SIGPIPE, SIG_IGN);
	struct strobe_error *err = replay(&p);
	trace_lines_destroy(p.lines);
	err = trace_close_output(r, err);
	trace_samples_destroy(p.samples);
	source_destroy(p.input);
	syscall_table_destroy(r->native);
	if (!err)
		return CMD_OK;
	return error_is(err, ERROR_USAGE) ? cmd_fail_usage(r->ctx, err) : cmd_fail(r->ctx, err);
}
