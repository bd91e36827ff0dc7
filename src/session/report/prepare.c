/* Derives modes, columns and a resolver from a request and the events of a recording. */
#include "base/text.h"
#include "base/strbuf.h"
#include "record/wait.h"
#include "session/report/foreign.h"
#include "session/report/report_session.h"
#include "sys/perf_abi.h"

/* ---- modes ---- */

struct recorded {
	bool branches, memory; /* branch records; data sources of memory accesses */
};

static struct recorded look_at_events(struct report_session *r)
{
	struct recorded has = {};
	struct report_query *q = &r->query;
	const struct env *env = r->session.env;
	q->only_tracepoints = env->events.len > 0;
	for (size_t i = 0; i < env->events.len; i++) {
		const struct perf_event_attr *a = &env->events.data[i].attr;
		q->has_chains |= !!(a->sample_type & PERF_SAMPLE_CALLCHAIN);
		/* Call stacks of the processor (--call-graph lbr) are branch records as well, with a different meaning. */
		has.branches |= a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
				   !(a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
		has.memory |= !!(a->sample_type & PERF_SAMPLE_DATA_SRC);
		q->has_switches |= a->context_switch && a->sample_type & PERF_SAMPLE_TIME && a->sample_type & PERF_SAMPLE_TID;
		/* Switches of whole CPUs have a separate event, which does not show the recorded threads. */
		q->shows_latency |= q->has_switches && a->context_switch && !(perf_attr_is_dummy(a) && a->sample_type & PERF_SAMPLE_CPU);
		q->only_tracepoints &= a->type == PERF_TYPE_TRACEPOINT;
	}
	return has;
}

/* Errors for requested data that was not recorded. */
static struct strobe_error *check_recorded(const struct report_session *r, struct recorded has)
{
	const struct report_request *o = &r->request;
	const struct report_query *q = &r->query;
	if (o->purpose == REPORT_FOR_CYCLES && !has.branches)
		return error_create(ERROR_USAGE, "--total-cycles requires branch records: record with -b");
	if (o->selection.branch_stack && !has.branches)
		return error_create(ERROR_USAGE, "Selected -b but no branch data. Did you call '%s record' without -b?", o->program);
	if (o->grouping.chains_requested && !q->has_chains)
		return error_create(ERROR_USAGE, "Selected -g but no callchain data. Did you call '%s record' without -g?", o->program);
	if ((o->grouping.latency || o->filter.parallelism) && !q->has_switches)
		return report_switches_missing(q);
	if (o->selection.mem_mode && !has.memory)
		return error_create(ERROR_USAGE, "Selected --mem-mode but no mem data. Did you call '%s record' without -d?", o->program);
	if (o->selection.stitch_calls && q->is_live && !resolve_has_calls(r->session.env))
		return error_create(ERROR_USAGE, "--stitch-lbr requires --call-graph lbr");
	return NULL;
}

static struct sample_choice choice_of(const struct report_request *o)
{
	return (struct sample_choice){ .cpus = o->selection.cpus, .times = o->selection.times };
}

static struct strobe_error *choose_modes(struct report_session *r)
{
	struct report_request *o = &r->request;
	struct report_query *q = &r->query;
	const struct sample_choice choice = choice_of(o);
	const struct recorded has = look_at_events(r);
	q->branch_history = o->selection.branch_history;
	if (q->branch_history && !has.branches)
		return error_create(ERROR_USAGE, "--branch-history requires branch records: record with -b");
	if (q->branch_history)
		q->has_chains = o->grouping.chains.by_address = true;
	q->mem_mode = o->selection.mem_mode;
	q->branch_mode = has.branches && !o->selection.no_branch_stack && !q->mem_mode && !q->branch_history;
	TRY(check_recorded(r, has));
	if (o->selection.stitch_calls && !resolve_has_calls(r->session.env))
		session_say(r->session.host, "--stitch-lbr: the recording has no call stacks to stitch (record --call-graph lbr)");
	if (o->grouping.latency_set)
		q->shows_latency = o->grouping.latency;
	q->long_names = o->verbose > 0;
	q->is_powerpc = r->session.env->arch && text_has_prefix(r->session.env->arch, "ppc");
	TRY(sample_choice_check(&choice, r->session.env));
	q->children = o->grouping.children && q->has_chains && !q->branch_mode && !q->mem_mode && !o->grouping.hierarchy;
	if (!o->grouping.chain_order_set)
		o->grouping.chains.callee_first = !o->grouping.children || !q->has_chains;
	if (o->grouping.percent_limit_set)
		o->grouping.chains.min_percent = o->grouping.percent_limit;
	return NULL;
}

/* Of a recording; top starts without call chains, as perf top does. */
static struct strobe_error *check_parent(const struct report_session *r)
{
	if (r->query.has_chains || r->query.is_live || !report_has_key(&r->query, COLUMN_PARENT))
		return NULL;
	return error_create(ERROR_USAGE, "Selected --sort parent, but no callchain data. Did you call '%s record' without -g?",
			    r->request.program);
}

static bool show_called(struct report_session *r, const char *name, bool without_modifiers)
{
	const struct env *env = r->session.env;
	bool any = false;
	for (size_t i = 0; i < env->events.len; i++) {
		r->shown_events[i] = profile_event_is_called(env->events.data[i].name, name, without_modifiers);
		any |= r->shown_events[i];
	}
	return any;
}

static struct strobe_error *choose_events(struct report_session *r)
{
	const struct env *env = r->session.env;
	const char *name = r->request.selection.event;
	_cleanup_strbuf_ struct strbuf names = {};
	if (!name)
		return NULL;
	r->shown_events = arena_new_array(&r->query.arena, bool, env->events.len + 1);
	if (show_called(r, name, false) || show_called(r, name, true))
		return NULL;
	for (size_t i = 0; i < env->events.len; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", env->events.data[i].name);
	return error_create(ERROR_USAGE, "the recording has no event '%s'; its events: %s", name, strbuf_str(&names));
}

struct strobe_error *report_prepare(struct report_session *r)
{
	if (report_is_foreign(r))
		return report_prepare_foreign(r);
	TRY(choose_modes(r));
	TRY(choose_events(r));
	TRY(report_choose_columns(&r->query));
	TRY(check_parent(r));
	TRY(report_filters_create(&r->query));
	return report_resolve(r);
}

/* ---- the resolver ---- */

static bool draws(const struct report_session *r)
{
	return r->request.purpose == REPORT_FOR_PICTURE || r->request.purpose == REPORT_FOR_PAGE;
}

static bool needs_stacks(const struct report_session *r)
{
	const struct report_grouping *g = &r->request.grouping;
	return r->query.has_chains &&
	       (r->query.children || draws(r) || g->chains.mode != CALLTREE_NONE || g->ignore_callees ||
		r->request.filter.exclude_other || report_keys_need(&r->query, COLUMN_NEEDS_STACKS));
}

static bool needs_lines(const struct report_session *r)
{
	return r->request.grouping.chains.by_address || r->request.purpose == REPORT_FOR_PAGE ||
	       report_keys_need(&r->query, COLUMN_NEEDS_LINES);
}

static bool needs_addresses(const struct report_session *r)
{
	return r->request.grouping.chains.by_address || r->request.verbose || r->request.purpose == REPORT_FOR_PAGE || r->by_address ||
	       report_keys_need(&r->query, COLUMN_NEEDS_ADDRESSES);
}

/* Intersects the time ranges of the filter with the span. */
static void narrow(struct report_session *r, struct resolve_filter *filter)
{
	struct time_range *times = arena_new_array(&r->query.arena, struct time_range, filter->times_nr + 1);
	uint32_t n = 0;
	for (uint32_t i = 0; i < filter->times_nr; i++) {
		struct time_range t = filter->times[i];
		t.from_ns = t.from_ns > r->span.from_ns ? t.from_ns : r->span.from_ns;
		t.to_ns = t.to_ns < r->span.to_ns ? t.to_ns : r->span.to_ns;
		if (t.from_ns <= t.to_ns)
			times[n++] = t;
	}
	/* If the intersection is empty, keep an empty range: without any range all times would pass. */
	if (!filter->times_nr)
		times[n++] = r->span;
	else if (!n)
		times[n++] = (struct time_range){ UINT64_MAX, 0 };
	filter->times = times;
	filter->times_nr = n;
}

/* Labels of the profile's rows: those that the query needs and samples have. */
/* In pages, reasons of waits are frames, as in flame graphs. */
static bool shows_waits(const struct report_session *r)
{
	return r->request.purpose == REPORT_FOR_PAGE && env_has_waits(r->session.env);
}

static const char *const *choose_labels(struct report_session *r, uint32_t *ret_nr)
{
	uint32_t nr;
	r->query.needs_comm = draws(r);
	r->query.needs_threads |= r->request.purpose == REPORT_FOR_PAGE;
	const char *const *labels = report_labels(&r->query, &nr);
	const char **known = arena_new_array(&r->query.arena, const char *, nr + 3);
	*ret_nr = 0;
	bool has_state = false, has_reason = false;
	for (uint32_t i = 0; i < nr; i++) {
		has_state |= !strcmp(labels[i], "state");
		has_reason |= !strcmp(labels[i], "reason");
		if (resolve_key_known(labels[i]))
			known[(*ret_nr)++] = labels[i];
	}
	if (shows_waits(r) && !has_state)
		known[(*ret_nr)++] = "state";
	if (shows_waits(r) && !has_reason)
		known[(*ret_nr)++] = "reason";
	return known;
}

static struct strobe_error *choose_samples(struct report_session *r, struct resolve_filter *filter, struct event_switches *switches)
{
	const struct selection *s = &r->request.selection;
	const struct sample_choice choice = choice_of(&r->request);
	const struct env *env = r->session.env;
	switches->keep = s->show_switches;
	TRY(event_switches_find(env, s->switch_on, "--switch-on", r->query.is_live, &switches->on));
	TRY(event_switches_find(env, s->switch_off, "--switch-off", r->query.is_live, &switches->off));
	TRY(sample_choice_parse(&choice, env, &r->query.arena, filter));
	if (r->span.to_ns)
		narrow(r, filter);
	return NULL;
}

struct strobe_error *report_resolve(struct report_session *r)
{
	const struct report_request *o = &r->request;
	bool is_page = o->purpose == REPORT_FOR_PAGE;
	struct resolve_filter filter;
	struct session_request request = {
		.filter = &filter,
		.symbols = o->selection.symbol_files,
		.resolve = {
			.with_chains = needs_stacks(r),
			.max_stack = o->selection.max_stack > UINT32_MAX ? UINT32_MAX : (uint32_t)o->selection.max_stack,
			.keep_outermost = !o->grouping.chains.callee_first && !draws(r),
			.keep_time_log = is_page,
			.hide_unresolved = o->selection.hide_unresolved,
			.hide_scripts = o->selection.no_scripts,
			.branch_mode = r->query.branch_mode,
			.branch_history = o->selection.branch_history,
			.stitch_calls = o->selection.stitch_calls,
			.mem_mode = o->selection.mem_mode,
			.raw_trace = o->grouping.raw_trace,
			.waits_as_frames = shows_waits(r),
			.by_address = needs_addresses(r),
			.with_inlines = o->selection.inlined && needs_stacks(r),
			.with_lines = needs_lines(r),
			.innermost_lines = !o->grouping.chains.by_address && !is_page,
			.time_quantum_ns = o->grouping.time_quantum_ns,
			.progress = r->progress,
		},
	};
	request.symbols.live = r->query.is_live;
	TRY(choose_samples(r, &filter, &request.resolve.switches));
	request.resolve.label_keys = choose_labels(r, &request.resolve.label_keys_nr);
	return session_resolve(&r->session, &request);
}
