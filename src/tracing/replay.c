#include "tracing/replay.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "record/order.h"
#include "session/input.h"
#include "session/session.h"
#include "tracing/call_choice.h"
#include "tracing/events.h"

struct trace_replay {
	struct trace_replay_request q;
	struct session session;
	struct record_source *ordered; /* the session's source if it is ordered by time, else NULL */
	struct call_choice calls;
	struct trace_lines *lines;
	struct trace_events *events; /* NULL: no record has come */
};

struct strobe_error *trace_replay_open(const struct trace_replay_request *q, struct trace_replay **ret)
{
	struct trace_replay *t = *ret = xcalloc(1, sizeof(*t));
	const struct trace_selection *s = q->selection;
	struct trace_lines_setup setup = {
		.sink = q->sink,
		.counts = q->summary->only || q->summary->with_lines,
		.only_stats = q->summary->only,
		.by = q->summary->by,
		.sched = q->summary->sched,
		.files = OPEN_FILES_FOLLOWED,
		.failures_only = s->failure,
		.by_duration = s->duration_set,
		.longer_than_ns = (uint64_t)(s->duration_ms * 1e6),
		.max_lines = s->max_events,
	};
	t->q = *q;
	t->lines = trace_lines_create(&setup);
	return session_open(&t->session, q->host, q->input, q->force);
}

void trace_replay_destroy(struct trace_replay *t)
{
	if (!t)
		return;
	trace_events_destroy(t->events);
	session_close(&t->session);
	trace_lines_destroy(t->lines);
	call_choice_deinit(&t->calls);
	free(t);
}

/* Events of -e have lines. */
static struct trace_event_choice choice_of(void *ctx, const struct env_event *e, size_t index)
{
	return (struct trace_event_choice){ .is_shown = trace_selects_event(((struct trace_replay *)ctx)->q.selection, e->name) };
}

/* The calls of the recorded architecture; for a stream they are known with the first record. */
static struct strobe_error *begin(struct trace_replay *t)
{
	const struct trace_selection *s = t->q.selection;
	const struct env *env = t->session.env;
	if (t->events)
		return NULL;
	TRY(call_choice_make(&t->calls, arch_or_native(env->arch), s->calls));
	if (!t->calls.native)
		return error_create(ERROR_UNSUPPORTED, "no system call table for the architecture of the recording, %s",
				    env->arch ? env->arch : "");
	struct call_pairs_setup pairs = call_choice_pairs(&t->calls, t->lines);
	struct trace_events_setup setup = {
		.env = env,
		.resolver = t->session.resolver,
		.lines = t->lines,
		.native = t->calls.native,
		.pairs = trace_selects_calls(s) ? &pairs : NULL,
		.choice = choice_of,
		.excluded = s->excluded.data,
		.excluded_nr = s->excluded.len,
		.ctx = t,
	};
	t->events = trace_events_create(&setup);
	return NULL;
}

static struct strobe_error *take_resolved(void *ctx, const struct resolved_sample *r)
{
	struct trace_replay *t = ctx;
	TRY(begin(t));
	return trace_events_take_resolved(t->events, r);
}

static struct strobe_error *take_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct trace_replay *t = ctx;
	if (r.hdr->type >= RECORD_USER_FIRST)
		return NULL;
	TRY(begin(t));
	return trace_events_take(t->events, r);
}

/* With symbols, or for a stream, whose events are not known yet. */
static struct strobe_error *read_resolved(struct trace_replay *t)
{
	struct session_request request = {
		.filter = &(struct resolve_filter){},
		.resolve = { .with_chains = true, .with_inlines = true, .max_stack = (uint32_t)t->q.selection->max_stack },
	};
	struct resolve_callbacks callbacks = { .sample = take_resolved, .record = take_record, .ctx = t };
	TRY(session_resolve(&t->session, &request));
	return resolve_stream(t->session.resolver, callbacks);
}

static struct strobe_error *read_ordered(struct trace_replay *t)
{
	t->ordered = t->session.source = order_create(t->session.source);
	TRY(begin(t));
	return trace_events_read(t->events, t->session.source);
}

struct strobe_error *trace_replay_run(struct trace_replay *t)
{
	const struct env *env = t->session.env;
	bool resolves = env->is_pipe || trace_events_need_symbols(env);
	struct strobe_error *err = resolves ? read_resolved(t) : read_ordered(t);
	if (!err && !trace_events_have_calls(env) && trace_selects_calls(t->q.selection))
		return error_create(ERROR_NOT_FOUND, "this recording has no system calls: record them with 'trace record' or "
			"'record -e raw_syscalls:*'");
	return err;
}

void trace_replay_finish(struct trace_replay *t, const struct syscall_stats **ret_stats)
{
	if (t->events)
		trace_events_finish(t->events);
	trace_lines_finish(t->lines);
	*ret_stats = t->q.summary->only || t->q.summary->with_lines ? trace_lines_stats(t->lines) : NULL;
}

void trace_replay_remarks(const struct trace_replay *t)
{
	input_remarks(t->q.host, t->session.reader, NULL);
	if (t->ordered) {
		input_say_untimely(t->q.host, order_late(t->ordered), order_misdated(t->ordered));
	} else if (t->session.resolver) {
		const struct resolve_stats *s = resolver_stats(t->session.resolver);
		input_say_untimely(t->q.host, s->late_records, s->misdated_records);
	}
	if (!t->events)
		return;
	uint64_t lost = trace_events_lost(t->events);
	if (lost)
		session_say(t->q.host, "%" PRIu64 " events were lost while recording: use larger buffers (-m) or select system calls (-e)",
			    lost);
	trace_events_say_damaged(t->events, t->q.host);
}

struct trace_tasks *trace_replay_tasks(struct trace_replay *t)
{
	return trace_lines_tasks(t->lines);
}
