/* report: from an open recording to its profile. */
#include "cmd/report/load.h"

/* Of a recording; top starts without call chains, as perf top does. */
static struct strobe_error *check_parent(const struct report_run *r)
{
	if (r->query.has_chains || r->query.is_live || !report_has_key(&r->query, COLUMN_PARENT))
		return NULL;
	return error_create(ERROR_USAGE, "Selected --sort parent, but no callchain data. Did you call '%s record' without -g?",
			    r->ctx->program);
}

struct strobe_error *report_prepare(struct report_run *r, struct report_options *o)
{
	TRY(report_choose_modes(r, o));
	TRY(report_choose_columns(&r->query));
	TRY(check_parent(r));
	TRY(report_filters_create(&r->query));
	return report_make_resolver(r);
}

struct strobe_error *report_aggregate(struct report_run *r, struct strobe_error **ret_damage)
{
	*ret_damage = NULL;
	struct strobe_error *damage = resolve_aggregate(r->resolver, &r->profile);
	if (!r->profile || error_is(damage, ERROR_STOPPED))
		return damage;
	*ret_damage = damage;
	if (r->o->grouping.ignore_callees) {
		struct profile *cut;
		TRY(report_cut_callees(r->profile, r->o->grouping.ignore_callees, &cut));
		profile_destroy(r->profile);
		r->profile = cut;
	}
	return report_query_bind(&r->query, r->profile);
}

struct strobe_error *report_load(struct report_run *r, struct report_options *o, struct strobe_error **ret_damage)
{
	*ret_damage = NULL;
	TRY(report_prepare(r, o));
	return report_aggregate(r, ret_damage);
}
