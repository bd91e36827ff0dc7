#include "session/live/report.h"

struct strobe_error *live_report_open(struct live_report *r, const struct live_options *options, const struct report_request *request,
				      bool by_address)
{
	struct report_session *s = &r->report;
	report_session_init(s, request);
	TRY(live_open(&r->live, options));
	session_open_source(&s->session, options->host, live_source(&r->live), request->selection.force);
	s->query.default_sort = "dso,symbol";
	s->query.is_live = true;
	s->by_address = by_address;
	TRY(report_prepare(s));
	live_resolve(&r->live, &(struct live_request){
		.resolver = s->session.resolver,
		.by_labels = report_by_labels(&s->query) && !by_address,
		.ignore_callees = s->request.grouping.ignore_callees,
	});
	return NULL;
}

void live_report_close(struct live_report *r)
{
	live_close(&r->live);
	report_session_deinit(&r->report);
}

struct strobe_error *live_report_build(struct live_report *r, const struct profile *p, struct report_limits limits,
				       struct report_built *ret)
{
	struct report_session *s = &r->report;
	s->profile = p;
	s->query.limits = limits;
	report_elide(&s->query, p);
	TRY(report_query_bind(&s->query, p));
	TRY(report_build(s, ret));
	ret->report.lost_samples = r->live.refresh.lost_total;
	return NULL;
}

void live_report_separate_addresses(struct live_report *r)
{
	if (r->report.by_address)
		return;
	r->report.by_address = true;
	live_separate_addresses(&r->live);
}
