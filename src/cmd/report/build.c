/* report: from a recording's events to a resolver, and from a profile to the rows that views take. */
#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "base/text.h"
#include "cmd/report/report.h"
#include "session/sample_choice.h"
#include "sys/perf_abi.h"

/* ---- what the recording holds ---- */

static void look_at_events(struct report_run *r)
{
	r->only_tracepoints = r->env->events.len > 0;
	for (size_t i = 0; i < r->env->events.len; i++) {
		const struct perf_event_attr *a = &r->env->events.data[i].attr;
		r->has_chains |= !!(a->sample_type & PERF_SAMPLE_CALLCHAIN);
		/* Call stacks of the processor (--call-graph lbr) are branch records as well, and mean something else. */
		r->has_branches |= a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
				   !(a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
		r->has_data |= !!(a->sample_type & PERF_SAMPLE_DATA_SRC);
		r->has_switches |= a->context_switch && a->sample_type & PERF_SAMPLE_TIME && a->sample_type & PERF_SAMPLE_TID;
		/* Switches of whole CPUs have an event of their own. They do not tell which threads the recording is about. */
		r->shows_latency |= r->has_switches && a->context_switch && !(perf_attr_is_dummy(a) && a->sample_type & PERF_SAMPLE_CPU);
		r->only_tracepoints &= a->type == PERF_TYPE_TRACEPOINT;
	}
}

struct strobe_error *report_needs_switches(const struct report_run *r)
{
	return error_create(ERROR_USAGE, "latency and parallelism need context switches with their times: record with "
					 "'%s record --latency'", r->ctx->program);
}

struct strobe_error *report_choose_modes(struct report_run *r, struct report_options *o)
{
	look_at_events(r);
	if (o->selection.branch_history && !r->has_branches)
		return error_create(ERROR_USAGE, "--branch-history needs branch records: record with -b");
	if (o->selection.branch_history) {
		r->has_chains = true;
		o->grouping.chains.by_address = true;
	}
	r->branch_mode = r->has_branches && !o->selection.no_branch_stack && !o->selection.mem_mode && !o->selection.branch_history;
	if (o->total_cycles && !r->has_branches)
		return error_create(ERROR_USAGE, "--total-cycles needs branch records: record with -b");
	if (o->selection.branch_stack && !r->has_branches)
		return error_create(ERROR_USAGE, "Selected -b but no branch data. Did you call '%s record' without -b?",
				    r->ctx->program);
	if (o->grouping.chains_asked && !r->has_chains)
		return error_create(ERROR_USAGE, "Selected -g but no callchain data. Did you call '%s record' without -g?",
				    r->ctx->program);
	if ((o->grouping.latency || o->filter.parallelism) && !r->has_switches)
		return report_needs_switches(r);
	if (o->grouping.latency_set)
		r->shows_latency = o->grouping.latency;
	if (o->selection.mem_mode && !r->has_data)
		return error_create(ERROR_USAGE, "Selected --mem-mode but no mem data. Did you call '%s record' without -d?",
				    r->ctx->program);
	if (o->selection.stitch_calls && r->live && !resolve_has_calls(r->env))
		return error_create(ERROR_USAGE, "--stitch-lbr goes with --call-graph lbr");
	if (o->selection.stitch_calls && !resolve_has_calls(r->env))
		cmd_say(r->ctx, "--stitch-lbr: the recording has no call stacks to stitch (record --call-graph lbr)");
	TRY(sample_choice_check(&(struct sample_choice){ .cpus = o->selection.cpus, .times = o->selection.times }, r->env));
	r->children = o->grouping.children && r->has_chains && !r->branch_mode && !o->selection.mem_mode && !o->grouping.hierarchy;
	if (!o->grouping.chain_order_set)
		o->grouping.chains.callee_first = !o->grouping.children || !r->has_chains;
	if (o->grouping.percent_limit_set)
		o->grouping.chains.min_percent = o->grouping.percent_limit;
	return NULL;
}

/* ---- from file to profile ---- */

static bool key_needs(const struct report_run *r, enum column_needs what)
{
	for (uint32_t i = 0; i < r->keys_nr; i++)
		if (column_needs(r->keys[i].column, what))
			return true;
	return false;
}

static bool needs_stacks(const struct report_run *r)
{
	const struct report_options *o = r->o;
	return r->has_chains && (r->children || report_draws(o) || o->grouping.chains.mode != CALLTREE_NONE || o->grouping.ignore_callees ||
				 o->filter.exclude_other || key_needs(r, COLUMN_NEEDS_STACKS));
}

static bool needs_lines(const struct report_run *r)
{
	return r->o->grouping.chains.by_address || report_pages(r->o) || key_needs(r, COLUMN_NEEDS_LINES);
}

static bool needs_addresses(const struct report_run *r)
{
	return r->o->grouping.chains.by_address || r->o->verbose || report_pages(r->o) || r->tells_addresses ||
	       key_needs(r, COLUMN_NEEDS_ADDRESSES);
}

/* As resolve_options has it: index + 1. */
static struct strobe_error *find_event(const struct env *env, const char *name, const char *option, bool live, uint32_t *ret)
{
	*ret = 0;
	for (size_t i = 0; name && i < env->events.len && !*ret; i++)
		if (!strcmp(env->events.data[i].name, name))
			*ret = (uint32_t)i + 1;
	if (name && !*ret)
		return error_create(ERROR_NOT_FOUND,
				    live ? "no event '%s' for %s: name it with -e, too"
					 : "the recording has no event '%s' for %s; 'evlist' lists those it has",
				    name, option);
	return NULL;
}

/* Of the times that are asked for, what is in the span. */
static void narrow(struct report_run *r, struct resolve_filter *filter)
{
	struct time_range *times = arena_new_array(&r->arena, struct time_range, filter->times_nr + 1);
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

struct strobe_error *report_make_resolver(struct report_run *r)
{
	const struct report_options *o = r->o;
	struct resolve_options options = {
		.with_chains = needs_stacks(r),
		.max_stack = o->selection.max_stack > UINT32_MAX ? UINT32_MAX : (uint32_t)o->selection.max_stack,
		.keep_outermost = !o->grouping.chains.callee_first && !report_draws(o),
		.keep_time_log = report_pages(o),
		.hide_unresolved = o->selection.hide_unresolved,
		.branch_mode = r->branch_mode,
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
	symbols.live = r->live;
	TRY(cmd_symbols_options(r->ctx, r->env, o->selection.force, &symbols));
	options.keep_switches = o->selection.show_switches;
	TRY(find_event(r->env, o->selection.switch_on, "--switch-on", r->live, &options.switch_on));
	TRY(find_event(r->env, o->selection.switch_off, "--switch-off", r->live, &options.switch_off));
	options.label_keys = report_labels(r, &options.label_keys_nr);
	TRY(sample_choice_parse(&(struct sample_choice){ .cpus = r->o->selection.cpus, .times = r->o->selection.times }, r->env, &r->arena,
				&options.filter));
	if (r->span.to_ns)
		narrow(r, &options.filter);
	r->resolver = resolver_create(r->source, symbols, options);
	return NULL;
}

/* ---- from profile to parts ---- */

static const char *thread_name(void *ctx, uint32_t tid)
{
	struct report_names *n = ctx;
	if (!n->by_tid.slots)
		for (size_t i = 0; i < machine_threads_count(n->machine); i++)
			*u64map_put(&n->by_tid, machine_thread_at(n->machine, i)->tid, NULL) = i + 1;
	const uint64_t *index = u64map_get(&n->by_tid, tid);
	if (!index)
		return NULL;
	const struct thread *t = machine_thread_at(n->machine, *index - 1);
	return strtab_get(machine_strings(n->machine), machine_comm(n->machine, t, t->end_ns));
}

static bool is_member(const struct report_run *r, size_t event, size_t leader)
{
	if (r->live && event != leader && perf_attr_is_dummy(&r->env->events.data[event].attr))
		return false;
	if (r->o->grouping.group_set && r->o->grouping.group) {
		/* --group puts together what was not recorded in groups. */
		bool any = false;
		for (size_t i = 0; i < r->env->events.len; i++)
			any |= r->env->events.data[i].group_members > 1;
		if (!any)
			return leader == 0;
	}
	if (!r->o->grouping.group)
		return event == leader;
	return r->env->events.data[event].leader == leader;
}

static const char *part_name(struct report_run *r, const uint32_t *events, uint32_t n)
{
	const struct env_event *leader = &r->env->events.data[events[0]];
	if (n == 1)
		return leader->name;
	struct strbuf b = {};
	bool recorded = leader->group_members > 1;
	if (recorded)
		strbuf_addf(&b, "%s { ", leader->group_name && *leader->group_name ? leader->group_name : "anon group");
	for (uint32_t i = 0; i < n; i++)
		strbuf_addf(&b, "%s%s", i ? ", " : "", r->env->events.data[events[i]].name);
	if (recorded)
		strbuf_addstr(&b, " }");
	const char *name = arena_strdup(&r->scratch, strbuf_str(&b));
	strbuf_deinit(&b);
	return name;
}

static void add_part(struct report_run *r, struct report_built *l, const uint32_t *events, uint32_t n, struct report_names *names)
{
	const struct report_options *o = r->o;
	uint64_t samples = 0;
	for (uint32_t i = 0; i < n; i++)
		samples += r->profile->events.data[events[i]].samples;
	const struct env_event *leader = &r->env->events.data[events[0]];
	/* What has no samples yet may have some at the next refresh. */
	if (!samples && (r->live ? perf_attr_is_dummy(&leader->attr) : o->grouping.skip_empty))
		return;
	struct report_part *p = &l->parts[l->report.parts_nr++];
	p->has_chains = leader->attr.sample_type & PERF_SAMPLE_CALLCHAIN ||
			(o->selection.branch_history && leader->attr.sample_type & PERF_SAMPLE_BRANCH_STACK);
	p->is_group = n > 1;
	p->event_name = part_name(r, events, n);
	p->hist = hist_create(r->profile, (struct hist_options){
		.events = events,
		.events_nr = n,
		.keys = r->keys,
		.keys_nr = r->keys_nr,
		.children = r->children,
		.callee_first = o->grouping.chains.callee_first,
		.callers_above = o->grouping.chains.mode != CALLTREE_NONE,
		.stack_parents = r->parents,
		.branches = r->branch_mode,
		.row_hidden = report_row_hidden,
		.row_left_out = o->filter.parallelism ? report_row_left_out : NULL,
		.ctx = r,
		.symbol_filter = o->filter.symbol_filter,
		.long_names = o->verbose > 0,
		.nanoseconds = o->grouping.nanoseconds,
		.full_source_path = o->grouping.full_source_path,
		.time_quantum_ns = o->grouping.time_quantum_ns,
		.thread_name = thread_name,
		.thread_ctx = names,
	});
	hist_sort(p->hist, r->by, r->by_nr, (uint32_t)o->grouping.group_sort_index);
	for (uint32_t j = 0; j < n; j++) {
		const struct hist_total *t = &p->hist->totals[j];
		p->samples += o->grouping.relative ? t->shown_samples : t->samples;
		p->period += o->grouping.relative ? t->shown_period : t->period;
	}
}

static void make_parts(struct report_run *r, struct report_built *l, struct report_names *names)
{
	size_t n = r->profile->events.len;
	l->parts = arena_new_array(&r->scratch, struct report_part, n + 1);
	for (size_t leader = 0; leader < n; leader++) {
		uint32_t *events = arena_new_array(&r->scratch, uint32_t, n + 1), members = 0;
		if (!is_member(r, leader, leader))
			continue;
		events[members++] = (uint32_t)leader;
		for (size_t i = 0; i < n; i++)
			if (i != leader && is_member(r, i, leader))
				events[members++] = (uint32_t)i;
		add_part(r, l, events, members, names);
	}
}

/* ---- the report ---- */

static const char *choose_tip(const struct report_run *r)
{
	if (!r->has_chains && !r->only_tracepoints && !r->branch_mode)
		return "To see who calls these functions, record with -g";
	if (r->only_tracepoints)
		return "To group events by what caused them, try -s comm,sym";
	if (r->children)
		return "To sort by the time functions take themselves, use --no-children";
	return "To draw the stacks as a picture, use the command flamegraph";
}

static struct strobe_error *parse_widths(struct report_run *r, struct report *report)
{
	struct list_numbers widths;
	if (!r->o->display.widths)
		return NULL;
	TRY(list_numbers_parse(&r->scratch, "width", r->o->display.widths, &widths));
	report->widths = widths.data;
	report->widths_nr = widths.nr;
	return NULL;
}

struct strobe_error *report_build(struct report_run *r, struct report_built *b)
{
	const struct report_options *o = r->o;
	b->names.machine = resolver_machine(r->resolver);
	b->report = (struct report){
		.chains = o->grouping.chains,
		.percent_limit = o->grouping.percent_limit,
		.relative = o->grouping.relative,
		.show_chains = o->grouping.chains.mode != CALLTREE_NONE && r->has_chains && !r->branch_mode,
		.hierarchy = o->grouping.hierarchy,
		.mem_mode = o->selection.mem_mode,
		.sort_order = r->sort_order,
		.separator = o->display.separator,
		.lost_samples = resolver_stats(r->resolver)->lost_samples,
		.quiet = o->display.quiet,
		.time_slices = o->selection.times,
		.ref_chains = o->display.ref_chains,
		.has_socket = o->filter.socket_set,
		.socket = o->filter.socket,
		.symbol_first = !o->grouping.fields && o->grouping.sort && text_has_prefix(o->grouping.sort, "sym"),
		.tip = choose_tip(r),
		.fields = r->fields,
		.fields_nr = r->fields_nr,
	};
	TRY(parse_widths(r, &b->report));
	make_parts(r, b, &b->names);
	b->report.parts = b->parts;
	return NULL;
}

void report_built_deinit(struct report_run *r, struct report_built *b)
{
	for (uint32_t i = 0; i < b->report.parts_nr; i++)
		hist_destroy(b->parts[i].hist);
	u64map_deinit(&b->names.by_tid);
	*b = (struct report_built){};
	arena_reset(&r->scratch);
}
