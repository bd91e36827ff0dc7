/* A set of counters: its events and slots, switching, filters and reading. */
#include "counter/counter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/perf_abi.h"

static void set_attr(struct counter_set *s, struct counter_event *e)
{
	struct perf_event_attr *a = &e->attr;
	*a = e->event->attr;
	a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	a->sample_type = PERF_SAMPLE_IDENTIFIER;
	/* Counting, not sampling: less work for the kernel at each event, and fewer permissions required. */
	a->sample_period = 0;
	a->freq = 0;
	a->precise_ip = 0;
	a->inherit = !s->options.no_inherit;
	if (e->event->terms.set & EVENT_TERM_INHERIT)
		a->inherit = e->event->terms.inherit;
	/* These override modifiers. */
	if (s->options.all_user || s->options.all_kernel) {
		a->exclude_kernel = s->options.all_user;
		a->exclude_user = !s->options.all_user;
	}
}

static void add_event(struct counter_set *s, const struct event *e, uint32_t leader)
{
	struct counter_event c = { .event = e, .name = e->name, .unit = e->unit ? e->unit : "", .scale = e->scale,
				   .leader = leader, .supported = true };
	set_attr(s, &c);
	if (perf_attr_is_clock(&c.attr) && !e->unit) {
		c.unit = "msec";
		c.scale = 1e-6;
	} else if (e->kind == EVENT_TOOL) {
		c.unit = "ns";
	}
	vec_push(&s->events, c);
}

static bool counts_on_cpu(const struct event *e, int cpu)
{
	return cpu < 0 || !e->cpus.len || sys_cpus_has(&e->cpus, (uint32_t)cpu);
}

static void add_slots(struct counter_set *s, struct counter_event *c)
{
	const struct event *e = c->event;
	const struct target_map *m = s->map;
	c->first_slot = (uint32_t)s->slots.len;
	struct counter_slot slot = { .fd = -1 };
	if (e->kind == EVENT_TOOL) {
		slot.cpu = -1;
		vec_push(&s->slots, slot);
	} else if (e->uncore && !m->system_wide) {
		/* An uncore PMU counts for its whole socket, whatever the target. */
		for (size_t i = 0; i < e->cpus.len; i++) {
			slot.cpu = (int32_t)e->cpus.data[i];
			vec_push(&s->slots, slot);
		}
	} else if (m->system_wide) {
		for (size_t i = 0; i < m->cpus.len; i++) {
			slot.cpu = m->cpus.data[i];
			if (counts_on_cpu(e, slot.cpu))
				vec_push(&s->slots, slot);
		}
	} else {
		slot.cpu = -1;
		for (size_t t = 0; t < m->threads.len; t++) {
			slot.thread = (uint32_t)t;
			vec_push(&s->slots, slot);
		}
	}
	c->slots_nr = (uint32_t)s->slots.len - c->first_slot;
}

void counter_init(struct counter_set *s, const struct sys *sys, const struct event_list *list, const struct target_map *map,
		  struct counter_options options)
{
	*s = (struct counter_set){ .sys = sys, .map = map, .options = options };
	arena_init(&s->arena);
	for (size_t i = 0; i < list->events.len; i++)
		add_event(s, &list->events.data[i], list->events.data[i].leader);
	for (size_t i = 0; i < s->events.len; i++)
		add_slots(s, &s->events.data[i]);
}

void counter_add_source(struct counter_set *s, struct count_source *source)
{
	vec_push(&s->sources, source);
}

void counter_each_slow_fd(const struct counter_set *s, void (*fn)(void *ctx, int fd), void *ctx)
{
	for (size_t i = 0; i < s->held.len; i++)
		fn(ctx, s->held.data[i]);
	for (size_t i = 0; i < s->events.len; i++) {
		const struct counter_event *e = &s->events.data[i];
		for (uint32_t k = 0; e->attr.type == PERF_TYPE_TRACEPOINT && k < e->slots_nr; k++)
			if (s->slots.data[e->first_slot + k].fd >= 0)
				fn(ctx, s->slots.data[e->first_slot + k].fd);
	}
}

void counter_deinit(struct counter_set *s)
{
	counter_close(s);
	for (size_t i = 0; i < s->held.len; i++)
		close(s->held.data[i]);
	vec_deinit(&s->held);
	for (size_t i = 0; i < s->sources.len; i++)
		s->sources.data[i]->ops->destroy(s->sources.data[i]);
	vec_deinit(&s->sources);
	vec_deinit(&s->events);
	vec_deinit(&s->slots);
	vec_deinit(&s->notes);
	free(s->buffer);
	arena_deinit(&s->arena);
}

