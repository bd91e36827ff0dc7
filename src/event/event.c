#include "event/event.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

void event_list_init(struct event_list *list)
{
	memset(list, 0, sizeof(*list));
	arena_init(&list->arena);
}

void event_list_deinit(struct event_list *list)
{
	for (size_t i = 0; i < list->events.len; i++)
		vec_deinit(&list->events.data[i].cpus);
	vec_deinit(&list->events);
	arena_deinit(&list->arena);
}

void event_attr_defaults(struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){ .size = PERF_ABI_ATTR_BYTES, .exclude_guest = 1 };
}

struct event *event_list_add(struct event_list *list, enum event_kind kind, uint32_t type, uint64_t config,
			     const char *name)
{
	struct event e = { .kind = kind, .scale = 1.0, .leader = (uint32_t)list->events.len };
	e.name = arena_strdup(&list->arena, name);
	event_attr_defaults(&e.attr);
	e.attr.type = type;
	e.attr.config = config;
	bool output = type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_BPF_OUTPUT;
	bool is_point = kind == EVENT_TRACEPOINT || kind == EVENT_PROBE;
	if (is_point || output)
		e.attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	if (is_point || kind == EVENT_BREAKPOINT || output)
		e.attr.sample_period = 1;
	vec_push(&list->events, e);
	return &vec_last(&list->events);
}

/* The exclude bits while modifiers are read. */
struct exclude {
	bool user, kernel, hv, host, guest, idle;
	bool any_level; /* one of u, k, h was read (or is set): the first one excludes all other levels */
	bool host_or_guest;
	unsigned precise;
};

static void include_level(struct exclude *x, bool *level)
{
	if (!x->any_level)
		x->any_level = x->user = x->kernel = x->hv = true;
	*level = false;
}

static void include_side(struct exclude *x, bool *side)
{
	if (!x->host_or_guest)
		x->host_or_guest = x->host = x->guest = true;
	*side = false;
}

static bool apply_one(struct exclude *x, struct event *e, char modifier)
{
	switch (modifier) {
	case 'u':
		include_level(x, &x->user);
		x->guest |= !x->host_or_guest;
		return true;
	case 'k':
		include_level(x, &x->kernel);
		return true;
	case 'h':
		include_level(x, &x->hv);
		return true;
	case 'G':
		include_side(x, &x->guest);
		return true;
	case 'H':
		include_side(x, &x->host);
		return true;
	case 'I':
		x->idle = true;
		return true;
	case 'p':
		x->guest |= !x->host_or_guest; /* no PMU samples guests precisely */
		return ++x->precise <= 3;
	case 'P':
		e->precise_max = true;
		return true;
	case 'S':
		e->sample_read = true;
		return true;
	case 'D':
		e->attr.pinned = 1;
		return true;
	case 'W':
		e->weak_group = true;
		return true;
	case 'e':
		e->attr.exclusive = 1;
		return true;
	case 'b':
		e->bpf_counter = true;
		return true;
	default:
		return false;
	}
}

const char *event_apply_modifiers(struct event *e, const char *modifiers, bool of_group)
{
	struct perf_event_attr *a = &e->attr;
	struct exclude x = {};
	if (of_group) {
		x = (struct exclude){
			.user = a->exclude_user,
			.kernel = a->exclude_kernel,
			.hv = a->exclude_hv,
			.host = a->exclude_host,
			.guest = a->exclude_guest,
			.idle = a->exclude_idle,
			.any_level = a->exclude_user || a->exclude_kernel || a->exclude_hv,
			.host_or_guest = e->guest_host_set,
			.precise = a->precise_ip,
		};
	}
	for (const char *m = modifiers; *m; m++) {
		/* Only p may be repeated. */
		if (*m != 'p' && memchr(modifiers, *m, (size_t)(m - modifiers)))
			return m;
		if (!apply_one(&x, e, *m))
			return m;
	}
	a->exclude_user = x.user;
	a->exclude_kernel = x.kernel;
	a->exclude_hv = x.hv;
	a->exclude_host = x.host;
	a->exclude_guest = x.guest;
	a->exclude_idle = x.idle;
	a->precise_ip = x.precise;
	e->guest_host_set = x.host_or_guest;
	return NULL;
}

struct strobe_error *event_list_add_filter(struct event_list *list, size_t from, const char *filter)
{
	if (from >= list->events.len)
		return error_create(ERROR_USAGE, "must follow the -e it filters");
	for (size_t i = from; i < list->events.len; i++) {
		struct event *e = &list->events.data[i];
		if (!e->tracepoint && !e->probe)
			return error_create(ERROR_USAGE, "%s is not a tracepoint: only tracepoints can be filtered", e->name);
		e->filter = e->filter ? arena_printf(&list->arena, "(%s) && (%s)", e->filter, filter) :
					arena_strdup(&list->arena, filter);
	}
	return NULL;
}

struct strobe_error *event_list_set_cgroups(struct event_list *list, const char *names)
{
	if (!list->events.len)
		return error_create(ERROR_USAGE, "must follow the events (-e) it applies to");
	_cleanup_free_ char *copy = xstrdup(names);
	size_t n = 0;
	char *rest = copy;
	bool single = !strchr(names, ',');
	for (char *word; (word = strsep(&rest, ",")); n++) {
		if (!single && n >= list->events.len)
			return error_create(ERROR_USAGE, "more cgroups than events in \"%s\"", names);
		for (size_t i = single ? 0 : n; i < (single ? list->events.len : n + 1); i++)
			if (*word && !list->events.data[i].cgroup)
				list->events.data[i].cgroup = arena_strdup(&list->arena, word);
	}
	return NULL;
}
