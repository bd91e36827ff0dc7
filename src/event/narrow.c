#include "event/narrow.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "event/pmu.h"
#include "sys/cgroups.h"

/* Removes the events of all PMUs but one, among those whose names begin with prefix. Returns how many events remain. */
static size_t keep_pmu(struct event_list *list, const char *prefix, const char *pmu)
{
	size_t kept = 0;
	struct event *data = list->events.data;
	for (size_t i = 0; i < list->events.len; i++) {
		if (data[i].pmu && text_has_prefix(data[i].pmu, prefix) && strcmp(data[i].pmu, pmu) != 0) {
			vec_deinit(&data[i].cpus);
			continue;
		}
		/* Leaders are indexes: those after a gap decrease by its size. */
		uint32_t shift = (uint32_t)(i - kept);
		data[i].leader = data[i].leader == i ? (uint32_t)kept : data[i].leader >= shift ? data[i].leader - shift : (uint32_t)kept;
		data[kept++] = data[i];
	}
	list->events.len = kept;
	return kept;
}

struct strobe_error *event_list_keep_core_type(struct event_list *list, const struct sys *sys, const char *type)
{
	_cleanup_free_ char *kind = xasprintf(PMU_DIR "/cpu_%s", type), *whole = xasprintf(PMU_DIR "/%s/type", type);
	const char *pmu = kind + strlen(PMU_DIR "/");
	if (!sys_exists(sys, kind)) {
		/* Without a prefix: a PMU's whole name. If it is the only PMU of the CPUs, all cores have this type. */
		if (!*type || strchr(type, '/') || !sys_exists(sys, whole))
			return error_create(ERROR_USAGE, "--cputype: this machine has no cores of type '%s'", type);
		if (!text_has_prefix(type, "cpu_"))
			return NULL;
		pmu = type;
	}
	return keep_pmu(list, "cpu_", pmu) ? NULL : error_create(ERROR_USAGE, "--cputype %s: no events left to count", type);
}

struct strobe_error *event_list_keep_pmu(struct event_list *list, const struct sys *sys, const char *pmu)
{
	_cleanup_free_ char *dir = xasprintf(PMU_DIR "/%s", pmu);
	if (!*pmu || !sys_exists(sys, dir))
		return error_create(ERROR_USAGE, "--pmu-filter: this machine has no PMU '%s'", pmu);
	return keep_pmu(list, "", pmu) ? NULL : error_create(ERROR_USAGE, "--pmu-filter %s: no events left to count", pmu);
}

void event_list_group_all(struct event_list *list)
{
	for (size_t i = 0; i < list->events.len; i++)
		if (list->events.data[i].kind != EVENT_TOOL)
			list->events.data[i].leader = 0;
}

static struct strobe_error *cgroup_names(const struct sys *sys, const char *text, sys_names *ret)
{
	if (strpbrk(text, "*?[]^$()|+{}\\")) {
		if (!sys_cgroups_matching(sys, text, ret))
			return error_create(ERROR_USAGE, "--for-each-cgroup: invalid regular expression \"%s\"", text);
		return ret->len ? NULL : error_create(ERROR_NOT_FOUND, "--for-each-cgroup: no cgroup matches \"%s\"", text);
	}
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy;
	for (char *word; (word = strsep(&rest, ","));)
		if (*word)
			vec_push(ret, xstrdup(word));
	return NULL;
}

/* Appends copies of the first n events for this cgroup. */
static void repeat_for(struct event_list *list, size_t n, const char *cgroup)
{
	uint32_t shift = (uint32_t)list->events.len;
	for (size_t i = 0; i < n; i++) {
		struct event e = list->events.data[i];
		e.cgroup = cgroup;
		e.leader += shift;
		e.cpus = (sys_cpus){};
		for (size_t k = 0; k < list->events.data[i].cpus.len; k++)
			vec_push(&e.cpus, list->events.data[i].cpus.data[k]);
		vec_push(&list->events, e);
	}
}

struct strobe_error *event_list_for_each_cgroup(struct event_list *list, const struct sys *sys, const char *cgroups)
{
	sys_names names = {};
	size_t n = list->events.len;
	for (size_t i = 0; i < n; i++)
		if (list->events.data[i].cgroup)
			return error_create(ERROR_USAGE, "-G and --for-each-cgroup exclude each other");
	struct strobe_error *err = cgroup_names(sys, cgroups, &names);
	for (size_t c = 1; !err && c < names.len; c++)
		repeat_for(list, n, arena_strdup(&list->arena, names.data[c]));
	for (size_t i = 0; !err && names.len && i < n; i++)
		list->events.data[i].cgroup = arena_strdup(&list->arena, names.data[0]);
	sys_names_deinit(&names);
	return err;
}

struct strobe_error *event_list_check_counting(const struct event_list *list)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} terms[] = {
		{ EVENT_TERM_FREQ, "freq" },
		{ EVENT_TERM_TIME, "time" },
		{ EVENT_TERM_CALL_GRAPH, "call-graph" },
		{ EVENT_TERM_STACK_SIZE, "stack-size" },
		{ EVENT_TERM_MAX_STACK, "max-stack" },
		{ EVENT_TERM_OVERWRITE, "overwrite" },
		{ EVENT_TERM_AUX_OUTPUT, "aux-output" },
		{ EVENT_TERM_AUX_SAMPLE_SIZE, "aux-sample-size" },
		{ EVENT_TERM_AUX_ACTION, "aux-action" },
		{ EVENT_TERM_BRANCH_TYPE, "branch_type" },
	};
	for (size_t i = 0; i < list->events.len; i++)
		for (size_t k = 0; k < sizeof(terms) / sizeof(*terms); k++)
			if (list->events.data[i].terms.set & terms[k].bit)
				return error_create(ERROR_USAGE, "event '%s': the term '%s' applies only to sampling",
						    list->events.data[i].name, terms[k].name);
	return NULL;
}