struct strobe_error *counter_enable(struct counter_set *s, bool on)
{
	for (size_t i = 0; i < s->sources.len; i++)
		TRY(s->sources.data[i]->ops->enable(s->sources.data[i], on));
	for (uint32_t i = 0; i < s->events.len; i++) {
		const struct counter_event *e = &s->events.data[i];
		if (e->opened_leader != i)
			continue;
		/* Members of a group as it was opened go with their leader, bundle or not. */
		for (uint32_t k = 0; k < e->slots_nr; k++) {
			int fd = s->slots.data[e->first_slot + k].fd;
			unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
			int r = fd < 0 ? 0 : sys_ioctl(s->sys, fd, request, PERF_IOC_FLAG_GROUP);
			if (r < 0)
				return error_errno(-r, "cannot %s '%s'", on ? "enable" : "disable", e->name);
		}
	}
	return NULL;
}

bool counter_enable_named(struct counter_set *s, const char *name, bool on)
{
	bool found = false;
	for (size_t i = 0; i < s->events.len; i++) {
		const struct counter_event *e = &s->events.data[i];
		if (strcmp(e->name, name) != 0)
			continue;
		found = true;
		for (uint32_t k = 0; k < e->slots_nr; k++) {
			int fd = s->slots.data[e->first_slot + k].fd;
			if (fd >= 0)
				sys_ioctl(s->sys, fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
		}
	}
	return found;
}

struct strobe_error *counter_filter(struct counter_set *s)
{
	for (size_t i = 0; i < s->events.len; i++) {
		const struct counter_event *e = &s->events.data[i];
		for (uint32_t k = 0; e->event->filter && k < e->slots_nr; k++) {
			int fd = s->slots.data[e->first_slot + k].fd;
			int r = fd < 0 ? 0 : sys_ioctl(s->sys, fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t)e->event->filter);
			if (r < 0)
				return error_create(ERROR_USAGE,
						    "the kernel rejects filter \"%s\" for %s (see strobe list --details %s for "
						    "its fields): %s",
						    e->event->filter, e->name, e->name, strerrordesc_np(-r));
		}
	}
	return NULL;
}

/* A descriptor of its own: value, enabled, running. A read of a counter in error state (pinned, not scheduled) returns 0 bytes. */
static void read_single(struct counter_slot *slot)
{
	uint64_t words[3];
	ssize_t n;
	do
		n = read(slot->fd, words, sizeof(words));
	while (n < 0 && errno == EINTR);
	if (n == sizeof(words))
		slot->now = (struct count_reading){ words[0], words[1], words[2] };
}

/* Leader and members in one call: number, enabled, running, and value and ID of each open member. */
static void read_group(struct counter_set *s, uint32_t leader, uint32_t slot_index)
{
	uint32_t n = 1;
	while (leader + n < s->events.len && s->events.data[leader + n].opened_leader == leader)
		n++;
	if (s->buffer_words < 2 * n + 3) {
		s->buffer_words = 2 * n + 3;
		s->buffer = xreallocarray(s->buffer, s->buffer_words, sizeof(*s->buffer));
	}
	int fd = s->slots.data[s->events.data[leader].first_slot + slot_index].fd;
	ssize_t got;
	do
		got = read(fd, s->buffer, (2 * n + 3) * sizeof(*s->buffer));
	while (got < 0 && errno == EINTR);
	if (got < (ssize_t)(3 * sizeof(*s->buffer)))
		return;
	/* In the order in which they were opened: IDs need not be looked up. */
	uint64_t values = s->buffer[0], at = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct counter_event *e = &s->events.data[leader + i];
		struct counter_slot *slot = slot_index < e->slots_nr ? &s->slots.data[e->first_slot + slot_index] : NULL;
		if (slot && slot->fd >= 0 && at < values)
			slot->now = (struct count_reading){ s->buffer[3 + 2 * at++], s->buffer[1], s->buffer[2] };
	}
}

struct strobe_error *counter_read(struct counter_set *s)
{
	for (size_t i = 0; i < s->slots.len; i++)
		s->slots.data[i].before = s->slots.data[i].now;
	for (size_t i = 0; i < s->sources.len; i++)
		TRY(s->sources.data[i]->ops->read(s->sources.data[i], s));
	for (uint32_t i = 0; i < s->events.len; i++) {
		const struct counter_event *e = &s->events.data[i];
		if (e->opened_leader != i)
			continue;
		for (uint32_t k = 0; k < e->slots_nr; k++) {
			struct counter_slot *slot = &s->slots.data[e->first_slot + k];
			if (slot->fd >= 0 && e->attr.read_format & PERF_FORMAT_GROUP)
				read_group(s, i, k);
			else if (slot->fd >= 0)
				read_single(slot);
		}
	}
	return NULL;
}

void counter_reset(struct counter_set *s)
{
	for (size_t i = 0; i < s->slots.len; i++)
		s->slots.data[i].now = s->slots.data[i].before = (struct count_reading){};
}
