#include "diff/input.h"

#include <string.h>

struct strobe_error *diff_input_read(struct diff_input *in, const struct session_host *host, const struct report_request *request,
				     const char *path)
{
	struct report_session *r = &in->report;
	struct strobe_error *damage = NULL;
	*in = (struct diff_input){ .path = path };
	report_session_init(r, request);
	r->request.grouping.chains.mode = CALLTREE_NONE; /* rows have no callers; --stream reads them itself */
	r->request.selection.input = path;
	TRY(report_open(r, host, path, request->selection.force));
	TRY(report_prepare(r));
	TRY(report_aggregate(r, &damage));
	if (damage)
		session_damage(host, damage);
	session_remarks(&r->session, request->verbose > 0);
	report_elide(&r->query, r->profile);
	return report_build(r, &in->built);
}

void diff_input_close(struct diff_input *in)
{
	if (!in->path)
		return;
	report_built_deinit(&in->report, &in->built);
	report_session_deinit(&in->report);
}

const struct report_part *diff_input_part(const struct diff_input *in, const struct diff_input *other, const struct report_part *of)
{
	const struct report *r = &in->built.report;
	for (uint32_t i = 0; i < r->parts_nr; i++)
		if (!strcmp(r->parts[i].event_name, of->event_name))
			return &r->parts[i];
	return r->parts_nr == 1 && other->built.report.parts_nr == 1 ? r->parts : NULL;
}
