#include "session/report/reread.h"

#include "base/cleanup.h"

struct strobe_error *report_reread_begin(const struct report_session *r, const struct report_session *how, struct report_session *ret)
{
	struct record_source *source = r->session.source;
	*ret = (struct report_session){};
	if (!source)
		return error_create(ERROR_UNSUPPORTED, "this requires a recording: the file is a profile that another program wrote");
	if (!source->ops->rewind)
		return error_create(ERROR_UNSUPPORTED, "this requires reading the recording twice: save the stream to a file first");
	TRY(source->ops->rewind(source));
	*ret = *how;
	session_open_source(&ret->session, r->session.host, source, r->session.force);
	ret->profile = NULL;
	ret->query.grouping = &ret->request.grouping;
	ret->query.filter = &ret->request.filter;
	arena_init(&ret->query.arena);
	arena_init(&ret->query.scratch);
	/* No stacks, and no labels but those that filters are of. */
	ret->request.purpose = REPORT_FOR_ROWS;
	ret->request.grouping.chains.mode = CALLTREE_NONE;
	ret->request.grouping.ignore_callees = NULL;
	ret->request.filter.exclude_other = ret->request.selection.inlined = false;
	ret->query.children = ret->query.needs_threads = false;
	ret->query.keys_nr = ret->query.by_nr = 0;
	return report_resolve(ret);
}

/* Tracepoints and filters are the first reading's. */
void report_reread_end(struct report_session *again)
{
	again->session.source = NULL;
	session_close(&again->session);
	report_query_deinit(&again->query);
}

struct strobe_error *report_reread(const struct report_session *r, const struct report_session *how, struct profile **ret)
{
	struct report_session again;
	struct strobe_error *damage = NULL;
	*ret = NULL;
	struct strobe_error *err = report_reread_begin(r, how, &again);
	if (!err)
		err = session_aggregate(&again.session, &damage);
	if (!err)
		*ret = take_ptr(again.session.profile);
	error_destroy(damage); /* reported when the recording was read first */
	report_reread_end(&again);
	return err;
}

struct strobe_error *report_count_addresses(const struct report_session *r, struct profile **ret)
{
	struct report_session how = *r;
	how.by_address = true;
	return report_reread(r, &how, ret);
}
