/* report: from a recording's events to a resolver, and from a profile to the rows that views take. */
#include "base/lists.h"
#include "base/text.h"
#include "cli/color.h"
#include "cmd/report/run.h"
#include "session/sample_choice.h"
#include "session/symbols.h"
#include "sys/perf_abi.h"

/* ---- what the recording holds ---- */

struct recorded {
	bool branches, memory; /* branch records; data sources of memory accesses */
};

static struct recorded look_at_events(struct report_run *r)
{
	struct recorded has = {};
	struct report_query *q = &r->query;
	q->only_tracepoints = r->env->events.len > 0;
	for (size_t i = 0; i < r->env->events.len; i++) {
		const struct perf_event_attr *a = &r->env->events.data[i].attr;
		q->has_chains |= !!(a->sample_type & PERF_SAMPLE_CALLCHAIN);
		/* Call stacks of the processor (--call-graph lbr) are branch records as well, and mean something else. */
		has.branches |= a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
				   !(a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
		has.memory |= !!(a->sample_type & PERF_SAMPLE_DATA_SRC);
		q->has_switches |= a->context_switch && a->sample_type & PERF_SAMPLE_TIME && a->sample_type & PERF_SAMPLE_TID;
		/* Switches of whole CPUs have an event of their own. They do not tell which threads the recording is about. */
		q->shows_latency |= q->has_switches && a->context_switch && !(perf_attr_is_dummy(a) && a->sample_type & PERF_SAMPLE_CPU);
		q->only_tracepoints &= a->type == PERF_TYPE_TRACEPOINT;
	}
	return has;
}

struct strobe_error *report_choose_modes(struct report_run *r, struct report_options *o)
{
	struct report_query *q = &r->query;
	const struct recorded has = look_at_events(r);
	if (o->selection.branch_history && !has.branches)
		return error_create(ERROR_USAGE, "--branch-history requires branch records: record with -b");
	if (o->selection.branch_history) {
		q->has_chains = true;
		o->grouping.chains.by_address = true;
	}
	q->branch_mode = has.branches && !o->selection.no_branch_stack && !o->selection.mem_mode && !o->selection.branch_history;
	if (o->total_cycles && !has.branches)
		return error_create(ERROR_USAGE, "--total-cycles requires branch records: record with -b");
	if (o->selection.branch_stack && !has.branches)
		return error_create(ERROR_USAGE, "Selected -b but no branch data. Did you call '%s record' without -b?",
				    r->ctx->program);
	if (o->grouping.chains_asked && !q->has_chains)
		return error_create(ERROR_USAGE, "Selected -g but no callchain data. Did you call '%s record' without -g?",
				    r->ctx->program);
	if ((o->grouping.latency || o->filter.parallelism) && !q->has_switches)
		return report_switches_missing(q);
	if (o->grouping.latency_set)
		q->shows_latency = o->grouping.latency;
	if (o->selection.mem_mode && !has.memory)
		return error_create(ERROR_USAGE, "Selected --mem-mode but no mem data. Did you call '%s record' without -d?",
				    r->ctx->program);
	if (o->selection.stitch_calls && r->query.is_live && !resolve_has_calls(r->env))
		return error_create(ERROR_USAGE, "--stitch-lbr requires --call-graph lbr");
	if (o->selection.stitch_calls && !resolve_has_calls(r->env))
		cmd_say(r->ctx, "--stitch-lbr: the recording has no call stacks to stitch (record --call-graph lbr)");
	q->branch_history = o->selection.branch_history;
	q->mem_mode = o->selection.mem_mode;
	q->long_names = o->verbose > 0;
	q->is_powerpc = r->env->arch && text_has_prefix(r->env->arch, "ppc");
	TRY(sample_choice_check(&(struct sample_choice){ .cpus = o->selection.cpus, .times = o->selection.times }, r->env));
	q->children = o->grouping.children && q->has_chains && !q->branch_mode && !o->selection.mem_mode && !o->grouping.hierarchy;
	if (!o->grouping.chain_order_set)
		o->grouping.chains.callee_first = !o->grouping.children || !q->has_chains;
	if (o->grouping.percent_limit_set)
		o->grouping.chains.min_percent = o->grouping.percent_limit;
	return NULL;
}

/* ---- from file to profile ---- */

static bool needs_stacks(const struct report_run *r)
{
	const struct report_grouping *g = &r->o->grouping;
	return r->query.has_chains &&
	       (r->query.children || report_draws(r->o) || g->chains.mode != CALLTREE_NONE || g->ignore_callees ||
		r->o->filter.exclude_other || report_keys_need(&r->query, COLUMN_NEEDS_STACKS));
}

static bool needs_lines(const struct report_run *r)
{
	return r->o->grouping.chains.by_address || report_pages(r->o) || report_keys_need(&r->query, COLUMN_NEEDS_LINES);
}

static bool needs_addresses(const struct report_run *r)
{
	return r->o->grouping.chains.by_address || r->o->verbose || report_pages(r->o) || r->tells_addresses ||
	       report_keys_need(&r->query, COLUMN_NEEDS_ADDRESSES);
}

/* Of the times that are asked for, what is in the span. */
static void narrow(struct report_run *r, struct resolve_filter *filter)
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
	/* What is outside of all of them is in none: no times at all would let everything through. */
	if (!filter->times_nr)
		times[n++] = r->span;
	else if (!n)
		times[n++] = (struct time_range){ UINT64_MAX, 0 };
	filter->times = times;
	filter->times_nr = n;
}

