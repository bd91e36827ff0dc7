/* `trace -i`: the system calls of a recording, as they would have been shown live. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/trace/show.h"
#include "record/order.h"
#include "session/input.h"
#include "session/symbols.h"

struct replay {
	struct trace_run *run;
	struct record_source *file;
	struct record_source *ordered; /* over it, in order of time; or NULL */
	struct resolver *resolver;     /* in its place, where symbols are needed */
	struct foreign_files *foreign; /* of the resolver */
	struct trace_events *events;
};

static struct strobe_error *check(const struct trace_run *r)
{
	const struct trace_options *o = r->o;
	TRY(trace_options_check(o, r->ctx->rest.argc));
	if (r->ctx->rest.argc)
		return error_create(ERROR_USAGE, "-i reads a recording: unexpected command '%s'", r->ctx->rest.argv[0]);
	if (!target_is_none(&o->target) || o->target.cpus || o->cgroup || o->delay_ms || o->ring_bytes_set || o->no_inherit)
		return error_create(ERROR_USAGE, "-a, -C, -D, -G, -m, -p, -t, -u and --no-inherit cannot be combined with -i: "
			"they apply to live tracing");
	if (o->callgraph.mode != CALLGRAPH_NONE || o->kernel_graph || o->sched || o->switch_on || o->switch_off || o->map_dump ||
	    o->print_sample || o->tool_stats || o->min_stack)
		return error_create(ERROR_USAGE, "--call-graph, --kernel-syscall-graph, --map-dump, --min-stack, "
			"--print-sample, --sched, --switch-on, --switch-off and --tool_stats cannot be combined with -i: they "
			"apply to live tracing (recorded call graphs are shown)");
	if ((o->signals_set && o->signals) || (o->processes_set && o->processes))
		return error_create(ERROR_USAGE, "--signals and --processes cannot be combined with -i: a recording has "
			"neither delivered signals nor exits of tasks");
	if (o->path)
		return error_create(ERROR_USAGE, "-P cannot be combined with -i: a recording has no paths");
	if (o->by == SYSCALL_STATS_BY_CGROUP)
		return error_create(ERROR_USAGE, "--summary-mode cgroup cannot be combined with -i: a recording has no cgroups");
	return NULL;
}

/* Events of -e have lines. */
static struct trace_event_choice choice_of(void *ctx, const struct env_event *e, size_t index)
{
	const struct event_list *list = &((struct replay *)ctx)->run->o->events;
	struct trace_event_choice c = {};
	for (size_t i = 0; i < list->events.len; i++)
		c.is_shown |= !strcmp(list->events.data[i].name, e->name);
	return c;
}

/* The calls of the machine that was recorded; of a stream they are known when the first record comes. */
static struct strobe_error *begin(struct replay *p)
{
	struct trace_run *r = p->run;
	const struct env *env = source_env(p->file);
	const struct arch *arch = arch_or_native(env->arch);
	TRY(trace_select_calls(r, arch, r->o->calls));
	if (!r->native)
		return error_create(ERROR_UNSUPPORTED, "no system call table for the architecture of the recording, %s",
				    env->arch ? env->arch : "");
	struct call_pairs_setup pairs = {
		.lines = r->lines,
		.calls = r->native,
		.compat_calls = r->compat,
		.chosen = r->o->calls ? &r->chosen : NULL,
		.compat_chosen = r->o->calls ? &r->compat_chosen : NULL,
	};
	struct trace_events_setup setup = {
		.env = env,
		.resolver = p->resolver,
		.lines = r->lines,
		.native = r->native,
		.pairs = trace_wants_calls(r->o) ? &pairs : NULL,
		.choice = choice_of,
		.excluded = r->o->excluded.data,
		.excluded_nr = r->o->excluded.len,
		.ctx = p,
	};
	p->events = trace_events_create(&setup);
	return NULL;
}

/* By a resolver: a sample or another record. */
static struct strobe_error *take_resolved(void *ctx, const struct resolved_sample *r)
{
	struct replay *p = ctx;
	if (!p->events)
		TRY(begin(p));
	return trace_events_take_resolved(p->events, r);
}

static struct strobe_error *take_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct replay *p = ctx;
	if (r.hdr->type >= RECORD_USER_FIRST)
		return NULL;
	if (!p->events)
		TRY(begin(p));
	return trace_events_take(p->events, r);
}

/* What is in a stream is not known before it is read. */
static struct strobe_error *read_resolved(struct replay *p)
{
	const struct trace_options *o = p->run->o;
	struct symbols_options symbols = {};
	struct resolve_options options = { .with_chains = true, .with_inlines = true, .max_stack = (uint32_t)o->max_stack };
	struct resolve_callbacks callbacks = { .sample = take_resolved, .record = take_record, .ctx = p };
	TRY(session_symbols(cmd_host(p->run->ctx), source_env(p->file), o->force, &symbols, &p->foreign));
	p->resolver = resolver_create(p->file, symbols, options);
	return resolve_stream(p->resolver, callbacks);
}

static struct strobe_error *read_ordered(struct replay *p)
{
	p->ordered = order_create(p->file);
	TRY(begin(p));
	return trace_events_read(p->events, p->ordered);
}

static void say_losses(const struct replay *p)
{
	struct cmd_context *ctx = p->run->ctx;
	input_remarks(cmd_host(ctx), p->file, NULL);
	if (!p->events)
		return;
	uint64_t lost = trace_events_lost(p->events);
	if (lost)
		cmd_say(ctx, "%" PRIu64 " events were lost while recording: use larger buffers (-m) or select system calls (-e)",
			lost);
	trace_say_damaged(p->run, p->events);
}

static struct strobe_error *replay(struct replay *p)
{
	struct trace_run *r = p->run;
	TRY(check(r));
	TRY(trace_open_output(r));
	TRY(input_open(r->o->input, r->o->force, &p->file));
	trace_begin_lines(r, (struct trace_source_facts){ .files = OPEN_FILES_FOLLOWED });
	trace_begin_output(r);
	const struct env *env = source_env(p->file);
	struct strobe_error *err = env->is_pipe || trace_events_need_symbols(env) ? read_resolved(p) : read_ordered(p);
	if (!err && !trace_events_have_calls(env) && trace_wants_calls(r->o))
		return error_create(ERROR_NOT_FOUND, "this recording has no system calls: record them with 'trace record' or "
			"'record -e raw_syscalls:*'");
	/* What was whole is shown. */
	if (p->events)
		trace_events_finish(p->events);
	trace_end_lines(r);
	trace_show_stats(r);
	say_losses(p);
	return err;
}

int trace_replay(struct trace_run *r)
{
	struct replay p = { .run = r };
	signal(SIGPIPE, SIG_IGN);
	struct strobe_error *err = replay(&p);
	trace_forget_lines(r);
	err = trace_close_output(r, err);
	trace_events_destroy(p.events);
	resolver_destroy(p.resolver);
	foreign_files_destroy(p.foreign);
	source_destroy(p.ordered ? p.ordered : p.file); /* who orders owns what it reads */
	syscall_table_destroy(r->native);
	syscall_table_destroy(r->compat);
	if (!err)
		return CMD_OK;
	return error_is(err, ERROR_USAGE) ? cmd_fail_usage(r->ctx, err) : cmd_fail(r->ctx, err);
}
