/* Builds a report, and the text around it, from the profile of a session. */
#include "base/lists.h"
#include "record/wait.h"
#include "session/report/foreign.h"
#include "sys/perf_abi.h"

static struct strobe_error *parse_widths(struct report_session *r, struct report *report)
{
	struct list_numbers widths;
	if (!r->request.display.widths)
		return NULL;
	TRY(list_numbers_parse(&r->query.scratch, "width", r->request.display.widths, &widths));
	report->widths = widths.data;
	report->widths_nr = widths.nr;
	return NULL;
}

struct report_event *report_events(struct arena *arena, const struct env *env, bool branch_history)
{
	struct report_event *events = arena_new_array(arena, struct report_event, env->events.len + 1);
	struct wait_events waits = wait_events_of(env); /* the clock's event has both */
	for (size_t i = 0; i < env->events.len; i++) {
		const struct env_event *e = &env->events.data[i];
		events[i] = (struct report_event){
			.name = i == waits.clock_event ? WAIT_WALL_NAME : e->name,
			.leader = e->leader,
			.group_members = e->group_members,
			.group_name = e->group_name,
			.is_dummy = perf_attr_is_dummy(&e->attr) || i == waits.wait_event,
			.has_chains = e->attr.sample_type & PERF_SAMPLE_CALLCHAIN ||
				      (branch_history && e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK),
		};
	}
	return events;
}

static void set_events(struct report_session *r)
{
	struct report_query *q = &r->query;
	const struct env *env = r->session.env;
	struct report_event *events = report_is_foreign(r) ? report_foreign_events(&q->scratch, r->profile) :
		report_events(&q->scratch, env, q->branch_history);
	q->events = events;
	q->events_nr = (uint32_t)(report_is_foreign(r) ? r->profile->events.len : env->events.len);
	/* What is left of a group is none. */
	for (uint32_t i = 0; r->shown_events && i < q->events_nr; i++) {
		events[i].is_left_out = !r->shown_events[i];
		events[i].leader = i;
		events[i].group_members = 0;
	}
}

uint32_t report_first_event(const struct report_session *r)
{
	for (uint32_t i = 0; i < r->profile->events.len; i++)
		if (r->profile->events.data[i].samples && (!r->shown_events || r->shown_events[i]))
			return i;
	return 0;
}

bool report_counts_samples(const struct report_session *r, uint32_t event)
{
	return r->session.env && env_counts_samples(r->session.env, event);
}

struct strobe_error *report_build(struct report_session *r, struct report_built *b)
{
	u64map_deinit(&r->last_threads); /* in a live session threads change between reports */
	set_events(r);
	report_build_parts(&r->query, r->profile, b);
	b->report.separator = r->request.display.separator;
	if (r->session.resolver)
		b->report.lost_samples = resolver_stats(r->session.resolver)->lost_samples;
	struct strobe_error *err = parse_widths(r, &b->report);
	if (err)
		report_built_deinit(r, b);
	return err;
}

void report_built_deinit(struct report_session *r, struct report_built *b)
{
	report_parts_deinit(&r->query, b);
}

static const char *choose_tip(const struct report_query *q)
{
	if (!q->has_chains && !q->only_tracepoints && !q->branch_mode)
		return "To see who calls these functions, record with -g";
	if (q->only_tracepoints)
		return "To group events by what caused them, try -s comm,sym";
	if (q->children)
		return "To sort by the time functions take themselves, use --no-children";
	return "To draw the stacks as a picture, use the command flamegraph";
}

struct report_text report_text(const struct report_session *r)
{
	const struct report_request *o = &r->request;
	return (struct report_text){
		.quiet = o->display.quiet,
		.ref_chains = o->display.ref_chains,
		.time_slices = o->selection.times,
		.has_socket = o->filter.socket_set,
		.socket = o->filter.socket,
		.tip = choose_tip(&r->query),
	};
}
