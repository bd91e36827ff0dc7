/* From the profile of a session to a report, and to what text has around it. */
#include "base/lists.h"
#include "record/wait.h"
#include "session/report/report_session.h"
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

struct strobe_error *report_build(struct report_session *r, struct report_built *b)
{
	u64map_deinit(&r->last_threads); /* of a live session: threads come and go between reports */
	r->query.events = report_events(&r->query.scratch, r->session.env, r->query.branch_history);
	r->query.events_nr = (uint32_t)r->session.env->events.len;
	report_build_parts(&r->query, r->profile, b);
	b->report.separator = r->request.display.separator;
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
