#include "session/report/foreign.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "session/input.h"
#include "session/profile_input.h"
#include "session/symbolize.h"

struct strobe_error *report_open_foreign(struct report_session *r, const struct session_host *host, const char *path)
{
	static const struct env nothing_recorded = {};
	const struct profile_input input = { .path = path };
	r->session = (struct session){ .host = host, .env = &nothing_recorded };
	arena_init(&r->session.arena);
	r->query.thread_name = NULL;
	TRY(error_with_status(profile_input_read(host, &input, &r->session.profile), INPUT_OPEN_STATUS));
	return symbolize_for_views(host, &r->session.profile);
}

/* ---- what requires a recording ---- */

static const char *recorded_option(const struct report_request *o)
{
	const struct {
		bool is_set;
		const char *name;
	} options[] = {
		{ o->selection.cpus, "--cpu" },
		{ o->selection.times, "--time" },
		{ o->selection.switch_on || o->selection.switch_off, "--switch-on and --switch-off" },
		{ o->selection.branch_stack, "-b" },
		{ o->selection.branch_history, "--branch-history" },
		{ o->selection.mem_mode, "--mem-mode" },
		{ o->selection.stitch_calls, "--stitch-lbr" },
		{ o->selection.max_stack, "--max-stack" },
		{ o->grouping.latency, "--latency" },
		{ o->filter.parallelism, "--parallelism" },
		{ o->filter.socket_set, "--socket-filter" },
		{ o->purpose == REPORT_FOR_CYCLES, "--total-cycles" },
	};
	for (unsigned i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].is_set)
			return options[i].name;
	return NULL;
}

/* ---- events ---- */

struct report_event *report_foreign_events(struct arena *arena, const struct profile *p)
{
	struct report_event *events = arena_new_array(arena, struct report_event, p->events.len + 1);
	for (uint32_t i = 0; i < p->events.len; i++)
		events[i] = (struct report_event){ .name = profile_event_name(p, i), .leader = i, .has_chains = true };
	return events;
}

static void say_other_events(const struct report_session *r, uint32_t shown)
{
	const struct profile *p = r->session.profile;
	_cleanup_strbuf_ struct strbuf names = {};
	for (uint32_t i = 0; i < p->events.len; i++)
		if (i != shown && p->events.data[i].samples)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", profile_event_name(p, i));
	if (names.len && !r->request.display.quiet)
		session_say(r->session.host, "showing samples of event '%s'; select another with -e: %s",
			    profile_event_name(p, shown), strbuf_str(&names));
}

/* Of several values per sample only one is shown. Separately sampled events are all shown. */
static struct strobe_error *choose_event(struct report_session *r)
{
	const struct profile *p = r->session.profile;
	const char *event = r->request.selection.event, *preferred = r->request.selection.preferred_event;
	uint32_t shown;
	if (!event && (!p->origin.events_are_values || p->events.len < 2))
		return NULL;
	for (uint32_t i = 0; !event && preferred && i < p->events.len; i++)
		if (!strcmp(profile_event_name(p, i), preferred))
			event = preferred;
	TRY(profile_choose_event(p, event ? event : "", &shown));
	if (!event)
		say_other_events(r, shown);
	r->shown_events = arena_new_array(&r->query.arena, bool, p->events.len);
	r->shown_events[shown] = true;
	return NULL;
}

static bool has_callers(const struct profile *p)
{
	for (size_t i = 0; i < p->stacks.len; i++)
		if (p->stacks.data[i].caller != PROFILE_NONE)
			return true;
	return false;
}

struct strobe_error *report_prepare_foreign(struct report_session *r)
{
	struct report_query *q = &r->query;
	struct report_grouping *g = &r->request.grouping;
	const struct profile *p = r->session.profile;
	const char *option = recorded_option(&r->request);
	if (option)
		return error_create(ERROR_USAGE, "%s is not a recording: %s requires one", r->request.selection.input, option);
	q->has_chains = has_callers(p);
	q->children = g->children && q->has_chains && !g->hierarchy;
	q->long_names = r->request.verbose > 0;
	if (profile_find_column(p, "comm") == PROFILE_NONE)
		q->default_sort = "dso,symbol";
	if (!g->chain_order_set)
		g->chains.callee_first = !g->children || !q->has_chains;
	if (g->percent_limit_set)
		g->chains.min_percent = g->percent_limit;
	TRY(choose_event(r));
	TRY(report_choose_columns(q));
	return report_filters_create(q);
}