/* Labels of the profile's rows: of those that the query reads, what samples can have. */
static const char *const *choose_labels(struct report_run *r, uint32_t *ret_nr)
{
	uint32_t nr;
	r->query.needs_comm = report_draws(r->o);
	r->query.needs_threads |= report_pages(r->o);
	const char *const *labels = report_labels(&r->query, &nr);
	const char **known = arena_new_array(&r->query.arena, const char *, nr + 1);
	*ret_nr = 0;
	for (uint32_t i = 0; i < nr; i++)
		if (resolve_key_known(labels[i]))
			known[(*ret_nr)++] = labels[i];
	return known;
}

struct strobe_error *report_make_resolver(struct report_run *r)
{
	const struct report_options *o = r->o;
	struct resolve_options options = {
		.with_chains = needs_stacks(r),
		.max_stack = o->selection.max_stack > UINT32_MAX ? UINT32_MAX : (uint32_t)o->selection.max_stack,
		.keep_outermost = !o->grouping.chains.callee_first && !report_draws(o),
		.keep_time_log = report_pages(o),
		.hide_unresolved = o->selection.hide_unresolved,
		.branch_mode = r->query.branch_mode,
		.branch_history = o->selection.branch_history,
		.stitch_calls = o->selection.stitch_calls,
		.mem_mode = o->selection.mem_mode,
		.raw_trace = o->grouping.raw_trace,
		.by_address = needs_addresses(r),
		.with_inlines = o->selection.inlined && needs_stacks(r),
		.with_lines = needs_lines(r),
		.innermost_lines = !o->grouping.chains.by_address && !report_pages(o),
		.time_quantum_ns = o->grouping.time_quantum_ns,
		.progress = r->progress,
	};
	struct symbols_options symbols = o->selection.symbol_files;
	symbols.live = r->query.is_live;
	TRY(session_symbols(cmd_host(r->ctx), r->env, o->selection.force, &symbols, &r->foreign));
	options.switches.keep = o->selection.show_switches;
	TRY(event_switches_find(r->env, o->selection.switch_on, "--switch-on", r->query.is_live, &options.switches.on));
	TRY(event_switches_find(r->env, o->selection.switch_off, "--switch-off", r->query.is_live, &options.switches.off));
	options.label_keys = choose_labels(r, &options.label_keys_nr);
	TRY(sample_choice_parse(&(struct sample_choice){ .cpus = o->selection.cpus, .times = o->selection.times }, r->env,
				&r->query.arena, &options.filter));
	if (r->span.to_ns)
		narrow(r, &options.filter);
	r->resolver = resolver_create(r->source, symbols, options);
	return NULL;
}

/* ---- from profile to parts ---- */

