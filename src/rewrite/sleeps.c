#include "rewrite/sleeps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "decode/tracepoint.h"

#define RECORD_BYTES_MAX 65536 /* the size of a record has 16 bits */

enum role { ROLE_OTHER, ROLE_SWITCH, ROLE_EXIT, ROLE_STAT };

struct event_role {
	enum role role;
	const struct tracepoint_field *pid; /* for ROLE_STAT: the task that slept */
};

struct sleeps {
	const struct env *env;
	struct tracepoints *formats;
	VEC(struct event_role) roles; /* by event */
	struct u64map by_tid;         /* → 1 + index of the task's last switch */
	VEC(struct perf_event_header *) switches; /* copies; NULL once the task has ended */
	char buffer[RECORD_BYTES_MAX];
	uint64_t joined;
};

static enum role role_of(const char *name)
{
	static const char stat[] = "sched:sched_stat_";
	if (!strcmp(name, "sched:sched_switch"))
		return ROLE_SWITCH;
	if (!strcmp(name, "sched:sched_process_exit"))
		return ROLE_EXIT;
	return strncmp(name, stat, sizeof(stat) - 1) ? ROLE_OTHER : ROLE_STAT;
}

static struct strobe_error *find_roles(struct sleeps *s)
{
	unsigned seen = 0;
	TRY(tracepoints_read(s->env, &s->formats));
	for (size_t i = 0; i < s->env->events.len; i++) {
		const struct env_event *ev = &s->env->events.data[i];
		struct event_role r = { .role = role_of(ev->name) };
		if (r.role == ROLE_STAT) {
			const struct tracepoint *tp = tracepoints_of_event(s->formats, ev);
			r.pid = tp ? tracepoint_field(tp, "pid") : NULL;
			if (!r.pid)
				return error_create(ERROR_FORMAT, "the format of %s in the recording has no pid", ev->name);
		}
		seen |= 1u << r.role;
		vec_push(&s->roles, r);
	}
	if (!(seen & 1u << ROLE_SWITCH) || !(seen & 1u << ROLE_STAT))
		return error_create(ERROR_NOT_FOUND, "no matching events: record both sched:sched_switch and "
			"sched:sched_stat_sleep (or _iowait, _blocked, _wait)");
	return NULL;
}

struct strobe_error *sleeps_create(const struct env *env, struct sleeps **ret)
{
	struct sleeps *s = xcalloc(1, sizeof(*s));
	s->env = env;
	struct strobe_error *err = find_roles(s);
	if (err) {
		sleeps_destroy(s);
		return err;
	}
	*ret = s;
	return NULL;
}

void sleeps_destroy(struct sleeps *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->switches.len; i++)
		free(s->switches.data[i]);
	vec_deinit(&s->switches);
	vec_deinit(&s->roles);
	u64map_deinit(&s->by_tid);
	tracepoints_destroy(s->formats);
	free(s);
}

/* r NULL: the task has ended. */
static void set_switch(struct sleeps *s, uint32_t tid, const struct record *r)
{
	uint64_t *at = u64map_put(&s->by_tid, tid, NULL);
	if (!*at) {
		vec_push(&s->switches, NULL);
		*at = s->switches.len;
	}
	free(s->switches.data[*at - 1]);
	s->switches.data[*at - 1] = r ? xmemdup(r->hdr, r->hdr->size) : NULL;
}

static struct strobe_error *join(struct sleeps *s, const struct event_role *role, const struct sample *stat,
				 struct record_sink *out)
{
	uint32_t tid = (uint32_t)field_number(s->formats, role->pid, stat->raw, stat->raw_bytes);
	const uint64_t *at = u64map_get(&s->by_tid, tid);
	struct sample sw;
	struct record r = { .hdr = at ? s->switches.data[*at - 1] : NULL };
	if (!r.hdr)
		return NULL;
	uint32_t event = env_event_of_sample(s->env, r);
	const struct sample_layout *layout = &s->env->events.data[event].layout;
	if (!sample_decode(layout, r, &sw))
		return NULL;
	sw.period = stat->period;
	sw.time = stat->time;
	size_t n = sample_encode(layout, &sw, s->buffer, sizeof(s->buffer));
	if (!n)
		return NULL;
	s->joined++;
	return sink_write(out, s->buffer, n);
}

struct strobe_error *sleeps_record(struct sleeps *s, struct record r, struct record_sink *out, bool *ret_keep)
{
	struct sample sample;
	if (r.hdr->type == RECORD_AUXTRACE)
		return error_create(ERROR_UNSUPPORTED, "-s does not support recordings with instruction traces");
	uint32_t event = r.hdr->type == PERF_RECORD_SAMPLE ? env_event_of_sample(s->env, r) : UINT32_MAX;
	if (event >= s->roles.len || s->roles.data[event].role == ROLE_OTHER)
		return NULL;
	const struct event_role *role = &s->roles.data[event];
	*ret_keep = false;
	if (!sample_decode(&s->env->events.data[event].layout, r, &sample))
		return NULL;
	switch (role->role) {
	case ROLE_SWITCH:
		set_switch(s, sample.tid, &r);
		break;
	case ROLE_EXIT:
		set_switch(s, sample.tid, NULL);
		break;
	case ROLE_STAT:
		return join(s, role, &sample, out);
	case ROLE_OTHER:
		break;
	}
	return NULL;
}

uint64_t sleeps_joined(const struct sleeps *s)
{
	return s->joined;
}
