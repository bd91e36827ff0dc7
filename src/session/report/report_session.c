#include "session/report/report_session.h"

#include <string.h>

#include "base/cleanup.h"
#include "session/input.h"
#include "session/report/foreign.h"
#include "session/report/types.h"

/* The last name of the thread. */
static const char *thread_name(void *ctx, uint32_t tid)
{
	struct report_session *r = ctx;
	struct machine *m = resolver_machine(r->session.resolver);
	if (!r->last_threads.slots)
		for (size_t i = 0; i < machine_threads_count(m); i++)
			*u64map_put(&r->last_threads, machine_thread_at(m, i)->tid, NULL) = i + 1;
	const uint64_t *index = u64map_get(&r->last_threads, tid);
	if (!index)
		return NULL;
	const struct thread *t = machine_thread_at(m, *index - 1);
	return strtab_get(machine_strings(m), machine_comm(m, t, t->end_ns));
}

void report_session_init(struct report_session *r, const struct report_request *request)
{
	*r = (struct report_session){ .request = *request };
	report_query_init(&r->query, &r->request.grouping, &r->request.filter);
	r->query.program = request->program;
	r->query.thread_name = thread_name;
	r->query.thread_ctx = r;
	r->query.add_fields = report_add_fields;
	r->query.fields_ctx = r;
}

void report_session_deinit(struct report_session *r)
{
	session_close(&r->session);
	tracepoints_destroy(r->tracepoints);
	u64map_deinit(&r->last_threads);
	report_query_deinit(&r->query);
}

struct strobe_error *report_open(struct report_session *r, const struct session_host *host, const char *path, bool force)
{
	const char *name = input_path(path);
	struct strobe_error *err = input_is_foreign(name) ? report_open_foreign(r, host, name) : NULL;
	if (r->session.env && (!error_is(err, ERROR_UNSUPPORTED) || !strcmp(name, "-")))
		return err;
	/* The reader of recordings reports a better error. */
	error_destroy(err);
	session_close(&r->session);
	return session_open(&r->session, host, path, force);
}

struct strobe_error *report_aggregate(struct report_session *r, struct strobe_error **ret_damage)
{
	struct session *s = &r->session;
	*ret_damage = NULL;
	if (!report_is_foreign(r))
		TRY(session_aggregate(s, ret_damage));
	if (r->request.grouping.ignore_callees) {
		struct profile *cut;
		TRY(report_cut_callees(s->profile, r->request.grouping.ignore_callees, &cut));
		profile_destroy(s->profile);
		s->profile = cut;
	}
	if (report_has_types(&r->query))
		report_add_types(r);
	r->profile = s->profile;
	return report_query_bind(&r->query, r->profile);
}