static const char *thread_name(void *ctx, uint32_t tid)
{
	struct report_run *r = ctx;
	struct machine *m = resolver_machine(r->resolver);
	if (!r->last_threads.slots)
		for (size_t i = 0; i < machine_threads_count(m); i++)
			*u64map_put(&r->last_threads, machine_thread_at(m, i)->tid, NULL) = i + 1;
	const uint64_t *index = u64map_get(&r->last_threads, tid);
	if (!index)
		return NULL;
	const struct thread *t = machine_thread_at(m, *index - 1);
	return strtab_get(machine_strings(m), machine_comm(m, t, t->end_ns));
}

/* ---- the report ---- */

static const char *choose_tip(const struct report_run *r)
{
	if (!r->query.has_chains && !r->query.only_tracepoints && !r->query.branch_mode)
		return "To see who calls these functions, record with -g";
	if (r->query.only_tracepoints)
		return "To group events by what caused them, try -s comm,sym";
	if (r->query.children)
		return "To sort by the time functions take themselves, use --no-children";
	return "To draw the stacks as a picture, use the command flamegraph";
}

static struct strobe_error *parse_widths(struct report_run *r, struct report *report)
{
	struct list_numbers widths;
	if (!r->o->display.widths)
		return NULL;
	TRY(list_numbers_parse(&r->query.scratch, "width", r->o->display.widths, &widths));
	report->widths = widths.data;
	report->widths_nr = widths.nr;
	return NULL;
}

static void describe_events(struct report_run *r)
{
	struct report_event *events = arena_new_array(&r->query.scratch, struct report_event, r->env->events.len + 1);
	for (size_t i = 0; i < r->env->events.len; i++) {
		const struct env_event *e = &r->env->events.data[i];
		events[i] = (struct report_event){
			.name = e->name,
			.leader = e->leader,
			.group_members = e->group_members,
			.group_name = e->group_name,
			.is_dummy = perf_attr_is_dummy(&e->attr),
			.has_chains = e->attr.sample_type & PERF_SAMPLE_CALLCHAIN ||
				      (r->query.branch_history && e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK),
		};
	}
	r->query.events = events;
	r->query.events_nr = (uint32_t)r->env->events.len;
}

struct strobe_error *report_build(struct report_run *r, struct report_built *b)
{
	const struct report_options *o = r->o;
	u64map_deinit(&r->last_threads); /* top: threads come and go between reports */
	describe_events(r);
	report_build_parts(&r->query, r->profile, b);
	b->report.separator = o->display.separator;
	b->report.lost_samples = resolver_stats(r->resolver)->lost_samples;
	struct strobe_error *err = parse_widths(r, &b->report);
	if (err)
		report_built_deinit(r, b);
	return err;
}

struct report_text report_text(const struct report_run *r)
{
	const struct report_options *o = r->o;
	struct report_text text = {
		.quiet = o->display.quiet,
		.ref_chains = o->display.ref_chains,
		.time_slices = o->selection.times,
		.has_socket = o->filter.socket_set,
		.socket = o->filter.socket,
		.tip = choose_tip(r),
	};
	if (cmd_use_colour(r->ctx, o->colour)) {
		text.colour_high = colour_escape(true, COLOUR_HIGH);
		text.colour_medium = colour_escape(true, COLOUR_MEDIUM);
		text.colour_off = colour_escape(true, COLOUR_RESET);
	}
	return text;
}

void report_built_deinit(struct report_run *r, struct report_built *b)
{
	report_parts_deinit(&r->query, b);
}

/* ---- the run ---- */

void report_run_init(struct report_run *r, struct cmd_context *ctx, const struct report_options *o)
{
	*r = (struct report_run){ .ctx = ctx, .o = o };
	report_query_init(&r->query, &o->grouping, &o->filter);
	r->query.program = ctx->program;
	r->query.thread_name = thread_name;
	r->query.thread_ctx = r;
	r->query.add_fields = report_add_fields;
	r->query.fields_ctx = r;
}

void report_run_deinit(struct report_run *r)
{
	u64map_deinit(&r->last_threads);
	foreign_files_destroy(r->foreign);
	report_query_deinit(&r->query);
}
