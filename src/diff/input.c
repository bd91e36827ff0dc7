#include "diff/input.h"

#include <string.h>

#include "session/input.h"
#include "session/profile_input.h"

static struct strobe_error *read_recording(struct diff_input *in, const struct session_host *host, const struct report_request *request)
{
	struct report_session *r = &in->recording;
	struct strobe_error *damage = NULL;
	report_session_init(r, request);
	in->is_recording = true;
	TRY(session_open(&r->session, host, in->path, request->selection.force));
	TRY(report_prepare(r));
	TRY(report_aggregate(r, &damage));
	if (damage)
		session_damage(host, damage);
	session_remarks(&r->session, request->verbose > 0);
	report_elide(&r->query, r->profile);
	return report_build(r, &in->built);
}

static struct strobe_error *check_foreign(const struct diff_input *in)
{
	const struct selection *s = &in->request.selection;
	if (s->cpus || s->times)
		return error_create(ERROR_USAGE, "%s is not a recording: --cpu and --time require recordings", in->path);
	return NULL;
}

static void set_events(struct report_query *q, const struct profile *p)
{
	struct report_event *events = arena_new_array(&q->arena, struct report_event, p->events.len + 1);
	for (uint32_t i = 0; i < p->events.len; i++)
		events[i] = (struct report_event){ .name = profile_str(p, p->events.data[i].name), .leader = i };
	q->events = events;
	q->events_nr = (uint32_t)p->events.len;
}

static struct strobe_error *read_foreign(struct diff_input *in, const struct session_host *host, const struct report_request *request)
{
	struct report_query *q = &in->query;
	const struct profile_input input = { .path = in->path };
	in->request = *request;
	report_query_init(q, &in->request.grouping, &in->request.filter);
	q->program = request->program;
	q->long_names = request->verbose > 0;
	TRY(check_foreign(in));
	TRY(profile_input_read(host, &input, &in->profile));
	set_events(q, in->profile);
	TRY(report_choose_columns(q));
	TRY(report_filters_create(q));
	TRY(report_query_bind(q, in->profile));
	report_elide(q, in->profile);
	report_build_parts(q, in->profile, &in->built);
	return NULL;
}

struct strobe_error *diff_input_read(struct diff_input *in, const struct session_host *host, const struct report_request *request,
				     const char *path)
{
	*in = (struct diff_input){ .path = path };
	return input_is_foreign(path) ? read_foreign(in, host, request) : read_recording(in, host, request);
}

void diff_input_close(struct diff_input *in)
{
	if (in->is_recording) {
		report_built_deinit(&in->recording, &in->built);
		report_session_deinit(&in->recording);
	} else if (in->path) {
		report_parts_deinit(&in->query, &in->built);
		report_query_deinit(&in->query);
		profile_destroy(in->profile);
	}
}

const struct report_part *diff_input_part(const struct diff_input *in, const struct diff_input *other, const struct report_part *of)
{
	const struct report *r = &in->built.report;
	for (uint32_t i = 0; i < r->parts_nr; i++)
		if (!strcmp(r->parts[i].event_name, of->event_name))
			return &r->parts[i];
	return r->parts_nr == 1 && other->built.report.parts_nr == 1 ? r->parts : NULL;
}
