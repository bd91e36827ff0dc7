/* Fields of tracepoints as keys and columns. */
#include <string.h>

#include "base/text.h"
#include "session/report/report_session.h"

/* What the user typed, in parts. */
struct field_request {
	const char *event; /* or NULL */
	const char *field; /* "*": all of the event's */
	bool raw;
	bool any;
};

static const struct tracepoint *tracepoint_of(const struct report_session *r, size_t event)
{
	return tracepoints_of_event(r->tracepoints, &r->session.env->events.data[event]);
}

static void add_field(struct report_session *r, struct key_list *l, struct field_request *w, size_t event, const struct tracepoint_field *f)
{
	struct hist_key k = report_key_of(COLUMN_FIELD);
	bool is_array = f->kind != FIELD_NUMBER && !f->is_string;
	k.header = arena_strdup(&r->query.arena, f->name);
	k.label_name = arena_printf(&r->query.arena, w->raw ? "trace:%s/raw" : "trace:%s", f->name);
	k.only_event = (uint32_t)event + 1;
	/* As in perf: the width of the bytes in hexadecimal; lists of numbers may be wider. */
	k.width = f->is_string && f->kind == FIELD_ARRAY ? f->bytes : f->is_string ? 0 : f->bytes * 2 + 2;
	k.cut = is_array;
	report_add_key(l, k);
	w->any = true;
}

static void add_fields_of(struct report_session *r, struct key_list *l, struct field_request *w, size_t event)
{
	const struct tracepoint *tp = tracepoint_of(r, event);
	if (!tp)
		return;
	if (!strcmp(w->field, "*")) {
		for (uint32_t i = tp->common_nr; i < tp->fields_nr; i++)
			add_field(r, l, w, event, &tp->fields[i]);
		return;
	}
	const struct tracepoint_field *f = tracepoint_field(tp, w->field);
	if (f)
		add_field(r, l, w, event, f);
}

static struct strobe_error *find_event(const struct report_session *r, const char *name, size_t *ret)
{
	const struct env *env = r->session.env;
	uint64_t number;
	*ret = env->events.len;
	if (*name == '%') {
		if (text_to_u64(name + 1, &number) && number && number <= env->events.len)
			*ret = (size_t)number - 1;
	} else {
		bool whole = strchr(name, ':');
		for (size_t i = 0; i < env->events.len; i++) {
			const char *of = env->events.data[i].name;
			if (whole ? strcmp(of, name) != 0 : !strstr(of, name))
				continue;
			if (*ret < env->events.len && !whole)
				return error_create(ERROR_USAGE, "'%s' may be %s or %s", name, env->events.data[*ret].name, of);
			*ret = i;
		}
	}
	if (*ret == env->events.len)
		return error_create(ERROR_NOT_FOUND, "the recording has no event '%s'; see 'evlist' for its events", name);
	if (!tracepoint_of(r, *ret))
		return error_create(ERROR_USAGE, "'%s' is not a tracepoint", env->events.data[*ret].name);
	return NULL;
}

struct strobe_error *report_add_fields(void *ctx, struct key_list *l, const char *word, size_t n, bool *ret_any)
{
	struct report_session *r = ctx;
	char *copy = arena_strndup(&r->query.arena, word, n), *dot = strchr(copy, '.'), *slash = strchr(dot ? dot : copy, '/');
	struct field_request w = { .field = dot ? dot + 1 : copy, .event = dot ? copy : NULL, .raw = r->request.grouping.raw_trace };
	size_t event = 0;
	bool has_tracepoint = false;
	for (size_t i = 0; i < r->session.env->events.len; i++)
		has_tracepoint |= r->session.env->events.data[i].attr.type == PERF_TYPE_TRACEPOINT;
	*ret_any = false;
	if (!has_tracepoint)
		return NULL;
	if (!r->tracepoints)
		r->tracepoints = tracepoints_read_whole(r->session.env);
	if (dot)
		*dot = '\0';
	if (slash) {
		*slash++ = '\0';
		if (strcmp(slash, "raw"))
			return error_create(ERROR_USAGE, "a field may be followed by /raw, not /%s", slash);
		w.raw = true;
	}
	if (!strcmp(w.field, "trace_fields")) {
		w.field = "*";
		w.event = NULL;
	}
	if (w.event) {
		TRY(find_event(r, w.event, &event));
		add_fields_of(r, l, &w, event);
		if (!w.any)
			return error_create(ERROR_USAGE, "'%s' has no field '%s'", r->session.env->events.data[event].name, w.field);
	} else {
		for (event = 0; event < r->session.env->events.len; event++)
			add_fields_of(r, l, &w, event);
	}
	*ret_any = w.any;
	return NULL;
}
