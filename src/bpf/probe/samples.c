#include "bpf/probe/samples.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct probe_samples {
	struct probe_samples_options o;
	struct task_filter *filter;   /* of its own, or NULL */
	struct inline_probes *probes; /* once attached */
};

bool probe_samples_is_of(const struct capture_event *e)
{
	return e->code != NULL;
}

bool probe_samples_has_any(const struct event_set *events)
{
	for (size_t i = 0; i < events->events.len; i++)
		if (probe_samples_is_of(&events->events.data[i]))
			return true;
	return false;
}

static struct strobe_error *check(const struct probe_samples_options *o)
{
	const struct capture_options *c = o->capture;
	if (c->target.per_thread)
		return error_create(ERROR_UNSUPPORTED, "inline probes (u:, k:) are recorded per CPU: omit --per-thread, or define "
				    "them with strobe probe");
	if (c->freq_set)
		return error_create(ERROR_USAGE, "probes (u:, k:) are sampled by number of hits: use -c instead of -F");
	for (size_t i = 0; i < o->events->events.len; i++) {
		const struct capture_event *e = &o->events->events.data[i];
		if (e->code && (e->terms.set & EVENT_TERM_FREQ))
			return error_create(ERROR_USAGE, "%s: probes are sampled by number of hits: use period= instead of freq=", e->name);
	}
	return NULL;
}

static struct strobe_error *make_filter(struct probe_samples *s)
{
	const struct target *t = &s->o.capture->target;
	const struct task_filter_options f = { .sys = s->o.sys, .by_thread = t->tids && !t->pids,
					       .has_leader = s->o.has_command && target_is_none(t),
					       .no_children = s->o.capture->no_inherit };
	if (s->o.filter || t->system_wide || t->cpus)
		return NULL;
	TRY(error_prefix(task_filter_create(&f, &s->filter), "inline probes (u:, k:) require BPF"));
	s->o.filter = s->filter;
	return NULL;
}

struct strobe_error *probe_samples_open(const struct probe_samples_options *o, struct probe_samples **ret)
{
	*ret = NULL;
	if (!probe_samples_has_any(o->events))
		return NULL;
	TRY(check(o));
	struct probe_samples *s = xcalloc(1, sizeof(*s));
	s->o = *o;
	struct strobe_error *err = make_filter(s);
	if (err) {
		probe_samples_close(s);
		return err;
	}
	*ret = s;
	return NULL;
}

typedef VEC(pid_t) process_list;

/* The processes to which recording is limited, if children are not followed. */
static void choose_processes(const struct probe_samples *s, const struct target_map *map, process_list *ret)
{
	bool is_alone = s->o.capture->no_inherit && !map->system_wide && !map->is_workload;
	for (size_t i = 0; is_alone && i < map->threads.len; i++) {
		pid_t pid = map->threads.data[i].pid;
		bool is_known = false;
		for (size_t k = 0; k < ret->len; k++)
			is_known |= ret->data[k] == pid;
		if (!is_known)
			vec_push(ret, pid);
	}
}

static struct strobe_error *load(struct probe_samples *s, const struct event_set *set, const struct target_map *map)
{
	VEC(struct inline_probe_event) events = {};
	process_list processes = {};
	for (size_t i = 0; i < set->events.len; i++) {
		const struct capture_event *e = &set->events.data[i];
		struct inline_probe_event p = { e->code, (uint32_t)e->attr.config, (uint32_t)e->attr.sample_period };
		if (e->code)
			vec_push(&events, p);
	}
	choose_processes(s, map, &processes);
	const struct inline_probes_options o = {
		.sys = s->o.sys,
		.events = events.data,
		.events_nr = (uint32_t)events.len,
		.followed = s->o.filter ? task_filter_tasks(s->o.filter) : NULL,
		.followed_map = s->o.filter ? task_filter_map(s->o.filter) : -1,
		.processes = processes.data,
		.processes_nr = processes.len,
		.map = map,
	};
	struct strobe_error *err = inline_probes_load(&o, &s->probes);
	vec_deinit(&events);
	vec_deinit(&processes);
	return err;
}

/* An event of a CPU has one descriptor, in the first of its threads' slots. */
static struct strobe_error *add_rings(struct probe_samples *s, const struct event_set *set, const struct target_map *map)
{
	uint32_t number = 0;
	for (size_t i = 0; i < set->events.len; i++) {
		const struct capture_event *e = &set->events.data[i];
		if (!e->code)
			continue;
		for (uint32_t slot = 0; slot < e->slots; slot++)
			if (e->fds[slot] >= 0)
				TRY(inline_probes_add_ring(s->probes, number, (uint32_t)map->cpus.data[slot / map->threads.len],
							   e->fds[slot]));
		number++;
	}
	return NULL;
}

struct strobe_error *probe_samples_attach(struct probe_samples *s, const struct capture *c)
{
	const struct event_set *set = capture_events(c);
	const struct target_map *map = capture_target(c);
	inline_probes_unload(take_ptr(s->probes)); /* the capture was opened anew */
	if (s->filter)
		task_filter_follow(s->filter, map);
	TRY(load(s, set, map));
	TRY(add_rings(s, set, map));
	inline_probes_enable(s->probes, true);
	return inline_probes_attach(s->probes);
}

char *probe_samples_losses(const struct probe_samples *s)
{
	return s && s->probes ? inline_probes_losses_text(s->probes) : NULL;
}

void probe_samples_close(struct probe_samples *s)
{
	if (!s)
		return;
	inline_probes_unload(s->probes);
	task_filter_destroy(s->filter);
	free(s);
}
