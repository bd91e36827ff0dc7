#include "bpf/probe/counts.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "bpf/count/clocks.h"
#include "bpf/probe/inline_probes.h"
#include "bpf/task_filter.h"

struct probe_counts {
	struct count_source source;
	const struct counter_set *set;
	struct task_filter *filter; /* NULL: all tasks */
	struct inline_probes *probes;
	struct count_clocks clocks;
	bool has_reported;
};

/* Tasks are counted together, in the first slot. */
static struct strobe_error *counts_read(struct count_source *s, struct counter_set *set)
{
	struct probe_counts *c = (struct probe_counts *)s;
	uint32_t number = 0;
	for (uint32_t i = 0; i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		if (e->source != s)
			continue;
		for (uint32_t k = 0; k < e->slots_nr; k++) {
			struct counter_slot *slot = &set->slots.data[e->first_slot + k];
			count_clocks_read(&c->clocks, k, &slot->now);
			slot->now.value = slot->cpu < 0 && k ? 0 : inline_probes_count(c->probes, number, slot->cpu);
		}
		number++;
	}
	_cleanup_free_ char *losses = c->has_reported ? NULL : inline_probes_losses_text(c->probes);
	if (losses)
		log_warn("%s", losses);
	c->has_reported |= losses != NULL;
	return NULL;
}

static struct strobe_error *counts_enable(struct count_source *s, bool on)
{
	struct probe_counts *c = (struct probe_counts *)s;
	count_clocks_enable(&c->clocks, c->set->sys, on);
	inline_probes_enable(c->probes, on);
	return NULL;
}

static struct strobe_error *counts_open(struct count_source *s, pid_t leader)
{
	struct probe_counts *c = (struct probe_counts *)s;
	(void)leader; /* the first task of the map */
	count_clocks_close(&c->clocks);
	inline_probes_enable(c->probes, false);
	inline_probes_clear(c->probes);
	if (c->filter)
		task_filter_follow(c->filter, c->set->map);
	inline_probes_enable(c->probes, c->set->options.start == COUNTER_START_ON_EXEC);
	return count_clocks_open(&c->clocks, c->set, s);
}

static void counts_destroy(struct count_source *s)
{
	struct probe_counts *c = (struct probe_counts *)s;
	inline_probes_unload(c->probes);
	task_filter_destroy(c->filter);
	count_clocks_deinit(&c->clocks);
	free(c);
}

static const struct count_source_ops ops = {
	.open = counts_open,
	.read = counts_read,
	.enable = counts_enable,
	.destroy = counts_destroy,
};

static struct strobe_error *load(struct probe_counts *c, const struct target *t)
{
	VEC(struct inline_probe_event) events = {};
	struct task_filter_options f = { .sys = c->set->sys, .by_thread = t->tids && !t->pids, .has_leader = target_is_none(t),
					 .no_children = c->set->options.no_inherit };
	struct inline_probes_options o = { .sys = c->set->sys, .followed_map = -1, .map = c->set->map };
	if (!c->set->map->system_wide) {
		TRY(task_filter_create(&f, &c->filter));
		o.followed = task_filter_tasks(c->filter);
		o.followed_map = task_filter_map(c->filter);
	}
	for (size_t i = 0; i < c->set->events.len; i++)
		if (c->set->events.data[i].event->code)
			vec_push(&events, ((struct inline_probe_event){ .code = c->set->events.data[i].event->code }));
	o.events = events.data;
	o.events_nr = (uint32_t)events.len;
	struct strobe_error *err = inline_probes_load(&o, &c->probes);
	vec_deinit(&events);
	return err ? err : inline_probes_attach(c->probes);
}

static struct strobe_error *check(const struct counter_set *set, const struct target *t, bool *ret_any)
{
	*ret_any = false;
	for (size_t i = 0; i < set->events.len; i++) {
		const struct event *e = set->events.data[i].event;
		if (!e->code)
			continue;
		*ret_any = true;
		if (e->cgroup)
			return error_create(ERROR_UNSUPPORTED, "%s: inline probes (u:, k:) cannot be counted per cgroup", e->name);
		if (t->per_thread)
			return error_create(ERROR_UNSUPPORTED, "%s: inline probes (u:, k:) cannot be counted per thread", e->name);
	}
	return NULL;
}

struct strobe_error *probe_counts_take(struct counter_set *set, const struct target *t)
{
	bool any;
	TRY(check(set, t, &any));
	if (!any)
		return NULL;
	struct probe_counts *c = xcalloc(1, sizeof(*c));
	c->source.ops = &ops;
	c->set = set;
	struct strobe_error *err = load(c, t);
	if (err) {
		counts_destroy(&c->source);
		return err;
	}
	for (size_t i = 0; i < set->events.len; i++)
		if (set->events.data[i].event->code)
			set->events.data[i].source = &c->source;
	counter_add_source(set, &c->source);
	return NULL;
}
